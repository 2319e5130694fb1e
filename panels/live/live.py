"""Panels Live and Diagnostics: start and end, current errors, and what limits the solution."""

from math import degrees

import bpy

from ...operators.movers import names_mover
from ...operators.subject import chain_of, rig_of
from ...rig.authoring import chain_settings
from ...rig.blender.errors import capitalised
from ...rig.bones import axes
from ...rig.chains import chain as build
from ...rig.live import live
from ...rig.live.movers import mover_of
from ...rig.live.visibility import why_not_shown
from ...rig.scene.goal import LOOKS, ORIENTS, REACHES, with_goal
from ..tab import ChainTab, message, sentence

LINES = 4  # number of lines for remarks on the chain, such as why it misses its target
NEW_REST_POSE = (
    "The rest pose has changed since live began: Pose > Apply puts the look into it. If it did, undo it and"
    " press End Live first"
)


class LIMBER_PT_live(ChainTab):
    """Start or end live motion, in which the chain follows its target"""

    bl_label = "Live"
    bl_order = 4

    def draw(self, context):
        layout = self.layout
        rig, chain = rig_of(context), chain_of(context)
        draw_start(layout, chain)
        if len(rig.limber.chains) > 1:
            row = layout.row(align=True)
            row.operator("limber.live_all")
            row.operator("limber.end_live_all")
        layout.operator("limber.move_with_mouse", icon="RESTRICT_SELECT_OFF")
        if chain_settings.is_of_earlier_version(chain):
            sentence(layout, "This chain moves as in earlier versions: its bones may twist", "INFO")
            layout.operator("limber.use_new_settings")
        session = live.session(rig, chain) if chain.live else None
        layout.label(
            text=_outcome(chain, session), icon="BLANK1" if session is None else "HIDE_OFF", translate=False
        )
        message(layout, _troubles(rig, chain, session), LINES)


def draw_start(layout, settings) -> None:
    """Draws the button that starts or ends live motion of the mover with these settings. Buttons that are
    drawn after it act on that mover too.
    """
    names_mover(layout, settings)
    row = layout.row()
    row.scale_y = 1.4
    if settings.live:
        row.operator("limber.end_live", icon="PAUSE", depress=True)
    else:
        row.operator("limber.live", icon="PLAY")


def hidden(settings) -> list[tuple[str, str]]:
    """(reason, icon) why the motion of the live mover with these settings is not visible; empty if it is
    visible, or if the mover is not live.
    """
    owner = settings.id_data
    why = why_not_shown(mover_of(owner, settings), live.session(owner, settings)) if settings.live else ""
    return [(why, "ERROR")] if why else []


def _outcome(chain, session) -> str:
    """The chain's main error as a text of one line. While the chain is not live, the text has one line too,
    so that the panel keeps its layout.
    """
    if session is None:
        return "Not live"
    # with a problem, the outputs still have the errors of the last frame in which the chain could follow
    if session.problem or session.outputs is None or not session.outputs.filtered_errors:
        return "No solution"
    error = session.outputs.filtered_errors[0]
    if chain.goal not in LOOKS | ORIENTS:
        return f"Distance: {_length(error.distance)}"
    why = ", on its way" if session.is_on_its_way else ""
    if session.look is not None and session.look.is_beyond:
        why = ", beyond Widest Look"
    return f"Aim error: {degrees(error.angle):.1f}°{why}"


def _troubles(rig, chain, session) -> list[tuple[str, str]]:
    """(sentence, icon) of each remark on the chain: why it cannot be solved or shown, why it misses its
    target, how its solver changed the goal, a changed rest pose, and a reduced influence. Sentences may be
    empty. `session` is None while the chain is not live.
    """
    trouble = build.why_not_solver(rig, chain)
    troubles = [*hidden(chain), (trouble, "ERROR")]
    if session is None:
        return troubles
    if session.problem != trouble:
        troubles.append((capitalised(session.problem), "ERROR"))
    if session.problem or session.outputs is None:
        return troubles
    solution = session.outputs.solution
    if not solution.converged:
        troubles.append((capitalised(solution.reason), "INFO"))
    troubles.append((capitalised(solution.remark), "INFO"))
    if session.has_new_rest_pose:
        troubles.append((NEW_REST_POSE, "INFO"))
    if session.influence < 1.0:
        troubles.append((_influence(session.influence), "INFO"))
    return troubles


def _influence(share: float) -> str:
    """Sentence on an influence below 1."""
    if share <= 0.0:
        return "Influence is 0, so the chain moves as posed or animated and follows no target"
    return f"Influence is {share:.2f}, so the chain is between its posture and the target"


class LIMBER_PT_diagnostics(ChainTab):
    """Errors, solving time and other figures of the last solution"""

    bl_label = "Diagnostics"
    bl_parent_id = "LIMBER_PT_live"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 0

    def draw(self, context):
        rig, chain = rig_of(context), chain_of(context)
        session = live.session(rig, chain) if chain.live else None
        if session is None or session.outputs is None:
            sentence(self.layout, "Press Start Live to see how well the end follows", "INFO")
            return
        if session.problem:
            sentence(self.layout, "No solution: the panel Live says why", "INFO")
            return
        box = self.layout.box().column(align=True)
        for name, value in _figures(chain, session):
            row = box.split(factor=0.6)
            row.label(text=name, translate=False)
            row.label(text=value, translate=False)


def _figures(chain, session) -> list[tuple[str, str]]:
    """(label, value) of each row of the Diagnostics panel."""
    outputs = session.outputs
    solution = outputs.solution
    return [
        *_errors(chain, outputs),
        ("Filter lag", _filter_lag(outputs)),
        ("Shape deviation", f"{degrees(solution.shape_deviation):.1f}°"),
        ("Posture error (ERIK)", f"{solution.posture_error:.4f}"),
        ("Iterations", str(solution.iterations)),
        (
            "Limits hit",
            ", ".join(axes.label(*session.reader.joint_keys[k]) for k in solution.limits_hit) or "none",
        ),
        ("Time", f"{1e3 * session.seconds:.2f} ms"),
    ]


def _filter_lag(outputs) -> str:
    """Largest lag of a joint behind the solution: an angle and, with prismatic joints, a length."""
    linear = f", {_length(outputs.slide_lag)}" if outputs.slide_lag else ""
    return f"{degrees(outputs.lag):.1f}°{linear}"


def _errors(chain, outputs) -> list[tuple[str, str]]:
    """(label, value) of each end's errors, as solved and after the motion filter."""
    rows = []
    ends = with_goal(chain)
    # an end added after the last tick has no errors yet
    errors = list(zip(ends, outputs.solution.measured.errors, outputs.filtered_errors, strict=False))
    for end, solved, filtered in errors:
        of = "" if len(ends) == 1 else f" of {end.bone}"
        if end.settings.goal in LOOKS | ORIENTS:
            rows.append((f"Aim error{of}", f"{degrees(solved.angle):.3f}°"))
            rows.append(
                ("Filtered aim error" if not of else "   filtered", f"{degrees(filtered.angle):.2f}°")
            )
        if end.settings.goal in REACHES:
            rows.append((f"Distance{of}", _length(solved.distance)))
            rows.append(("Filtered distance" if not of else "   filtered", _length(filtered.distance)))
    return rows


def _length(metres: float) -> str:
    """A length as text with a suitable metric unit."""
    return bpy.utils.units.to_string("METRIC", "LENGTH", metres, precision=4)
