"""Text for images that are arrays of numbers, rendered with Blender's own font. Needs no screen."""

import bpy
import numpy as np

from ...showing.thumbnails.raster import fill

FINER = 3  # samples per pixel along each axis, for smooth edges
WIDEST = 60.0  # of its height, that a text may be: what is longer is cut


def coverage(text: str, height: int) -> np.ndarray:
    """Share of each pixel that a line of text covers (rows from below, columns), 0 to 1; `height`: height of
    the line [pixels].

    It makes a text object and removes it again.
    """
    corners = _triangles(text)
    if not len(corners):
        return np.zeros((height, 1))
    scale = FINER * height
    points = corners * 0.8 * scale + (0.0, 0.22 * scale)  # with room for descenders
    wide = int(min(points[..., 0].max() + 1, WIDEST * scale)) // FINER + 1
    fine = np.zeros((FINER * height, FINER * wide), dtype=np.int32)
    depth = np.full(fine.shape, -np.inf)
    for triangle in np.pad(points, ((0, 0), (0, 0), (0, 1))):  # all points are at depth 0
        fill(triangle, 1, depth, fine)
    return fine.reshape(height, FINER, wide, FINER).mean(axis=(1, 3))


def _triangles(text: str) -> np.ndarray:
    """Corners (k, 3, 2) of the triangles of a text, anticlockwise, at size 1."""
    curve = bpy.data.curves.new("Limber letters", "FONT")
    curve.body, curve.resolution_u = text, 2
    text_object = bpy.data.objects.new("Limber letters", curve)
    mesh = bpy.data.meshes.new_from_object(text_object)
    try:
        mesh.calc_loop_triangles()
        places = np.empty(3 * len(mesh.vertices))
        mesh.vertices.foreach_get("co", places)
        corners = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
        mesh.loop_triangles.foreach_get("vertices", corners)
        return places.reshape(-1, 3)[corners, :2].reshape(-1, 3, 2)
    finally:
        bpy.data.objects.remove(text_object)
        bpy.data.curves.remove(curve)
        bpy.data.meshes.remove(mesh)
