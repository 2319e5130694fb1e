"""From the last frame: the nearest best, and glides to other branches where the plan asks for them. Knows no Blender.

A warm step a frame improves the shape with the aim held, within what joints move in a frame and gain of speed; the exact aim is then met
by the least change. While a glide is under way, joints go to its branch, which follows the goal meanwhile.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..aim_residual import residual
from ..exact_aim import Finished, least_change
from ..gaze import PlanSlot
from ..goals import Aim, Direction, GazeGoal, Point
from ..skeleton import Angles
from .aims import BatchedAim
from .descent import Descent, Pace, Rows
from .glides import ALONG, STAY, STRAIGHT, Course, Glides, Row, arrived, led
from .model import Authored, Model
from .now import Now
from .pace import HARD_RAMP, LARGEST_MOVE, RAMP, STRAIGHT_RAMP, saving_ramp
from .plan import Planner, Planning
from .prediction import Outlook, Velocity, farthest, numbers, velocity
from .rest import Rest
from .search import Search

WARM = Pace(proximal=1.0, largest_step=0.2)
WARM_STEPS = 3
WARM_ENOUGH = math.radians(3)  # of movement in a step: what is left after a smaller one is made up for in the next frame
HOLD_STEPS = 5
HELD = 1e-7  # [rad] of aim: a tenth of what counts as met
HOLD_DAMPING = 1e-6  # of the squared lever arms: what cannot be met must not make joints tremble
LOST = math.radians(1)  # of aim
EXACT = math.radians(0.01)  # of aim: from here joints that hold it gain speed as fast as the length of a frame allows
AT_RISK = math.radians(0.6)  # of aim: from here joints that hold it may be jolted
SETTLED = 1e-6  # [rad] of movement in a frame while nothing is asked anew: the answer stays as it is, to the bit
STUCK = 1e-6  # [rad] a glide that moves by less in a frame gets nowhere
QUIET = 60  # frames of that until the planner rests: by then it has looked at all it knows twice
EVERY_FRAME = PlanSlot()
SAME_START = 1e-6  # [rad] a start farther from the last answer is somebody else's


@dataclass(frozen=True)
class Memory:
    """What one frame tells the next."""

    asked: tuple[object, ...] = ()  # of which skeleton, with which options, and the goal's kinds
    values: tuple[Row, ...] = ()  # and numbers: the posture's and each aim's
    aims: tuple[Aim, ...] = ()
    moving: tuple[Velocity, ...] = ()  # how they move
    angles: tuple[float, ...] = ()  # (n,) of the answer
    move: tuple[float, ...] = ()  # (n,) of the last frame
    speed: float = 0.0  # [rad a frame] of the glide
    lost: int = 0  # frames that the aim has been lost for
    rest: Rest = field(default_factory=Rest)
    quiet: int = 0  # frames since something was asked anew or moved
    planning: Planning = field(default_factory=Planning)


class Box(NamedTuple):
    lower: Sequence[float]  # (n,)
    upper: Sequence[float]


class Followed(NamedTuple):
    way: Finished
    steps: int
    memory: Memory


class Tracker:
    """Follows a target frame by frame on one skeleton; the state is the caller's."""

    def __init__(self, model: Model, search: Search) -> None:
        self.model = model
        self.planner = Planner(model, search.seeds)

    def follow(
        self,
        goal: GazeGoal,
        posture: tuple[float, ...],
        authored: Authored,
        start: Angles,
        memory: object,
        ahead: Sequence[GazeGoal] = (),
        slot: PlanSlot = EVERY_FRAME,
        dt: float = 0.0,
        mutual: bool = False,
    ) -> Followed:
        """The answer of the next frame, `dt` seconds after angles `start` (n,)."""
        model, skeleton = self.model, self.model.skeleton
        last = self._recalled(memory, start)
        ends = goal.ends
        values = (posture, *(numbers(end.aim) for end in ends))
        kinds = ((type(end.aim), _rolls(end.aim), end.end, end.symmetric) for end in ends)
        asked = (skeleton, model.options, goal.keep, *kinds, *goal.weights, *map(len, values))
        anew = asked != last.asked or values != last.values or any(coming.ends != ends for coming in ahead)
        if not anew and last.quiet > QUIET:
            angles = tuple(start.tolist())
            pose = skeleton.forward(angles)
            return Followed(Finished(angles, pose, residual(skeleton, goal, pose).size, 0), 0, last)
        aims = tuple(end.aim for end in ends)
        moving = tuple(Velocity() for _ in aims)
        if len(last.aims) == len(aims):
            moving = tuple(map(velocity, last.aims, aims, last.moving))
        slot = EVERY_FRAME if ahead else slot  # goals that are known beforehand are those of a bake, which has time
        now = Now(Outlook(goal, moving, ahead), authored, np.array(posture), start, last.speed, last.lost, slot)
        rest = last.rest if asked == last.asked else Rest()
        if anew and asked == last.asked:
            rest = rest.stirred(max(farthest(values[1:], last.values[1:]), math.dist(posture, last.values[0])))
        planning = last.planning if rest.glides else replace(last.planning, course=None)
        if rest.plans:
            is_for_shape = planning.course is None and not last.lost
            planning = self.planner.advance(planning, now)
            if mutual and is_for_shape:
                planning = replace(planning, course=None)
        descent = Descent(model, authored, BatchedAim(model, goal))
        speed = 0.0
        if planning.course is None:
            here = descent.at(start[None], None)
            rest = rest.at(float(here.merit[0]))
            box = self._box(start, np.array(last.move), RAMP, rest.leash)
            wanted, steps = self._warm(descent, here, rest)
            wanted = self._braked(start, wanted, np.array(last.move), box)
        else:
            rest = rest.on_course()
            box = self._box(start, np.array(last.move), STRAIGHT_RAMP if planning.course.kind == STRAIGHT else RAMP)
            wanted, branch, speed, box = self._glided(descent, start, planning.course, last.speed, box)
            steps = 1
        kind = STAY if planning.course is None else planning.course.kind
        held = self._held(goal, wanted, box) if kind != STRAIGHT else self._posed(goal, wanted)
        if kind in (STAY, ALONG):
            for ramp, risk in _saving_ramps(dt):
                if held.missed > risk:
                    quick = self._held(goal, wanted, self._box(start, np.array(last.move), ramp, rest.leash))
                    held = quick if quick.missed < LOST else held  # a jolt that does not save the aim is for nothing
        if planning.course is not None:
            stuck = float(np.abs((np.array(held.angles) - start) / model.scale).max()) < STUCK  # the aim keeps it from where it should go
            there = stuck or arrived(model, np.array(held.angles)[None], branch[None])[0]
            course = None if there else Course(planning.course.kind, tuple(branch.tolist()))
            planning = replace(planning, course=course)
            speed = 0.0 if there else speed
        move = np.array(held.angles) - start
        settled = not anew and planning.course is None and float(np.abs(move / model.scale).max()) < SETTLED
        if settled:
            move = np.zeros_like(move)
            held = self._posed(goal, start)
        kept = Memory(
            asked=asked,
            values=values,
            aims=aims,
            moving=moving,
            angles=held.angles,
            move=tuple(move.tolist()),
            speed=speed,
            lost=last.lost + 1 if held.missed > LOST else 0,
            rest=(last.rest if settled else rest).next(),
            quiet=last.quiet + 1 if settled else 0,
            planning=planning,
        )
        return Followed(held, steps + held.steps, kept)

    def _recalled(self, memory: object, start: Angles) -> Memory:
        """The last frame's memory; where the start is not its answer, only what is known of other branches."""
        resting = Memory(angles=tuple(start.tolist()), move=(0.0,) * len(start))
        if not isinstance(memory, Memory) or len(memory.angles) != len(start):
            return resting
        if float(np.abs(np.array(memory.angles) - start).max()) <= SAME_START:
            return memory
        planning = replace(memory.planning, course=None, simulation=None, stage=Planning().stage, seekers=(), sides=(), steps=0)
        return replace(resting, aims=memory.aims, moving=memory.moving, planning=planning)

    def _reach(self, start: Angles, leash: float) -> tuple[Angles, Angles]:
        """What is reached in a frame: within the limits and that share of the largest move."""
        model = self.model
        room = leash * LARGEST_MOVE * model.scale
        return np.maximum(model.lower, start - room), np.minimum(model.upper, start + room)

    def _box(self, start: Angles, move: Angles, ramp: float = RAMP, leash: float = 1.0) -> tuple[Angles, Angles]:
        """What is reached in a frame without a jolt: around the last frame's movement."""
        lower, upper = self._reach(start, 1.0)
        jolt = ramp * self.model.scale
        slowest, fastest = start + move - jolt, start + move + jolt
        if leash < 1.0:  # a leash stops nothing at once
            short, long = self._reach(start, leash)
            lower, upper = np.maximum(lower, np.minimum(short, fastest)), np.minimum(upper, np.maximum(long, slowest))
        return np.minimum(np.maximum(lower, slowest), upper), np.maximum(np.minimum(upper, fastest), lower)

    def _warm(self, descent: Descent, here: Rows, rest: Rest) -> tuple[Angles, int]:
        """Steps towards the nearest best, as if joints had no inertia."""
        pace = replace(WARM, proximal=rest.eased * WARM.proximal)
        lower, upper = self._reach(here.angles[0], rest.leash)
        rows, steps = here, 0
        while True:
            angles = descent.stepped(rows, pace, lower, upper)
            steps += 1
            if steps >= WARM_STEPS or float(np.abs(angles - rows.angles).max()) <= WARM_ENOUGH:
                return angles[0], steps
            rows = descent.at(angles, None)

    def _braked(self, start: Angles, wanted: Angles, last: Angles, box: tuple[Angles, Angles]) -> Angles:
        """`wanted` or, where a joint is far from it, as much of the way as lets it come to rest there without a jolt."""
        jolt = RAMP * self.model.scale
        away = wanted - start
        far = np.abs(away)
        slowed = np.sign(away) * np.minimum(far, np.maximum(jolt, np.sqrt(2.0 * jolt * far) - 0.5 * jolt))
        moved: Angles = np.clip(start + np.where(np.abs(away - last) <= jolt, away, slowed), *box)
        return moved

    def _glided(
        self, descent: Descent, start: Angles, course: Course, speed: float, box: tuple[Angles, Angles]
    ) -> tuple[Angles, Angles, float, tuple[Angles, Angles]]:
        """A step of a glide (n,), where its branch is now (n,), the glide's speed [rad a frame] and the box that the glide leaves."""
        model = self.model
        rows = descent.at(np.array([tuple(start.tolist()), course.branch]), None)
        branch = descent.stepped(rows.pick(np.array([1])), WARM)[0]
        glides = Glides(np.array([course.kind]), branch[None], np.array([speed]))
        lead, speeds = led(model, start[None], glides, 1, box[0][None], box[1][None])
        angles: Angles = descent.led(rows.pick(np.array([0])), lead)[0]
        return angles, branch, float(speeds[0]), (lead.lower[0], lead.upper[0])

    def _held(self, goal: GazeGoal, wanted: Angles, box: tuple[Angles, Angles]) -> Finished:
        """The nearest angles in the box that meet the aim, or nearly."""
        limits = Box(box[0].tolist(), box[1].tolist())
        skeleton = self.model.skeleton
        costs = [1.0] * len(wanted) if not self.model.sliding else (1.0 / self.model.scale**2).tolist()
        angles = skeleton.clamp(wanted)
        pose = skeleton.forward(angles)
        left = residual(skeleton, goal, pose)
        best = Finished(angles, pose, left.size, 0)
        for steps in range(1, HOLD_STEPS + 1):
            if left.size < HELD:
                break
            step = least_change(limits, angles, left, costs, HOLD_DAMPING)
            trial = (min(max(a + s, lo), hi) for a, s, lo, hi in zip(angles, step, *limits, strict=True))
            angles = skeleton.clamp(tuple(trial))
            pose = skeleton.forward(angles)
            left = residual(skeleton, goal, pose)
            if left.size < best.missed:
                best = Finished(angles, pose, left.size, steps)
        return best

    def _posed(self, goal: GazeGoal, wanted: Angles) -> Finished:
        skeleton = self.model.skeleton
        angles = skeleton.clamp(wanted)
        pose = skeleton.forward(angles)
        return Finished(angles, pose, residual(skeleton, goal, pose).size, 0)


def _rolls(aim: Aim) -> tuple[bool, bool]:
    """Whether an aim asks for a roll, and whether it prefers one."""
    return (aim.up is not None, aim.level is not None) if isinstance(aim, Direction | Point) else (False, False)


def _saving_ramps(dt: float) -> list[tuple[float, float]]:
    """How fast joints may gain speed [rad a frame a frame] where the aim is missed by more than an angle [rad], in that order."""
    gentle = saving_ramp(dt)
    ramps = [(gentle, EXACT)] if gentle > RAMP else []
    return ramps if gentle >= HARD_RAMP else [*ramps, (HARD_RAMP, AT_RISK)]
