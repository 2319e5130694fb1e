"""The compiled core of the solvers: C sources, and how Python calls them.

`library.kernel` returns the library for this machine, or None if there is none; the Python reference then
computes the same, more slowly.
"""
