"""Unexpected exceptions, which are defects of Limber: the console has their details."""

import sys
from traceback import format_exc, format_tb

MOST = 100  # largest number of exceptions that are printed, so that the console and the set stay readable

# exceptions that were printed, each as its traceback and its type; messages vary, such as those with numbers
printed: set[str] = set()


def print_once() -> None:
    """Prints the exception that is being handled with its traceback, unless one of the same type was printed
    before that came from the same lines.
    """
    kind, _, trace = sys.exc_info()
    defect = "".join(format_tb(trace)) + kind.__name__
    if defect not in printed and len(printed) < MOST:
        printed.add(defect)
        print(format_exc(), file=sys.stderr)
