"""Whether a mechanism went over to another assembly: its elbows to the other side. Knows no Blender."""

import numpy as np
from numpy.typing import NDArray

from .frames import Array

RANK = 1e-7  # of the largest singular value: rows that count have 1e-3 and more, the next are rounding


def is_another(before: Array, after: Array, actuated: NDArray[np.int64]) -> bool:
    """Whether between two poses, a frame apart, lies one where the actuators do not determine the mechanism.

    Args:
        before, after: The loops' derivatives (r, v) at the poses.
        actuated: Coordinates (m,) of the actuators.

    The derivative by what is not actuated changes the sign of its determinant there; of redundant rows and of ways that nothing
    determines the part is left out that does not count before.
    """
    passive = np.setdiff1d(np.arange(before.shape[1]), actuated)
    first, then = before[:, passive], after[:, passive]
    if not first.size:
        return False
    left, sizes, right = np.linalg.svd(first, full_matrices=False)
    rank = int((sizes > RANK * sizes[0]).sum())
    return bool(np.linalg.det(left[:, :rank].T @ then @ right[:rank].T / sizes[:rank]) < 0.0)
