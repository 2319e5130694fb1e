"""Picture of a character for its file: bones and mechanisms' bodies as they are placed in a frame."""

from collections.abc import Iterable

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...files.png import png
from ..scene.placement import Placement
from ..showing.thumbnails.figure import MOVED, OTHER, THICK, THIN, bone_solid, is_shown, view_along
from ..showing.thumbnails.raster import ColouredSolid, draw, frame

SIZE = 256  # [pixels] side of the picture
# corners of each face of a bounding box, numbered in Blender's order, anticlockwise from outside
BOX = ((0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (4, 0, 3, 7))


def character_picture(rigs: dict[bpy.types.Object, set[str]], placement: Placement) -> bytes:
    """PNG picture of a character in the frame of `placement`; b"" if it has no bone or body to draw, or their
    positions are not finite.

    Args:
        rigs: Its armatures, and the names of the bones that it moves.
        placement: Transforms in the frame; its mechanisms' bodies are drawn as their bounding boxes.
    """
    view = view_along(Vector((0.0, 0.0, 1.0)))
    solids = [solid for rig, moved in rigs.items() for solid in _bones(rig, moved, placement, view)]
    solids += _boxes(placement, view)
    if not solids:
        return b""
    corners = np.concatenate([solid.corners.reshape(-1, 3) for solid in solids])
    if not np.isfinite(corners).all():
        return b""
    picture = draw(solids, frame(corners), SIZE)
    pixels = np.round(np.clip(picture[::-1], 0.0, 1.0) * 255.0).astype(np.uint8)
    return png(SIZE, SIZE, pixels.tobytes())


def _bones(
    rig: bpy.types.Object, moved: set[str], placement: Placement, view: Matrix
) -> Iterable[ColouredSolid]:
    """Solids of an armature's bones: those that the character moves, thick, and the others that are shown."""
    world = view @ placement.object(rig)
    for bone in rig.data.bones:
        is_moved = bone.name in moved
        if is_moved or is_shown(bone):
            matrix = world @ placement.bone(rig, bone.name)
            thickness, colour = (THICK, MOVED) if is_moved else (THIN, OTHER)
            yield ColouredSolid(bone_solid(matrix, bone.length, thickness), colour)


def _boxes(placement: Placement, view: Matrix) -> Iterable[ColouredSolid]:
    """Bounding boxes of the meshes that are mechanisms' bodies."""
    for obj in bpy.context.scene.objects:
        if "" not in placement.bodies.get(obj.session_uid, ()) or obj.type != "MESH":
            continue
        world = view @ placement.object(obj)
        corners = np.array([world @ Vector(corner) for corner in obj.bound_box])
        faces = [(q[0], q[k], q[k + 1]) for q in BOX for k in (1, 2)]
        yield ColouredSolid(corners[np.array(faces)], MOVED)
