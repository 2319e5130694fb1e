"""Operators of mechanisms: add, new, check, assemble."""

from bpy.props import EnumProperty

from ...rig.authoring.mechanism import build
from ...rig.authoring.mechanism.check import check
from ...rig.authoring.mechanism.finding import check_joints, collection_of, joints_around
from ...rig.authoring.mechanism.handling import handling
from ...rig.blender.counting import counted
from ...rig.blender.overrides import why_not_editable
from ...rig.live.live import as_authored
from ...rig.mechanisms import pose_channels
from ...rig.mechanisms.assembled import prepare
from ...rig.mechanisms.conflicts import refuse_held
from ...rig.mechanisms.owners import has_mechanism, own_identity
from ...rig.mechanisms.ownership import owner_at_hand, owner_of
from ...rig.mechanisms.rest_pose import set_rest_pose
from ...rig.mechanisms.starts import note_values
from ...rig.robot import links
from ...robots.gallery import mechanism as gallery
from ..framing import frame
from ..operator import Operator, UndoOperator
from ..subject import rig_of


def mechanism_owner(context):
    """Owner of the mechanism in use: of the active object's mechanism, else of that of the armature or object
    in use (`rig_of`); None if there is none.
    """
    active = context.active_object
    owner = owner_at_hand(active, context.scene) if active is not None else None
    if owner is None:
        owner = rig_of(context)
    return owner if has_mechanism(owner) else None


def taken_up(context):
    """Owner of the mechanism in use, for an operator that changes it. A duplicated mechanism first gets a uid
    of its own, unless it is live or its robot is connected.
    """
    owner = mechanism_owner(context)
    # a connected robot finds its motors by the uid that they had at connection, so that uid is kept
    if links.link(owner) is None:
        own_identity(owner)
    return owner


def needs_mechanism(context) -> str:
    owner = mechanism_owner(context)
    if owner is None:
        return (
            "There is no mechanism: press Add Mechanism for one of the gallery, or New Mechanism for joints"
            " in the scene"
        )
    return why_not_editable(owner)


def needs_authoring(context) -> str:
    """Why the mechanism in use cannot be edited (there is none, or it is live), with the remedy; "" if it
    can.
    """
    if why := needs_mechanism(context):
        return why
    if mechanism_owner(context).limber.mechanism.live:
        return "The mechanism is live: press End Live first, so that it shows its authored pose"
    return ""


def _rest_here(owner) -> None:
    """Sets the current pose as the rest pose of a mechanism with joints between objects. Bones have the
    armature's rest pose, so it does nothing for them.
    """
    if owner.limber.mechanism.joints:
        with as_authored() as depsgraph:
            set_rest_pose(owner, depsgraph)


class LIMBER_OT_add_mechanism(UndoOperator):
    """Add a mechanism of the gallery with bodies, joints, motors and a target"""

    bl_label = "Add Mechanism"

    kind: EnumProperty(
        name="Mechanism",
        description="Mechanism to add",
        items=gallery.menu(),
        default="four_bar",
    )

    @classmethod
    def why_not(cls, context) -> str:
        return (
            "Leave this mode first: mechanisms are added in Object Mode" if context.mode != "OBJECT" else ""
        )

    def run(self, context):
        owner = build.add(gallery.read_recipe(self.kind), context.scene.cursor.location)
        _rest_here(owner)
        for obj in context.selected_objects:
            obj.select_set(False)
        context.view_layer.objects.active = owner
        owner.select_set(True)
        frame(context, owner.users_collection[0].all_objects)
        settings = owner.limber.mechanism
        targets = "target" if len(settings.goals) == 1 else "targets"
        says = (
            f"{handling(settings)} its {targets}"
            if settings.drive == "TARGETS"
            else "change the value of its motor"
        )
        self.report({"INFO"}, f"'{owner.name}' is added: press Start Live, then {says}")


class LIMBER_OT_new_mechanism(UndoOperator):
    """Make a mechanism from all joints that are connected to the active object: rigid body constraints, or
    empties with a Limber joint. Of an armature without such joints, the bones become the bodies
    """

    bl_label = "New Mechanism"

    @classmethod
    def why_not(cls, context) -> str:
        active = context.active_object
        if active is None or context.mode not in {"OBJECT", "POSE"}:
            return "Select a joint, a body or the robot's armature in Object Mode first"
        owner = owner_of(active, context.scene)
        if owner is not None and (owner == active or active.type != "ARMATURE"):
            return f"'{active.name}' is part of mechanism '{owner.name}' already: select another object"
        return ""

    def run(self, context):
        active = context.active_object
        joint_objects = joints_around(active, context.scene)
        if active.type == "ARMATURE" and not joint_objects:
            settings = build.make(active)
            settings.use_bones = True
            self.report(
                {"INFO"},
                f"The bones of '{active.name}' are bodies now: add closures where loops close, then press"
                " Check",
            )
            return
        check_joints(joint_objects, active, context.scene)
        owner = (
            active
            if active.type == "ARMATURE"
            else build.owner_in(collection_of(active, context.scene), joint_objects)
        )
        settings = build.from_scene(owner, joint_objects)
        _rest_here(owner)
        context.view_layer.objects.active = owner
        counts = f"{counted(len(settings.joints), 'joint')} and {counted(len(settings.motors), 'motor')}"
        self.report({"INFO"}, f"Mechanism '{owner.name}' has {counts}")


class LIMBER_OT_check_mechanism(Operator):
    """Report how many degrees of freedom the mechanism has, which of them its motors do not control, and what
    is wrong with it
    """

    bl_label = "Check Mechanism"

    why_not = needs_mechanism

    def run(self, context):
        owner = taken_up(context)
        context.view_layer.update()
        outcome = check(context, owner)
        sentences = [finding.sentence for finding in outcome.findings]
        self.warn(sentences)
        if outcome.counts is not None:
            self.report({"INFO"}, outcome.sentence)
            sentences.insert(0, outcome.sentence)
        self.show(context, owner.name, sentences, "INFO" if outcome.counts else "ERROR")


class LIMBER_OT_assemble_mechanism(UndoOperator):
    """Move the bodies so that the two sides of every joint meet, and set the result as the rest pose"""

    bl_label = "Assemble"

    why_not = needs_authoring

    def run(self, context):
        owner = taken_up(context)
        with as_authored() as depsgraph:
            assembly = prepare(owner, depsgraph, is_rest=True)
            refuse_held([part for _, part in assembly.reading.moved_parts])
            base = assembly.reading.base_now(owner)
            pose_channels.assemble(
                assembly.reading, base, assembly.model.solver.poses(assembly.model.rest), depsgraph
            )
            note_values(owner, assembly.model.solver, assembly.model.rest)
        _rest_here(owner)
        self.report({"INFO"}, f"'{owner.name}' is assembled: all joints hold, and this is its rest pose")
