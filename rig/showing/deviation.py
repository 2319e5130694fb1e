"""Posture deviation: of each bone, how far what is shown is from what the posture says."""

from typing import NamedTuple

from mathutils import Vector

from ...solvers import rotations
from ..live.chain_session import ChainSession
from ..robot.ghost import Segment


class Deviation(NamedTuple):
    """How far one bone is from its posture, against its parent: what its own joints have given, not what it is carried along."""

    bone: str
    angle: float  # [rad]
    distance: float  # [m] of bones that slide


def deviations(session: ChainSession) -> list[Deviation]:
    """Of each bone that the chain's joints move, root first; empty before the first tick."""
    if session.outputs is None or session.reader is None or not session.poses:
        return []
    wanted = session.reader.channels(session.poses, session.outputs.goal.posture.tolist())
    found = []
    for bone, (turn, place, _) in wanted.items():
        if bone in session.channels:
            shown, at, _ = session.channels[bone]
            distance = rotations.length(rotations.subtract(tuple(at), tuple(place)))
            found.append(Deviation(bone, rotations.angle_between(rotations.normalized(turn), rotations.normalized(shown)), distance))
    return found


def segments(rig, session: ChainSession, depsgraph) -> list[tuple[Segment, float]]:
    """Head and tail [m, world] of each of those bones as it is shown, and its angle [rad]."""
    evaluated = rig.evaluated_get(depsgraph)
    lines = []
    for bone, angle, _ in deviations(session):
        shown = evaluated.pose.bones.get(bone)
        if shown is not None:
            head, tail = (tuple(evaluated.matrix_world @ Vector(end)) for end in (shown.head, shown.tail))
            lines.append(((head, tail), angle))
    return lines
