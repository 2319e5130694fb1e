"""Comparisons with papers' tables and other libraries, measurements of times and errors, and random tests;
most modules are commands: `python -m benchmarks.NAME`, from the repository's root.

In all of them numpy uses one thread: for systems of this size more threads cost more time than they save, and
much more on a busy machine.
"""

import os

from checkout import load_limber

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

os.environ |= ONE_THREAD  # set before numpy is loaded, which reads it
load_limber()
