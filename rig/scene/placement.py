"""Predicted transforms of bones and objects that depend on live chains and mechanisms, before Blender has
evaluated them.

While a frame is handled, Blender's transforms of everything that depends on a live mover are one frame old.
Here they are computed from channels and hierarchy, so that the result does not depend on whether the mover
shows its pose (live motion) or not (a bake).
"""

from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ...character.chain.hanging import ChainPose
from .carried_frames import in_parent, is_on_shape, parent_bone
from .dependencies import Dependencies, Dependency, is_on
from .rest_frames import RestFrames

NO_SCALE = (1.0, 1.0, 1.0)


class PlacedMechanism(Protocol):
    """Interface of a mechanism whose bodies have known poses."""

    def world(self, uid: int, bone: str) -> Matrix:
        """World matrix of the object (by its session_uid), or of its bone, that shows a body."""


class BoneFrame(NamedTuple):
    """Frame of a bone that a chain moves, in double precision."""

    key: Hashable  # key of the chain's mover
    pose: ChainPose
    joint: int  # index of the last joint that moves the bone; -1: none
    in_joint: np.ndarray  # (4, 4) frame of the bone in that joint's frame


class Hanging(NamedTuple):
    """The base of a chain, or an object, that is carried by another chain."""

    key: Hashable  # key of that chain's mover
    joint: int  # index of that chain's joint that carries the base or object; -1: that chain's base does
    relative: np.ndarray  # (4, 4) frame of the carried base or object in that joint's frame
    world: np.ndarray  # (4, 4) frame of the carried base or object in the world


class Placement:
    """Predicted transforms of bones and objects in one frame of one stage.

    Args:
        depsgraph: The evaluated scene.
        moved: Armature object's session_uid -> bone -> basis channels (rotation wxyz, location, scale); None
            for a bone whose chain is not solved yet, which then has its authored pose. Filled while movers
            are solved.
        rests: Rest frames of bones, which are the same in all frames; None: they are read again.
        seen: World positions [m] of persons, by the names of the cameras that see them; a mover that follows
            such a camera follows the person.
        objects: What moves each object; None: it is looked up.
    """

    def __init__(
        self,
        depsgraph: bpy.types.Depsgraph,
        moved: dict[int, dict[str, tuple | None]],
        rests: RestFrames | None = None,
        seen: Mapping[str, Sequence[float]] = MappingProxyType({}),
        objects: Dependencies | None = None,
    ) -> None:
        self.depsgraph = depsgraph
        self._seen = seen
        self.moved = moved
        self._rests = rests or RestFrames()
        # armature's session_uid -> bone -> frame (4, 4) of a link, in armature space
        self.frames: dict[int, Mapping[str, np.ndarray]] = {}
        # armature's session_uid -> bone that a chain moves -> its frame
        self._bone_frames: dict[int, Mapping[str, BoneFrame]] = {}
        # armature's session_uid -> bones that movers other than its body move
        self._moved_by_others: dict[int, set[str]] = {}
        # object's session_uid -> bone ("": the object) -> the mechanism whose body it shows
        self.bodies: dict[int, dict[str, PlacedMechanism]] = {}
        self._placing: list = []  # objects whose matrices are being computed, for detecting cycles
        self.objects = objects or Dependencies()

    def carry(self, bodies: Mapping[int, Mapping[str, PlacedMechanism]]) -> None:
        """Sets the bodies of mechanisms: from now on the objects and bones that show them have the
        mechanisms' poses.
        """
        for uid, bones in bodies.items():
            self.bodies.setdefault(uid, {}).update(bones)

    def move(
        self,
        rig: bpy.types.Object,
        pose: Mapping[str, tuple | None],
        frames: Mapping[str, np.ndarray] = MappingProxyType({}),
    ) -> None:
        """Sets basis channels of bones, and frames (4, 4) of a whole body's links in armature space."""
        uid = rig.session_uid
        self.moved.setdefault(uid, {}).update(pose)
        moved_by_others = self._moved_by_others.setdefault(uid, set())
        if frames:
            self.frames[uid] = frames
            moved_by_others.difference_update(pose)
        else:
            moved_by_others.update(pose)

    def move_chain(self, rig: bpy.types.Object, frames: Mapping[str, BoneFrame]) -> None:
        """Sets the frames of bones that a chain moves, from which the frames of carried objects are
        computed.
        """
        uid = rig.session_uid
        self._bone_frames[uid] = {**self._bone_frames.get(uid, {}), **frames}

    def hanging_root(self, rig: bpy.types.Object, name: str, location: tuple) -> Hanging | None:
        """The base of a chain (its root bone `name` before its own rotation, at `location` [m] from its rest
        position) if another chain carries it; None if no chain does, or if only Blender can compute its pose.
        """
        bone = rig.data.bones[name]
        if not self._may_hang(rig, bone.parent):
            return None
        relative = _translation(location)
        if bone.parent is None:
            return self._hanging_object(rig, np.array(bone.matrix_local, float) @ relative)
        if not _passes_all_on(bone):
            return None
        return self._hanging_bone(rig, bone.parent, self._rests.in_parent(bone) @ relative)

    def hanging(self, obj: bpy.types.Object, bone: str = "") -> Hanging | None:
        """An object, or a bone of it, that a chain carries through parents alone; None if no chain does, or
        if only Blender can compute its pose, as with a constraint.
        """
        if not self._may_hang(obj, obj.data.bones[bone] if bone else None):
            return None
        if bone:
            return self._hanging_bone(obj, obj.data.bones[bone], np.eye(4))
        return self._hanging_object(obj, np.eye(4))

    def target(self, obj: bpy.types.Object, bone: str) -> list[list[float]]:
        """World matrix (4, 4) of a target, an object or a bone of it; in double precision if the chain that
        carries it is known. A camera that has seen a person gives that person's position.
        """
        if not bone and (person := self.person(obj)) is not None:
            rows = [list(row) for row in self.object(obj)]
            return [[*row[:3], coordinate] for row, coordinate in zip(rows, (*person, 1.0), strict=True)]
        hanging = self.hanging(obj, bone)
        if hanging is not None:
            rows: list[list[float]] = hanging.world.tolist()
            return rows
        matrix = self.object(obj)
        return [list(row) for row in (matrix @ self.bone(obj, bone) if bone else matrix)]

    def person(self, camera: bpy.types.Object) -> Sequence[float] | None:
        """World position [m] of the person whom a camera sees, or saw last; None if no person has been seen
        yet.
        """
        return self._seen.get(camera.name)

    def _may_hang(self, obj: bpy.types.Object, bone: bpy.types.Bone | None) -> bool:
        """Whether a chain may carry an object, or a bone of it: it has a parent, or a chain moves the bone or
        one of the bone's parents. Otherwise no frame needs to be computed.
        """
        if not self._bone_frames or obj.parent is not None:
            return bool(self._bone_frames)
        frames = self._bone_frames.get(obj.session_uid, ())
        while bone is not None and bone.name not in frames:
            bone = bone.parent
        return bone is not None

    def _hanging_bone(
        self, rig: bpy.types.Object, bone: bpy.types.Bone, relative: np.ndarray
    ) -> Hanging | None:
        """How a chain carries a frame that is fixed to a bone; None if none does, or not by parents alone.
        `relative`: (4, 4) the frame in the bone's frame.
        """
        uid = rig.session_uid
        frames, moved = self._bone_frames.get(uid, {}), self.moved.get(uid, {})
        while bone.name not in self.bodies.get(uid, ()):
            channels = moved.get(bone.name)
            if channels is not None and (frame := frames.get(bone.name)) and channels[2] == NO_SCALE:
                relative = frame.in_joint @ relative
                return Hanging(frame.key, frame.joint, relative, frame.pose.on(frame.joint, relative))
            pose_bone = rig.evaluated_get(self.depsgraph).pose.bones[bone.name]
            if bone.name in moved or any(not constraint.mute for constraint in pose_bone.constraints):
                return None
            basis = np.array(pose_bone.matrix_basis, float)
            if bone.use_connect:
                basis[:3, 3] = 0.0
            if bone.parent is None:
                return self._hanging_object(rig, np.array(bone.matrix_local, float) @ basis @ relative)
            if not _passes_all_on(bone):
                return None
            relative = self._rests.in_parent(bone) @ basis @ relative
            bone = bone.parent
        return None

    def _hanging_object(self, obj: bpy.types.Object, relative: np.ndarray) -> Hanging | None:
        """A frame fixed to an object, if a chain carries it, else None; `relative`: (4, 4) in the object's
        frame.
        """
        while obj.parent is not None and "" not in self.bodies.get(obj.session_uid, ()):
            frame = in_parent(obj.evaluated_get(self.depsgraph))
            if frame is None:
                return None
            relative = frame @ relative
            if (bone := parent_bone(obj)) is not None:
                return self._hanging_bone(obj.parent, bone, relative)
            obj = obj.parent
        return None

    def root(self, rig: bpy.types.Object, name: str, location: tuple) -> np.ndarray:
        """Frame (4, 4) in armature space of a chain's base: its root bone `name` before its own rotation, at
        `location` [m] from its rest position. On a link of a whole body it has the solver's double precision.
        """
        bone = rig.data.bones[name]
        link = self._link(rig, bone.parent)
        if link is None or not _passes_all_on(bone):
            return np.array(self.on_parent(rig, bone, Matrix.Translation(location)), float)
        return link @ self._rests.in_parent(bone) @ _translation(location)

    def _link(self, rig: bpy.types.Object, bone: bpy.types.Bone) -> np.ndarray | None:
        """Frame (4, 4), in armature space, of a bone that is a link of a whole body; None if it is none, if
        another mover moves it or a bone above it too, or if the armature is a body of a mechanism.
        """
        uid = rig.session_uid
        if bone is None or uid in self.bodies or bone.name not in (frames := self.frames.get(uid, {})):
            return None
        link, moved_by_others = frames[bone.name], self._moved_by_others.get(uid, ())
        while moved_by_others and bone is not None:
            if bone.name in moved_by_others:
                return None
            bone = bone.parent
        return link

    def bone(self, rig: bpy.types.Object, name: str) -> Matrix:
        """Predicted pose matrix of a bone in armature space."""
        if self.bodies and (bodies := self.bodies.get(rig.session_uid, {}).get(name)):
            return self.object(rig).inverted_safe() @ bodies.world(rig.session_uid, name)
        pose_bone = rig.evaluated_get(self.depsgraph).pose.bones[name]
        if not self._is_moved(rig, pose_bone):
            return pose_bone.matrix
        bone = rig.data.bones[name]
        moved = self.moved.get(rig.session_uid, {})
        if moved.get(name) is not None:
            rotation, location, scale = moved[name]
            basis = Matrix.LocRotScale(Vector(location), Quaternion(rotation), Vector(scale))
        elif name not in moved and any(not constraint.mute for constraint in pose_bone.constraints):
            # the effect of a constraint is known only for the previous frame, so that the bone keeps its pose
            # relative to its parent
            return (
                self.bone(rig, bone.parent.name) @ pose_bone.parent.matrix.inverted_safe() @ pose_bone.matrix
            )
        else:
            basis = pose_bone.matrix_basis.copy()
            if bone.use_connect:
                basis.translation = (0.0, 0.0, 0.0)
        return self.on_parent(rig, bone, basis)

    def object(self, obj: bpy.types.Object) -> Matrix:
        """Predicted world matrix; the evaluated one if no mover moves the object, or in a cycle."""
        if self.bodies and (bodies := self.bodies.get(obj.session_uid, {}).get("")):
            return bodies.world(obj.session_uid, "")
        evaluated = obj.evaluated_get(self.depsgraph)
        if obj in self._placing or not self._hangs(obj):  # constraints may form a cycle
            return evaluated.matrix_world
        self._placing.append(obj)
        matrix = self._placed(obj, evaluated)
        self._placing.pop()
        return matrix

    def parent_frame(self, obj: bpy.types.Object) -> Matrix:
        """Predicted world matrix (4, 4) of the frame to which an object's own channels are relative."""
        return self._parent(obj, self.object(obj.parent), is_new=True) @ obj.matrix_parent_inverse

    def _placed(self, obj: bpy.types.Object, evaluated: bpy.types.Object) -> Matrix:
        """World matrix of an object from its own channels, its parent and its Child Of constraints; with
        other constraints, from its evaluated pose relative to its parent.
        """
        constraints = [
            constraint
            for constraint in evaluated.constraints
            if not constraint.mute and constraint.influence > 0.0
        ]
        if not all(map(is_plain, constraints)):
            # the effect of other constraints is known only for the previous frame, so that the object keeps
            # its pose relative to its parent
            if obj.parent is None:
                return evaluated.matrix_world
            parent_before = self._parent(
                obj, obj.parent.evaluated_get(self.depsgraph).matrix_world, is_new=False
            )
            return (
                self._parent(obj, self.object(obj.parent), is_new=True)
                @ parent_before.inverted_safe()
                @ evaluated.matrix_world
            )
        matrix = evaluated.matrix_basis
        if obj.parent is not None:
            matrix = (
                self._parent(obj, self.object(obj.parent), is_new=True)
                @ evaluated.matrix_parent_inverse
                @ matrix
            )
        for constraint in constraints:
            carried = self._carrier(constraint) @ constraint.inverse_matrix @ matrix
            matrix = matrix.lerp(carried, constraint.influence) if constraint.influence < 1.0 else carried
        return matrix

    def _parent(self, obj: bpy.types.Object, object_matrix: Matrix, is_new: bool) -> Matrix:
        """World matrix of the frame that an object inherits from its parent, whose own world matrix is
        `object_matrix`. `is_new`: whether a parent bone has its predicted pose instead of the evaluated
        one.
        """
        parent, name = obj.parent, obj.parent_bone
        # only Blender knows the position on the deformed shape, so the object keeps its pose relative to it
        if is_on_shape(obj):
            evaluated = obj.evaluated_get(self.depsgraph)
            shape = evaluated.matrix_world @ evaluated.matrix_local.inverted_safe()
            return object_matrix @ parent.evaluated_get(self.depsgraph).matrix_world.inverted_safe() @ shape
        if obj.parent_type != "BONE" or parent.type != "ARMATURE" or name not in parent.data.bones:
            return object_matrix
        bone = parent.data.bones[name]
        matrix = (
            self.bone(parent, name)
            if is_new
            else parent.evaluated_get(self.depsgraph).pose.bones[name].matrix
        )
        if bone.use_relative_parent:  # the child follows the bone's displacement from rest
            return object_matrix @ matrix @ bone.matrix_local.inverted()
        return object_matrix @ matrix @ Matrix.Translation((0.0, bone.length, 0.0))

    def _carrier(self, constraint: bpy.types.Constraint) -> Matrix:
        """World matrix of the target of a Child Of constraint."""
        rig, name = constraint.target.original, constraint.subtarget
        matrix = self.object(rig)
        return matrix @ self.bone(rig, name) if rig.type == "ARMATURE" and name in rig.data.bones else matrix

    def on_parent(self, rig: bpy.types.Object, bone: bpy.types.Bone, basis: Matrix) -> Matrix:
        """A bone's matrix in armature space for a basis matrix, by Blender's rules of inheritance."""
        if bone.parent is None:
            return bone.convert_local_to_pose(basis, bone.matrix_local)
        return bone.convert_local_to_pose(
            basis,
            bone.matrix_local,
            parent_matrix=self.bone(rig, bone.parent.name),
            parent_matrix_local=bone.parent.matrix_local,
        )

    def _is_moved(self, rig: bpy.types.Object, pose_bone: bpy.types.PoseBone) -> bool:
        """Whether a mover moves a bone or one of its ancestors."""
        moved = self.moved.get(rig.session_uid, {})
        if self.bodies and is_on(Dependency("", rig, pose_bone.name), self.bodies):
            return True
        while moved and pose_bone is not None:
            if pose_bone.name in moved:
                return True
            pose_bone = pose_bone.parent
        return False

    def _hangs(self, obj: bpy.types.Object) -> bool:
        """Whether an object depends, directly or through other objects, on a bone or body that a
        mover moves.
        """
        if not (self.moved or self.bodies):
            return False
        _, *above = self.objects.of(obj)
        return any(map(self._is_moved_dependency, above))

    def _is_moved_dependency(self, dependency: Dependency) -> bool:
        """Whether a mover moves the bone or object of a dependency; False if that was deleted."""
        rig = dependency.rig
        if self.bodies and is_on(dependency, self.bodies):
            return True
        if not dependency.bone or rig.session_uid not in self.moved:
            return False
        pose_bone = rig.evaluated_get(self.depsgraph).pose.bones.get(dependency.bone)
        return pose_bone is not None and self._is_moved(rig, pose_bone)


def _translation(vector: Sequence[float]) -> np.ndarray:
    """Frame (4, 4) at a position [m]."""
    frame = np.eye(4)
    frame[:3, 3] = vector
    return frame


def _passes_all_on(bone: bpy.types.Bone) -> bool:
    """Whether a bone inherits its parent's whole transform."""
    return bone.use_inherit_rotation and bone.inherit_scale == "FULL" and bone.use_local_location


def is_plain(constraint: bpy.types.Constraint) -> bool:
    """Whether a constraint is a Child Of with all channels, which acts like a parent."""
    return constraint.type == "CHILD_OF" and all(
        getattr(constraint, f"use_{channel}_{axis}")
        for channel in ("location", "rotation", "scale")
        for axis in "xyz"
    )
