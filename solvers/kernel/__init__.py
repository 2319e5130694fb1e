"""The compiled core of the solvers: C sources, and how Python calls them (docs/solvers.md, "The compiled core").

`library.kernel` returns the library that fits this machine, or None: then the Python reference does the same, slower.
"""
