"""Rest pose of a mechanism: poses of its bodies and joints with all motors at zero, stored on the owner.

Only operators set it, and it does not change when objects move. Poses are compared relative to the base (the
first Ground body, else the owner), so that the whole mechanism may be moved. For bones, the armature's rest
pose is used.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ...solvers.kinematics.se3 import Array, angle_of, inverse
from ...solvers.mechanism.loops import JointResiduals
from ..blender.errors import RigError
from ..bones.joint_bones import SCALED
from . import joints
from .joints import ObjectJoint
from .ownership import ends, joint_objects, role_of
from .poses import rigid

# [rad, or share of the mechanism's size] gap at a joint, or displacement of a joint's object, above which a
# pose counts as not valid; also the least size [m] of a mechanism to which such shares relate
NEAR = 1e-3
REMEDY = "press Go to Rest Pose to put all back, or Set Rest Pose to take them as they are"


@dataclass(frozen=True)
class RestPose:
    """Poses (4, 4) of objects by session_uid, in the frame of the base, the object on which the mechanism is
    mounted: at rest, and in the current frame.
    """

    rest: Mapping[int, Array]
    current: Mapping[int, Array]
    base: int  # session_uid of the base's object

    @classmethod
    def of(cls, rest: Mapping[int, Array], current: Mapping[int, Array], base: int) -> "RestPose":
        """From the world poses of objects at rest and now: session_uid -> pose (4, 4). `base`: session_uid of
        the base's object.
        """
        return cls(_relative(rest, base), _relative(current, base), base)

    def moved(self, body: bpy.types.Object | None) -> Array:
        """(4, 4) transform that has moved a body from its rest pose to its current pose; `body` None is
        the base.
        """
        uid = self.base if body is None else body.session_uid
        displacement: Array = self.current[uid] @ inverse(self.rest[uid])
        return displacement

    @cached_property
    def size(self) -> float:
        """Largest extent [m] of the objects' positions in the rest pose."""
        return max(float(np.ptp([pose[:3, 3] for pose in self.rest.values()], axis=0).max()), NEAR)

    def gaps(self, object_joints: Iterable[ObjectJoint]) -> Array:
        """Error (j,) of each joint in the current frame, minus its error in the rest pose, and at least 0
        [rad, or lengths relative to `size`].
        """
        object_joints = list(object_joints)
        residuals = JointResiduals([joint.aligned_kind.kind for joint in object_joints])
        ends_of = [joint.frames(self.rest) for joint in object_joints]
        at_rest = [np.array([pair[k] for pair in ends_of]).reshape(-1, 4, 4) for k in (0, 1)]
        motions = [
            np.array([self.moved(joint.bodies[k]) for joint in object_joints]).reshape(-1, 4, 4)
            for k in (0, 1)
        ]
        sizes = []
        for parents, children in (
            at_rest,
            [motion @ frames for motion, frames in zip(motions, at_rest, strict=True)],
        ):
            relative = residuals.relative(parents, children)
            relative[:, :, 3] /= self.size
            sizes.append(residuals.true_size(relative))
        gaps: Array = np.maximum(sizes[1] - sizes[0], 0.0)
        return gaps

    def closes(self, object_joints: Iterable[ObjectJoint]) -> bool:
        """Whether these joints fit in the current frame as well as in the rest pose."""
        return bool((self.gaps(object_joints) <= NEAR).all())

    def displacement(self, joint_object: bpy.types.Object, bodies: Iterable) -> float:
        """Displacement of a joint's object relative to the nearest of these bodies or the base since the rest
        pose [rad, or lengths relative to `size`].
        """
        rest, pose = self.rest[joint_object.session_uid], self.current[joint_object.session_uid]
        return min(self._apart(self.moved(body) @ rest, pose) for body in (None, *bodies))

    def _apart(self, pose: Array, other: Array) -> float:
        """Difference of two poses (4, 4): the angle [rad] or the distance relative to `size`, if larger."""
        angle = float(angle_of((pose[:3, :3].T @ other[:3, :3])[None])[0])
        return max(float(np.linalg.norm(pose[:3, 3] - other[:3, 3])) / self.size, angle)


def _relative(poses: Mapping[int, Array], base: int) -> dict[int, Array]:
    """World poses of objects, session_uid -> pose (4, 4), in the frame of the object with the uid `base`,
    whose own pose is then exactly the identity.
    """
    to_base = inverse(poses[base])
    return {uid: to_base @ pose for uid, pose in poses.items()} | {base: np.eye(4)}


def base_of(owner: bpy.types.Object, bodies: Iterable) -> bpy.types.Object:
    """The object on which a mechanism is mounted: its first Ground body, else its owner."""
    return next((body for body in bodies if role_of(body) == "GROUND"), owner)


def objects(owner: bpy.types.Object) -> list:
    """Objects whose poses belong to a mechanism's rest pose."""
    object_by_uid = {owner.session_uid: owner}
    for joint_object in joint_objects(owner):
        for obj in (joint_object, *ends(joint_object), joint_object.limber.part.meets):
            if obj is not None:
                object_by_uid[obj.session_uid] = obj
    return list(object_by_uid.values())


def as_it_stands(poses: Mapping[int, Array], base: int) -> RestPose:
    """A rest pose made from the current world poses of objects, session_uid -> pose (4, 4); `base`:
    session_uid of the object that is the base.
    """
    return RestPose.of(poses, poses, base)


def recorded(owner: bpy.types.Object, poses: Mapping[int, Array], base: int) -> RestPose:
    """The stored rest pose, together with the current poses of objects; `poses` and `base` as for
    `as_it_stands`.

    Raises:
        RigError: no rest pose is stored, or an object is missing in it.
    """
    rest_poses = {
        item.object.session_uid: rigid(Matrix(np.reshape(item.matrix, (4, 4)).tolist()))
        for item in owner.limber.mechanism.rest_pose
        if item.object is not None and item.object.session_uid in poses
    }
    missing = next(
        (obj for obj in objects(owner) if obj.session_uid in poses and obj.session_uid not in rest_poses),
        None,
    )
    if missing is not None:
        raise RigError(
            f"Mechanism '{owner.name}' has no rest pose: press Set Rest Pose where its motors are at zero"
            if not rest_poses
            else (
                f"'{missing.name}' is not in the rest pose of mechanism '{owner.name}', which is older: press"
                " Set Rest Pose"
            )
        )
    return RestPose.of(rest_poses, poses, base)


def set_rest_pose(owner: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
    """Stores the current poses of the mechanism's objects as its rest pose. Call within an operator that has
    UNDO.
    """
    items, shown_objects = owner.limber.mechanism.rest_pose, objects(owner)
    _forget_others(items, {obj.session_uid for obj in shown_objects})
    known = {item.object.session_uid: item for item in items if item.object is not None}
    for obj in shown_objects:
        item = known.get(obj.session_uid) or items.add()
        item.object = obj
        item.matrix = [number for row in obj.evaluated_get(depsgraph).matrix_world for number in row]


def rotate(owner: bpy.types.Object, joint_object: bpy.types.Object, rotation: Quaternion) -> None:
    """Rotates a joint's object by `rotation`, about its own axes, in the stored rest pose."""
    for item in owner.limber.mechanism.rest_pose:
        if item.object == joint_object:
            rotated = Matrix(np.reshape(item.matrix, (4, 4)).tolist()) @ rotation.to_matrix().to_4x4()
            item.matrix = [number for row in rotated for number in row]


def _forget_others(items: bpy.types.bpy_prop_collection, uids: set[int]) -> None:
    """Removes items of a stored rest pose, except those of the objects with these session_uids."""
    for k in reversed(range(len(items))):
        if items[k].object is None or items[k].object.session_uid not in uids:
            try:
                items.remove(k)
            except TypeError:  # an override cannot remove items that its library has
                items[k].object = None


def difference(owner: bpy.types.Object, object_joints: Iterable[ObjectJoint], pose: RestPose) -> str:
    """Why the current frame shows no valid pose of the mechanism, as a sentence with the remedy; "" for a
    valid pose.

    Joints of driven bodies may be open, since the user moves these bodies.
    """
    object_joints = [
        joint
        for joint in object_joints
        if not any(body is not None and role_of(body) == "DRIVEN" for body in joint.bodies)
    ]
    gaps = pose.gaps(object_joints)
    if len(gaps) and gaps.max() > NEAR:
        # a new scale of the owner moves its bodies apart, although none of them was displaced
        scaled = (
            f". '{owner.name}' is scaled: if that is new, clear its scale first (Alt S)"
            if _is_scaled(owner)
            else ""
        )
        return (
            f"Bodies of '{owner.name}' do not meet at joint '{object_joints[int(gaps.argmax())].name}':"
            f" {REMEDY}{scaled}"
        )
    for joint in object_joints:
        for joint_object in (joint.frame_object, joint.meets):
            if (
                joint_object is not None
                and pose.displacement(joint_object, filter(None, joint.bodies)) > NEAR
            ):
                return (
                    f"Joint object '{joint_object.name}' of '{owner.name}' is not where the rest pose has it:"
                    f" {REMEDY}"
                )
    return ""


def _is_scaled(obj: bpy.types.Object) -> bool:
    matrix = obj.matrix_world
    return matrix.is_negative or max(abs(size - 1.0) for size in matrix.to_scale()) > SCALED


def difference_now(owner: bpy.types.Object, matrix: Callable = lambda obj: obj.matrix_world) -> str:
    """Why the shown scene has no valid pose of the mechanism, as in `difference`, or why the mechanism cannot
    be read; "" also for one without joint objects. `matrix` returns an object's world matrix. Panels call
    this in every redraw while the mechanism is not live.
    """
    try:
        object_joints = list(joints.joints(joint_objects(owner)))
        if not object_joints:
            return ""
        bodies = [body for joint in object_joints for body in joint.bodies if body is not None]
        poses = {obj.session_uid: rigid(matrix(obj)) for obj in objects(owner)}
        return difference(owner, object_joints, recorded(owner, poses, base_of(owner, bodies).session_uid))
    except RigError as error:
        return str(error)
