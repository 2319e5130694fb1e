"""Where bones and objects are with the new poses of chains and mechanisms, before Blender has evaluated them.

While a frame is handled, all that hangs on a live chain or mechanism is one frame old in Blender. Here it is placed anew from its own
channels alone, so that the outcome is the same whether the chain shows its pose (live) or not (a bake).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

import numpy as np
from mathutils import Matrix, Quaternion, Vector

from .dependencies import Carrier, carriers, is_on


class Placed(Protocol):
    """A mechanism whose bodies are somewhere."""

    def world(self, uid: int, bone: str) -> Matrix:
        """World matrix of what shows a body: an object, by its session_uid, or a bone of it."""


class Placement:
    """One pass over the scene.

    Args:
        depsgraph: What has been evaluated.
        moved: Armature object's session_uid -> bone -> basis channels (rotation wxyz, location, scale), or None where the chain has none
            yet and its bone stands as authored. Grows while chains are solved.
    """

    def __init__(self, depsgraph, moved: dict[int, dict[str, tuple | None]]) -> None:
        self.depsgraph = depsgraph
        self.moved = moved
        self.frames: dict[int, Mapping[str, np.ndarray]] = {}  # object's session_uid -> bone -> (4, 4) of links of bodies, in the armature
        self._warped: dict[int, set[str]] = {}  # object's session_uid -> bones that something else than its body moves
        self.bodies: dict[int, dict[str, Placed]] = {}  # object's session_uid -> bone ("": the object) -> whose body it shows
        self._placing: list = []

    def carry(self, bodies: Mapping[int, Mapping[str, Placed]]) -> None:
        """What shows these bodies is where their mechanisms have it, from now on."""
        for uid, bones in bodies.items():
            self.bodies.setdefault(uid, {}).update(bones)

    def move(self, rig, pose: Mapping[str, tuple | None], frames: Mapping[str, np.ndarray] = MappingProxyType({})) -> None:
        """Bones have these channels, and links of a body these frames, from now on."""
        uid = rig.session_uid
        self.moved.setdefault(uid, {}).update(pose)
        warped = self._warped.setdefault(uid, set())
        if frames:
            self.frames[uid] = frames
            warped.difference_update(pose)
        else:
            warped.update(pose)

    def root(self, rig, name: str, location: tuple) -> np.ndarray:
        """The frame (4, 4) of a chain's root bone before it turns, in its armature: the chain's base. On a link of a body it has the
        precision of the body's solver."""
        bone = rig.data.bones[name]
        link = self._link(rig, bone.parent)
        if link is None or not (bone.use_inherit_rotation and bone.inherit_scale == "FULL" and bone.use_local_location):
            return np.array(self.on_parent(rig, bone, Matrix.Translation(location)), float)
        rest = np.linalg.inv(np.array(bone.parent.matrix_local, float)) @ np.array(bone.matrix_local, float)
        return link @ rest @ np.array(Matrix.Translation(location), float)

    def _link(self, rig, bone) -> np.ndarray | None:
        """Frame (4, 4) of a bone that is where its body has it; None where it is no link, or something else moves it too."""
        uid = rig.session_uid
        if bone is None or uid in self.bodies or bone.name not in (frames := self.frames.get(uid, {})):
            return None
        link, warped = frames[bone.name], self._warped.get(uid, ())
        while warped and bone is not None:
            if bone.name in warped:
                return None
            bone = bone.parent
        return link

    def bone(self, rig, name: str) -> Matrix:
        """Pose matrix of a bone in its armature."""
        if placed := self.bodies.get(rig.session_uid, {}).get(name):
            return self.object(rig).inverted_safe() @ placed.world(rig.session_uid, name)
        pose_bone = rig.evaluated_get(self.depsgraph).pose.bones[name]
        if not self._is_moved(rig, pose_bone):
            return pose_bone.matrix
        bone = rig.data.bones[name]
        moved = self.moved.get(rig.session_uid, {})
        if moved.get(name) is not None:
            rotation, location, scale = moved[name]
            basis = Matrix.LocRotScale(Vector(location), Quaternion(rotation), Vector(scale))
        elif name not in moved and any(not constraint.mute for constraint in pose_bone.constraints):
            # What a constraint would do is known for the last frame alone: it is carried along with the parent.
            return self.bone(rig, bone.parent.name) @ pose_bone.parent.matrix.inverted_safe() @ pose_bone.matrix
        else:
            basis = pose_bone.matrix_basis.copy()
            if bone.use_connect:
                basis.translation = (0.0, 0.0, 0.0)
        return self.on_parent(rig, bone, basis)

    def object(self, thing) -> Matrix:
        """World matrix of an object."""
        if placed := self.bodies.get(thing.session_uid, {}).get(""):
            return placed.world(thing.session_uid, "")
        evaluated = thing.evaluated_get(self.depsgraph)
        if thing in self._placing or not self._hangs(thing):  # constraints may go round in a circle
            return evaluated.matrix_world
        self._placing.append(thing)
        matrix = self._placed(thing, evaluated)
        self._placing.pop()
        return matrix

    def parent_frame(self, thing) -> Matrix:
        """The frame in which an object's own channels are told, in the world."""
        return self._parent(thing, self.object(thing.parent), is_new=True) @ thing.matrix_parent_inverse

    def _placed(self, thing, evaluated) -> Matrix:
        held = [constraint for constraint in evaluated.constraints if not constraint.mute and constraint.influence > 0.0]
        if not all(map(is_plain, held)):
            # What other constraints would do is known for the last frame alone: it is carried along with the parent.
            if thing.parent is None:
                return evaluated.matrix_world
            was = self._parent(thing, thing.parent.evaluated_get(self.depsgraph).matrix_world, is_new=False)
            return self._parent(thing, self.object(thing.parent), is_new=True) @ was.inverted_safe() @ evaluated.matrix_world
        matrix = evaluated.matrix_basis
        if thing.parent is not None:
            matrix = self._parent(thing, self.object(thing.parent), is_new=True) @ evaluated.matrix_parent_inverse @ matrix
        for constraint in held:
            carried = self._carrier(constraint) @ constraint.inverse_matrix @ matrix
            matrix = matrix.lerp(carried, constraint.influence) if constraint.influence < 1.0 else carried
        return matrix

    def _parent(self, thing, object_matrix: Matrix, is_new: bool) -> Matrix:
        """The frame in which an object sits on its parent."""
        parent, name = thing.parent, thing.parent_bone
        if is_on_shape(thing):  # where on it Blender alone knows: that goes along
            evaluated = thing.evaluated_get(self.depsgraph)
            shape = evaluated.matrix_world @ evaluated.matrix_local.inverted_safe()
            return object_matrix @ parent.evaluated_get(self.depsgraph).matrix_world.inverted_safe() @ shape
        if thing.parent_type != "BONE" or parent.type != "ARMATURE" or name not in parent.data.bones:
            return object_matrix
        bone = parent.data.bones[name]
        matrix = self.bone(parent, name) if is_new else parent.evaluated_get(self.depsgraph).pose.bones[name].matrix
        if bone.use_relative_parent:  # the bone's way from its rest
            return object_matrix @ matrix @ bone.matrix_local.inverted()
        return object_matrix @ matrix @ Matrix.Translation((0.0, bone.length, 0.0))

    def _carrier(self, constraint) -> Matrix:
        """World matrix of what a Child Of constraint follows."""
        rig, name = constraint.target.original, constraint.subtarget
        matrix = self.object(rig)
        return matrix @ self.bone(rig, name) if rig.type == "ARMATURE" and name in rig.data.bones else matrix

    def on_parent(self, rig, bone, basis: Matrix) -> Matrix:
        """A bone's basis in its armature, by Blender's own rules of inheritance."""
        if bone.parent is None:
            return bone.convert_local_to_pose(basis, bone.matrix_local)
        return bone.convert_local_to_pose(
            basis, bone.matrix_local, parent_matrix=self.bone(rig, bone.parent.name), parent_matrix_local=bone.parent.matrix_local
        )

    def _is_moved(self, rig, pose_bone) -> bool:
        moved = self.moved.get(rig.session_uid, {})
        if is_on(Carrier("", rig, pose_bone.name), self.bodies):
            return True
        while moved and pose_bone is not None:
            if pose_bone.name in moved:
                return True
            pose_bone = pose_bone.parent
        return False

    def _hangs(self, thing) -> bool:
        """Whether an object hangs, over any number of others, on a bone that a chain moves, or on a mechanism's body."""
        return bool(self.moved or self.bodies) and any(map(self._is_by, carriers(thing)))

    def _is_by(self, carrier: Carrier) -> bool:
        """Whether a carrier, if it exists, is moved."""
        rig = carrier.rig
        if is_on(carrier, self.bodies):
            return True
        if not carrier.bone or rig.session_uid not in self.moved:
            return False
        pose_bone = rig.evaluated_get(self.depsgraph).pose.bones.get(carrier.bone)
        return pose_bone is not None and self._is_moved(rig, pose_bone)


def is_on_shape(thing) -> bool:
    """Whether an object sits on vertices of its parent, or on the path along a curve."""
    return thing.parent_type in ("VERTEX", "VERTEX_3") or (
        thing.parent_type == "OBJECT" and thing.parent.type == "CURVE" and thing.parent.data.use_path
    )


def is_plain(constraint) -> bool:
    """Whether a constraint is Child Of with all channels, which hangs an object on another as a parent does."""
    return constraint.type == "CHILD_OF" and all(
        getattr(constraint, f"use_{channel}_{axis}") for channel in ("location", "rotation", "scale") for axis in "xyz"
    )
