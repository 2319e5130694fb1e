"""Rasteriser: draws coloured solids into a small picture in orthographic projection. Does not use Blender."""

from math import ceil, floor
from typing import NamedTuple

import numpy as np

FINER = 2  # number of samples per pixel along each axis, for smooth edges
MARGIN = 0.06  # margin on each side, as a fraction of the picture's side
LIGHT = np.array([-0.35, 0.55, 0.76])  # unit vector to the light: right, up, near
DIM = 0.45  # brightness of a face turned away from the light
OUTLINE = 0.35  # brightness of a solid along its outline
SMALLEST = 1.5  # [pixels] a solid that is smaller in both directions is not drawn


class ColouredSolid(NamedTuple):
    """A closed polyhedron of one colour.

    Attributes:
        corners: Corners of its triangles (k, 3, 3), anticlockwise from outside: right, up, near.
        colour: Red, green, blue, 0 to 1, as displayed.
    """

    corners: np.ndarray
    colour: tuple[float, float, float]


class PictureFrame(NamedTuple):
    """Square section of the view that a picture shows."""

    middle: np.ndarray  # (2,) centre: coordinates to the right and up
    side: float  # length of the square's sides


def frame(points: np.ndarray) -> PictureFrame:
    """The square that holds points (n, 3), with a margin."""
    low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    return PictureFrame((low + high) / 2, float((high - low).max()) / (1.0 - 2.0 * MARGIN) or 1.0)


def draw(solids: list[ColouredSolid], seen: PictureFrame, size: int) -> np.ndarray:
    """RGBA picture (size, size, 4), bottom row first, values 0 to 1, with transparent background. Nearer
    solids hide farther ones, each has a dark outline, and very small ones are left out.
    """
    fine = FINER * size
    depth, face = np.full((fine, fine), -np.inf), np.zeros((fine, fine), dtype=np.int32)
    colours, owners = [(0.0, 0.0, 0.0)], [0]  # colour and solid of each face; the first is the background
    for k, solid in enumerate(solids, start=1):
        # metres become fine pixels; depths are not scaled, since they are only compared
        corners = solid.corners.copy()
        corners[..., :2] = (corners[..., :2] - seen.middle) * (fine / seen.side) + fine / 2
        flat = corners[..., :2].reshape(-1, 2)
        if (
            (np.ptp(flat, axis=0) < SMALLEST * FINER).all()
            or (flat.max(axis=0) < 0).any()
            or (flat.min(axis=0) > fine).any()
        ):
            continue
        # faces turned away have no shade, and others hide them
        for triangle, shade in zip(corners, _shades(solid.corners), strict=True):
            if shade > 0.0:
                fill(triangle, len(owners), depth, face)
                colours.append(tuple(shade * part for part in solid.colour))
                owners.append(k)
    # outlines are drawn where another solid begins, since solids of the same colour would merge otherwise
    number = np.take(owners, face)
    edge = np.zeros((fine, fine), dtype=bool)
    edge[1:] |= number[1:] != number[:-1]
    edge[:, 1:] |= number[:, 1:] != number[:, :-1]
    on_outline = OUTLINE * np.array(colours)
    shown = np.take(np.concatenate((colours, on_outline)), face + len(colours) * edge, axis=0)
    # fine pixels are averaged for smooth edges; colours are means of the covered fine pixels only, since
    # edges would be dark otherwise
    covered = _block_sums((number > 0).astype(np.int32), FINER)
    picture = np.zeros((size, size, 4), dtype=np.float32)
    picture[..., :3] = _block_sums(shown, FINER) / np.maximum(covered, 1)[..., None]
    picture[..., 3] = covered / FINER**2
    return picture


def _block_sums(values: np.ndarray, side: int) -> np.ndarray:
    """Sums of an image's blocks of `side` by `side` pixels: (n side, n side, ...) -> (n, n, ...). numpy's own
    sum along two short axes is slow.
    """
    return sum(values[row::side, column::side] for row in range(side) for column in range(side))


def _shades(corners: np.ndarray) -> np.ndarray:
    """Brightness of each triangle (k, 3, 3); 0 if it faces away."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lit = normals @ LIGHT / np.maximum(np.linalg.norm(normals, axis=1), 1e-30)
    return np.where(normals[:, 2] > 0.0, DIM + (1.0 - DIM) * np.maximum(lit, 0.0), 0.0)


def fill(triangle: np.ndarray, number: int, depth: np.ndarray, face: np.ndarray) -> None:
    """Writes `number` into `face` at the pixels where a triangle (3, 3) is nearer than `depth`, and updates
    `depth`. A triangle that is seen from behind is not drawn.
    """
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
    pixels = np.s_[low:top, left:right]
    shown = (of_b >= 0.0) & (of_c >= 0.0) & (of_b + of_c <= 1.0) & (nearness > depth[pixels])
    np.copyto(depth[pixels], nearness, where=shown)
    np.copyto(face[pixels], number, where=shown)


def shrunk(picture: np.ndarray, times: int) -> np.ndarray:
    """An RGBA picture (size, size, 4) reduced to 1/`times` of its size along each axis; colours are weighted
    by alpha.
    """
    weighted = np.concatenate((picture[..., :3] * picture[..., 3:], picture[..., 3:]), axis=2)
    means = _block_sums(weighted, times) / times**2
    means[..., :3] /= np.maximum(means[..., 3:], 1e-6)
    return means.astype(np.float32)
