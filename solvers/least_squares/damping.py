"""Damping of Gauss-Newton steps according to how well the linear model predicts (Levenberg-Marquardt; Nielsen
1999).
"""

import numpy as np

from ..kinematics.se3 import Array
from ..tolerances import MET, TINY

# damping of a first step, as a fraction of the squared error; in `exact_aim`: least damping after a step that
# has not reduced the error, as a fraction of the trace of the system
FIRST_SHARE = 1e-3
# smallest such fraction, and smallest squared error: less damping would be lost in rounding
LEAST_SHARE = 1e-9
MOST_SHARE = 1e4  # largest such fraction: a pose from which no step helps even then counts as a minimum
# damping against redundant rows, as a fraction of the sum of squares; larger singular values are unaffected
REDUNDANT = MET * MET


def regularise(squares: Array, damping: float = 0.0) -> None:
    """Adds damping, and a little more against redundant rows, to the diagonals of matrices J J' or J' J (...,
    n, n), in place.
    """
    *shape, size = squares.shape
    diagonal = squares.reshape(*shape[:-1], size * size)[..., :: size + 1]
    diagonal += damping + REDUNDANT * np.add.reduce(diagonal, -1, keepdims=True) + TINY


class Damping:
    """Damping proportional to the squared error, so that it vanishes when goals are met, and convergence
    stays quadratic.
    """

    def __init__(self, share: float = FIRST_SHARE) -> None:
        # not 0, since multiplying by a factor cannot raise 0
        self.share = min(max(share, LEAST_SHARE), MOST_SHARE)
        self._growth = 2.0  # factor after the next step that does not help; each such step doubles it

    def at(self, square: float) -> float:
        """Damping for a given squared error of the task; an error below `LEAST_SHARE` counts as that."""
        return self.share * max(square, LEAST_SHARE)

    def after(self, gain: float, promised: float) -> None:
        """Adapts the damping after a step that reduced the squared error by `gain`, where the linear model
        predicted `promised`, by a factor of a third to two. A prediction of no reduction leaves it unchanged.
        """
        self._growth = 2.0
        if promised > 0.0:
            factor = max(1.0 / 3.0, 1.0 - (2.0 * min(max(gain / promised, 0.0), 1.0) - 1.0) ** 3)
            self.share = min(max(self.share * factor, LEAST_SHARE), MOST_SHARE)

    def raised(self) -> bool:
        """Increases the damping after a step that has not helped; returns False if it is above `MOST_SHARE`
        already, and sets it to that.
        """
        if self.share > MOST_SHARE:
            self.share, self._growth = MOST_SHARE, 2.0
            return False
        self.share, self._growth = self._growth * self.share, 2.0 * self._growth
        return True
