"""How the bones of a chain share a look to the side, by the costs of their rotations.

A look by an angle a about an axis u rotates bone k by a c_k / (c_1 + ... + c_n) about that axis, where
c_k = u' K_k^-1 u: these rotations cost the least in sum.
"""

import math
from typing import NamedTuple

import numpy as np

from ..kinematics.se3 import Array
from .model import principal_costs

MIDDLE = 0.5  # value of the option `look_from` up to which the inertia has its usual power
# share of a look that one bone takes at most if others can take the rest: with more, it seems to look alone
LARGEST_SHARE = 0.65
LARGEST_TWIST = math.radians(30.0)  # [rad] twist that a bone's skin bears: with more, its volume collapses
STEP = 0.01  # step in which values of the option are tried


class LookingBones(NamedTuple):
    """The k bones that share a look, root first, as if without limits.

    Attributes:
        inertias: (k, 3, 3) [m3] of everything that each bone carries, in its own frame.
        axes: (k, 3) the look's axis, a unit vector, in each bone's own frame.
    """

    inertias: Array
    axes: Array

    def shares(self, look_from: float) -> Array:
        """Share (k,) that each bone has in a look, for a value of the option `look_from` from .5 up."""
        costs, directions = principal_costs(self.inertias, -1, look_from)
        along = (self.axes[:, None, :] @ directions)[:, 0]
        compliances = (along**2 / costs).sum(axis=1)
        shares: Array = compliances / compliances.sum()
        return shares

    def bounds(self, whole: float) -> Array:
        """Largest rotation (k,) [rad] of each bone, at which neither its twist exceeds `LARGEST_TWIST` nor
        its part of the `whole` look [rad] exceeds `LARGEST_SHARE`.
        """
        twisting = np.maximum(np.abs(self.axes[:, 1]), LARGEST_TWIST / math.pi)
        bounds: Array = np.minimum(LARGEST_TWIST / twisting, LARGEST_SHARE * whole)
        return bounds

    def look_from(self, look: float, whole: float) -> float | None:
        """The least value of the option `look_from`, from its middle up, at which no bone exceeds its bound
        (for a single bone, 1); None if there is none.

        Args:
            look: Angle [rad] that these bones rotate by together.
            whole: Angle [rad] of the whole look, to which other bones contribute too.
        """
        bounds = self.bounds(whole)
        values = [1.0] if len(bounds) == 1 else [*np.arange(MIDDLE, 1.0, STEP).tolist(), 1.0]
        return next((value for value in values if np.all(self.shares(value) * look <= bounds)), None)
