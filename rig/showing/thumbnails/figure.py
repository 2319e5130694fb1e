"""The figure in a thumbnail: the chain's bones in their posture, in colour, the armature's other bones at
rest relative to their parents, and the gaze directions.
"""

from typing import NamedTuple

import bpy
import numpy as np
from bpy.types import Action
from mathutils import Matrix, Quaternion, Vector

from ...blender import actions
from ...bones import axes
from ...bones.paths import bone_names
from ...chains import postures
from ...scene.goal import LOOKS, ORIENTS, ends_of, forward_axis
from .raster import ColouredSolid, PictureFrame, draw, frame

# direction to the camera, aslant from the side, the front and above, for armatures that stand along Z and
# face -Y or X
CAMERA = Vector((0.72, -0.62, 0.33))
# colours (red, green, blue) from a colour-blind-safe palette
MOVED, OTHER, LOOK = ((0.35, 0.72, 0.93), (0.55, 0.55, 0.55), (0.95, 0.78, 0.2))
WIDER = 1.3  # largest extent of the picture, relative to the chain's size; bones outside of it are cut off
# half width of a bone, as a share of its length: for bones of the chain, and for other bones
THICK, THIN = 0.17, 0.08
TAIL = 0.45  # width of a bone at its tail, relative to its largest width
WAIST = 0.15  # distance of a bone's largest width from its head, as a share of its length
ARROW = 0.3  # length of a gaze arrow, as a share of the chain's size
ARROW_THICK = 0.11  # radius of a gaze arrow at its root, as a share of its length

# directions of a bone's corners at its largest width, along its X and Z
_CORNERS = ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0))


class PostureFigure(NamedTuple):
    """Solids to draw in a thumbnail; equal figures have equal pictures."""

    solids: list[ColouredSolid]
    seen: PictureFrame

    def key(self) -> bytes:
        """Bytes that identify the figure's picture: equal for equal pictures."""
        numbers = [solid.corners.astype(np.float32).tobytes() for solid in self.solids]
        return b"".join([*numbers, repr([solid.colour for solid in self.solids]).encode()])

    def picture(self, size: int) -> np.ndarray:
        """RGBA picture (size, size, 4), bottom row first, values 0 to 1."""
        return draw(self.solids, self.seen, size)


def figure(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, action: Action) -> PostureFigure:
    """The figure of an armature whose chain is in a stored posture.

    Raises:
        RigError: a bone of the chain is missing.
    """
    names = bone_names(rig.pose.bones, chain)
    bases = _bases(rig, chain, names, action)
    view = _view(rig)
    posed, rest = _matrices(rig, bases), {bone.name: bone.matrix_local for bone in rig.data.bones}
    lengths = {name: rig.data.bones[name].length for name in names}
    ends = np.array(
        [
            view @ matrix[name] @ Vector((0.0, along, 0.0))
            for matrix in (posed, rest)
            for name in names
            for along in (0.0, lengths[name])
        ]
    )
    size = float(np.ptp(ends, axis=0).max())
    solids = [ColouredSolid(bone_solid(view @ posed[name], lengths[name], THICK), MOVED) for name in names]
    solids += _arrows(chain, view, posed, lengths, ARROW * size)
    seen = frame(np.concatenate((ends, *(solid.corners.reshape(-1, 3) for solid in solids))))
    other_bones = [bone for bone in rig.data.bones if bone.name not in lengths and is_shown(bone)]
    solids += [
        ColouredSolid(bone_solid(view @ posed[bone.name], bone.length, THIN), OTHER) for bone in other_bones
    ]
    # a large body would shrink a small chain until its posture is invisible
    whole = frame(np.concatenate([solid.corners.reshape(-1, 3) for solid in solids]))
    return PostureFigure(
        solids, PictureFrame(seen.middle, min(whole.side, WIDER * seen.side) if other_bones else seen.side)
    )


def _bases(
    rig: bpy.types.Object, chain: bpy.types.PropertyGroup, names: list[str], action: Action
) -> dict[str, Matrix]:
    """Basis matrix of each bone in the posture; at rest where the posture has no keys."""
    curves = actions.fcurves(action)
    bases = {}
    for bone in (rig.pose.bones[name] for name in names):
        quaternion = postures.quaternion(curves, bone.name, bone.rotation_mode)
        bases[bone.name] = Quaternion(quaternion).to_matrix().to_4x4() if quaternion else Matrix()
    for joint in chain.joints:
        if axes.is_prismatic(joint.axis) and joint.bone in bases:
            value = postures.displacement(curves, joint.bone, joint.axis)
            bases[joint.bone].translation[axes.index(joint.axis)] = value or 0.0
    return bases


def _matrices(rig: bpy.types.Object, bases: dict[str, Matrix]) -> dict[str, Matrix]:
    """Each bone's matrix in armature space; bones without a given basis are at rest relative to their
    parents.
    """
    matrices: dict[str, Matrix] = {}
    for bone in rig.data.bones:  # parents come before their children
        basis, parent = bases.get(bone.name, Matrix()), bone.parent
        if parent is None:
            matrices[bone.name] = bone.convert_local_to_pose(basis, bone.matrix_local)
        else:
            matrices[bone.name] = bone.convert_local_to_pose(
                basis,
                bone.matrix_local,
                parent_matrix=matrices[parent.name],
                parent_matrix_local=parent.matrix_local,
            )
    return matrices


def _view(rig: bpy.types.Object) -> Matrix:
    """Rotation from armature space to the picture's axes right, up, near, whichever of the armature's axes is
    nearest to the world's Z.
    """
    return view_along(rig.matrix_world.to_3x3().inverted_safe() @ Vector((0.0, 0.0, 1.0)))


def view_along(upward: Vector) -> Matrix:
    """Rotation to a picture's axes (right, up, near) from a space whose axis nearest to `upward` is taken as
    up.
    """
    most = max(range(3), key=lambda k: abs(upward[k]))
    up = Vector([float(np.sign(upward[k])) if k == most else 0.0 for k in range(3)])
    near = Vector((0.0, 0.0, 1.0)).rotation_difference(up) @ CAMERA.normalized()
    right = up.cross(near).normalized()
    return Matrix((right, near.cross(right), near)).to_4x4()


def bone_solid(matrix: Matrix, length: float, thickness: float) -> np.ndarray:
    """Triangles (16, 3, 3) of a bone, like Blender's octahedral bones but blunt at the tail, so that a row of
    bones reads as one line.
    """
    aside, waist, blunt = thickness * length, WAIST * length, TAIL * thickness * length
    rings = [
        (x * wide, along, z * wide) for wide, along in ((aside, waist), (blunt, length)) for x, z in _CORNERS
    ]
    points = np.array([matrix @ Vector(point) for point in ((0, 0, 0), (0, length, 0), *rings)])
    faces = []
    for k in range(4):
        corner, next_corner = 2 + k, 2 + (k + 1) % 4
        faces += [
            (0, corner, next_corner),
            (corner, corner + 4, next_corner),
            (next_corner, corner + 4, next_corner + 4),
            (1, next_corner + 4, corner + 4),
        ]
    return points[np.array(faces)]


def _arrows(
    chain: bpy.types.PropertyGroup,
    view: Matrix,
    posed: dict[str, Matrix],
    lengths: dict[str, float],
    length: float,
) -> list[ColouredSolid]:
    """Arrows along the gaze directions of the chain's ends."""
    arrows = []
    for end in ends_of(chain):
        if (
            end.bone not in lengths
            or end.settings.goal not in LOOKS | ORIENTS
            or not end.settings.forward_axis
        ):
            continue
        matrix = view @ posed[end.bone]
        eye = matrix @ Vector((0.0, end.settings.eye * lengths[end.bone], 0.0))
        direction = (matrix.to_3x3() @ Vector(forward_axis(end.settings))).normalized()
        up = direction.orthogonal().normalized()
        aside = up.cross(direction)
        radius = ARROW_THICK * length
        ring = [eye + radius * (x * aside + y * up) for x, y in _CORNERS]
        tip = eye + length * direction
        faces = [(tip, ring[k], ring[(k + 1) % 4]) for k in range(4)]
        faces += [(ring[0], ring[2], ring[1]), (ring[0], ring[3], ring[2])]
        arrows.append(ColouredSolid(np.array(faces), LOOK))
    return arrows


def is_shown(bone: bpy.types.Bone) -> bool:
    """Whether a bone is not hidden, and is in a visible collection or in none."""
    return not bone.hide and (
        not bone.collections or any(collection.is_visible_effectively for collection in bone.collections)
    )
