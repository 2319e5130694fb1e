"""An armature's chain as a solver's skeleton, and the rig's own pose as joint angles.

A bone's local transform is rest . translation . rotation; a bone with several free axes is several joints at one place, the last letter
of its Euler order nearest the parent (order XYZ: R = Rz Ry Rx). What no joint turns (locked axes, bones without joints, locations) is
read from the evaluated rig at every tick and becomes part of the rest transforms: keyed or driven, the solver sees it where it is.
"""

from dataclasses import dataclass

import numpy as np
from mathutils import Matrix

from ..solvers import rotations
from ..solvers.skeleton import Joint, Skeleton
from .errors import RigError

UNIT = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
IDENTITY = (1.0, 0.0, 0.0, 0.0)
SCALED = 1e-3  # relative: a scale that animators see
STILL = 1e-7  # single precision's noise in what Blender evaluates [rad, m]


@dataclass(frozen=True)
class Motion:
    """Limits of one joint, in the order of the properties."""

    lower: float
    upper: float
    velocity: float
    acceleration: float
    jerk: float


def path_names(pose_bones, root: str, end: str) -> list[str]:
    """Names of the bones from root to end.

    Raises:
        RigError: a bone is missing, or the root is not among the end's ancestors.
    """
    for name in (root, end):
        if name not in pose_bones:
            raise RigError(f"Bone '{name}' is missing: give a bone that name again, or make the chain anew")
    names = [end]
    bone = pose_bones[end]
    while names[-1] != root:
        bone = bone.parent
        if bone is None:
            raise RigError(f"No path from bone '{root}' to bone '{end}': '{root}' must be '{end}' or one of its parents")
        names.append(bone.name)
    return names[::-1]


def parent_first(rotation_mode: str) -> str:
    """Axes of an Euler order, the one nearest the parent first."""
    return rotation_mode[::-1]


def is_euler(pose_bone) -> bool:
    return pose_bone.rotation_mode not in {"QUATERNION", "AXIS_ANGLE"}


def rigid(matrix: Matrix) -> tuple[tuple, tuple]:
    """Rotation (w, x, y, z) and place of a matrix, its scale left out, in doubles."""
    turn = rotations.normalized(tuple(matrix.to_quaternion()))
    return turn, tuple(matrix.translation)


def local_rest(bone) -> Matrix:
    return bone.parent.matrix_local.inverted() @ bone.matrix_local if bone.parent else bone.matrix_local.copy()


class ChainReader:
    """Reads one chain from an armature object: what it is made of once, what it says at every tick.

    Made anew when bones, joints, modes or rest poses change (`fingerprint`).
    """

    def __init__(self, rig, chain) -> None:
        pose_bones = rig.pose.bones
        self.names = path_names(pose_bones, chain.root, chain.end)
        self.joints = [(joint.bone, joint.axis) for joint in chain.joints]
        self.base_bone = pose_bones[self.names[0]].parent.name if pose_bones[self.names[0]].parent else None
        on_bone: dict[str, list[str]] = {}
        for bone, axis in self.joints:
            if bone not in self.names:
                raise RigError(f"Joint {bone} {axis} is not on the path from '{chain.root}' to '{chain.end}': make the chain anew")
            if axis in on_bone.setdefault(bone, []):
                raise RigError(f"Joint {bone} {axis} is there twice: remove one of the two")
            on_bone[bone].append(axis)
        if not self.joints:
            raise RigError(f"Chain '{chain.name}' has no joints: unlock a rotation axis of one of its bones and make it anew")
        for bone in on_bone:
            if not is_euler(pose_bones[bone]):
                raise RigError(
                    f"Bone '{bone}' rotates by {pose_bones[bone].rotation_mode.lower()}: give it an Euler order (Limber > Give Euler Order)"
                )
        self.free = {bone: frozenset(axes) for bone, axes in on_bone.items()}
        self.orders = {bone: pose_bones[bone].rotation_mode for bone in self.free}
        # Joints in the skeleton's order, root first.
        self.places = [
            (name, axis) for name in self.names if name in self.free for axis in parent_first(self.orders[name]) if axis in self.free[name]
        ]
        self.stored_index = [self.joints.index(place) for place in self.places]
        self.armature_name = rig.data.name
        self.local_rests = {name: local_rest(rig.data.bones[name]) for name in self.names}
        self.rests = {name: rigid(matrix) for name, matrix in self.local_rests.items()}
        self.end_length = rig.data.bones[chain.end].length

    def fixed(self, pose_bones) -> tuple:
        """What no joint turns, bone by bone: location, the angles of locked axes or the whole rotation. Pose bones are the evaluated
        rig's."""
        parts = []
        for name in self.names:
            bone = pose_bones[name]
            place = (0.0, 0.0, 0.0) if bone.bone.use_connect else tuple(bone.location)
            free = self.free.get(name)
            if free is None:
                parts.append((place, tuple(bone.matrix_basis.to_quaternion())))
            else:
                euler = bone.rotation_euler
                parts.append(
                    (place, tuple((axis, 0.0 if axis in free else euler["XYZ".index(axis)]) for axis in parent_first(bone.rotation_mode)))
                )
        return tuple(parts)

    def skeleton(self, fixed: tuple, motions: list[Motion], tool_rotation: tuple, tool_offset: tuple) -> Skeleton:
        """The chain with the given fixed parts (from `fixed`) and limits (in the order of the joints' properties)."""
        turn, place = IDENTITY, (0.0, 0.0, 0.0)
        joints: list[Joint] = []

        def carry(rotation: tuple, offset: tuple) -> None:
            nonlocal turn, place
            moved = rotations.rotate(turn, offset)
            place = (place[0] + moved[0], place[1] + moved[1], place[2] + moved[2])
            turn = rotations.multiply(turn, rotation)

        for name, (location, rotation) in zip(self.names, fixed, strict=True):
            rest_turn, rest_place = self.rests[name]
            carry(rest_turn, rest_place)
            carry(IDENTITY, location)
            if name not in self.free:
                carry(rotations.normalized(rotation), (0.0, 0.0, 0.0))
                continue
            for axis, angle in rotation:
                if axis not in self.free[name]:
                    carry(rotations.about(UNIT[axis], angle), (0.0, 0.0, 0.0))
                    continue
                limits = motions[self.stored_index[len(joints)]]
                joints.append(
                    Joint(
                        name=f"{name} {axis}",
                        parent=len(joints) - 1,
                        rest_rotation=rotations.normalized(turn),
                        rest_offset=place,
                        axis=UNIT[axis],
                        lower=limits.lower,
                        upper=limits.upper,
                        velocity=limits.velocity,
                        acceleration=limits.acceleration,
                        jerk=limits.jerk,
                    )
                )
                turn, place = IDENTITY, (0.0, 0.0, 0.0)
        carry(tool_rotation, tool_offset)
        return Skeleton(tuple(joints), rotations.normalized(turn), place)

    def angles(self, pose_bones) -> np.ndarray:
        """The rig's own pose (n,) [rad], in the skeleton's order, from the evaluated rig's channels: never the warped pose."""
        return np.array([pose_bones[name].rotation_euler["XYZ".index(axis)] for name, axis in self.places])
