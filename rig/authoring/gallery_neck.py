"""Control bone for a head that a closed-loop mechanism moves: a chain moves the bone, and the mechanism
follows it.
"""

from collections.abc import Mapping

import bpy
from mathutils import Matrix, Quaternion, Vector

from ...robots.gallery.description import SLIDES, Neck
from ..bones import axes, imported_robot
from ..mechanisms import offsets

CONTROL = "Head Control"
SHORTEST = 0.01  # [m] smallest length of the control bone, whose tail is at the robot's eye
# DoF of the neck -> (axis of the control bone, sign): the control points forward (its Y is the root link's x)
# with its Z up
AXES = {"x": ("Y", 1), "y": ("X", -1), "z": ("Z", 1), "yaw": ("Z", 1), "pitch": ("X", -1), "roll": ("Y", 1)}
# weight of the head's position, relative to that of its rotation: if both cannot be met, the head looks at
# the target from another position
AIM_FIRST = 0.1
FORWARD = Matrix(((0, 1, 0), (-1, 0, 0), (0, 0, 1)))  # the control's axes in the root link's frame
ORDER = "YXZ"  # yaw is the outermost rotation, roll the innermost


def add(context: bpy.types.Context, rig: bpy.types.Object, head: str, neck: Neck) -> str:
    """Adds the control bone of a head, and the mechanism's goal that follows it; returns the bone's name.

    The control is at the height of the head's eye and ends there, so that it looks along its bone. Of the
    mechanism's motors, only those of `neck.keep` are set to keep their values.

    Args:
        context: Blender's context; the armature is active, in Object Mode.
        rig: The imported robot with its mechanism.
        head: Link of the head.
        neck: Degrees of freedom of the head, with their ranges.
    """
    tree, bones = imported_robot.tree_of(rig)
    index = next(k for k, branch in enumerate(tree.branches) if branch.link == head)
    frame = tree.frames({})[index]
    at_rest = Matrix.LocRotScale(Vector(frame.offset), Quaternion(frame.rotation), None)
    ahead, *beside = neck.eye
    control = Matrix.Translation(Vector(neck.at) + Vector((0.0, *beside))) @ FORWARD.to_4x4()
    bpy.ops.object.mode_set(mode="EDIT")
    bone = rig.data.edit_bones.new(CONTROL)
    bone.head, bone.tail = (0, 0, 0), (0, max(ahead, SHORTEST), 0)
    bone.matrix = control
    bone.parent = rig.data.edit_bones[bones[0]]
    bpy.ops.object.mode_set(mode="OBJECT")
    _limit(rig.pose.bones[CONTROL], neck)
    goal = rig.limber.mechanism.goals.add()
    goal.name, goal.does, goal.bone, goal.target, goal.target_bone = head, "FRAME", bones[index], rig, CONTROL
    neutral = Matrix.Translation(neck.at) @ at_rest.inverted() @ rig.data.bones[bones[index]].matrix_local
    goal.position_weight = (AIM_FIRST,) * 3
    goal.offset = offsets.column_major(rig.data.bones[CONTROL].matrix_local.inverted() @ neutral)
    for motor in rig.limber.mechanism.motors:
        motor.keeps_value = motor.bone in neck.keep
    context.view_layer.update()
    return CONTROL


def pose(rig: bpy.types.Object, values: Mapping[str, float]) -> None:
    """Poses the control bone. `values`: DoF of the neck -> value [m or rad]; missing ones are 0."""
    bone = rig.pose.bones[CONTROL]
    for dof, (letter, sign) in AXES.items():
        axis = axes.prismatic(letter) if dof in SLIDES else letter
        getattr(bone, axes.channel(axis))[axes.index(axis)] = sign * values.get(dof, 0.0)


def _limit(bone: bpy.types.PoseBone, neck: Neck) -> None:
    """Locks the control bone's axes, except those of the neck's DoFs, which get their ranges as limits."""
    bone.rotation_mode = ORDER
    bone.lock_location = bone.lock_rotation = bone.lock_scale = (True, True, True)
    location_limit = bone.constraints.new("LIMIT_LOCATION")
    rotation_limit = bone.constraints.new("LIMIT_ROTATION")
    for limit in (location_limit, rotation_limit):
        limit.owner_space, limit.use_transform_limit, limit.show_expanded = "LOCAL", True, False
    for dof, span in neck.spans.items():
        letter, sign = AXES[dof]
        low, high = sorted(sign * end for end in span)
        name, is_slide = letter.lower(), dof in SLIDES
        (bone.lock_location if is_slide else bone.lock_rotation)[axes.INDEX[letter]] = False
        limit = location_limit if is_slide else rotation_limit
        for switch in (f"use_min_{name}", f"use_max_{name}") if is_slide else (f"use_limit_{name}",):
            setattr(limit, switch, True)
        setattr(limit, f"min_{name}", low)
        setattr(limit, f"max_{name}", high)
