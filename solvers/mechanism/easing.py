"""Passing the edge of the workspace softly: joints that must jolt to stay exact lag behind for some frames. Knows no Blender.

Where a mechanism is stretched, the nearest pose to a target that moves evenly does not move evenly: an angle goes with the root of the
distance from the edge, so it stops dead, or starts with a jump. While a target is out of reach, and shortly after, coordinates go on as
their last step was and brake in time, along what the goals feel least: the other ways stay as exact as they were. Targets that stay in
reach are met exactly, whatever that costs.
"""

import math
from dataclasses import dataclass

import numpy as np

from .clusters import SMALLEST
from .descent import CLOSED, Descent, Place
from .frames import Array, logarithm

STANDARD_RATE = 60.0  # [Hz] at which the next figure is told
GENTLE = math.radians(1.0) * STANDARD_RATE**2  # [rad/s2, sizes/s2] of one coordinate that needs no cause; several add up in a body
OWED = 1.0  # of the targets' own jolt [rad or sizes]: that much joints may jolt too, so that they follow what is sudden on purpose
PATIENCE = 0.06  # [rad or sizes] of a goal: being that much later doubles what joints may jolt
REACHED = 1e-6  # [rad or sizes] of a goal: what is left there is nothing
LONGEST = 8 / STANDARD_RATE  # [s] after a target came back into reach: then it is met
WEAK = 0.4  # of the way that moves goals most: ways that move them less are near singular
TOLERANCE = 1e-9  # [s] of sums of frames
CORRECTIONS = 2  # steps along the other ways


@dataclass(frozen=True)
class Pace:
    """What a frame remembers of the way it went."""

    speed: Array  # (v,) units a second
    error: Array  # (e,) rows of its goals where it ended
    pull: Array | None = None  # (e,) how fast its targets moved since the frame before, a second
    late: float = 0.0  # [rad or sizes] how far its goals were from where the exact answer had them
    since: float = LONGEST  # [s] since a target was out of reach


def paced(descent: Descent, start: Place, exact: Place, last: Pace | None, dt: float) -> tuple[Place, Pace]:
    """The exact answer, or one that lags behind it where that spares a jolt; and what the next frame needs.

    Args:
        start: The last frame's coordinates, under this frame's goals.
        exact: The nearest pose.
        last: What the last frame remembered; None: nothing is known of its motion.
        dt: [s] between the frames.

    Not for regularisers and actuators that are told: these say themselves how the mechanism moves.
    """
    pull = (start.goals[0] - last.error) / dt if last is not None and last.error.shape == start.goals[0].shape else None
    since = 0.0 if np.abs(exact.goals[0]).max(initial=0.0) > REACHED else dt + (last.since if last is not None else LONGEST)
    wanted = _way(descent, start, exact)
    here = exact
    if since <= LONGEST + TOLERANCE and last is not None and last.pull is not None and pull is not None and last.pull.shape == pull.shape:
        jolt = float(np.abs(pull - last.pull).max(initial=0.0)) * dt
        most, before = GENTLE * dt * dt * (1.0 + last.late / PATIENCE) + OWED * jolt, last.speed * dt
        if np.abs(wanted - before).max(initial=0.0) > most:
            here = _beside(descent, start, exact, _braked(wanted, before, most))
            wanted = _way(descent, start, here)
    late = float(np.abs(here.goals[0] - exact.goals[0]).max(initial=0.0))
    return here, Pace(wanted / dt, here.goals[0], pull, late, since)


def _way(descent: Descent, start: Place, end: Place) -> Array:
    """(v,) the step in units from one place to another."""
    coordinates = descent.coordinates
    step: Array = (end.values - start.values) / coordinates.unit
    if coordinates.balls.size:
        step[coordinates.ball_coordinates] = logarithm(np.swapaxes(start.balls, -1, -2) @ end.balls)
    return step


def _strong(descent: Descent, here: Place) -> Array:
    """(v, e) the inverse of the goals' derivative along what leaves the loops closed, but for weak ways."""
    _, across = descent.loops.clusters.close(*here.shape.loops)
    along = descent.loops.clusters.project(here.goals[1], across)
    square, ways = np.linalg.eigh(along @ along.T)
    gain = square / (square * square + (WEAK * WEAK * square[-1]) ** 2 + SMALLEST)  # 1 / square of strong ways, nothing of weak ones
    inverse: Array = along.T @ (ways @ (gain[:, None] * ways.T))
    return inverse


def _braked(wanted: Array, last: Array, most: float) -> Array:
    """(v,) steps that differ from the last ones by `most` and can come to rest where they are wanted; never farther than that."""
    far = np.abs(wanted)
    fastest = np.sqrt(0.25 * most * most + 2.0 * most * far) - 0.5 * most  # s + (s - most) + ... is what is left
    step = np.clip(np.copysign(fastest, wanted), last - most, last + most)
    step = np.where(step * wanted > 0.0, np.copysign(np.minimum(np.abs(step), far), wanted), step)
    braked: Array = np.where(np.abs(wanted - last) <= most, wanted, step)
    return braked


def _beside(descent: Descent, start: Place, exact: Place, step: Array) -> Place:
    """Where a step leads once it is closed and goals are where the exact answer has them, as far as strong ways can do that."""
    here = descent.close(descent.stepped(start, step), CLOSED)
    for _ in range(CORRECTIONS):
        back = _strong(descent, here)
        better = descent.close(descent.stepped(here, -back @ (here.goals[0] - exact.goals[0])), CLOSED)
        if better.open > CLOSED:
            break
        here = better
    return here if here.open <= max(CLOSED, exact.open) else exact
