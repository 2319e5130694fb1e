"""Conversion of a bone's pose and keys from quaternion or axis-angle to Euler angles, so that the animation looks the same.

Keys stay at their frames and get Bezier handles that follow the rotation; where that is not accurate enough, keys are added at whole frames
between.
"""

from bisect import bisect_right

import bpy
from bpy.utils import escape_identifier
from mathutils import Euler, Quaternion

from ..blender import actions
from ..blender.errors import RigError

CHANNELS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
TOLERANCE = 1e-4  # [rad] largest allowed difference between the old and the new rotation: not visible
SLOPE_STEP = 0.05  # [frames] step of finite differences: small between keys, large for single precision


def give_euler_order(rig, names: list[str], order: str = "XYZ") -> None:
    """Changes bones to Euler rotation; their pose and animation stay.

    Raises:
        RigError: keys of a bone are in an action that cannot be edited.
    """
    plays = actions.playing(rig)
    for name in names:
        for action, slot in plays:
            if not action.is_editable and any(_old_curves(rig, name, actions.fcurves(action, slot))):
                raise RigError(
                    f"Keys of bone '{name}' are in action '{action.name}' of another file: make the action local"
                    " (Object > Relations > Make Local), or give the bone an Euler order in its own file"
                )
    others = bpy.data.user_map(subset=[action for action, _ in plays])
    for name in names:
        for action, slot in plays:
            if action.is_editable:
                _convert(rig, name, order, actions.fcurves(action, slot), keep_old=bool(others[action] - {rig}))
        rig.pose.bones[name].rotation_mode = order


def _path(name: str, channel: str) -> str:
    return f'pose.bones["{escape_identifier(name)}"].{channel}'


def _old_curves(rig, name: str, curves) -> list:
    path = _path(name, CHANNELS[rig.pose.bones[name].rotation_mode])
    return [actions.find(curves, path, part) for part in range(4)]


def _convert(rig, name: str, order: str, curves, keep_old: bool) -> None:
    old = _old_curves(rig, name, curves)
    if not any(old):
        return
    turn = _Rotation(rig.pose.bones[name], old, order)
    frames = [turn.frames[0]]
    for first, last in zip(turn.frames, turn.frames[1:], strict=False):
        frames += [*_between(turn, first, last), last]
    handles, interpolations = _tangents(turn, frames)
    for index in range(3):
        values = [turn.at(frame)[index] for frame in frames]
        actions.put_smooth_keys(
            curves,
            _path(name, "rotation_euler"),
            index,
            name,
            frames,
            values,
            [
                (frame - left, value - left * into[index], frame + right, value + right * out[index])
                for frame, value, (left, into, right, out) in zip(frames, values, handles, strict=True)
            ],
            interpolations,
        )
    if not keep_old:  # another object may use the same action with quaternions
        for curve in filter(None, old):
            curves.remove(curve)


class _Rotation:
    """A bone's rotation over time, as continuous Euler angles."""

    def __init__(self, bone, old: list, order: str) -> None:
        self.old, self.order = old, order
        self.mode = bone.rotation_mode
        self.rest = tuple(getattr(bone, CHANNELS[self.mode]))  # values of components without keys
        self.keys = [
            _keys(curve) for curve in old if curve
        ]  # for each curve: frames of its keys, whether it is constant after each of them, and whether it extrapolates
        keyed = {frame for frames, _, _ in self.keys for frame in frames}
        if not keyed or any(moves_beyond for _, _, moves_beyond in self.keys):
            scene = bpy.context.scene  # extrapolated curves are converted over the scene's frames
            keyed |= {float(scene.frame_start), float(scene.frame_end)}
        self.frames = sorted(keyed)
        self.known: dict[float, tuple[float, float, float]] = {}
        before = None
        for frame in sorted({*self.frames, *map(float, range(int(self.frames[0]) + 1, int(self.frames[-1]) + 1))}):
            before = self._euler(frame, before)
            self.known[frame] = tuple(before)

    def _euler(self, frame: float, near):
        parts = [curve.evaluate(frame) if curve else rest for curve, rest in zip(self.old, self.rest, strict=True)]
        turn = Quaternion(parts) if self.mode == "QUATERNION" else Quaternion(parts[1:], parts[0])
        turn.normalize()
        return turn.to_euler(self.order, near) if near else turn.to_euler(self.order)

    def at(self, frame: float, near: float | None = None) -> tuple[float, float, float]:
        """Euler angles [rad] at a frame; for a frame that is not in `known`, those nearest to the angles at the known frame `near`."""
        if frame in self.known:
            return self.known[frame]
        return tuple(self._euler(frame, Euler(self.known[near], self.order)))

    def is_constant(self, first: float) -> bool:
        """Whether the rotation is constant from the key at a frame to the next key."""
        return all(self._holds(key, first) for key in self.keys)

    @staticmethod
    def _holds(key: tuple, first: float) -> bool:
        frames, constant, moves_beyond = key
        at = bisect_right(frames, first)
        return not moves_beyond if at in (0, len(frames)) else constant[at - 1]

    def slope(self, frame: float, step: float) -> tuple[float, float, float]:
        """Velocity [rad/frame] after a frame (step > 0) or before it (step < 0), by finite differences of second order."""
        here, near, far = self.at(frame), self.at(frame + step, frame), self.at(frame + 2 * step, frame)
        return tuple((4 * b - 3 * a - c) / (2 * step) for a, b, c in zip(here, near, far, strict=True))


def _keys(curve) -> tuple[list[float], list[bool], bool]:
    points, modified = curve.keyframe_points, len(curve.modifiers) > 0
    constant = [not modified and point.interpolation == "CONSTANT" for point in points]
    return [point.co.x for point in points], constant, modified or curve.extrapolation == "LINEAR"


def _between(turn: _Rotation, first: float, last: float) -> list[float]:
    """Whole frames between two keys that need keys too, so that the curve is accurate enough."""
    added, segments = [], [(first, last)]
    while segments:
        start, end = segments.pop()
        worst = _worst(turn, start, end)
        if worst is not None:
            added.append(worst)
            segments += [(start, worst), (worst, end)]
    return sorted(added)


def _worst(turn: _Rotation, first: float, last: float) -> float | None:
    """Whole frame between two keys where the keys' curve deviates most from the rotation; None if no deviation exceeds `TOLERANCE`."""
    inside = [frame for frame in map(float, range(int(first) + 1, int(last) + 1)) if first < frame < last]
    if not inside or turn.is_constant(first):
        return None
    length = last - first
    start, end = turn.at(first), turn.at(last)
    step = min(SLOPE_STEP, length / 4)
    out, into = turn.slope(first, step), turn.slope(last, -step)
    worst, apart = None, TOLERANCE
    for frame in inside:
        s = (frame - first) / length
        for index, angle in enumerate(turn.at(frame)):
            curve = (
                (1 + 2 * s) * (1 - s) ** 2 * start[index]
                + s * (1 - s) ** 2 * length * out[index]
                + s**2 * (3 - 2 * s) * end[index]
                + s**2 * (s - 1) * length * into[index]
            )  # cubic Hermite: a Bezier curve with handles at thirds
            if abs(curve - angle) > apart:
                worst, apart = frame, abs(curve - angle)
    return worst


def _tangents(turn: _Rotation, frames: list[float]) -> tuple[list[tuple], list[int]]:
    """For each key, (length [frames], slopes [rad/frame]) of its left and right handle in one tuple, and the interpolation after it."""
    still, had = (0.0, 0.0, 0.0), set(turn.frames)
    handles, interpolations = [], []
    for number, frame in enumerate(frames):
        before = frame - frames[number - 1] if number else 0.0
        after = frames[number + 1] - frame if number + 1 < len(frames) else 0.0
        constant = after > 0 and turn.is_constant(frame)
        if before and after and not constant and had.issuperset(frames[number - 1 : number + 2]) and max(before, after) <= 1:
            # The neighbours give the slope between dense keys of motion capture.
            first, last = turn.at(frames[number - 1]), turn.at(frames[number + 1])
            into = out = tuple((b - a) / (before + after) for a, b in zip(first, last, strict=True))
        else:
            into = turn.slope(frame, -min(SLOPE_STEP, before / 4)) if before else still
            out = turn.slope(frame, min(SLOPE_STEP, after / 4)) if after and not constant else still
        handles.append(((before or 1.0) / 3, into, (after or 1.0) / 3, out))
        interpolations.append(actions.CONSTANT if constant else actions.BEZIER)
    return handles, interpolations
