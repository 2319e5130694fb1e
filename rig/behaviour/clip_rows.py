"""Values of a chain's joints in an action, frame by frame, as clips and gestures play them."""

from collections.abc import Iterator
from math import nan
from typing import NamedTuple

import bpy
import numpy as np

from ..blender import actions
from ..blender.errors import RigError
from ..bones import axes, channels
from ..bones.axes import JointKey
from ..bones.channels import Channel
from ..chains.skeleton import ChainReader

SHAPE = ("co", "handle_left", "handle_right")  # attributes of a key that determine the curve's shape


class ClipRows(NamedTuple):
    """Values of a chain's joints in an action.

    Attributes:
        labels: Labels of the joints, root first.
        values: (frames, n) [rad; prismatic joints m]; NaN for joints that the action does not move.
    """

    labels: tuple[str, ...]
    values: np.ndarray


# (uids of action, armature and chain) -> (joints and keys from which the rows were read, the rows)
_known: dict[tuple, tuple[tuple, ClipRows | None]] = {}


def forget() -> None:
    """Clears the cache, after changes of armatures or of actions in use."""
    _known.clear()


def clip_rows(
    action: bpy.types.Action, owner: bpy.types.Object, chain: bpy.types.PropertyGroup
) -> ClipRows | None:
    """Values of the chain's joints in an action; None if the action moves no joint over at least two frames,
    or if the chain cannot be read.

    Values are cached, and read again if the action's keys or the chain's joints differ from those at the last
    reading, since Blender does not report changes of actions that nothing in the scene plays, such as many
    gestures.
    """
    identity = (action.session_uid, owner.session_uid, chain.uid)
    curves = actions.fcurves(action)
    source = (
        tuple((joint.label, joint.lower, joint.upper) for joint in chain.joints),
        tuple(_keys_of(curves, owner, chain)),
    )
    known = _known.get(identity)
    if known is not None and known[0] == source:
        return known[1]
    try:
        joint_keys = ChainReader(owner, chain).joint_keys
    except RigError:
        return None
    rows = _read(action, curves, owner, chain, joint_keys)
    _known[identity] = source, rows
    return rows


def _keys_of(
    curves: bpy.types.bpy_prop_collection, owner: bpy.types.Object, chain: bpy.types.PropertyGroup
) -> Iterator[tuple]:
    """Channels of a chain's joints that have a curve, each with the curve's keys as bytes."""
    for channel in _channels_of(owner, chain):
        curve = actions.find(curves, channel.path, channel.index)
        if curve is None:
            continue
        points = curve.keyframe_points
        numbers = np.empty((len(SHAPE), 2 * len(points)), np.float32)
        for name, row in zip(SHAPE, numbers, strict=True):
            points.foreach_get(name, row)
        yield channel, numbers.tobytes()


def _channels_of(owner: bpy.types.Object, chain: bpy.types.PropertyGroup) -> Iterator[Channel]:
    """Channels with the values of a chain's joints, without joints whose bones are missing."""
    for bone, axis in dict.fromkeys(joint.key for joint in chain.joints):
        if (channel := channels.of_bone(owner, (bone, axis))) is not None:
            yield channel
        elif bone in owner.pose.bones:
            yield from channels.rotations_of(owner, owner.pose.bones[bone])


def _read(
    action: bpy.types.Action,
    curves: bpy.types.bpy_prop_collection,
    owner: bpy.types.Object,
    chain: bpy.types.PropertyGroup,
    joint_keys: list[JointKey],
) -> ClipRows | None:
    """Values of these joints in each frame of an action's range; None if it moves none of them, or has one
    frame.
    """
    limits = {joint.key: (joint.lower, joint.upper) for joint in chain.joints}

    def value(key: JointKey, frame: float) -> float:
        def read(channel: Channel) -> float | None:
            curve = actions.find(curves, channel.path, channel.index)
            return curve.evaluate(frame) if curve is not None else None

        number = channels.value_of(owner, key, read, limits)
        return nan if number is None else number

    begin, end = (round(frame) for frame in action.frame_range)
    values = np.array([[value(key, frame) for key in joint_keys] for frame in range(begin, end + 1)])
    # a single frame is a posture, not a motion
    if len(values) < 2 or not np.isfinite(values).any():
        return None
    return ClipRows(tuple(axes.label(*key) for key in joint_keys), values)
