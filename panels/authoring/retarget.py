"""Panel Retarget: source, bone pairs, calibration, live, tracking errors and bake."""

from collections.abc import Sequence
from math import degrees

import bpy
import numpy as np

from ...operators.subject import rig_of
from ...rig.blender.counting import counted
from ...rig.blender.errors import capitalised
from ...rig.bodies import pairing, receiver
from ...rig.live import live
from ...rig.output import record
from ..live.live import draw_start, hidden
from ..output.bake import draw_recording
from ..tab import ArmatureTab, List, draw_range, listed, message, props, sentence
from .motion_style import MotionStyleMenu, draw_motion_style

LINES = 3  # number of lines on why a body cannot follow its source


class LIMBER_UL_pairs(List):
    """Bones of this armature and the bones that they follow"""

    def draw_row(self, context, layout, owner, item, index):
        layout.use_property_split = False  # a split row, which the panel has set, leaves no room for names
        row = layout.row(align=True)
        row.prop(item, "enabled", text="")
        row.label(
            text=item.target or "?",
            icon="NONE" if item.calibrated or not item.enabled else "ERROR",
            translate=False,
        )
        row.label(text=item.source or "?", icon="PINNED" if item.plant else "BACK", translate=False)


class LIMBER_PT_retarget(ArmatureTab):
    """Retargeting of motion capture, or of any animated armature, to the whole body"""

    bl_label = "Retarget"
    bl_order = 10
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        retarget = rig.limber.retarget
        layout.use_property_split = True
        layout.prop(retarget, "input")
        streamed = pairing.is_streamed(retarget)
        if not (_draw_stream if streamed else _draw_source)(layout, retarget):
            return
        layout.operator("limber.pair_bones", icon="LINKED")
        pair = listed(
            layout,
            "LIMBER_UL_pairs",
            retarget,
            "pairs",
            "active_pair",
            add="limber.add_pair",
            remove="limber.remove_pair",
            rows=4,
        )
        if pair is not None:
            layout.prop_search(pair, "target", rig.data, "bones")
            if streamed:
                layout.prop(pair, "source")
            else:
                layout.prop_search(pair, "source", retarget.source.data, "bones")
            props(layout, pair, "weight", "position_weight", "gain", "level", "plant")
        layout.separator(factor=0.5)
        layout.prop(retarget, "calibrate_from")
        layout.operator("limber.calibrate_pairs", icon="ARMATURE_DATA")
        layout.prop(retarget, "scale")
        if retarget.foot_heights_known:
            layout.prop(retarget, "on_floor")
            row = layout.row()
            row.active = retarget.on_floor
            row.prop(retarget, "source_foot_height")
        props(
            layout,
            retarget,
            "shift",
            "paired_only",
            "velocity",
            "own_velocities",
            "acceleration",
            "gain",
            "posture_gain",
        )
        draw_start(layout, retarget)
        session = live.session(rig, retarget) if retarget.live else None
        message(layout, _troubles(retarget, session), LINES)
        if session is not None:
            _draw_outcome(layout, session)
        if retarget.live or record.is_going(rig):
            draw_recording(layout, rig)
        if streamed:  # a stream has no frames to bake
            return
        layout.separator(factor=0.5)
        draw_range(layout, retarget)
        layout.operator("limber.bake", text="Bake Retarget", icon="KEYFRAME")


class LIMBER_MT_body_motion_styles(MotionStyleMenu, bpy.types.Menu):
    """Motion styles for the body: built-in ones, and those of chains, other bodies and mechanisms"""

    def settings(self, context):
        return rig_of(context).limber.retarget


class LIMBER_PT_body_motion(ArmatureTab):
    """Filter of the body's motion"""

    bl_label = "Motion of the Body"
    bl_parent_id = "LIMBER_PT_retarget"
    bl_order = 2
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        draw_motion_style(self.layout, rig_of(context).limber.retarget, LIMBER_MT_body_motion_styles.__name__)


def _draw_source(layout, retarget) -> bool:
    """Draws the source armature; returns whether one is chosen."""
    layout.prop(retarget, "source")
    if retarget.source is None:
        sentence(
            layout,
            "Import a clip (File > Import > Motion Capture), then choose its armature as the source",
            "INFO",
        )
    return retarget.source is not None


def _draw_stream(layout, retarget) -> bool:
    """Draws the settings of the network input; returns whether Limber is listening."""
    heard = receiver.find(retarget.host, retarget.port)
    column = layout.column()
    column.enabled = heard is None
    props(column, retarget, "host", "port")
    if heard is None:
        layout.operator("limber.listen", icon="PLAY")
        return False
    layout.operator("limber.end_listen", icon="PAUSE", depress=True)
    links = heard.poses.links
    state_text = heard.problem or (
        f"Listening: {counted(len(links), 'link')} so far" if links else "Listening: nothing has come yet"
    )
    message(layout, [(state_text, "ERROR" if heard.problem else "INFO")], 3)
    return True


def _troubles(retarget, session) -> list[tuple[str, str]]:
    """(sentence, icon) of each remark on the body: why its motion is not visible, why it cannot follow its
    source, and which coupled limits are exceeded. Sentences may be empty. `session` is None while the body is
    not live.
    """
    troubles = hidden(retarget)
    if session is None:
        return troubles
    troubles.append((capitalised(session.problem), "ERROR"))
    troubles.append((session.warning, "ERROR"))
    violated = session.outputs.violated if session.outputs is not None else ()
    return troubles + [
        (f"{capitalised(name)} cannot be kept: widen it, or the limits of its joints", "ERROR")
        for name in violated
    ]


def _draw_outcome(layout, session) -> None:
    """Draws the errors of the last solution, the number of lost targets, which have no error, joints at a
    limit, planted feet, and the solving time; nothing without a solution.
    """
    outputs = session.outputs
    if outputs is None:
        return
    rows = [
        *_rotation_errors(session.reader.links, outputs.missed),
        ("Position error", bpy.utils.units.to_string("METRIC", "LENGTH", outputs.base_missed, precision=4)),
        ("At a limit", f"{len(outputs.bounded)} of {len(session.reader.joint_keys)} joints"),
        *([("Planted", ", ".join(outputs.planted) or "none")] if any(session.linked.value.planted) else []),
        ("Time", f"{1e3 * session.seconds:.2f} ms"),
    ]
    box = layout.box().column(align=True)
    for name, value in rows:
        row = box.split(factor=0.6)
        row.label(text=name, translate=False)
        row.label(text=value, translate=False)


def _rotation_errors(links: Sequence[str], errors: np.ndarray) -> list[tuple[str, str]]:
    """(name, value) rows on the orientation errors (k,) [rad] of links; NaN: the link's target is lost."""
    is_known = np.isfinite(errors)
    lost, rows = int(np.sum(~is_known)), []
    if is_known.any():
        worst = int(np.nanargmax(errors))
        rows = [
            ("Rotation error, mean", f"{degrees(errors[is_known].mean()):.1f}°"),
            (f"Largest: {links[worst]}", f"{degrees(errors[worst]):.1f}°"),
        ]
    return [*rows, ("Lost targets", f"{lost} of {len(links)}")] if lost else rows
