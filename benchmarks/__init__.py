"""Comparisons of Limber with papers' tables and with other libraries, as commands: `python -m
benchmarks.NAME`, from the repository's root.

All of them measure on one core: for systems of this size numpy's threads cost more time than they save, and
much more on a busy machine.
"""

import os

from checkout import load_limber

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

os.environ |= ONE_THREAD  # set before numpy is loaded, which reads it
load_limber()
