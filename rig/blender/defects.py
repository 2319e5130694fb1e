"""Unexpected exceptions, which are defects of Limber: the console has their details."""

import sys
from traceback import format_exc

printed: set[str] = set()  # exceptions that were printed, with their tracebacks


def print_once() -> None:
    """Prints the exception that is being handled with its traceback, unless the same was printed before."""
    if (details := format_exc()) not in printed:
        printed.add(details)
        print(details, file=sys.stderr)
