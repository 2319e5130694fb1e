"""The outermost of many points: only these can touch a plane."""

import numpy as np

from ...solvers.kinematics.se3 import Array

# number of directions in which the outermost points are returned; of a foot 0.3 m long, the points left out
# are in other directions at most about 2 mm farther out
DIRECTIONS = 256


def outermost(points: Array) -> Array:
    """The points among `points` (m, 3) that are farthest out in at least one of `DIRECTIONS` directions;
    all if there are no more points than directions.
    """
    if len(points) <= DIRECTIONS:
        return points
    k = np.arange(DIRECTIONS) + 0.5
    z, angle = 1.0 - 2.0 * k / DIRECTIONS, np.pi * (1.0 + 5.0**0.5) * k  # a Fibonacci lattice on the sphere
    across = np.sqrt(1.0 - z**2)
    directions = np.stack([across * np.cos(angle), across * np.sin(angle), z])
    return points[np.unique((points @ directions).argmax(0))]
