"""Reports of Start Live: a sentence that says what the mover follows, and warnings."""

from math import degrees

import numpy as np

from ...rig.authoring.mechanism.check import of_physics
from ...rig.authoring.mechanism.findings import of_loops
from ...rig.blender.counting import counted
from ...rig.blender.errors import capitalised
from ...rig.bodies import pairing
from ...rig.chains.check import check
from ...rig.live import live
from ...rig.live.mover import Mover
from ...rig.live.movers import BodyMover, ChainMover, MechanismMover
from ...rig.scene import goal


def said(context, mover: Mover) -> tuple[str, list[str]]:
    """(report, warnings) for a mover that has just gone live, as sentences. The report is "" if the mover
    cannot be solved.
    """
    session = live.session(*mover)
    return (
        ("", [session.problem])
        if session.problem
        else _REPORTS.get(type(mover), _other)(context, mover, session)
    )


def _other(_context, mover: Mover, session) -> tuple[str, list[str]]:
    """As `said`, for a kind of mover without a function of its own; `session` is the mover's."""
    return f"{mover.label} is live", list(filter(None, [session.warning, session.remark]))


def _chain(context, mover: Mover, session) -> tuple[str, list[str]]:
    rig, chain = mover
    warnings = [capitalised(session.warning)] if session.warning else []
    if findings := check(context, rig, chain):
        more = f" Press Check for {len(findings) - 1} more" if len(findings) > 1 else ""
        warnings.append(f"{findings[0].sentence}.{more}")
    return f"{mover.label} {goal.GOALS[chain.goal].does} '{goal.followed_target(chain).name}'", warnings


def _body(context, mover: Mover, session) -> tuple[str, list[str]]:
    missed = session.outputs.missed
    source, joints = pairing.source_name(mover.settings), counted(len(session.reader.joint_keys), "joint")
    follows = f"'{mover.owner.name}' follows '{source}' with {joints}"
    if not np.isfinite(missed).any():
        return follows, [f"No target is left in this frame, so all links move freely: {session.why_lost}"]
    worst = int(np.nanargmax(missed))
    farthest = f"'{session.reader.links[worst]}', {degrees(missed[worst]):.1f} degrees"
    return f"{follows}; the largest error is that of {farthest}", []


def _mechanism(context, mover: Mover, session) -> tuple[str, list[str]]:
    warnings = [session.warning, *(finding.sentence for finding in of_physics(context, session.reading))]
    warnings += [finding.sentence for finding in of_loops(mover.settings, session.assembled)]
    done = f"'{mover.owner.name}' is live and moves {counted(len(mover.settings.motors), 'motor')}"
    return done, list(filter(None, [*warnings, session.remark]))


_REPORTS = {ChainMover: _chain, BodyMover: _body, MechanismMover: _mechanism}
