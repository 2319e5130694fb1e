"""Passing the edge of the workspace softly: joints that must jolt to stay exact lag behind for some frames. Knows no Blender.

Where a mechanism is stretched, the nearest pose to a target that moves evenly does not move evenly: an angle goes with the root of the
distance from the edge, so it stops dead, or starts with a jump. While a target is out of reach, and shortly after, coordinates take their
time to where they should be, with the least acceleration that brings them there in that time, along what the goals feel least: the other
ways stay as exact as they were. What brakes only beyond the edge brakes too late: this begins a frame before it, where a body would jolt.
Any other target that stays in reach is met exactly, whatever that costs.
"""

import math
from dataclasses import dataclass

import numpy as np

from .ahead import leaves_reach
from .calm import FARTHEST, Calm, Jolts
from .clusters import SMALLEST
from .descent import CLOSED, MET, Descent, Place
from .frames import Array, Indices

STANDARD_RATE = 60.0  # [Hz] at which the next figure is told
GENTLE = math.radians(1.0) * STANDARD_RATE**2  # [rad/s2, sizes/s2] of one coordinate that needs no cause; several add up in a body
MOST_JOLT = math.radians(1.5) * STANDARD_RATE**2  # [rad/s2] of any body while a target is out of reach, as far as that can be had
OWED = 1.0  # of the targets' own jolt [rad or sizes]: that much joints may jolt too, so that they follow what is sudden on purpose
REACHED = 1e-4  # [rad or sizes] of a goal: a target that is no farther off is in reach, where a solve may take several frames
CAUGHT_UP = 1e-9  # [rad or sizes] of a coordinate: it lags no more
LONGEST = 9 / STANDARD_RATE  # [s] to where coordinates should be while a target is out of reach
LATEST, LATEST_FRAMES = 7 / STANDARD_RATE, 3.6  # [s], and frames where these last longer, after a target came back into reach it is met
FIRM = 100.0  # how much goals count in the last frame before the edge, against those of the frames beyond it
GIVES_WAY = 0.019  # [rad or sizes] by which they may be missed there so that no body jolts
FORESEEN = 0.4  # of the speed at which where they should be moves on while a target is away: the jump with which it begins does not go on
EXPECTED = 0.85  # the same, once the target is back
FASTEST = math.radians(6.0) * STANDARD_RATE  # [rad/s, sizes/s] of that speed: what is faster is such a jump
FEWEST = 2.0  # frames in which a way can be gone and stopped
WEAK = 0.4  # of the way that moves goals most: ways that move them less are near singular
BENT, LEAST_BEND = 0.25, math.radians(0.05)  # of the last step, [rad or sizes]: a way that differs by more turns off
FREE = 1e-10  # of the way that moves goals most: ways that move them less do not move them; at a fold one hardly does
STRAIGHTER = 0.5  # of how far a way is bent: another one is better that is bent by less
TOLERANCE = 1e-9  # [s] of sums of frames
CORRECTIONS = 2  # steps along the other ways


@dataclass(frozen=True)
class Pace:
    """What a frame remembers of the way it went."""

    speed: Array  # (v,) units a second
    error: Array  # (e,) rows of its goals where it ended
    lag: Array  # (v,) units from there to where the exact answer was
    pull: Array | None  # (e,) how fast its targets moved since the frame before, a second
    since: float  # [s] since a target was out of reach
    before: Array  # (n + 1, 4, 4) frames of the tree's nodes where it began
    length: float  # [s] of it


def paced(descent: Descent, start: Place, exact: Place, last: Pace | None, dt: float, nodes: Indices) -> tuple[Place, Pace]:
    """The exact answer, or one that lags behind it where that spares a jolt; and what the next frame needs.

    Args:
        start: The last frame's coordinates, under this frame's goals.
        exact: The nearest pose.
        last: What the last frame remembered; None: nothing is known of its motion.
        dt: [s] between the frames.
        nodes: (b,) nodes of the tree that carry bodies.

    Not for regularisers and actuators that are told: these say themselves how the mechanism moves.
    """
    pull = (start.goals[0] - last.error) / dt if last is not None and last.error.shape == start.goals[0].shape else None
    latest = max(LATEST, LATEST_FRAMES * dt)
    since = 0.0 if np.abs(exact.goals[0]).max(initial=0.0) > REACHED else dt + (last.since if last is not None else latest)
    wanted = descent.way(start, exact)
    here, lag = exact, np.zeros_like(wanted)
    if last is not None and last.pull is not None and pull is not None and last.pull.shape == pull.shape:
        owed, kept = OWED * float(np.abs(pull - last.pull).max(initial=0.0)) * dt, last.speed * dt
        is_late = np.abs(last.lag).max(initial=0.0) > CAUGHT_UP
        if is_late or np.abs(wanted - kept).max(initial=0.0) > GENTLE * dt * dt + owed:
            jolts, most = Jolts.since(last.before, start, nodes, dt / last.length), MOST_JOLT * dt * dt + owed
            if since > latest + TOLERANCE:
                ahead = (2.0 * pull - last.pull) * dt
                if not is_late and jolts.largest(exact) > most and leaves_reach(descent, exact, ahead, REACHED):
                    here = Calm(descent, start, exact, jolts, most, pull * dt, FIRM, GIVES_WAY).near(exact)
            else:
                frames = (latest - since) / dt + 1.0 if since > 0.0 else LONGEST / dt
                onward = (EXPECTED if since > 0.0 else FORESEEN) * np.clip(wanted - last.lag, -FASTEST * dt, FASTEST * dt)
                step = _gentle(wanted, kept, onward, frames)
                here = _beside(descent, start, exact, np.clip(wanted, step - owed, step + owed))
                if since == 0.0:
                    farthest = max(FARTHEST, math.sqrt(start.square) - math.sqrt(exact.square))
                    here = Calm(descent, start, exact, jolts, most, pull * dt, farthest=farthest).near(here)
            wanted, lag = descent.way(start, here), descent.way(here, exact)
    return here, Pace(wanted / dt, here.goals[0], lag, pull, since, start.shape.frames, dt)


def carried_on(descent: Descent, start: Place, here: Place, last: Array, iterations: int) -> Place | None:
    """The way on where the way to an answer turns back: None where it does not, or leads to nothing that meets the goals as well.

    Where a path passes a fold, two answers meet: one that goes on as before, and its mirror image, which soon comes to an end.

    Args:
        here: The answer.
        last: (v,) the last step, in units.
    """
    way = descent.way(start, here)
    if not _turns_off(way, last) or np.abs(here.goals[0]).max(initial=0.0) > REACHED:
        return None
    last = _told(descent, start, last)
    if not _turns_off(way, last):
        return None
    bent = float(np.abs(way - last).max())
    ahead = descent.close(descent.stepped(start, last), CLOSED)
    if ahead.open > CLOSED:
        return None
    damping, held = descent.damping, descent.held
    there, _, _ = descent.go(ahead, iterations)
    is_met = there.open <= CLOSED and there.square <= max(here.square, MET * MET)
    if is_met and float(np.abs(descent.way(start, there) - last).max(initial=0.0)) < STRAIGHTER * bent:
        return there
    descent.damping, descent.held = damping, held
    return None


def _turns_off(way: Array, last: Array) -> bool:
    return float(np.abs(way - last).max(initial=0.0)) > max(BENT * float(np.abs(last).max(initial=0.0)), LEAST_BEND)


def _told(descent: Descent, here: Place, way: Array) -> Array:
    """What of a way (v,) the goals tell. What they leave free has no way on: it would never come to rest."""
    _, sizes, ways = np.linalg.svd(descent.along(here), full_matrices=False)
    told = ways[sizes > FREE * sizes.max(initial=0.0)]
    found: Array = told.T @ (told @ way)
    return found


def _strong(descent: Descent, here: Place) -> Array:
    """(v, e) the inverse of the goals' derivative along what leaves the loops closed, but for weak ways."""
    along = descent.along(here)
    square, ways = np.linalg.eigh(along @ along.T)
    gain = square / (square * square + (WEAK * WEAK * square[-1]) ** 2 + SMALLEST)  # 1 / square of strong ways, nothing of weak ones
    inverse: Array = along.T @ (ways @ (gain[:, None] * ways.T))
    return inverse


def _gentle(wanted: Array, last: Array, onward: Array, frames: float) -> Array:
    """(v,) the first step of the way that is done after so many frames, with the speed `onward`, at the least sum of squared accelerations.

    Args:
        wanted: (v,) the whole way, as it is now; its end moves on by `onward` (v,) a frame.
        last: (v,) the last step.
    """
    if frames < FEWEST:
        return wanted
    beside = last - onward
    step: Array = last + (6.0 * (wanted - onward) - (4.0 * frames - 2.0) * beside) / (frames * (frames + 1.0))
    return step


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
