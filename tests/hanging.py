"""Prints the stack of each thread of a process of tests that hangs, before the runner kills it."""

import faulthandler
import os
import sys

import pytest

# [s] time from the start of the tests; None: nothing is printed
AFTER = os.environ.get("LIMBER_HANGING")


def pytest_configure(config: pytest.Config) -> None:
    """Starts one timer for the process: pytest's own option starts a thread for each test, which takes longer
    than many a test, and misses a process whose last test began late.
    """
    if AFTER:
        faulthandler.dump_traceback_later(float(AFTER), file=os.dup(sys.stderr.fileno()))
