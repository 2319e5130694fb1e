"""Operators for retargeting: pair bones, calibrate, and listen for streamed motion."""

import bpy

from ...inputs import inbox
from ...rig.blender.counting import counted
from ...rig.blender.errors import RigError
from ...rig.bodies import pair_calibration, pairing, receiver, upright
from ...rig.live import uses
from ..operator import Operator, UndoOperator
from ..remove_item import RemoveItem
from ..subject import needs_rig, rig_of


def needs_source(context) -> str:
    """Why the body has no source armature or, if its input is a stream, no running receiver, with the remedy;
    "" if it has one.
    """
    return needs_rig(context) or uses.no_source(rig_of(context).limber.retarget)


def needs_pairs(context) -> str:
    """Why the body cannot follow (no source, no pair, or Edit Mode), with the remedy; "" if it can."""
    if why := needs_source(context):
        return why
    rig = rig_of(context)
    return uses.no_pairs(rig, rig.limber.retarget)


def _lying(rig) -> list[str]:
    """List with a warning if the source armature lies down or stands on its head in its rest pose; else an
    empty list, also for a stream.
    """
    retarget = rig.limber.retarget
    why = (
        "" if pairing.is_streamed(retarget) or retarget.source is None else upright.why_lying(retarget.source)
    )
    return [why] if why else []


class LIMBER_OT_pair_bones(UndoOperator):
    """Replace the list by pairs of bones for the same body parts: by their names in the source and in this
    armature (CMU, Mixamo, Rigify, Xsens, humanoid robots and more), or by their positions for limbs without
    known names. Then calibrate the pairs
    """

    bl_label = "Pair by Names"

    why_not = needs_source

    def run(self, context):
        rig = rig_of(context)
        retarget = rig.limber.retarget
        count = pairing.pair_by_names(rig, retarget)
        done, left = pairing.release_controls(rig)
        if done:
            self.report({"INFO"}, f"The body follows its controls: set {', '.join(done)}")
        self.warn([*left, *_lying(rig)])
        try:
            pair_calibration.calibrate(rig, retarget, context.evaluated_depsgraph_get())
        except RigError as error:
            self.report({"WARNING"}, f"Paired {counted(count, 'bone')}, not yet calibrated. {error}")
            return
        if why := pairing.too_few(rig, retarget):
            self.report({"WARNING"}, why)
            return
        self.report(
            {"INFO"},
            f"Paired and calibrated {counted(count, 'bone')}; the source's path is scaled by"
            f" {retarget.scale:.3g}",
        )


class LIMBER_OT_add_pair(UndoOperator):
    """Add a pair of bones. The active bone becomes its target bone, which follows a bone of the source"""

    bl_label = "Add Pair"

    why_not = needs_rig

    def run(self, context):
        rig = rig_of(context)
        bone = rig.data.bones.active if rig.type == "ARMATURE" else None
        pairing.add(rig.limber.retarget, bone.name if bone else "", "")


class LIMBER_OT_remove_pair(RemoveItem):
    """Remove the selected pair"""

    bl_label = "Remove Pair"

    items, active = "pairs", "active_pair"
    linked = "switch it off with its tick, or remove it there"

    @classmethod
    def _owner(cls, context):
        return rig_of(context).limber.retarget


class LIMBER_OT_calibrate_pairs(UndoOperator):
    """Compute the rotation offset of each enabled pair, and the scale of the body, from poses in which the
    source and the armature match
    """

    bl_label = "Calibrate"

    why_not = needs_pairs

    def run(self, context):
        rig = rig_of(context)
        retarget = rig.limber.retarget
        scale = pair_calibration.calibrate(rig, retarget, context.evaluated_depsgraph_get())
        rig.update_tag()
        self.warn(_lying(rig))
        count = sum(pair.enabled for pair in retarget.pairs)
        self.report(
            {"INFO"}, f"Calibrated {counted(count, 'pair')}; the source's path is scaled by {scale:.3g}"
        )


class LIMBER_OT_listen(Operator):
    """Start listening for the motion that another program sends over UDP, at the address and port above"""

    bl_label = "Listen"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_rig(context):
            return why
        retarget = rig_of(context).limber.retarget
        return (
            "It listens already: press End Listening to leave"
            if receiver.find(retarget.host, retarget.port) is not None
            else ""
        )

    def run(self, context):
        retarget = rig_of(context).limber.retarget
        inbox.refuse_others(retarget.host, bpy.app.online_access)
        receiver.listen(retarget.host, retarget.port)
        self.report({"INFO"}, f"Listening at {retarget.host}, UDP port {retarget.port}")


class LIMBER_OT_end_listen(Operator):
    """Stop listening and free the port"""

    bl_label = "End Listening"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_rig(context):
            return why
        retarget = rig_of(context).limber.retarget
        return "Nothing listens: press Listen" if receiver.find(retarget.host, retarget.port) is None else ""

    def run(self, context):
        retarget = rig_of(context).limber.retarget
        receiver.end(retarget.host, retarget.port)
