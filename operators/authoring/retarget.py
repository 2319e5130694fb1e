"""Operators for retargeting: pair, calibrate, listen."""

import bpy

from ...rig.blender.counting import counted
from ...rig.blender.errors import RigError
from ...rig.live import uses
from ...rig.reading.body import pairing, receiver
from ...rig.reading.osc import inbox
from ..errors import reports_errors
from ..remove_item import RemoveItem
from ..subject import poll_rig, rig_of


def poll_source(cls, context) -> bool:
    """Whether the retarget has a source, or is listening."""
    if not poll_rig(cls, context):
        return False
    if why := uses.no_source(rig_of(context).limber.retarget):
        cls.poll_message_set(why)
    return not why


def poll_pairs(cls, context) -> bool:
    """Whether there is a source, and at least one pair."""
    if not poll_source(cls, context):
        return False
    rig = rig_of(context)
    if why := uses.no_pairs(rig, rig.limber.retarget):
        cls.poll_message_set(why)
    return not why


class LIMBER_OT_pair_bones(bpy.types.Operator):
    """Pair bones of the source and this armature by names of body parts (CMU, Mixamo, Rigify, Xsens and more), replace the list, and
    calibrate"""

    bl_idname = "limber.pair_bones"
    bl_label = "Pair by Names"
    bl_options = {"REGISTER", "UNDO"}

    poll = classmethod(poll_source)

    @reports_errors
    def execute(self, context):
        rig = rig_of(context)
        retarget = rig.limber.retarget
        count = pairing.pair_by_names(rig, retarget)
        done, left = pairing.release_controls(rig)
        if done:
            self.report({"INFO"}, f"The body follows its controls: set {', '.join(done)}")
        for sentence in left:
            self.report({"WARNING"}, sentence)
        try:
            pairing.calibrate(rig, retarget, context.evaluated_depsgraph_get())
        except RigError as error:
            self.report({"WARNING"}, f"Paired {counted(count, 'bone')}, not yet calibrated. {error}")
            return {"FINISHED"}
        self.report({"INFO"}, f"Paired and calibrated {counted(count, 'bone')}; the source's path is scaled by {retarget.scale:.3g}")
        return {"FINISHED"}


class LIMBER_OT_add_pair(bpy.types.Operator):
    """Add a pair; the active bone is its target"""

    bl_idname = "limber.add_pair"
    bl_label = "Add Pair"
    bl_options = {"REGISTER", "UNDO"}

    poll = classmethod(poll_rig)

    def execute(self, context):
        rig = rig_of(context)
        bone = rig.data.bones.active if rig.type == "ARMATURE" else None
        pairing.add(rig.limber.retarget, bone.name if bone else "", "")
        return {"FINISHED"}


class LIMBER_OT_remove_pair(RemoveItem, bpy.types.Operator):
    """Remove the selected pair"""

    bl_idname = "limber.remove_pair"
    bl_label = "Remove Pair"

    items, active = "pairs", "active_pair"
    linked = "switch it off with its tick, or remove it there"

    @classmethod
    def _owner(cls, context):
        return rig_of(context).limber.retarget


class LIMBER_OT_calibrate_pairs(bpy.types.Operator):
    """Compute the rotation offset of each pair and the scale of the body from matching poses"""

    bl_idname = "limber.calibrate_pairs"
    bl_label = "Calibrate"
    bl_options = {"REGISTER", "UNDO"}

    poll = classmethod(poll_pairs)

    @reports_errors
    def execute(self, context):
        rig = rig_of(context)
        retarget = rig.limber.retarget
        scale = pairing.calibrate(rig, retarget, context.evaluated_depsgraph_get())
        rig.update_tag()
        count = sum(pair.enabled for pair in retarget.pairs)
        self.report({"INFO"}, f"Calibrated {counted(count, 'pair')}; the source's path is scaled by {scale:.3g}")
        return {"FINISHED"}


class LIMBER_OT_listen(bpy.types.Operator):
    """Start listening for link orientations over UDP, at the address and port above"""

    bl_idname = "limber.listen"
    bl_label = "Listen"

    @classmethod
    def poll(cls, context):
        if not poll_rig(cls, context):
            return False
        retarget = rig_of(context).limber.retarget
        if receiver.find(retarget.host, retarget.port) is not None:
            cls.poll_message_set("It listens already: press End Listening to leave")
            return False
        return True

    @reports_errors
    def execute(self, context):
        retarget = rig_of(context).limber.retarget
        inbox.refuse_others(retarget.host, bpy.app.online_access)
        receiver.listen(retarget.host, retarget.port)
        self.report({"INFO"}, f"Listening at {retarget.host}, UDP port {retarget.port}")
        return {"FINISHED"}


class LIMBER_OT_end_listen(bpy.types.Operator):
    """Stop listening and free the port"""

    bl_idname = "limber.end_listen"
    bl_label = "End Listening"

    @classmethod
    def poll(cls, context):
        if not poll_rig(cls, context):
            return False
        retarget = rig_of(context).limber.retarget
        if receiver.find(retarget.host, retarget.port) is None:
            cls.poll_message_set("Nothing listens: press Listen")
            return False
        return True

    def execute(self, context):
        retarget = rig_of(context).limber.retarget
        receiver.end(retarget.host, retarget.port)
        return {"FINISHED"}
