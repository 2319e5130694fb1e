"""Panels Bake and Export, and Record."""

from ...operators.subject import rig_of
from ...rig.authoring import chains
from ...rig.blender.counting import counted
from ...rig.live.movers import mover_of
from ...rig.output import record, take_copies
from ...rig.scene.goal import followed
from ..tab import ChainTab, draw_range, message, sentence


class LIMBER_PT_bake(ChainTab):
    """Bake of the chain's motion to keyframes, its recording and its export"""

    bl_label = "Bake and Export"
    bl_order = 9
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        chain = chains.active(rig_of(context))
        draw_range(layout, chain)
        if mover_of(rig_of(context), chain).horizon:
            layout.prop(chain, "look_ahead")
        layout.operator("limber.bake", icon="KEYFRAME")
        if sum(followed(other) is not None for other in rig_of(context).limber.chains) > 1:
            layout.operator("limber.bake", text="Bake All Chains", icon="KEYFRAME_HLT").everything = True


class LIMBER_PT_record(ChainTab):
    """Recording of live motion while the scene plays: each pass over the frames is a take"""

    bl_label = "Record"
    bl_parent_id = "LIMBER_PT_bake"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 0

    def draw(self, context):
        draw_recording(self.layout, rig_of(context))
        self.layout.operator("limber.move_with_mouse", icon="RESTRICT_SELECT_OFF")


def draw_recording(layout, rig) -> None:
    """Draws the buttons of a recording, also of an interrupted one, and, while it runs, the number of
    recorded frames and takes.
    """
    if not record.is_going(rig):
        if take_copies.left(rig) is not None:
            sentence(
                layout, "A recording was interrupted here: press Restore Takes to keep its takes", "INFO"
            )
            row = layout.row(align=True)
            row.operator("limber.restore_takes", icon="RECOVER_LAST")
            row.operator("limber.leave_takes", text="", icon="X")
        layout.operator("limber.record_live", icon="REC")
        return
    takes = record.takes(rig)
    frames = sum(len(take.frames) for take in takes)
    recorded = f"{counted(frames, 'frame')} in {counted(len(takes), 'take')}"
    said = f"Recording: {recorded}. Move targets, switch postures, let it play"
    message(layout, [(record.copy_problem(rig), "ERROR"), (said, "REC")], 4)
    row = layout.row(align=True)
    row.operator("limber.keep_takes", icon="CHECKMARK")
    row.operator("limber.drop_takes", text="", icon="X")
