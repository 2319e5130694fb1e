"""Where goals will be some frames ahead: told beforehand, or extrapolated from how they moved. Knows no Blender."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..goals import Aim, Direction, Frame, GazeGoal, Orientation, Point, Position
from ..rotations import NO_DIRECTION, Vector, about, add, between, conjugate, length, logarithm, multiply, normalized, rotate, scale, unit
from ..rotations import subtract as minus

DECAY = 0.97  # of a goal's velocity, a frame: what moves now has mostly come to rest or turned away in half a second
FASTEST_TURN = 0.3  # [rad a frame] a goal that turns by more has been put elsewhere, it does not move so
FASTEST_DRIFT = 0.3  # of the goal's own distance from the base, a frame: likewise
NEWEST = 0.5  # share of the last frame in the velocity: hand-held targets tremble
SLOWEST = 1e-9  # [rad or m a frame] less is rest, or a target that stands would never quite
NOTHING: Vector = (0.0, 0.0, 0.0)


class Velocity(NamedTuple):
    """How one goal moves."""

    turn: Vector = NOTHING  # [rad a frame] of an orientation or a direction
    drift: Vector = NOTHING  # [m a frame] of a place


def numbers(aim: Aim) -> tuple[float, ...]:
    """All numbers of an aim, to compare aims by."""
    parts: list[Sequence[float]] = []
    if isinstance(aim, Point | Position | Frame):
        parts.append(aim.place)
    if isinstance(aim, Orientation | Frame):
        parts.append(aim.wxyz)
    if isinstance(aim, Direction):
        parts.append(aim.vector)
    if isinstance(aim, Direction | Point):
        parts += [up for up in (aim.up, aim.level) if up is not None]
    return tuple(float(number) for part in parts for number in part)


def farthest(now: Sequence[tuple[float, ...]], before: Sequence[tuple[float, ...]]) -> float:
    """By how much the farthest of each goal's numbers differ, as a share of its largest."""
    moved = ((these, those) for these, those in zip(now, before, strict=True) if these != those)
    return max((math.dist(these, those) / max(map(abs, these + those)) for these, those in moved), default=0.0)


def velocity(before: Aim, now: Aim, last: Velocity) -> Velocity:
    """How a goal moves that was `before` a frame ago; `last` is how it moved then."""
    turn, drift = NOTHING, NOTHING
    if type(before) is not type(now):
        return Velocity()
    if isinstance(before, Orientation | Frame) and isinstance(now, Orientation | Frame):
        turn = logarithm(multiply(normalized(now.wxyz), conjugate(normalized(before.wxyz))))
    if isinstance(before, Direction) and isinstance(now, Direction):
        turn = logarithm(between(unit(before.vector), unit(now.vector)))
    if isinstance(before, Point | Position | Frame) and isinstance(now, Point | Position | Frame):
        drift = minus(now.place, before.place)
        if length(drift) > FASTEST_DRIFT * max(length(before.place), length(now.place)):
            return Velocity()
    if length(turn) > FASTEST_TURN:
        return Velocity()
    return Velocity(_blend(last.turn, turn), _blend(last.drift, drift))


def _blend(last: Vector, now: Vector) -> Vector:
    mean = add(scale(last, 1.0 - NEWEST), scale(now, NEWEST))
    return mean if length(mean) > SLOWEST else NOTHING


def moved(aim: Aim, moving: Velocity, frames: float) -> Aim:
    """Where an aim is after so many frames of a velocity."""
    angle = length(moving.turn) * frames
    turn = about(scale(moving.turn, frames / angle), angle) if angle > NO_DIRECTION else None
    if isinstance(aim, Orientation | Frame) and turn is not None:
        aim = replace(aim, wxyz=multiply(turn, normalized(aim.wxyz)))
    if isinstance(aim, Direction) and turn is not None:
        aim = replace(aim, vector=rotate(turn, unit(aim.vector)))
    if isinstance(aim, Point | Position | Frame):
        aim = replace(aim, place=add(aim.place, scale(moving.drift, frames)))
    return aim


class Outlook:
    """The goal of frames to come."""

    def __init__(self, goal: GazeGoal, moving: Sequence[Velocity], ahead: Sequence[GazeGoal] = ()) -> None:
        """`moving` has one velocity for each of `goal.ends`; `ahead` are the goals of the next frames, where they are known."""
        self.goal, self._moving, self._ahead = goal, moving, ahead

    def at(self, frames: int) -> GazeGoal:
        """The goal so many frames from now."""
        if frames <= 0:
            return self.goal
        if self._ahead:
            return self._ahead[min(frames, len(self._ahead)) - 1]
        lasting = DECAY * (1.0 - DECAY**frames) / (1.0 - DECAY)
        aim = moved(self.goal.aim, self._moving[0], lasting)
        pairs = zip(self.goal.others, self._moving[1:], strict=True)
        return replace(self.goal, aim=aim, others=tuple(replace(other, aim=moved(other.aim, way, lasting)) for other, way in pairs))
