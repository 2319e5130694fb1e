"""The robot's measured pose as lines from each bone's head to its tail, drawn beside the armature."""

from collections.abc import Sequence

import bpy
from mathutils import Matrix, Quaternion

from ...character.mechanism.tick import by_joint
from ...solvers.mechanism.goals import Goals
from ..bones import axes, rotation_modes
from ..live.mechanism_session import MechanismSession, PlacedBodies
from ..live.movers import live_of
from ..live.runtime import session
from ..showing.segments import Segment, segments_of
from . import links
from .device import Source


def segments(rig: bpy.types.Object) -> list[Segment]:
    """Head and tail [m, world], in the measured pose, of the bones with a measured joint and of their
    descendants, and of the bones of a live mechanism with measured motors; empty if nothing is measured.

    Joints without a measurement have their posed values.
    """
    status = links.status(rig)
    if rig.pose is None or status is None or not any(position is not None for position in status.positions):
        return []
    return posed(rig, links.sources(rig), status.positions)


def posed(
    rig: bpy.types.Object, sources: tuple[Source, ...], values: Sequence[float | None]
) -> list[Segment]:
    """Head and tail [m, world], for joint values [rad or m], of the bones with a value and of their
    descendants, and of the bones of a live mechanism with values of motors. A joint with the value None keeps
    its posed value.
    """
    by_bone: dict[str, list[tuple[str, float]]] = {}  # (axis, value) of each joint of a bone
    motors: dict[tuple[str, str], float] = {}  # value of each motor by (joint, axis)
    for source, joint_value in zip(sources, values, strict=False):
        if joint_value is None or not source.bone:
            continue
        if source.chain == rig.limber.mechanism.uid:
            motors[source.bone, source.axis] = joint_value
        else:
            by_bone.setdefault(source.bone, []).append((source.axis, joint_value))
    return _of_mechanism(rig, motors) + segments_of(
        rig,
        {
            name: _basis(rig.pose.bones[name], axis_values)
            for name, axis_values in by_bone.items()
            if name in rig.pose.bones
        },
    )


def _of_mechanism(rig: bpy.types.Object, motors: dict[tuple[str, str], float]) -> list[Segment]:
    """Head and tail [m, world] of the bones that the live mechanism moves, for values of its motors; empty if
    it is not live or not solved yet, or if `motors` is empty.
    """
    mechanism_session = next(
        (session(*mover) for mover in live_of(rig) if mover.settings == rig.limber.mechanism), None
    )
    if (
        not motors
        or not isinstance(mechanism_session, MechanismSession)
        or mechanism_session.state is None
        or mechanism_session.base is None
    ):
        return []
    values = {index: motors[key] for index, key in enumerate(mechanism_session.joint_keys) if key in motors}
    # the solver starts at the shown pose, since the same motor values may fit several poses of a closed loop
    goals = Goals(actuators=by_joint(mechanism_session.model, values), counts_full_rotations=True)
    placed_bodies = PlacedBodies(
        mechanism_session.assembled,
        mechanism_session.base,
        mechanism_session.model.solver.solve(goals, mechanism_session.state.shown).poses,
    )
    bone_segments = []
    for name in placed_bodies.bodies.get(rig.session_uid, ()):
        world = placed_bodies.world(rig.session_uid, name)
        tail = (
            world @ Matrix.Translation((0, rig.pose.bones[name].length, 0))
            if name in rig.pose.bones
            else world
        )
        bone_segments.append((tuple(world.translation), tuple(tail.translation)))
    return bone_segments


def _basis(bone: bpy.types.PoseBone, joint_values: list[tuple[str, float]]) -> Matrix:
    """Basis matrix of a bone, from (axis, value) of its joints; on other axes it has its posed values."""
    location = bone.location.copy()
    for axis, joint_value in joint_values:
        if axes.is_prismatic(axis):
            location[axes.index(axis)] = joint_value
    hinges = {axis: joint_value for axis, joint_value in joint_values if not axes.is_prismatic(axis)}
    rotation = rotation_modes.quaternion(bone.rotation_mode, rotation_modes.with_hinges(bone, hinges))
    return Matrix.LocRotScale(location, Quaternion(rotation), bone.scale)
