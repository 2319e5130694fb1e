"""Operators that add closures, between two selected bones or between all pairs of links that a robot's file
names as the ends of a loop, and that remove closures.
"""

from ...rig.authoring.mechanism import build
from ...rig.blender.counting import counted
from ...rig.blender.errors import RigError
from ...rig.mechanisms import closures
from ...rig.mechanisms.owners import has_mechanism
from ...rig.mechanisms.poses import object_scale
from ...rig.mechanisms.precise_rest import rest_of
from ...solvers.amounts import rounded
from ..operator import UndoOperator
from ..subject import rig_of
from .items import RemovePart
from .mechanisms import mechanism_owner, needs_authoring, taken_up

NAMES = "closing_NAME_1 and closing_NAME_2"  # pattern of the names, in messages


class LIMBER_OT_add_closure(UndoOperator):
    """Add a closure, which holds the two selected bones together, to close a loop. It joins the points
    (heads, tails or links' origins) that are nearest to each other at rest
    """

    bl_label = "Add Closure"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_authoring(context):
            return why
        owner = mechanism_owner(context)
        if owner.type != "ARMATURE" or not owner.limber.mechanism.use_bones:
            return "Bodies of this mechanism are objects: join them by rigid body constraints or empties"
        return ""

    def run(self, context):
        rig = taken_up(context)
        chosen = [bone for bone in context.selected_pose_bones or () if bone.id_data == rig]
        active = context.active_pose_bone
        if len(chosen) != 2 or active not in chosen:
            raise RigError(
                f"Select the two bones of '{rig.name}' that meet, in Pose Mode: {len(chosen)} selected now"
            )
        first = next(bone for bone in chosen if bone != active)
        rest = rest_of(rig, object_scale(rig))
        closure, away = closures.add(rig, rest, first.name, active.name)
        first_word, other = (closures.WORDS[which] for which in (closure.first_point, closure.second_point))
        self.report({"INFO"}, f"The {first_word} of '{first.name}' meets the {other} of '{active.name}'")
        if closures.is_apart(rest, away):
            self.report({"WARNING"}, closures.gap_sentence(rig, rest, closure, away))


class LIMBER_OT_close_named_loops(UndoOperator):
    """Close loops at all pairs of bones named closing_NAME_1 and closing_NAME_2, the names that exporters of
    robot files give to the two ends of a loop
    """

    bl_label = "Close Named Loops"

    @classmethod
    def why_not(cls, context) -> str:
        rig = rig_of(context)
        if rig is None or rig.type != "ARMATURE" or not closures.named_pairs(rig):
            return f"No armature in use has bones {NAMES} without a closure: select two bones and press + instead"
        if has_mechanism(rig) and rig.limber.mechanism.closures_file:
            return "The robot's own file has the closures: they cannot be changed here"
        return needs_authoring(context) if has_mechanism(rig) else ""

    def run(self, context):
        rig = rig_of(context)
        rest = rest_of(rig, object_scale(rig))
        if not has_mechanism(rig):
            build.make(rig)
        rig.limber.mechanism.use_bones = True
        furthest, apart = 0.0, []
        pairs = closures.named_pairs(rig)
        for name, first, second in pairs:
            closure, away = closures.add(rig, rest, first, second, name)
            furthest = max(furthest, away)
            if closures.is_apart(rest, away):
                apart.append(closures.gap_sentence(rig, rest, closure, away))
        self.warn(apart)
        self.report(
            {"INFO"},
            f"'{rig.name}' has {counted(len(pairs), 'closure')} more,"
            f" open by at most {rounded(1e3 * furthest)} mm at rest: select the bones"
            " that have a motor, press + under Motors, then Check",
        )


class LIMBER_OT_remove_closure(RemovePart):
    """Remove the selected closure: its two bones are no longer held together"""

    bl_label = "Remove Closure"
    items, active = "closures", "active_closure"
