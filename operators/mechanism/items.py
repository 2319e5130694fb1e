"""Operators on a mechanism's motors and goals, and one that aligns the axis of a joint."""

from math import degrees

from bpy.props import BoolProperty, EnumProperty

from ...rig.authoring.mechanism import alignment, build, motors, support
from ...rig.blender.counting import named
from ...rig.blender.selection import selected
from ...rig.bones import axes
from ...rig.live.live import as_authored
from ...rig.mechanisms import offsets
from ...rig.mechanisms.assembled import prepare
from ...rig.mechanisms.ownership import NONE, is_joint
from ..operator import UndoOperator
from ..remove_item import RemoveItem
from .mechanisms import mechanism_owner, needs_authoring, needs_mechanism, taken_up


def _needs_object(context, clicked: str) -> str:
    """Why a button that acts on the active object cannot be used, with the remedy; "" if it can. `clicked`:
    what to click.
    """
    return f"No object is active: click {clicked}" if context.active_object is None else ""


class LIMBER_OT_add_motors(UndoOperator):
    """Add a motor for each degree of freedom of the active joint, or of the selected bones in Pose Mode"""

    bl_label = "Add Motors"

    @classmethod
    def why_not(cls, context) -> str:
        return needs_authoring(context) or _needs_object(
            context, "a joint of the mechanism, or bones in Pose Mode"
        )

    def run(self, context):
        owner = taken_up(context)
        if owner.limber.mechanism.use_bones and context.mode == "POSE" and (chosen := _chosen(context)):
            new_motors = motors.add_motors_of_bones(owner, [bone.name for bone in chosen])
        else:
            new_motors = motors.add_motors(owner, context.active_object)
        names = ", ".join(
            f"{motor.name} ({axes.range_text(motor.axis, motor.lower, motor.upper)})" for motor in new_motors
        )
        self.report({"INFO"}, f"Motors, with their limits: {names}")


def _chosen(context) -> list:
    """The selected bones; if the active bone is not among them, only the active bone."""
    active, selected = context.active_pose_bone, list(context.selected_pose_bones or ())
    return selected if active is None or active in selected else [active]


class RemovePart(RemoveItem):
    """Base of operators that remove an item of the mechanism's lists. A subclass that is available while the
    mechanism is live sets `needs`.
    """

    needs = staticmethod(needs_authoring)

    @classmethod
    def _owner(cls, context):
        return mechanism_owner(context).limber.mechanism


class LIMBER_OT_remove_motor(RemovePart):
    """Remove the selected motor"""

    bl_label = "Remove Motor"
    items, active = "motors", "active_motor"


class LIMBER_OT_add_mechanism_goal(UndoOperator):
    """Add a goal and, if a body is active (or its bone in Pose Mode), a target there that the body follows"""

    bl_label = "Add Goal"

    @classmethod
    def why_not(cls, context) -> str:
        return needs_mechanism(context) or _needs_object(
            context, "the body that follows the goal, or its bone in Pose Mode"
        )

    def run(self, context):
        owner = taken_up(context)
        settings, body = owner.limber.mechanism, context.active_object
        bone = context.active_pose_bone if settings.use_bones and context.mode == "POSE" else None
        goal = settings.goals.add()
        settings.active_goal = len(settings.goals) - 1
        if bone is not None:
            goal.name = goal.bone = bone.name
            goal.target = build.target_at(
                bone.name, owner.matrix_world @ bone.matrix, owner.users_collection[0]
            )
        elif body is not owner and body.limber.part.kind == NONE:
            goal.name, goal.body = body.name, body
            goal.target = build.target_at(body.name, body.matrix_world, owner.users_collection[0])
        else:
            part = "Bone" if settings.use_bones else "Body"
            self.report(
                {"WARNING"},
                f"No {part.lower()} of '{owner.name}' is active, so goal '{goal.name}' has none: choose its"
                f" {part} and Target, or set Goal to Centre of Mass and choose a Target",
            )


class LIMBER_OT_remove_mechanism_goal(RemovePart):
    """Remove the selected goal. Its target stays"""

    bl_label = "Remove Goal"
    items, active = "goals", "active_goal"
    needs = staticmethod(needs_mechanism)


class LIMBER_OT_keep_goal_offset(UndoOperator):
    """Keep the offset between the body of the selected goal and its target as both are shown now, or
    clear it
    """

    bl_label = "Keep Offset"

    is_cleared: BoolProperty(
        name="Clear",
        description="Clear the offset, so that the body takes the target's pose",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_mechanism(context):
            return why
        if (goal := cls._goal(context)) is None:
            return "The mechanism has no goal: select a body and press + under Goals"
        return (
            "The selected goal is for the centre of mass, which has no offset from its target"
            if goal.does == "CENTRE"
            else ""
        )

    @staticmethod
    def _goal(context):
        settings = mechanism_owner(context).limber.mechanism
        return selected(settings.goals, settings.active_goal)

    def run(self, context):
        owner = taken_up(context)
        goal = self._goal(context)
        if self.is_cleared:
            offsets.clear(goal)
            return
        offsets.keep(owner, goal, context.evaluated_depsgraph_get())
        target = goal.target_bone or goal.target.name
        self.report({"INFO"}, f"'{goal.bone or goal.body.name}' stays beside '{target}' as it is now")


class LIMBER_OT_key_support(UndoOperator):
    """Insert keyframes for the weights of the goals for the centre of mass, so that from this frame on the
    foot of the selected goal, or every foot, supports the body
    """

    bl_label = "Key Support"

    carries: EnumProperty(
        name="Carries",
        description="Goals for the centre of mass that have a weight from this frame on",
        items=[
            ("THIS", "This", "The selected goal alone: its foot stands"),
            ("ALL", "All", "All of them: all feet stand"),
        ],
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_mechanism(context):
            return why
        settings = mechanism_owner(context).limber.mechanism
        goal = selected(settings.goals, settings.active_goal)
        if goal is None or goal.does != "CENTRE":
            return (
                "The selected goal is not for the centre of mass: choose Centre of Mass, one such goal for"
                " each foot"
            )
        return ""

    def run(self, context):
        owner = taken_up(context)
        settings = owner.limber.mechanism
        carrying = support.supports(settings) if self.carries == "ALL" else [settings.active_goal]
        support.key_support(owner, carrying, context.scene.frame_current_final)
        names = named([settings.goals[k].name for k in carrying])
        self.report({"INFO"}, f"From frame {context.scene.frame_current}: {names}")


class LIMBER_OT_align_joint(UndoOperator):
    """Rotate the active joint's axis to the direction in which its closed loop can move, if Check Mechanism
    reports that the axis blocks it
    """

    bl_label = "Align Axis"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_authoring(context):
            return why
        if context.active_object is None or not is_joint(context.active_object):
            return (
                "The active object is no joint: select the joint that Check names (a bone's roll is changed"
                " in Edit Mode)"
            )
        return ""

    def run(self, context):
        owner = taken_up(context)
        with as_authored() as depsgraph:
            angle = alignment.align(owner, prepare(owner, depsgraph), context.active_object)
        self.report(
            {"INFO"},
            f"Joint '{context.active_object.name}' is rotated by {degrees(angle):.3g} degrees: press Check",
        )
