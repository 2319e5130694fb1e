"""The command `limber` as it is installed: what may happen before the program itself runs."""

import os
import sys

INTERRUPTED = 130  # exit status of a program that Ctrl C has ended, as shells have it


def main() -> int:
    """Runs the command; returns its exit status. A missing library and Ctrl C are no stack traces."""
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
    except BrokenPipeError:  # who read what is printed has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
