"""The papers' tables and the peers, side by side, as commands: `python -m benchmarks.NAME`, from the
repository's root.

All of them measure one core: numpy's own threads cost more than they bring to systems of this size, and much
more on a busy machine.
"""

import os

from checkout import load_limber

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

os.environ |= ONE_THREAD  # before numpy is loaded
load_limber()
