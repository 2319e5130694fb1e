"""Future values of the robot's joints from keyframes: velocities toward the next frame, and values that are
sent early to synchronise with sound.
"""

from collections.abc import Sequence

import bpy

from ...motion import Kinematic
from ...motion.limiter import HEADROOM
from ..blender import actions
from ..bones.shown_values import moved_bones
from ..live.movers import live_of
from . import playhead, values
from .device import Source
from .values import Value

# [rad, or the joint's unit] a value that differs from its keyframes by this or more counts as changed by
# other means, for example by hand
SAME = 1e-5


def ahead(
    rig: bpy.types.Object, sources: tuple[Source, ...], current: list[Value], speeds: Sequence[float]
) -> list[Value]:
    """Values to send now. While a scene with the rig plays, keyframed values get the velocity to the frame
    that is shown next; if the robot's delay is negative, values of a later frame are sent.

    A change that is larger than the joint can make in a frame counts as a jump (e.g. from the scene's last
    frame to its first), not as a velocity: playback may stop before it, and the robot must not start to
    follow it.

    Args:
        rig: The armature object, or the object with the mechanism.
        sources: The sources that the device's joints follow.
        current: Current values of the sources.
        speeds: Maximum speed of each source [rad/s, m/s or unit/s].

    Returns:
        The value of each source; velocities are per frame.
    """
    scene = playing_scene(rig)
    if scene is None:
        return current
    early = max(-rig.limber.device.latency, 0.0)
    values_ahead = values_at(rig, sources, frame_ahead(scene, early))
    later = values_at(rig, sources, frame_ahead(scene, early, playhead.step(scene)))
    largest_steps = ((1.0 + HEADROOM) * speed * playhead.due(scene) for speed in speeds)
    rows = zip(current, values_ahead, later, largest_steps, strict=True)
    return [_with_velocity(*row, early > 0.0) for row in rows]


def _with_velocity(
    current: Value, ahead_value: float | None, later: float | None, largest_step: float, is_early: bool
) -> Value:
    """The value to send for a source: `ahead_value` if values are sent early (`is_early`), else the current
    one, with the velocity to `later`, one frame after `ahead_value`; 0 if that is more than `largest_step`. A
    value that keyframes do not determine is sent as it is.
    """
    if (
        ahead_value is None
        or later is None
        or isinstance(current, Kinematic)
        or not (is_early or abs(ahead_value - current) < SAME)
    ):
        return current
    step = later - ahead_value  # change [rad, m or unit] in one frame
    return Kinematic(ahead_value if is_early else current, step if abs(step) <= largest_step else 0.0)


def playing_scene(rig: bpy.types.Object) -> bpy.types.Scene | None:
    """The playing scene that contains the rig; None if none is playing."""
    windows = [
        window
        for manager in bpy.data.window_managers
        for window in manager.windows
        if window.screen.is_animation_playing
    ]
    return next((window.scene for window in windows if rig.name in window.scene.objects), None)


def frame_ahead(scene: bpy.types.Scene, seconds: float, frames: float = 0.0) -> float:
    """The frame, with time stretching, that will be shown after `seconds` [s] and then `frames` further
    frames. Playback repeats after the last frame; if it plays backward, before the first frame.
    """
    first, last = (
        (scene.frame_preview_start, scene.frame_preview_end)
        if scene.use_preview_range
        else (scene.frame_start, scene.frame_end)
    )
    # at most one frame per step: dropped frames do not mean faster playback
    speed = min(max(playhead.step(scene), -1.0), 1.0)
    current_frame = scene.frame_current + scene.frame_subframe
    ahead = current_frame + seconds * speed / playhead.seconds_a_frame(scene) + frames
    if ahead >= last + 1 or ahead < first <= current_frame:
        ahead = first + (ahead - first) % (last + 1 - first)
    return ahead * scene.render.frame_map_old / scene.render.frame_map_new


def values_at(rig: bpy.types.Object, sources: tuple[Source, ...], frame: float) -> list[float | None]:
    """Keyframed value of each source at a frame; None for sources that are not determined by the keyframes of
    a single action, for example while live, or if a constraint moves the bone.
    """
    live = {mover.settings.uid for mover in live_of(rig)}
    moved = moved_bones(rig, {source.bone for source in sources}) if rig.pose else ()
    return [
        None if source.chain in live or source.bone in moved else _value_at(rig, source, frame)
        for source in sources
    ]


def _value_at(rig: bpy.types.Object, source: Source, frame: float) -> float | None:
    """Keyframed value of a source at a frame; None if keyframes do not determine it."""
    if source.auxiliary:
        return _keyed(*_property(rig, source.auxiliary), frame)
    mover = values.mover_of_source(rig, source)
    if mover is None:
        return None
    return mover.value_of(
        (source.bone, source.axis), lambda channel: _keyed(channel.owner, channel.path, channel.index, frame)
    )


def _property(rig: bpy.types.Object, auxiliary: str) -> tuple[bpy.types.ID | None, str, int]:
    """(owner, path, index) of the property of an auxiliary value; the owner is None if there is no such
    value, or if it has no data-block or path.
    """
    value = rig.limber.device.auxiliaries.get(auxiliary)
    if value is None or not value.path:
        return None, "", 0
    head, bracket, key = value.path.rpartition("[")
    number = bracket and key[:-1].isdigit()
    return value.owner, (head if number else value.path), (int(key[:-1]) if number else 0)


def _keyed(owner: bpy.types.ID | None, path: str, index: int, frame: float) -> float | None:
    """Value of a property at a frame by the owner's action; None if the action has no curve for it or only
    partial influence, if the curve is muted, or if NLA tracks or a driver change the property too.
    """
    animation = owner.animation_data if owner is not None else None
    if animation is None or animation.action is None or animation.action_influence < 1.0:
        return None
    if animation.use_nla and any(not track.mute for track in animation.nla_tracks):
        return None
    curve = actions.find(
        actions.fcurves(animation.action, getattr(animation, "action_slot", None)), path, index
    )
    driven = any(driver.data_path == path and driver.array_index == index for driver in animation.drivers)
    return None if curve is None or curve.mute or driven else curve.evaluate(frame)
