"""Verbs of what a mechanism has: motors, goals, closures."""

import bpy

from ..rig import axes
from ..rig.errors import RigError
from ..rig.mechanism import build, motors
from ..rig.mechanism.properties import NONE
from .mechanism import mechanism_owner, poll_authoring, poll_mechanism, taken_up
from .remove_item import RemoveItem


class LIMBER_OT_add_motors(bpy.types.Operator):
    """Add a motor for each degree of freedom of the selected joint, or of the active bone"""

    bl_idname = "limber.add_motors"
    bl_label = "Add Motors"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return poll_authoring(cls, context)

    def execute(self, context):
        owner = taken_up(context)
        try:
            if owner.limber.mechanism.use_bones and context.mode == "POSE" and context.active_pose_bone is not None:
                made = motors.add_bone_motors(owner, context.active_pose_bone.name)
            else:
                made = motors.add_motors(owner, context.active_object)
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        said = ", ".join(f"{motor.name} ({axes.span(motor.axis, motor.lower, motor.upper)})" for motor in made)
        self.report({"INFO"}, f"Motors, with their limits: {said}")
        return {"FINISHED"}


class _Remove(RemoveItem):
    """Of the mechanism's lists; while it is live, what it is made of stays."""

    @classmethod
    def _can_change(cls, context):
        return poll_authoring(cls, context)

    @classmethod
    def _owner(cls, context):
        return mechanism_owner(context).limber.mechanism


class LIMBER_OT_remove_motor(_Remove, bpy.types.Operator):
    """Remove the selected motor"""

    bl_idname = "limber.remove_motor"
    bl_label = "Remove Motor"
    items, active = "motors", "active_motor"


class LIMBER_OT_add_mechanism_goal(bpy.types.Operator):
    """Add a target at the active body, or at the active bone, and let it follow that target"""

    bl_idname = "limber.add_mechanism_goal"
    bl_label = "Add Goal"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return poll_mechanism(cls, context)

    def execute(self, context):
        owner = taken_up(context)
        kept, body = owner.limber.mechanism, context.active_object
        bone = context.active_pose_bone if kept.use_bones and context.mode == "POSE" else None
        goal = kept.goals.add()
        kept.active_goal = len(kept.goals) - 1
        if bone is not None:
            goal.name = goal.bone = bone.name
            goal.target = build.target_at(bone.name, owner.matrix_world @ bone.matrix, owner.users_collection[0])
        else:
            goal.name = body.name
            if body is not owner and body.limber.part.kind == NONE:
                goal.body = body
                goal.target = build.target_at(body.name, body.matrix_world, (kept.collection or owner.users_collection[0]))
        return {"FINISHED"}


class LIMBER_OT_remove_mechanism_goal(_Remove, bpy.types.Operator):
    """Remove the selected goal. Its target is kept"""

    bl_idname = "limber.remove_mechanism_goal"
    bl_label = "Remove Goal"
    items, active = "goals", "active_goal"

    @classmethod
    def _can_change(cls, context):
        return poll_mechanism(cls, context)


class LIMBER_OT_add_closure(bpy.types.Operator):
    """Hold two bones together: of the selected ones the active bone is the second, and their tails meet"""

    bl_idname = "limber.add_closure"
    bl_label = "Add Closure"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not poll_authoring(cls, context):
            return False
        if not mechanism_owner(context).limber.mechanism.use_bones:
            cls.poll_message_set("Bodies of this mechanism are objects: join them by rigid body constraints or empties")
            return False
        return True

    def execute(self, context):
        kept = taken_up(context).limber.mechanism
        chosen = list(context.selected_pose_bones or ())
        active = context.active_pose_bone
        if len(chosen) != 2 or active not in chosen:
            self.report({"ERROR"}, f"Select the two bones whose tails meet, in Pose Mode: {len(chosen)} selected now")
            return {"CANCELLED"}
        first = next(bone for bone in chosen if bone != active)
        closure = kept.closures.add()
        closure.first, closure.second = first.name, active.name
        closure.name = f"{first.name} = {active.name}"
        kept.active_closure = len(kept.closures) - 1
        return {"FINISHED"}


class LIMBER_OT_remove_closure(_Remove, bpy.types.Operator):
    """Remove the selected closure"""

    bl_idname = "limber.remove_closure"
    bl_label = "Remove Closure"
    items, active = "closures", "active_closure"


CLASSES = (
    LIMBER_OT_add_motors,
    LIMBER_OT_remove_motor,
    LIMBER_OT_add_mechanism_goal,
    LIMBER_OT_remove_mechanism_goal,
    LIMBER_OT_add_closure,
    LIMBER_OT_remove_closure,
)
