"""Reasons why a mover cannot go live, be baked, compared, checked or moved by hand, for each kind
of mover.
"""

from enum import Enum

import bpy

from ..blender.errors import RigError
from ..bodies import pairing, receiver
from ..chains.check import why_not_live
from ..mechanisms import assembled
from ..mechanisms.conflicts import why_taken
from ..mechanisms.ownership import bodies, role_of
from ..scene.goal import ends_of, no_target
from .mover import Mover
from .movers import BodyMover, ChainMover, MechanismMover, movers_of


class Use(Enum):
    LIVE = "live"
    BAKE = "bake"
    COMPARE = "compare"
    CHECK = "check"  # use by Motion Check
    HAND = "hand"  # use by Move by Hand


def why_not(use: Use, mover: Mover, context: bpy.types.Context | None = None) -> str:
    """Why a mover cannot be used in this way (live, bake, compare, check, move by hand), with the remedy; ""
    if it can. Fast, since panels call it.
    """
    if use is Use.LIVE and mover.is_live:
        return f"{mover.label} is live already: press End Live to leave"
    reasons = _REASONS.get((type(mover), use))
    return reasons(mover, context) if reasons else ""


def with_company(use: Use, mover: Mover) -> list[Mover]:
    """Movers to bake or check together: this one, and those of the same object that are live or belong to
    every bake. Movers that cannot be used in this way are left out.
    """
    company = (
        candidate
        for candidate in movers_of(mover.owner)
        if candidate.key == mover.key or candidate.is_live or candidate.bakes_when_off
    )
    return [candidate for candidate in company if not why_not(use, candidate)]


def as_seen(mover: Mover) -> list[Mover]:
    """Movers of the same object, which may include this one, that Motion Check checks in the pose that the
    scene shows, since they are not solved and constraints move their joints.
    """
    solved = {candidate.key for candidate in with_company(Use.CHECK, mover)}
    unsolved = (
        candidate
        for candidate in movers_of(mover.owner)
        if candidate.has_servos and candidate.key not in solved and not candidate.is_live
    )
    return [candidate for candidate in unsolved if candidate.constrained_bones()]


def no_source(retarget: bpy.types.PropertyGroup) -> str:
    """Why a body's bones cannot be paired with a source's, with the remedy; "" if they can be."""
    if pairing.is_streamed(retarget):
        return "" if receiver.find(retarget.host, retarget.port) else "Nothing listens: press Listen"
    return (
        "" if retarget.source else "The armature has no source: choose the armature whose motion it follows"
    )


def no_pairs(rig: bpy.types.Object, retarget: bpy.types.PropertyGroup) -> str:
    """Why a body cannot be calibrated or go live, with the remedy; "" if it can."""
    if why := no_source(retarget):
        return why
    if not retarget.pairs:
        return "No bones are paired: press Pair by Names, or + for each"
    if "EDIT" in {rig.mode, retarget.source.mode if retarget.source else ""}:
        return "Leave Edit Mode first: bodies follow in Object Mode or Pose Mode"
    return ""


def _chain_live(mover: Mover, context: bpy.types.Context) -> str:
    return why_not_live(context, *mover)


def _body_live(mover: Mover, context: bpy.types.Context) -> str:
    if why := no_pairs(*mover):
        return why
    try:
        pairing.linked(*mover)
    except RigError as error:
        return str(error)
    return ""


def _mechanism_live(mover: Mover, context: bpy.types.Context) -> str:
    owner, settings = mover
    if why := mover.why_no_servos:
        return why
    if (
        settings.drive == "TARGETS"
        and not settings.goals
        and not any(role_of(body) == "DRIVEN" for body in bodies(owner))
    ):
        return (
            f"'{owner.name}' has no goal: select a body and press + under Goals, give one the role Driven, or"
            " set Driven By to Motors"
        )
    return ""


def _no_target(mover: Mover, context: bpy.types.Context) -> str:
    return "" if mover.has_goal else no_target(ends_of(mover.settings)[0])


def _chain_frames(mover: Mover, context: bpy.types.Context) -> str:
    return _no_target(mover, context) or why_taken(*mover, assembled.bones(mover.owner))


def _body_frames(mover: Mover, context: bpy.types.Context) -> str:
    if pairing.is_streamed(mover.settings):
        return (
            "A live stream has no frames to bake: press Record Live and play the scene while the stream"
            " comes in"
        )
    return _body_live(mover, context)


def _one_solver(mover: Mover, context: bpy.types.Context) -> str:
    return f"{mover.label} has one solver: Compare is for chains, which have several to choose from"


def _live_moves(mover: Mover, context: bpy.types.Context) -> str:
    return f"{mover.label} is live and moves the same joints: press End Live first" if mover.is_live else ""


def _motors_drive(mover: Mover, context: bpy.types.Context) -> str:
    """Why a mechanism's motors cannot be moved by hand, with the remedy; "" if they can: it is live, and its
    Driven By is Motors.
    """
    if mover.settings.drive == "MOTORS" and mover.is_live:
        return ""
    if mover.is_live:
        return (
            f"{mover.label} is live and follows its targets: set Driven By to Motors, or press End Live first"
        )
    return (
        f"{mover.label} is not live, so its bodies would not follow the robot: set Driven By to Motors and"
        " press Start Live"
    )


_REASONS = {
    (ChainMover, Use.LIVE): _chain_live,
    (BodyMover, Use.LIVE): _body_live,
    (MechanismMover, Use.LIVE): _mechanism_live,
    (ChainMover, Use.BAKE): _chain_frames,
    (BodyMover, Use.BAKE): _body_frames,
    (ChainMover, Use.CHECK): _chain_frames,
    (BodyMover, Use.CHECK): _body_frames,
    (ChainMover, Use.COMPARE): _no_target,
    (BodyMover, Use.COMPARE): _one_solver,
    (MechanismMover, Use.COMPARE): _one_solver,
    (ChainMover, Use.HAND): _live_moves,
    (BodyMover, Use.HAND): _live_moves,
    (MechanismMover, Use.HAND): _motors_drive,
}
