"""Draws coloured solids into a small picture, seen from far away. Knows no Blender."""

from math import ceil, floor
from typing import NamedTuple

import numpy as np

FINER = 2  # samples a pixel, each way: smooth edges
MARGIN = 0.06  # of the picture's side, on each side of what it is to show
LIGHT = np.array([-0.35, 0.55, 0.76])  # towards it, as seen by the viewer: right, up, near; about 1 long
DIM = 0.45  # of its colour, that a face has which no light falls on
OUTLINE = 0.35  # of its colour, that a solid has where another begins
SMALLEST = 1.5  # [pixels] of a solid: smaller ones are left out


class Solid(NamedTuple):
    """A closed body of flat faces.

    Attributes:
        corners: (k, 3, 3) of its triangles, anticlockwise from outside: right, up, near.
        colour: Red, green, blue, 0 to 1 as they are shown.
    """

    corners: np.ndarray
    colour: tuple[float, float, float]


class Frame(NamedTuple):
    """The square that is to be seen."""

    middle: np.ndarray  # (2,) right and up
    side: float


def frame(points: np.ndarray) -> Frame:
    """The square that holds points (n, 3), with a margin."""
    low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    return Frame((low + high) / 2, float((high - low).max()) / (1.0 - 2.0 * MARGIN) or 1.0)


def draw(solids: list[Solid], seen: Frame, size: int) -> np.ndarray:
    """The picture (size, size, 4), rows from below, 0 to 1; clear where nothing is. What is near hides what is behind it."""
    fine = FINER * size
    depth, face = np.full((fine, fine), -np.inf), np.zeros((fine, fine), dtype=np.int32)
    colours, owners = [(0.0, 0.0, 0.0)], [0]  # of the faces: what is drawn, and of which solid; the first is the ground
    for k, solid in enumerate(solids, start=1):
        corners = solid.corners.copy()
        corners[..., :2] = (corners[..., :2] - seen.middle) * (fine / seen.side) + fine / 2
        flat = corners[..., :2].reshape(-1, 2)
        if (np.ptp(flat, axis=0) < SMALLEST * FINER).all() or (flat.max(axis=0) < 0).any() or (flat.min(axis=0) > fine).any():
            continue
        for triangle, shade in zip(corners, _shades(solid.corners), strict=True):
            if shade > 0.0:
                _fill(triangle, len(owners), depth, face)
                colours.append(tuple(shade * part for part in solid.colour))
                owners.append(k)
    number = np.array(owners)[face]
    edge = np.zeros((fine, fine), dtype=bool)
    edge[1:] |= number[1:] != number[:-1]
    edge[:, 1:] |= number[:, 1:] != number[:, :-1]
    shown = np.where(edge, OUTLINE, 1.0)[..., None] * np.array(colours)[face]
    covered = (number > 0).reshape(size, FINER, size, FINER).sum(axis=(1, 3))
    made = np.zeros((size, size, 4), dtype=np.float32)
    made[..., :3] = shown.reshape(size, FINER, size, FINER, 3).sum(axis=(1, 3)) / np.maximum(covered, 1)[..., None]
    made[..., 3] = covered / FINER**2
    return made


def _shades(corners: np.ndarray) -> np.ndarray:
    """How much of its colour each triangle (k, 3, 3) shows; 0 where it is seen from behind."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lit = normals @ LIGHT / np.maximum(np.linalg.norm(normals, axis=1), 1e-30)
    return np.where(normals[:, 2] > 0.0, DIM + (1.0 - DIM) * np.maximum(lit, 0.0), 0.0)


def _fill(triangle: np.ndarray, number: int, depth: np.ndarray, face: np.ndarray) -> None:
    """Puts the number of a triangle (3, 3) where it is nearer than what is there."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle.tolist()
    high, wide = depth.shape
    left, right = max(floor(min(ax, bx, cx)), 0), min(ceil(max(ax, bx, cx)), wide)
    low, top = max(floor(min(ay, by, cy)), 0), min(ceil(max(ay, by, cy)), high)
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    if left >= right or low >= top or area <= 0.0:
        return
    x, y = np.arange(left, right) + (0.5 - ax), (np.arange(low, top) + (0.5 - ay))[:, None]
    of_b = (x * (cy - ay) - y * (cx - ax)) / area
    of_c = (y * (bx - ax) - x * (by - ay)) / area
    nearness = az + of_b * (bz - az) + of_c * (cz - az)
    place = np.s_[low:top, left:right]
    shown = (of_b >= 0.0) & (of_c >= 0.0) & (of_b + of_c <= 1.0) & (nearness > depth[place])
    np.copyto(depth[place], nearness, where=shown)
    np.copyto(face[place], number, where=shown)


def shrunk(picture: np.ndarray, times: int) -> np.ndarray:
    """The picture at 1/`times` of its size, each way; colours by how much they cover."""
    size = len(picture) // times
    blocks = picture.reshape(size, times, size, times, 4)
    alpha = blocks[..., 3:].mean(axis=(1, 3))
    colours = (blocks[..., :3] * blocks[..., 3:]).mean(axis=(1, 3)) / np.maximum(alpha, 1e-6)
    return np.concatenate((colours, alpha), axis=2).astype(np.float32)
