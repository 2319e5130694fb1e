"""Feet that stand on the floor: which of them stand, and where each should be. Without side effects, and knows no Blender.

A body first follows its targets as if there were no floor. Where that leaves a foot elsewhere than it should be, its place is held in a
second solve: a foot stays where it came to stand, with its lowest point on the floor, and no foot goes below the floor.
"""

from typing import NamedTuple

import numpy as np

from ...solvers.kinematics.se3 import Array
from ...solvers.whole_body.body import Body
from ...solvers.whole_body.state import State

STANDS = 0.15  # [m/s] a foot of the source that is slower stands: capture of one that does is noisy
LIFTS = 0.3  # [m/s] one that is faster is lifted: further up, so that noise does not lift it
FLOOR = 0.08  # [m] above the floor, or above the lower foot where the floor is not known: higher feet are in the air
FIRST = 0.04  # [m] above the floor in a first frame, which shows no speed: higher feet are in the air
DRIFT = 0.1  # [m] of the source's foot from where it was when the body's came to stand: then it has been dragged
EASING = 0.1  # [s] in which what a foot is away from where it should be, when it comes to stand or is let go, sinks to 1 / e
NEGLIGIBLE = 1e-4  # [m] a foot that is nearer to where it should be needs no holding


class Foot(NamedTuple):
    """A foot of the body."""

    link: str
    sole: tuple[tuple[str, Array], ...] = ()  # links, and points (m, 3) [m] of each that may touch the floor, in its frame


class Floor(NamedTuple):
    """A plane in the armature's space."""

    up: Array  # (3,) its normal; NaN: there is no floor that is known
    height: float  # [m] of its points along the normal

    @property
    def is_known(self) -> bool:
        return bool(np.isfinite(self.height) and np.isfinite(self.up).all())


class Step(NamedTuple):
    """What a foot does in a frame."""

    stands: bool
    place: Array  # (3,) [m] where its link is while it stands, and on_floor only along the floor
    source: Array  # (3,) [m] where its source was when it came to stand
    left: Array  # (3,) [m] from where it should be; dies out
    goal: Array  # (3,) [m] where it is to be held in this frame
    is_held: bool  # the goal is elsewhere than the body would have it
    sunk: float = 0.0  # [m] by which it would be below the floor: the whole body is raised by that


def first(body: Body, feet: tuple[Foot, ...], sources: Array, floor: Floor, free: State, shown: State | None = None) -> tuple[Step, ...]:
    """What feet do in a first frame.

    Args:
        body: Whose feet they are.
        feet: Those that can stand.
        sources: (f, 3) [m] where their sources are, in the body's size; the last number is the height above where they stand.
        floor: On which they stand.
        free: The body as it would be without a floor.
        shown: The body as it came out with what this says without it; None: not yet known.
    """
    found = []
    carried = (shown or free).base_position - free.base_position
    for foot, source in zip(feet, sources, strict=True):
        own = place(body, foot, free)
        low = _depth(body, foot, floor, free, (free, shown or free))
        stands = bool(floor.is_known and abs(source[2]) < FIRST and abs(own @ floor.up - low - floor.height) < FLOOR)
        found.append(_step(floor, source, own + carried, carried, low, Step(stands, own, source, np.zeros(3), own, False)))
    return tuple(found)


def following(
    body: Body,
    feet: tuple[Foot, ...],
    before: tuple[Step, ...],
    sources: tuple[Array, Array],
    floor: Floor,
    free: tuple[State, State],
    shown: State,
    dt: float,
) -> tuple[Step, ...]:
    """What feet do after a frame.

    Args:
        body, feet, floor: As for `first`.
        before: What they did in it.
        sources: Where their sources were then and are now.
        free: The body as it would be without a floor, then and now.
        shown: The body as it was then.
        dt: Time since then [s].
    """
    speeds = np.linalg.norm(sources[1] - sources[0], axis=1) / dt
    lowest = np.min(sources[1][:, 2], where=np.isfinite(sources[1][:, 2]), initial=np.inf)
    kept = np.exp(-dt / EASING)
    carried = shown.base_position - free[0].base_position  # what feet that are held have moved the others by
    found = []
    for foot, old, source, speed in zip(feet, before, sources[1], speeds, strict=True):
        is_low = bool(abs(source[2]) < FLOOR if floor.is_known else source[2] <= lowest + FLOOR)  # not where it is not known
        stays = bool(is_low and old.stands and speed < LIFTS and np.linalg.norm(source - old.source) < DRIFT)
        low = _depth(body, foot, floor, free[1], (free[0], shown))
        if stays:
            step = old
        elif is_low and speed < STANDS and not old.stands:
            step = old._replace(stands=True, place=place(body, foot, shown), source=source, left=np.zeros(3))
            step = step._replace(left=step.place - _stood(floor, low, step))
        elif old.stands:
            step = old._replace(stands=False, left=place(body, foot, shown) - place(body, foot, free[0]) - carried)
        else:
            step = old
        found.append(_step(floor, source, place(body, foot, free[1]) + carried, carried, low, step._replace(left=kept * step.left)))
    return tuple(found)


def rise(feet: tuple[Step, ...]) -> float:
    """How far [m] the body is raised so that no foot is below the floor."""
    return max((step.sunk for step in feet), default=0.0)


def slipped(body: Body, foot: Foot, step: Step, free: State, shown: State) -> Step:
    """A foot that could not be held where it should be."""
    carried = shown.base_position - free.base_position
    return step._replace(stands=False, left=place(body, foot, shown) - place(body, foot, free) - carried)


def place(body: Body, foot: Foot, state: State) -> Array:
    """(3,) [m] of a foot's link."""
    found: Array = body.placed(state.frames, body.link_indices([foot.link]))[0, :3, 3] + state.base_position
    return found


def depth(body: Body, foot: Foot, up: Array, state: State) -> float:
    """How far [m] the lowest point of a foot is below its link's origin."""
    heights = [0.0]
    for link, points in foot.sole:
        frame = body.placed(state.frames, body.link_indices([link]))[0]
        heights.append(float(((points @ frame[:3, :3].T + frame[:3, 3]) @ up).min()))
    origin = body.placed(state.frames, body.link_indices([foot.link]))[0, :3, 3] @ up
    return float(origin - min(heights[1:], default=origin))


def _depth(body: Body, foot: Foot, floor: Floor, free: State, before: tuple[State, State]) -> float:
    """The same of a body that is held, from how it would be free, and from how it was both free and held before; 0 without a floor."""
    if not floor.is_known:
        return 0.0
    was_free, was_held = (depth(body, foot, floor.up, state) for state in before)
    return depth(body, foot, floor.up, free) + was_held - was_free


def _step(floor: Floor, source: Array, own: Array, carried: Array, low: float, step: Step) -> Step:
    """A step with its goal.

    Args:
        floor, source: As for `first`.
        own: (3,) [m] where the foot is unless it is held.
        carried: (3,) [m] of that, what feet that are held move it by.
        low: How far [m] its lowest point is below its link.
        step: What it does.
    """
    goal = (_stood(floor, low, step) if step.stands else own) + step.left
    sunk = 0.0
    if floor.is_known and source[2] > -FLOOR:  # a source that goes below its floor by more has another one
        goal = goal + floor.up * max(0.0, low + floor.height - float(goal @ floor.up))
        sunk = max(0.0, low + floor.height - float((own - carried) @ floor.up))
    return step._replace(goal=goal, is_held=step.stands or bool(np.linalg.norm(goal - own) > NEGLIGIBLE), sunk=sunk)


def _stood(floor: Floor, low: float, step: Step) -> Array:
    """Where a foot that stands should be: along the floor where it came to stand, its lowest point on the floor."""
    if not floor.is_known:
        return step.place
    stood: Array = step.place + floor.up * (low + floor.height - float(step.place @ floor.up))
    return stood
