"""A mechanism's inputs in a frame, from the evaluated scene: the pose of its base, its goals, and its motors'
commanded values.
"""

import bpy
import numpy as np
from mathutils import Matrix

from ...character.mechanism.inputs import CENTRE, GoalSpec, GoalWeights, driven_goal
from ...character.mechanism.inputs import WEIGHTS as WEIGHTS
from ...character.mechanism.inputs import goal as solver_goal
from ...solvers.kinematics.rotations import X, Y, Z
from ...solvers.kinematics.se3 import HERE, Array, RigidTransform, inverse
from ...solvers.mechanism.goals import CentreGoal, FrameGoal
from ...solvers.mechanism.model import MechanismError
from ..blender.errors import RigError
from ..blender.presence import find, is_deleted, why_absent
from ..bones.joint_bones import SCALED
from ..scene.dependencies import Dependencies, Dependency
from ..scene.placement import Placement
from .authored_mechanism import Part, Reading, signature
from .ownership import joint_objects
from .poses import frame_of, rigid

AXES = {"X": X, "Y": Y, "Z": Z}


def frames(
    settings: bpy.types.PropertyGroup,
    evaluated_settings: bpy.types.PropertyGroup,
    reading: Reading,
    placement: Placement,
    base_from_world: Array,
) -> list[FrameGoal | CentreGoal]:
    """Goals of driven bodies, then the goals of the mechanism.

    Args:
        settings: The mechanism's settings.
        evaluated_settings: The mechanism's settings with keyed values (see `keyed`).
        reading: The mechanism as read.
        placement: Predicted transforms of this frame.
        base_from_world: (4, 4) from world space to the base frame.

    Raises:
        RigError: a goal cannot be followed.
    """
    goals: list[FrameGoal | CentreGoal] = list(driven(reading, placement, base_from_world))
    return goals + [
        of_goal(goal, reading, placement, base_from_world, weighed)
        for goal, weighed in zip(settings.goals, evaluated_settings.goals, strict=True)
    ]


def of_goal(
    goal: bpy.types.PropertyGroup,
    reading: Reading,
    placement: Placement,
    base_from_world: Array,
    weighed: bpy.types.PropertyGroup | None = None,
) -> FrameGoal | CentreGoal:
    """The solver's goal in the base frame.

    Args:
        goal: Settings of the goal.
        reading: The mechanism as read.
        placement: Predicted transforms of this frame.
        base_from_world: (4, 4) from world space to the base frame.
        weighed: Settings with the weights; None: the goal's own settings.

    Raises:
        RigError: the goal cannot be followed.
    """
    if goal.target is None:
        raise RigError(f"Goal '{goal.name}' has no target: choose an object to follow")
    if why := why_absent(goal.target, "target", placement.depsgraph.scene, placement.depsgraph.view_layer):
        raise RigError(f"Goal '{goal.name}': {why[0].lower()}{why[1:]}")
    _refuse_dependent_target(goal, reading)
    try:
        return _of_goal(goal, reading, placement, base_from_world, weighed or goal)
    except MechanismError as error:
        raise RigError(f"Goal '{goal.name}', target '{goal.target.name}': {error}") from error


def _of_goal(
    goal: bpy.types.PropertyGroup,
    reading: Reading,
    placement: Placement,
    base_from_world: Array,
    weighed: bpy.types.PropertyGroup,
) -> FrameGoal | CentreGoal:
    target = base_from_world @ target_pose(goal, placement)
    if goal.does == CENTRE and not any(body.mass > 0.0 for body in reading.mechanism.bodies):
        raise RigError(
            f"Goal '{goal.name}': no body has a mass: give bodies meshes, or select them and set Mass From to"
            " Own in the Mechanism panel, or choose another goal"
        )
    at = target if goal.does == CENTRE else target @ np.array(goal.offset)
    return solver_goal(goal_spec(goal, reading), goal_weights(weighed), at)


def target_pose(goal: bpy.types.PropertyGroup, placement: Placement) -> Array:
    """World pose (4, 4) of a goal's target (an object or one of its bones), without its scale; for a camera
    that sees a person, at the person's position.

    Raises:
        RigError: the bone is missing, or the pose is not finite.
    """
    target, bone = goal.target, goal.target_bone
    if not bone:
        pose = world_pose(placement, target, "", f"Goal '{goal.name}': target '{target.name}'")
        if (person := placement.person(target)) is not None:
            pose[:3, 3] = person
        return pose
    if target.type != "ARMATURE" or bone not in target.data.bones:
        raise RigError(
            f"Goal '{goal.name}': target '{target.name}' has no bone '{bone}': choose one of its bones as"
            " Target Bone, or clear that"
        )
    return world_pose(placement, target, bone, f"Goal '{goal.name}': bone '{bone}' of '{target.name}'")


def world_pose(placement: Placement, obj: bpy.types.Object, bone: str, whose: str) -> Array:
    """World pose (4, 4) of an object or one of its bones, without scale; `whose`: for messages.

    Raises:
        RigError: the pose is not finite.
    """
    hanging = placement.hanging(obj, bone)
    if hanging is not None:
        return rigid(hanging.world, whose)
    matrix = placement.object(obj)
    return rigid(matrix @ placement.bone(obj, bone) if bone else matrix, whose)


def driven(reading: Reading, placement: Placement, base_from_world: Array) -> list[FrameGoal]:
    """Goals, in the base frame, for bodies whose role is Driven, which their parents or keyframes move;
    `base_from_world`: (4, 4) from world space to the base frame.
    """
    return [_driven(part, placement, base_from_world) for part in reading.parts if part.role == "DRIVEN"]


def leaders(
    owner: bpy.types.Object, settings: bpy.types.PropertyGroup, reading: Reading, objects: Dependencies
) -> list[Dependency]:
    """Bones and objects that move the mechanism's base, its driven bodies and, unless motors alone drive it,
    its targets.
    """
    part = reading.base_part
    followed = [(find(part.object_name, part.uid), part.bone) if part is not None else (owner, "")]
    followed += [(find(part.object_name, part.uid), "") for part in reading.parts if part.role == "DRIVEN"]
    if settings.drive != "MOTORS":
        followed += [(goal.target, goal.target_bone) for goal in settings.goals]
    return [dependency for obj, bone in followed if obj is not None for dependency in objects.of(obj, bone)]


def motor_joint(motor: bpy.types.PropertyGroup, reading: Reading) -> str:
    """Name of a motor's joint at the time when the mechanism was read; the joint may have been renamed
    since.
    """
    if motor.joint is None:
        return motor.bone
    return reading.joint_names.get(motor.joint.session_uid, motor.joint.name)


def ordered(settings: bpy.types.PropertyGroup, reading: Reading) -> list:
    """Settings of the mechanism's motors, in the order of the list.

    Raises:
        RigError: the joint of a motor does not exist any more.
    """
    known = reading.mechanism.joint
    for motor in settings.motors:
        if motor_joint(motor, reading) not in known:
            raise RigError(
                f"Motor '{motor.name}' has no joint any more: press End Live, and remove the motor or bring"
                " the joint back"
            )
    return list(settings.motors)


def refuse_change(owner: bpy.types.Object, reading: Reading) -> None:
    """Raises RigError if joints, closures, motors or bones have changed, or a body was deleted, while the
    mechanism is live, since it cannot be read again then.
    """
    current_signature = signature(owner)
    if current_signature == reading.signature:
        return
    settings = owner.limber.mechanism
    # a deleted object still exists while a property refers to it
    existing = {
        joint_object.session_uid for joint_object in joint_objects(owner) if not is_deleted(joint_object)
    }
    deleted_names = [name for uid, name in reading.joint_names.items() if uid not in existing]
    deleted_names += [
        part.name for part in reading.parts if not part.bone and find(part.object_name, part.uid) is None
    ]
    change = (
        f"'{deleted_names[0]}' was deleted"
        if deleted_names
        else _changed(settings, reading, current_signature)
    )
    raise RigError(
        f"Mechanism '{owner.name}': {change} while it is live, so it does not move:"
        " undo that, or press End Live, mend it and press Start Live"
    )


def _changed(settings: bpy.types.PropertyGroup, reading: Reading, current_signature: tuple) -> str:
    """The first change since the mechanism was read, as part of a sentence."""
    joints, closures, motors, bones = zip(current_signature, reading.signature, strict=True)
    if motors[0] != motors[1]:
        if len(motors[0]) != len(motors[1]):
            return "a motor was added or removed"
        changed_motor = next(
            motor for motor, is_now, was in zip(settings.motors, *motors, strict=True) if is_now != was
        )
        return f"motor '{changed_motor.name}' was changed"
    if joints[0] != joints[1]:
        # None for a removed joint, which is only in the old signature
        uid = next((joint[0] for joint in joints[0] if joint not in joints[1]), None)
        named = next(
            (
                joint.object.name
                for joint in settings.joints
                if joint.object is not None and joint.object.session_uid == uid
            ),
            "",
        )
        return f"joint '{named}' was changed or added" if named else "a joint was removed"
    if bones[0] != bones[1]:
        return "a bone was moved in Edit Mode, added or removed"
    return "a closure was changed" if closures[0] != closures[1] else "it was changed"


def base(owner: bpy.types.Object, reading: Reading, placement: Placement) -> Array:
    """World pose (4, 4) of a mechanism's base frame: that of its Ground body, else of its owner."""
    part = reading.base_part
    if part is None:
        return world_pose(placement, owner, "", f"Object '{owner.name}'")
    pose = world_pose(placement, find(part.object_name, part.uid), part.bone, f"Body '{part.name}'")
    base_pose: Array = pose @ part.offset
    return base_pose


def why_scaled(reading: Reading, placement: Placement) -> str:
    """Remark that the object that is the base was scaled since the mechanism was read, with the remedy; "" if
    its scale is unchanged, or if the base is the owner or a bone.
    """
    part = reading.base_part
    base_object = find(part.object_name, part.uid) if part is not None and not part.bone else None
    if base_object is None:
        return ""
    scale, sizes = placement.object(base_object).decompose()[2], part.scale
    if max(abs(size - before) for size, before in zip(scale, sizes, strict=True)) <= SCALED * max(
        map(abs, sizes)
    ):
        return ""
    return (
        f"'{part.name}' was scaled since live began, and a mechanism keeps its lengths: clear the scale of it"
        " and its parents (Alt S), or press End Live and Set Rest Pose"
    )


def _driven(part: Part, placement: Placement, base_from_world: Array) -> FrameGoal:
    pose = world_pose(placement, find(part.object_name, part.uid), "", f"Body '{part.name}'")
    return driven_goal(part.name, base_from_world @ pose @ part.offset)


def goal_spec(goal: bpy.types.PropertyGroup, reading: Reading) -> GoalSpec:
    """The body, frame, kind and axis of a goal for the solver; no body for a goal of the centre of mass.

    Raises:
        RigError: the goal has no body of the mechanism.
    """
    if goal.does == CENTRE:
        return GoalSpec(CENTRE, "", HERE, AXES[goal.axis])
    return GoalSpec(goal.does, *_body_frame(goal, reading), AXES[goal.axis])


def goal_weights(weighed: bpy.types.PropertyGroup) -> GoalWeights:
    """Weights of a goal, from its evaluated settings."""
    return GoalWeights(
        tuple(weighed.position_weight), tuple(weighed.rotation_weight), weighed.direction_weight
    )


def _body_frame(goal: bpy.types.PropertyGroup, reading: Reading) -> tuple[str, RigidTransform]:
    """Name of a goal's body, and the frame on that body that should meet the target. Raises RigError if the
    goal has no body of the mechanism.
    """
    if goal.bone:
        part = next((part for part in reading.parts if part.bone == goal.bone), None)
        if part is None:
            raise RigError(
                f"Goal '{goal.name}': bone '{goal.bone}' is no body of the mechanism: choose another one"
            )
        return part.name, frame_of(inverse(part.offset))
    if goal.body is None:
        raise RigError(f"Goal '{goal.name}' has no body: choose the body that is to follow")
    obj, on = goal.body, None
    while reading.part(obj) is None:
        if obj.parent is None:
            raise RigError(
                f"Goal '{goal.name}': '{goal.body.name}' is no body of the mechanism and on none: choose one"
                " that has a joint"
            )
        step = obj.matrix_parent_inverse @ obj.matrix_basis
        on = step if on is None else step @ on
        obj = obj.parent
    part = reading.part(obj)
    if on is None:
        return part.name, HERE
    # the solver's bodies have no scale, while transforms of children are in the scaled body's units
    return part.name, frame_of(rigid(Matrix.Diagonal((*part.scale, 1.0)) @ on))


def _refuse_dependent_target(goal: bpy.types.PropertyGroup, reading: Reading) -> None:
    """Raises RigError if a goal's target is a body that the mechanism moves, or a descendant of one."""
    obj, bone = goal.target, goal.target_bone
    while obj is not None:
        part = reading.part(obj) or (_part_of_bone(obj, bone, reading) if bone else None)
        if part is not None and part.role == "MOVES":
            raise RigError(
                f"Goal '{goal.name}': target '{goal.target_bone or goal.target.name}' depends on"
                f" '{part.name}', which follows it: choose another target"
            )
        bone = obj.parent_bone if obj.parent_type == "BONE" else ""
        obj = obj.parent


def _part_of_bone(rig: bpy.types.Object, name: str, reading: Reading) -> Part | None:
    """The body of a bone, or of its nearest ancestor with a body; None without one."""
    parts = {part.bone: part for part in reading.parts if part.uid == rig.session_uid}
    bone = rig.data.bones.get(name) if rig.type == "ARMATURE" else None
    while bone is not None and bone.name not in parts:
        bone = bone.parent
    return parts[bone.name] if bone is not None else None


def keyed(
    owner: bpy.types.Object, settings: bpy.types.PropertyGroup, depsgraph: bpy.types.Depsgraph
) -> bpy.types.PropertyGroup:
    """The mechanism's settings with keyed values: during a render its evaluated copy, else the settings
    themselves. Use only its numbers: objects that the copy points to are evaluated copies too.
    """
    return settings if depsgraph.mode != "RENDER" else owner.evaluated_get(depsgraph).limber.mechanism
