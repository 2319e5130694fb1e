"""Stability of a mechanism that stands on the ground: its centre of mass, and the edge over which it would
tip.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..kinematics.se3 import Array
from .model import Mechanism

# [rad] tilt about the lowest point (2 degrees): points that a smaller tilt would bring to the ground count as
# touching it
LEAN = 0.035
NEAR = 1e-9  # [m] distance up to which points count as one, and the centre of mass as inside the support


@dataclass(frozen=True)
class Tipping:
    """The edge of the support over which a mechanism would tip.

    Attributes:
        bodies: Names of the bodies at the two ends of the edge; both can be the same body.
        distance: [m] by which the centre of mass is outside, in the ground plane.
        outward: (2,) unit normal of the edge in the ground plane, away from the support.
    """

    bodies: tuple[str, str]
    distance: float
    outward: Array


def centre_of_mass(mechanism: Mechanism, poses: Array) -> Array:
    """Centre of mass (3,) [m] of all bodies at their poses (b, 4, 4); at least one must have a mass."""
    masses = np.array([body.mass for body in mechanism.bodies])
    centres = np.array(
        [
            (pose @ np.array((*body.centre, 1.0)))[:3]
            for pose, body in zip(poses, mechanism.bodies, strict=True)
        ]
    )
    centre: Array = masses @ centres / masses.sum()
    return centre


def tipping(soles: Mapping[str, Array], centre: Array) -> Tipping | None:
    """The edge over which a mechanism with this centre of mass (3,) would tip; None if the mechanism stands,
    or has no sole.

    Args:
        soles: Points (n, 3) [m] of bodies that can touch the ground, in the world, by the bodies' names.
        centre: [m] in the world, whose Z is up.
    """
    names = [name for name, points in soles.items() for _ in points]
    if not names:
        return None
    points = np.concatenate(list(soles.values()))
    above = points - points[points[:, 2].argmin()]
    lowest = np.flatnonzero(above[:, 2] <= LEAN * np.linalg.norm(above[:, :2], axis=1))
    corners = _hull(points[lowest, :2])
    ground = centre[:2]
    worst: Tipping | None = None
    for first, second in zip(corners, np.roll(corners, -1), strict=True):
        start, end = points[lowest[first], :2], points[lowest[second], :2]
        outward = _outward(start, end, ground)
        distance = float((ground - start) @ outward)
        if distance > NEAR and (worst is None or distance > worst.distance):
            worst = Tipping((names[lowest[first]], names[lowest[second]]), distance, outward)
    return worst


def _outward(start: Array, end: Array, ground: Array) -> Array:
    """Unit normal (2,) to the right of an edge; if both ends coincide, the direction from there to `ground`
    (2,), the centre of mass as seen from above.
    """
    along = end - start
    normal = np.array((along[1], -along[0])) if np.linalg.norm(along) > NEAR else ground - start
    length = float(np.linalg.norm(normal))
    unit_normal: Array = normal / length if length > 0.0 else normal
    return unit_normal


def _hull(points: Array) -> Array:
    """Indices (k,) of the corners of the convex hull of points (n, 2), counterclockwise (Andrew's monotone
    chain, 1979).
    """
    order = np.lexsort((points[:, 1], points[:, 0])).tolist()

    def half(indices: list[int]) -> list[int]:
        chain: list[int] = []
        for index in indices:
            while len(chain) > 1 and _turn(points[chain[-2]], points[chain[-1]], points[index]) <= 0.0:
                chain.pop()
            chain.append(index)
        return chain

    corners = half(order)[:-1] + half(order[::-1])[:-1]
    return np.array(corners or order[:1])


def _turn(a: Array, b: Array, c: Array) -> float:
    """Twice the signed area of a triangle of points (2,): above 0 if it is counterclockwise."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
