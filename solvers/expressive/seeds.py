"""Starting configurations of searches, and which candidates are on different branches."""

from collections.abc import Sequence

import numpy as np

from ..kinematics.skeleton import Angles
from ..spread import spread
from .model import Model

ROOT_TURNS = 8  # number of root angles at which the posture and its mirror image are tried as starts
SPREAD = 24  # number of starting configurations spread evenly over the joints' ranges
# positions, as fractions of a joint's range, to which `near` moves single joints
NEAR_SHARES = (0.05, 0.35, 0.65, 0.95)
# squared cosine above which an axis counts as parallel to that of the base: mirroring leaves such joints
# unchanged
PARALLEL = 0.5
SAME_BRANCH = 0.25  # [rad] largest joint difference up to which two candidates count as on one branch


class Seeds:
    """Starting configurations for one skeleton."""

    def __init__(self, model: Model) -> None:
        self.model = model
        n = len(model.lower)
        self.spread = spread(model.skeleton, SPREAD)
        axes = model.poses(np.zeros((1, n))).axes[0]
        twisters = (axes @ axes[0]) ** 2 > PARALLEL
        # The mirror image: with the root rotated by half a revolution and every bend reversed, the shape is
        # the same, if twists in between allow it.
        self.mirror = np.where(twisters | (model.is_revolute == 0.0), 1.0, -1.0)
        spans = model.upper - model.lower
        self._roots = np.tile(model.lower[0] + spans[0] * (np.arange(ROOT_TURNS) + 0.5) / ROOT_TURNS, 2)
        # for each configuration of `near`: the joint that it moves, and to which position
        self._moved = np.tile(np.arange(n), len(NEAR_SHARES))
        self._places = (model.lower + np.array(NEAR_SHARES)[:, None] * spans).ravel()

    def around(self, posture: Angles) -> Angles:
        """Configurations (s, n) [rad or m] for a posture (n,) within limits; the first is the posture
        itself.
        """
        starts = np.empty((2 * ROOT_TURNS, len(posture)))
        starts[:ROOT_TURNS] = posture
        starts[ROOT_TURNS:] = np.minimum(
            np.maximum(posture * self.mirror, self.model.lower), self.model.upper
        )
        starts[:, 0] = self._roots
        starts[::ROOT_TURNS, 0] = posture[0]
        return np.concatenate([starts, self.spread])

    def near(self, angles: Angles) -> Angles:
        """Configurations (s, n) [rad or m] that differ from `angles` (n,) in one joint each."""
        starts = np.tile(angles, (len(self._moved), 1))
        starts[np.arange(len(starts)), self._moved] = self._places
        return starts


def distinct(model: Model, angles: Angles, order: Sequence[int], most: int) -> list[int]:
    """Indices of at most `most` configurations of `angles` (m, n) [rad or m] on different branches, taken in
    the given order.
    """
    chosen: list[int] = []
    left = np.array(order, np.intp)
    scaled = angles[left] / model.scale
    while len(left) and len(chosen) < most:
        chosen.append(int(left[0]))
        others = np.abs(scaled - scaled[0]).max(1) > SAME_BRANCH
        left, scaled = left[others], scaled[others]
    return chosen
