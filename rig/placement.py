"""Where bones and objects are with the chains' new poses, before Blender has evaluated them.

While a frame is handled, all that hangs on a live chain is one frame old in Blender. Here it is placed anew from its own channels alone, so
that the outcome is the same whether the chain shows its pose (live) or not (a bake).
"""

from mathutils import Matrix, Quaternion, Vector


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

    def root(self, rig, name: str, location: tuple) -> Matrix:
        """The frame of a chain's root bone before it turns, in its armature: the chain's base."""
        return self._on_parent(rig, rig.data.bones[name], Matrix.Translation(location))

    def bone(self, rig, name: str) -> Matrix:
        """Pose matrix of a bone in its armature."""
        pose_bone = rig.evaluated_get(self.depsgraph).pose.bones[name]
        if not self._is_moved(rig, pose_bone):
            return pose_bone.matrix
        bone = rig.data.bones[name]
        moved = self.moved[rig.session_uid]
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
        return self._on_parent(rig, bone, basis)

    def object(self, thing) -> Matrix:
        """World matrix of an object."""
        evaluated = thing.evaluated_get(self.depsgraph)
        if not self._hangs(thing):
            return evaluated.matrix_world
        parent = self.object(thing.parent)
        if thing.parent_type == "BONE" and thing.parent_bone in thing.parent.data.bones:
            parent = parent @ _socket(self.bone(thing.parent, thing.parent_bone), thing.parent.data.bones[thing.parent_bone])
        if any(not constraint.mute for constraint in thing.constraints):
            stale = thing.parent.evaluated_get(self.depsgraph)
            was = stale.matrix_world
            if thing.parent_type == "BONE" and thing.parent_bone in stale.pose.bones:
                was = was @ _socket(stale.pose.bones[thing.parent_bone].matrix, thing.parent.data.bones[thing.parent_bone])
            return parent @ was.inverted_safe() @ evaluated.matrix_world
        return parent @ evaluated.matrix_parent_inverse @ evaluated.matrix_basis

    def _on_parent(self, rig, bone, basis: Matrix) -> Matrix:
        """A bone's basis in its armature, by Blender's own rules of inheritance."""
        if bone.parent is None:
            return bone.convert_local_to_pose(basis, bone.matrix_local)
        return bone.convert_local_to_pose(
            basis, bone.matrix_local, parent_matrix=self.bone(rig, bone.parent.name), parent_matrix_local=bone.parent.matrix_local
        )

    def _is_moved(self, rig, pose_bone) -> bool:
        moved = self.moved.get(rig.session_uid)
        while moved and pose_bone is not None:
            if pose_bone.name in moved:
                return True
            pose_bone = pose_bone.parent
        return False

    def _hangs(self, thing) -> bool:
        """Whether the object hangs, over any number of parents, on a bone that a chain moves."""
        while (parent := thing.parent) is not None:
            if thing.parent_type == "BONE" and parent.type == "ARMATURE":
                pose_bone = parent.evaluated_get(self.depsgraph).pose.bones.get(thing.parent_bone)
                if pose_bone is not None and self._is_moved(parent, pose_bone):
                    return True
            thing = parent
        return False


def _socket(pose_matrix: Matrix, bone) -> Matrix:
    """The frame in which a child object of a bone sits: at its tail, or with Relative Parenting the bone's way from its rest."""
    if bone.use_relative_parent:
        return pose_matrix @ bone.matrix_local.inverted()
    return pose_matrix @ Matrix.Translation((0.0, bone.length, 0.0))
