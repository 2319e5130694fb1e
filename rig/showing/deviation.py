"""Posture deviation of each bone: difference between the shown pose and the posture."""

from typing import NamedTuple

import bpy
from mathutils import Vector

from ...solvers.kinematics import rotations
from .segments import Segment
from .solved_chain import SolvedChain


class PostureDeviation(NamedTuple):
    """Deviation of a bone from its posture, relative to its parent, so that it is due to the bone's own
    joints.
    """

    bone: str
    angle: float  # [rad] rotation from the posture
    distance: float  # [m] displacement by prismatic joints


def deviations(session: SolvedChain) -> list[PostureDeviation]:
    """Deviation of each bone with joints of the chain, root first; empty before the first tick."""
    if session.outputs is None or session.reader is None or not session.poses:
        return []
    posture_channels = session.reader.channels(session.poses, session.outputs.goal.posture.tolist())
    bone_deviations = []
    for bone, (rotation, location, _) in posture_channels.items():
        if bone in session.pose:
            shown, at, _ = session.pose[bone]
            distance = rotations.length(rotations.subtract(tuple(at), tuple(location)))
            bone_deviations.append(
                PostureDeviation(
                    bone,
                    rotations.angle_between(rotations.normalized(rotation), rotations.normalized(shown)),
                    distance,
                )
            )
    return bone_deviations


def segments(
    rig: bpy.types.Object, session: SolvedChain, depsgraph: bpy.types.Depsgraph
) -> list[tuple[Segment, float]]:
    """(head and tail [m, world], deviation [rad]) of each bone in `deviations`, in the shown pose."""
    evaluated = rig.evaluated_get(depsgraph)
    lines = []
    for bone, angle, _ in deviations(session):
        shown = evaluated.pose.bones.get(bone)
        if shown is not None:
            head, tail = (tuple(evaluated.matrix_world @ Vector(end)) for end in (shown.head, shown.tail))
            lines.append(((head, tail), angle))
    return lines
