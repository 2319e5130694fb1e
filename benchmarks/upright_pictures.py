"""Pictures of heads that look around: sticks for bones, and a box with a nose and a hat for the head. They
are drawn by numpy, so that no screen is needed.
"""

from math import radians
from pathlib import Path

import bpy
import numpy as np
from limber.rig.bones.paths import bone_names
from limber.rig.showing.thumbnails.raster import ColouredSolid, draw, frame
from mathutils import Matrix, Vector

PIXELS = 220  # side length of a picture
COLUMNS = 3  # number of pictures in a row
# colours of the chain's bones, of the head's box, and of its front
MOVED, HEAD, NOSE = (0.35, 0.72, 0.93), (0.93, 0.6, 0.35), (0.95, 0.85, 0.2)
THICK = 0.1  # half the thickness of a bone, as a share of its length
ROOM = 3.0  # space around the bones for the head's box and its movement, in head widths
UP = Vector((0.0, 0.0, 1.0))


def picture(rig, head: str, middle: Vector, facing: Matrix, width: float, front: Vector) -> np.ndarray:
    """Picture (PIXELS, PIXELS, 4) of the chains of an armature in their shown pose, with a box for the head.

    Args:
        rig: The armature object.
        head: The head's bone.
        middle: World position of the head's centre [m].
        facing: Matrix with the head's right, view and up directions in the world as columns.
        width: Width of the head [m].
        front: Authored view direction of the head: the camera is on this side, slightly to the side and
            above.
    """
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    view = _view(front)
    chained = {name for chain in rig.limber.chains for name in bone_names(rig.pose.bones, chain)}
    solids, ends = [], [view @ middle]
    for bone in shown.pose.bones:
        if bone.name in chained and bone.name != head:
            matrix, length = view @ shown.matrix_world @ bone.matrix, bone.length
            half = Vector((THICK * length, length / 2, THICK * length))
            solids.append(
                ColouredSolid(_box(matrix @ Matrix.Translation((0.0, length / 2, 0.0)), half), MOVED)
            )
            ends += [matrix.translation, matrix @ Vector((0.0, length, 0.0))]
    half = width / 2
    for offset, sides, colour in (
        (Vector(), Vector((half, half, half)), HEAD),
        (Vector((0.0, 1.6 * half, 0.0)), Vector((0.2 * half, half, 0.2 * half)), NOSE),
        (Vector((0.0, 0.0, 1.3 * half)), Vector((0.3 * half, 0.3 * half, 0.5 * half)), NOSE),
    ):
        matrix = facing.to_4x4()
        matrix.translation = middle + facing @ offset
        solids.append(ColouredSolid(_box(view @ matrix, sides), colour))
    points = np.array(ends)
    return draw(
        solids, frame(points)._replace(side=float(np.ptp(points, axis=0).max()) + ROOM * width), PIXELS
    )


def sheet(pictures: list[np.ndarray], path: Path) -> None:
    """Writes pictures row by row into one PNG file."""
    rows = [np.concatenate(pictures[k : k + COLUMNS], axis=1) for k in range(0, len(pictures), COLUMNS)]
    whole = np.concatenate(rows[::-1], axis=0)
    alpha = whole[..., 3:]
    whole = np.concatenate([whole[..., :3] * alpha + (1.0 - alpha), np.ones_like(alpha)], axis=2).astype(
        np.float32
    )
    image = bpy.data.images.new(path.stem, whole.shape[1], whole.shape[0])
    image.pixels.foreach_set(whole.ravel())
    image.filepath_raw, image.file_format = str(path), "PNG"
    image.save()


def _view(front: Vector) -> Matrix:
    """Rotation from the world's axes to right, up and toward the camera."""
    near = (Matrix.Rotation(radians(20), 3, "Z") @ Vector((front.x, front.y, 0.25))).normalized()
    right = UP.cross(near).normalized()
    return Matrix((right, near.cross(right), near)).to_4x4()


def _box(matrix: Matrix, half: Vector) -> np.ndarray:
    """Triangles (12, 3, 3) of a box with these half side lengths, under a transform."""
    corners = np.array(
        [
            matrix @ Vector((i * half.x, j * half.y, k * half.z))
            for i in (-1, 1)
            for j in (-1, 1)
            for k in (-1, 1)
        ]
    )
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return corners[np.array([face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))])]
