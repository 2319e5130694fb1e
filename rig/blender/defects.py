"""Unexpected exceptions, which are defects of Limber: the console has their details."""

import sys
from traceback import format_exc, format_tb

# largest number of exceptions that are printed, so that the console stays readable and the set small
MOST = 100

# exceptions that were printed, each as its traceback and its type; messages vary, such as those with numbers
printed: set[str] = set()


def print_once() -> None:
    """Prints the exception that is being handled with its traceback to the console, unless one of the same
    type that came from the same lines was printed before. At most `MOST` exceptions are printed; a line after
    the last one says so.
    """
    kind, _, trace = sys.exc_info()
    defect = "".join(format_tb(trace)) + kind.__name__
    if defect in printed or len(printed) == MOST:
        return
    printed.add(defect)
    print(format_exc(), file=sys.stderr)
    if len(printed) == MOST:
        print(f"Limber: {MOST} defects are printed, and no more until Blender is restarted", file=sys.stderr)
