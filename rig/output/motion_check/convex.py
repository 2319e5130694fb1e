"""Distance between a link and a convex body, or the depth of penetration. Does not use Blender.

A link is the set of points within a radius of the line from its head to its tail. The distance between line
and body is that of the origin from the set of their points' differences, by Wolfe's nearest point of a
polytope (Math. Programming 11, 1976), which needs only the support point of each body in a direction.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

EXACT = 1e-6  # [m] largest error of a distance; a smaller distance counts as contact
# largest number of steps of Wolfe's method: a few suffice for flat faces, a ball needs some dozens
MOST_STEPS = 100
HALVINGS = 40  # number of steps of the golden-section search: they divide a link's length by more than 1e8
GOLDEN = 0.6180339887498949
NOTHING = 1e-12  # a weight, or a squared length [m2], that counts as 0
TANGENTS = 600  # number of tangent planes that approximate a ball for its depth, to 0.5% of its radius


class ConvexBody(Protocol):
    """A convex body in the world."""

    def furthest(self, direction: np.ndarray) -> np.ndarray:
        """Support point (3,) [m]: the point of the body that is furthest in a direction (3,) of any
        length.
        """

    @property
    def planes(self) -> tuple[np.ndarray, np.ndarray]:
        """Outward unit normals (m, 3) and offsets (m,) [m] of bounding planes; empty for a flat body."""


@dataclass(frozen=True)
class Hull:
    """Convex hull of points.

    Attributes:
        points: (k, 3) [m].
        faces: (m, 3) indices of the triangles of its surface, in any orientation; empty for a flat body.
    """

    points: np.ndarray
    faces: np.ndarray

    def moved(self, matrix: np.ndarray) -> "Hull":
        """The hull transformed by an affine matrix (4, 4)."""
        return Hull(self.points @ matrix[:3, :3].T + matrix[:3, 3], self.faces)

    def furthest(self, direction: np.ndarray) -> np.ndarray:
        return self.points[(self.points @ direction).argmax()]

    @cached_property
    def planes(self) -> tuple[np.ndarray, np.ndarray]:
        if not len(self.faces):
            return np.zeros((0, 3)), np.zeros(0)
        corners = self.points[self.faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        lengths = np.linalg.norm(normals, axis=1)
        is_face = lengths > NOTHING
        normals = normals[is_face] / lengths[is_face, None]
        middle = self.points.mean(axis=0)
        offsets = np.einsum("ij,ij->i", normals, corners[is_face, 0])
        inward = normals @ middle > offsets
        normals[inward] *= -1.0
        return normals, np.where(inward, -offsets, offsets)


@dataclass(frozen=True)
class Ball:
    """Image of the unit ball under an affine matrix (4, 4): a ball or an ellipsoid."""

    matrix: np.ndarray

    def furthest(self, direction: np.ndarray) -> np.ndarray:
        axes = self.matrix[:3, :3]
        local = direction @ axes
        return self.matrix[:3, 3] + axes @ (local / max(float(np.linalg.norm(local)), NOTHING))

    @cached_property
    def planes(self) -> tuple[np.ndarray, np.ndarray]:
        """Unit normals (m, 3) and offsets (m,) [m] of tangent planes, in directions spread over the
        sphere.
        """
        normals = _directions()
        return normals, normals @ self.matrix[:3, 3] + np.linalg.norm(normals @ self.matrix[:3, :3], axis=1)


def _directions() -> np.ndarray:
    """Unit vectors (n, 3), nearly evenly spread: on a spiral from pole to pole."""
    up = 1.0 - 2.0 * (np.arange(TANGENTS) + 0.5) / TANGENTS
    around = 2.0 * np.pi * GOLDEN * np.arange(TANGENTS)
    aside = np.sqrt(1.0 - up * up)
    return np.stack((aside * np.cos(around), aside * np.sin(around), up), axis=1)


def intrusion(body: ConvexBody, head: np.ndarray, tail: np.ndarray, radius: float) -> float:
    """How far a link penetrates a body [m]: its radius plus the depth of its line, from `head` to `tail` (3,)
    [m]; negative outside.

    Far away its magnitude is only a lower bound of the distance, which suffices to know that the link is
    outside.
    """
    normals, offsets = body.planes
    if len(offsets):
        at_head, at_tail = offsets - normals @ head, offsets - normals @ tail  # depths below each plane
        outside = -float(np.maximum(at_head, at_tail).min())
        if outside > radius:
            return radius - outside
    apart = distance(body, head, tail)
    if apart > 0.0 or not len(offsets):
        return radius - apart
    return radius + max(0.0, _deepest(at_head, at_tail - at_head))


def _deepest(depths: np.ndarray, change: np.ndarray) -> float:
    """Maximum along a line of the minimum of several depths: depths (m,) at its head, and their change (m,)
    to its tail. The function is concave: golden-section search.
    """
    low, high = 0.0, 1.0
    left, right = high - GOLDEN, low + GOLDEN
    at_left, at_right = (depths + left * change).min(), (depths + right * change).min()
    for _ in range(HALVINGS):
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = (depths + right * change).min()
        else:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = (depths + left * change).min()
    ends = depths.min(), (depths + change).min()
    return float(max(at_left, at_right, *ends))


def distance(body: ConvexBody, head: np.ndarray, tail: np.ndarray) -> float:
    """Distance [m] between a body and the line between two points (3,) [m]; 0 if they intersect."""

    def nearest_in(direction: np.ndarray) -> np.ndarray:
        """Support point (3,), opposite to `direction` (3,), of the Minkowski difference of body and line."""
        return body.furthest(-direction) - (head if direction @ head > direction @ tail else tail)

    corners = nearest_in(body.furthest(np.array([1.0, 0.0, 0.0])) - head)[None]
    weights = np.ones(1)
    nearest = corners[0]
    for _ in range(MOST_STEPS):
        length = float(np.linalg.norm(nearest))
        if length < EXACT:
            return 0.0
        further = nearest_in(nearest)
        if nearest @ (nearest - further) <= EXACT * length:
            return length
        corners, weights = _nearest_of(np.vstack((corners, further)), np.append(weights, 0.0))
        nearest = weights @ corners
    return float(np.linalg.norm(nearest))


def _nearest_of(corners: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Those of the corners (k, 3) that span the point of their hull nearest to the origin, and their weights
    in this point. `weights` (k,): those of the point that was nearest before, 0 for a new corner.
    """
    while True:
        hull_weights = np.linalg.lstsq(1.0 + corners @ corners.T, np.ones(len(corners)), rcond=None)[0]
        hull_weights /= hull_weights.sum()
        if (hull_weights > NOTHING).all():
            return corners, hull_weights
        leaving = hull_weights <= NOTHING
        steps = weights[leaving] / np.maximum(weights[leaving] - hull_weights[leaving], NOTHING)
        weights = weights + min(1.0, float(steps.min())) * (hull_weights - weights)
        is_used = weights > NOTHING
        corners, weights = corners[is_used], weights[is_used] / weights[is_used].sum()
