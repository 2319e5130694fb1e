"""Text for images that are arrays of numbers, rendered with Blender's own font. Needs no screen."""

import bpy
import numpy as np

FINER = 3  # samples a pixel, each way: smooth edges
WIDEST = 60.0  # of its height, that a text may be: what is longer is cut


def coverage(text: str, height: int) -> np.ndarray:
    """Share of each pixel that a line of text covers (rows from below, columns), 0 to 1; `height`: height of the line [pixels].

    It makes a text object and removes it again.
    """
    corners = _triangles(text)
    if not len(corners):
        return np.zeros((height, 1))
    scale = FINER * height
    points = corners * 0.8 * scale + (0.0, 0.22 * scale)  # what hangs below the line has room
    wide = int(min(points[..., 0].max() + 1, WIDEST * scale)) // FINER + 1
    fine = np.zeros((FINER * height, FINER * wide), dtype=bool)
    for triangle in points:
        _fill(fine, triangle)
    return fine.reshape(height, FINER, wide, FINER).mean(axis=(1, 3))


def _triangles(text: str) -> np.ndarray:
    """Corners (k, 3, 2) of the triangles of a text, at size 1."""
    curve = bpy.data.curves.new("Limber letters", "FONT")
    curve.body, curve.resolution_u = text, 2
    thing = bpy.data.objects.new("Limber letters", curve)
    mesh = bpy.data.meshes.new_from_object(thing)
    try:
        mesh.calc_loop_triangles()
        places = np.empty(3 * len(mesh.vertices))
        mesh.vertices.foreach_get("co", places)
        corners = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
        mesh.loop_triangles.foreach_get("vertices", corners)
        return places.reshape(-1, 3)[corners, :2].reshape(-1, 3, 2)
    finally:
        bpy.data.objects.remove(thing)
        bpy.data.curves.remove(curve)
        bpy.data.meshes.remove(mesh)


def _fill(fine: np.ndarray, triangle: np.ndarray) -> None:
    """Marks the samples inside a triangle (3, 2)."""
    high, wide = fine.shape
    left, low = np.maximum(np.floor(triangle.min(axis=0)).astype(int), 0)
    right, top = np.ceil(triangle.max(axis=0)).astype(int) + 1
    right, top = min(right, wide), min(top, high)
    if left >= right or low >= top:
        return
    x, y = np.meshgrid(np.arange(left, right) + 0.5, np.arange(low, top) + 0.5)
    a, b, c = triangle
    sides = [(q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) for p, q in ((a, b), (b, c), (c, a))]
    inside = np.logical_and.reduce([side >= 0 for side in sides]) | np.logical_and.reduce([side <= 0 for side in sides])
    fine[low:top, left:right] |= inside
