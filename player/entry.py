"""Entry point of the installed command `limber`: handles errors before and while the program runs."""

import os
import sys

INTERRUPTED = 130  # exit status of a program ended by Ctrl C, as in shells


def main() -> int:
    """Runs the command; returns its exit status. A missing library and Ctrl C give a message instead of a
    stack trace.
    """
    try:
        from .command import main as run

        return run()
    except KeyboardInterrupt:
        return INTERRUPTED
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name in ("", "limber"):
            raise
        print(
            f"limber: this Python has no {name}, which the player needs: install the player's wheel by pip,"
            " with its libraries",
            file=sys.stderr,
        )
        return 1
    except BrokenPipeError:  # the reader of the output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
