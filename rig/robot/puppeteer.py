"""Puppeteering: an armature or mechanism follows its robot, which is moved by hand while its servos have no
torque and report their positions.

A recording is keyed only at its end: keys inserted earlier would play back and overwrite the pose.
"""

from dataclasses import dataclass, field

import bpy

from ...hardware.safety import State
from ..blender import actions
from ..blender.errors import RigError
from ..bones import shown_values
from ..bones.channels import Channel
from ..live import uses
from ..live.movers import movers_of
from ..live.runtime import after_frame
from ..live.uses import Use
from . import links
from . import values as robot_values
from .device import sources

SAME_FRAME = 1e-3  # [frames] distance within which two times are the same frame
NO_INDEX = -1  # array index of a property that is a single number


@dataclass
class _Take:
    """Puppeteering of one robot, with what is recorded so far."""

    frames: list[float] = field(default_factory=list)  # scene frames, ascending
    # measured values in each frame, in the device's order [rad; prismatic joints m]; None if not measured
    poses: list[tuple[float | None, ...]] = field(default_factory=list)
    recording: bool = False
    begun: bool = False  # whether the robot's torque has been off at any time since the start


_takes: dict[int, _Take] = {}  # robots that are being followed, by the session_uid of the rig


def why_not(rig: bpy.types.Object) -> str:
    """Why the rig cannot follow the robot, with the remedy; "" if it can. It cannot while a live mover,
    or every mover with servos, refuses to be moved by hand, or while a constraint moves a bone with a servo.
    """
    with_servos = {source.chain for source in sources(rig)}
    movers = [mover for mover in movers_of(rig) if mover.is_live or mover.settings.uid in with_servos]
    reasons = [(mover, uses.why_not(Use.HAND, mover)) for mover in movers]
    reason = next((why for mover, why in reasons if why and mover.is_live), "")
    reason = reason or (reasons[0][1] if reasons and all(why for _, why in reasons) else "")
    return reason or _why_not_shown(rig)


def _why_not_shown(rig: bpy.types.Object) -> str:
    """Sentence on the constraint that keeps a bone with a servo from following the robot, with the remedy; ""
    if there is none.
    """
    bones = {source.bone for source in sources(rig)} if rig.pose else ()
    moving = (
        next(
            (entry for entry in shown_values.acting(rig, bones) if entry[2].type not in shown_values.LIMITS),
            None,
        )
        if bones
        else None
    )
    if moving is None:
        return ""
    name, holder, constraint = moving
    return (
        f"Constraint '{constraint.name}' of bone '{holder.name}' moves bone '{name}', which then would not"
        " show how the robot is moved: mute it first"
    )


def start(rig: bpy.types.Object) -> None:
    """Switches the torque of the rig's robot off, and lets the rig follow it.

    Raises:
        RigError: the robot is not connected or not disarmed, or `why_not` gives a reason.
    """
    link, status = links.link(rig), links.status(rig)
    if link is None or status is None:
        raise RigError("The robot is not connected: press Connect first")
    if status.state not in links.QUIET:
        raise RigError(f"The robot cannot be let go now ({status.sentence}): disarm it first")
    reason = why_not(rig)
    if reason:
        raise RigError(reason)
    link.release()
    _takes[rig.session_uid] = _Take()
    after_frame[follow] = None


def leave(rig: bpy.types.Object) -> None:
    """Stops following the robot; the rig keeps its pose, and a recording is discarded."""
    _takes.pop(rig.session_uid, None)


def forget() -> None:
    """Stops following all robots, and discards recordings."""
    _takes.clear()


def is_going() -> bool:
    """Whether any rig follows its robot."""
    return bool(_takes)


def leads(rig: bpy.types.Object) -> bool:
    """Whether the robot leads: the rig currently follows it."""
    return rig.session_uid in _takes


def is_recording(rig: bpy.types.Object) -> bool:
    """Whether the pose of each frame is being recorded."""
    take = _takes.get(rig.session_uid)
    return take is not None and take.recording


def record(rig: bpy.types.Object) -> None:
    """Starts to record the pose of each frame; an earlier recording is discarded.

    The rig must follow its robot.
    """
    take = _takes[rig.session_uid]
    take.frames, take.poses, take.recording = [], [], True


def finish(rig: bpy.types.Object) -> int:
    """Ends the recording and inserts its keyframes, one per frame, those of joints with linear interpolation;
    returns the number of frames.

    Raises:
        RigError: no frame was recorded.
    """
    take = _takes[rig.session_uid]
    take.recording = False
    if not take.frames:
        raise RigError("No frame was recorded: let the scene play meanwhile")
    _key(rig, take)
    return len(take.frames)


def key_now(rig: bpy.types.Object, frame: int) -> None:
    """Keys the current values of the robot's joints, motors and properties at a frame."""
    joints = {source.key: 0.0 for source in links.sources(rig) if not source.auxiliary}
    for channel in robot_values.keys_of(rig, joints):
        index = channel.index if channel.part else NO_INDEX
        channel.owner.keyframe_insert(
            channel.path, index=index, frame=actions.key_time(frame), group=channel.group
        )
    for source in links.sources(rig):
        if source.auxiliary:
            value = rig.limber.device.auxiliaries.get(source.auxiliary)
            if value is not None and value.owner is not None:
                path, index = split_index(value.path)
                value.owner.keyframe_insert(path, index=index, frame=actions.key_time(frame))


def follow(scene: bpy.types.Scene, _depsgraph: bpy.types.Depsgraph | None = None) -> bool:
    """Poses every rig that follows its robot from the measured values, and records them if it is recording;
    returns whether any pose has changed. A rig whose robot is disconnected, lost or armed follows no more.
    """
    moved = False
    if not _takes:
        after_frame.pop(follow, None)  # with a default, since the heartbeat calls `follow` too
    for uid, take in list(_takes.items()):
        rig = next((obj for obj in bpy.data.objects if obj.session_uid == uid), None)
        status = links.status(rig) if rig else None
        if (
            rig is None
            or status is None
            or (status.state is not State.LIMP and (take.begun or status.state not in links.QUIET))
        ):
            del _takes[uid]
            continue
        if status.state is not State.LIMP:
            continue  # the robot's torque is not off yet
        take.begun = True
        moved |= robot_values.pose(rig, links.sources(rig), status.positions)
        if take.recording:
            _remember(take, scene.frame_current_final, status.positions)
    return moved


def _remember(take: _Take, frame: float, values: tuple[float | None, ...]) -> None:
    """Records the pose of a frame instead of an earlier one of the same frame. If scene time goes back, the
    poses of later frames are dropped.
    """
    frame = round(frame)
    while take.frames and take.frames[-1] >= frame - SAME_FRAME:
        take.frames.pop()
        take.poses.pop()
    take.frames.append(frame)
    take.poses.append(values)


def _key(rig: bpy.types.Object, take: _Take) -> None:
    """Inserts the keyframes of a recording; a rig without an action gets one."""
    if rig.animation_data is None or rig.animation_data.action is None:
        actions.assign(rig, bpy.data.actions.new(f"{rig.name} by hand"))
    animation = rig.animation_data
    # Blender 4.2 has no action slots
    curves = actions.writable_fcurves(animation.action, rig, getattr(animation, "action_slot", None))
    actions.assign(rig, animation.action, getattr(getattr(animation, "action_slot", None), "handle", None))
    sources = links.sources(rig)
    before: dict[Channel, float] = {}
    keys: dict[Channel, list[tuple[float, float]]] = {}
    for frame, pose in zip(take.frames, take.poses, strict=True):
        known = {
            source.key: value
            for source, value in zip(sources, pose, strict=True)
            if value is not None and not source.auxiliary
        }
        row = robot_values.keys_of(rig, known, before)
        for channel, value in row.items():
            keys.setdefault(channel, []).append((frame, value))
        # the next rotation is keyed near to this one, so that it does not jump by a full revolution
        before |= row
    for channel, known in keys.items():
        actions.bake_keys(curves, channel.path, channel.index, channel.group, *zip(*known, strict=True))
    for index, source in enumerate(sources):
        known = [
            (frame, pose[index])
            for frame, pose in zip(take.frames, take.poses, strict=True)
            if pose[index] is not None
        ]
        if source.auxiliary and known:
            _key_value(rig, source.auxiliary, known)


def _key_value(rig: bpy.types.Object, name: str, known: list[tuple[float, float]]) -> None:
    """Keys the property that an auxiliary value follows, which then has the last value; `known`: (frame,
    value).
    """
    value = rig.limber.device.auxiliaries.get(name)
    if value is None or value.owner is None:
        return
    path, index = split_index(value.path)
    for frame, number in known:
        robot_values.write(value.owner, value.path, number)
        value.owner.keyframe_insert(path, index=index, frame=actions.key_time(frame))


def split_index(path: str) -> tuple[str, int]:
    """(path, index) of a data path that ends with an index in brackets; index -1 if it has none."""
    head, _, last = path.rpartition("[")
    return (head, int(last[:-1])) if head and last[:-1].isdigit() else (path, NO_INDEX)
