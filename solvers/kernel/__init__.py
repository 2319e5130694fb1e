"""The compiled core of the solvers: C sources, and how Python calls them.

`library.kernel` returns the library that fits this machine, or None: then the Python reference does the
same, slower.
"""
