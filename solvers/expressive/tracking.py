"""Tracking from the last frame's solution: local steps, and transitions to other branches chosen by the
planner.

A local step follows the gradient of the shape deviation, holding the aim, for the duration of a frame
(implicit Euler's rule), within limits of speed and acceleration; a smallest change then makes the aim exact.
During a transition joints move to its branch, which follows the goal meanwhile. While the goal stands still,
damping and then the trust region decrease, until the solution stays the same.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..aims.blocks import Measured
from ..gaze import FRAME
from ..goals import Aim, GazeGoal
from ..kernel.structures import Tracked
from ..kinematics.skeleton import Angles
from .aims import BatchedAim
from .descent import Candidates, Descent, StepGoal
from .model import Model
from .motion import (
    ACCELERATION,
    DIRECT,
    HURRIED,
    STAY,
    Bounds,
    Settling,
    StepBounds,
    Transition,
    Transitions,
    arrived,
    moved,
    within_speed,
)
from .plan import Planner, Planning
from .prediction import FrameContext, GoalForecast, Velocity, farthest, velocity
from .search import Search
from .shape import Authored
from .simulation import AIM_LOST, LASTING_LOSS

PULL_TIME = (
    1 / 60
)  # [s] in which a joint alone would follow the pull of one direction; sets the inertia of local steps
LOCAL_STEPS = 3  # largest number of Newton steps in a frame
ENOUGH = math.radians(
    3
)  # [rad] movement in a step below which the steps end: the next frame corrects the rest
AT_RISK = math.radians(
    0.2
)  # [rad] aim error from which joints may accelerate by HURRIED; a smaller error is invisible
# [rad] a smaller movement in a frame counts as none, and a start nearer to the last solution than this as
# equal to it
STILL = 1e-6
IDLE_TIME = (
    1.0  # [s] of rest after which nothing is computed; a planner has then completed about three cycles
)
LEAST_PROGRESS = 0.1  # fraction of a transition's speed at which its farthest joint must approach the branch


class Memory(NamedTuple):
    """State of the tracker, passed on from frame to frame."""

    problem: tuple[object, ...] = ()  # skeleton, options and kinds of goal
    values: tuple[tuple[float, ...], ...] = ()  # numbers of the posture and of each aim
    aims: tuple[Aim, ...] = ()
    moving: tuple[Velocity, ...] = ()  # velocity of each aim
    angles: tuple[float, ...] = ()  # (n,) [rad] last solution
    velocity: tuple[float, ...] = ()  # (n,) [rad/s] velocities in the last frame
    speed: float = 0.0  # [rad/s] speed of the transition in progress
    aim_error: float = 0.0  # [rad] aim error of the solution
    lost: float = (
        0.0  # [s] since the aim was last met, within AIM_LOST, or within AT_RISK if the goal stands still
    )
    settling: Settling = Settling()
    idle: float = 0.0  # [s] since the goal changed or a joint moved
    planning: Planning = Planning()


class Held(NamedTuple):
    """The pose of a frame that meets the aim, and the number of steps that it took."""

    angles: Angles  # (n,) [rad; prismatic joints m]
    aim_error: float  # [rad] aim error of the pose
    merit: float  # cost, as in `Candidates.merit`
    steps: int
    measured: Measured | None = None  # errors of its ends; None if unknown


class Followed(NamedTuple):
    """Result of tracking one frame: angles (n,) [rad or m], the number of steps, and the state for the next
    frame.
    """

    angles: Angles
    steps: int
    memory: Memory
    measured: Measured | None = None  # errors of the ends; None if unknown


class Tracker:
    """Tracks a goal from frame to frame on one skeleton; the caller keeps the memory."""

    def __init__(self, model: Model, search: Search) -> None:
        self.model = model
        self.planner = Planner(model, search)

    def follow(
        self,
        goal: GazeGoal,
        posture: tuple[float, ...],
        authored: Authored,
        start: Angles,
        memory: object,
        ahead: Sequence[GazeGoal] = (),
        dt: float = FRAME,
        mutual: bool = False,
    ) -> Followed:
        """The solution `dt` [s] after angles `start` (n,) [rad or m], with its memory; arguments as for
        `Expressive.solve`.
        """
        model, skeleton = self.model, self.model.skeleton
        last = self._usable_memory(memory, start)
        ends = goal.ends
        values = (posture, *(end.aim.numbers for end in ends))
        kinds = (
            (type(end.aim), end.aim.up is None, end.aim.level is None, end.end, end.symmetric) for end in ends
        )
        problem = (skeleton, model.options, goal.keep, *kinds, *goal.weights, *map(len, values))
        is_changed = (
            problem != last.problem or values != last.values or any(coming.ends != ends for coming in ahead)
        )
        if not is_changed and last.idle > IDLE_TIME:
            return Followed(start, 0, last)
        aims = tuple(end.aim for end in ends)
        moving = tuple(Velocity() for _ in aims)
        if len(last.aims) == len(aims):
            moving = tuple(velocity(*pair, dt) for pair in zip(last.aims, aims, last.moving, strict=True))
        context = FrameContext(
            GoalForecast(goal, moving, dt, ahead, last.lost >= LASTING_LOSS),
            authored,
            np.array(posture),
            start,
            last.speed,
            last.lost,
            dt,
        )
        settling = last.settling if problem == last.problem else Settling()
        if is_changed and problem == last.problem:
            settling = settling.after_change(
                max(farthest(values[1:], last.values[1:]), math.dist(posture, last.values[0])), dt
            )
        planning = (
            last.planning if settling.may_continue_transition else last.planning._replace(transition=None)
        )
        if is_changed and planning.choices:
            planning = planning._replace(choices=0)
        if settling.may_plan:
            is_for_shape = planning.transition is None and not last.lost
            planning = self.planner.advance(planning, context)
            if mutual and is_for_shape:
                planning = planning._replace(transition=None)
        bounds = StepBounds(model, start, np.array(last.velocity), dt)
        if planning.transition is None:
            speed, transition = 0.0, None
            answer = self._local_frame(goal, authored, bounds, settling)
            settling = settling.at(answer.merit, dt)
        else:
            settling = settling.in_transition()
            answer, transition, speed = self._transition_frame(
                goal, authored, bounds, planning.transition, last.speed, not is_changed
            )
        velocity_now = (answer.angles - start) / dt
        settled = (
            not is_changed
            and planning.transition is None
            and (
                float(np.abs(velocity_now * dt / model.scale).max()) < STILL
                # or the error grows again: the end is as close to the target as it can get
                or (not settling.may_plan and settling.last > last.settling.last)
            )
        )
        if settled:
            velocity_now = np.zeros_like(velocity_now)
            answer = Held(start, last.aim_error, last.settling.last, 0)
        memory_after = Memory(
            problem=problem,
            values=values,
            aims=aims,
            moving=moving,
            angles=tuple(answer.angles.tolist()),
            velocity=tuple(velocity_now.tolist()),
            speed=speed,
            lost=last.lost + dt if answer.aim_error > (AIM_LOST if is_changed else AT_RISK) else 0.0,
            settling=(last.settling._replace(trust=settling.trust) if settled else settling).later(dt),
            idle=last.idle + dt if settled else 0.0,
            aim_error=answer.aim_error,
            planning=(
                planning if transition is planning.transition else planning._replace(transition=transition)
            ),
        )
        return Followed(answer.angles, answer.steps, memory_after, answer.measured)

    def _usable_memory(self, memory: object, start: Angles) -> Memory:
        """The last frame's memory; if the start is not its solution, only its part about other branches."""
        angles, velocity = tuple(start.tolist()), (0.0,) * len(start)
        if not isinstance(memory, Memory) or len(memory.angles) != len(angles):
            return Memory(angles=angles, velocity=velocity)
        if memory.angles == angles or float(np.abs(memory.angles - start).max()) <= STILL:
            return memory
        known = Planning(pool=memory.planning.pool)
        return Memory(
            angles=angles, velocity=velocity, aims=memory.aims, moving=memory.moving, planning=known
        )

    def _local_frame(
        self, goal: GazeGoal, authored: Authored, bounds: StepBounds, settling: Settling
    ) -> Held:
        """The solution after a local step toward the optimum."""
        compiled = self.model.compiled_for(goal)
        if compiled is None:
            descent = Descent(self.model, authored, BatchedAim(self.model.skeleton, goal))
            desired, steps = self._local_step(descent, bounds, settling)
            slow = bounds.by_acceleration(ACCELERATION, settling.trust)
            at_hold = self._held(descent, bounds.braked(desired, slow), slow, bounds, settling.trust)
            return at_hold._replace(steps=steps + at_hold.steps)
        tracked = compiled.local_frame(
            (goal, authored.posture, authored.keep),
            bounds.start,
            bounds.velocity,
            bounds.dt,
            settling.trust,
            settling.damping_share,
        )
        return _tracked(tracked)

    def _local_step(self, descent: Descent, bounds: StepBounds, settling: Settling) -> tuple[Angles, int]:
        """Angles (n,) [rad or m] after steps toward the local optimum, without acceleration limits, and the
        number of steps.

        Shape and aim are linearised at the angles to which the last frame's velocity leads, so that the
        remaining aim error is of second order in the change of velocity, not in the movement.
        """
        ones, start = np.ones(1), bounds.start[None]
        inertia = settling.damping_share * PULL_TIME / bounds.dt * ones
        lower, upper = bounds.by_speed(settling.trust)
        angles = np.minimum(np.maximum(bounds.start + bounds.velocity * bounds.dt, lower), upper)[None]
        steps = 0
        while True:
            before, steps = angles, steps + 1
            angles = descent.guided(
                descent.at(before, None),
                StepGoal(start - before, ones, ones, inertia, lower[None], upper[None]),
            )
            if steps == LOCAL_STEPS or float(np.abs(angles - before).max()) <= ENOUGH:
                return angles[0], steps

    def _transition_frame(
        self,
        goal: GazeGoal,
        authored: Authored,
        bounds: StepBounds,
        transition: Transition,
        speed: float,
        is_still: bool,
    ) -> tuple[Held, Transition | None, float]:
        """Same as `_transition_step`, by the compiled kernel if there is one."""
        compiled = self.model.compiled_for(goal)
        if compiled is None:
            descent = Descent(self.model, authored, BatchedAim(self.model.skeleton, goal))
            return self._transition_step(descent, bounds, transition, speed, is_still)
        tracked = compiled.transition_frame(
            (goal, authored.posture, authored.keep),
            bounds.start,
            bounds.velocity,
            bounds.dt,
            transition,
            speed,
            is_still,
        )
        going_on = None if tracked.branch is None else Transition(transition.kind, tracked.branch)
        return _tracked(tracked), going_on, tracked.speed

    def _transition_step(
        self, descent: Descent, bounds: StepBounds, transition: Transition, speed: float, is_still: bool
    ) -> tuple[Held, Transition | None, float]:
        """The solution after a step of a transition; the transition, or None if it has ended; and its speed
        [rad/s]. `is_still`: whether the goal stands still; a transition that makes little progress is then
        abandoned.
        """
        model, start, dt, is_direct = self.model, bounds.start[None], bounds.dt, transition.kind == DIRECT
        branch = np.array([transition.branch])
        staying = Transitions(np.array([STAY]), branch, np.zeros(1))
        branch, _ = moved(descent, descent.at(branch, None), staying, dt, dt, within_speed(model, branch, dt))
        lower, upper = bounds.by_acceleration(HURRIED if is_direct else ACCELERATION)
        path = Transitions(np.array([transition.kind]), branch, np.array([speed]))
        desired, speeds = moved(descent, descent.at(start, None), path, dt, dt, (lower[None], upper[None]))
        answer = (
            _held(descent.at(desired, None), 0)
            if is_direct
            else self._held(descent, desired[0], (lower, upper), bounds)
        )
        answer = answer._replace(steps=answer.steps + 1)
        before, left = (
            float((np.abs(branch[0] - angles) / model.scale).max())
            for angles in (bounds.start, answer.angles)
        )
        travel = float(np.abs((answer.angles - bounds.start) / model.scale).max())
        # The aim or a joint's limit blocks the transition; if the goal moves, the path may become free.
        is_stuck = travel < STILL or (is_still and before - left < LEAST_PROGRESS * float(speeds[0]) * dt)
        if is_stuck or arrived(model, answer.angles[None], branch)[0]:
            return answer, None, 0.0
        return answer, Transition(transition.kind, tuple(branch[0].tolist())), float(speeds[0])

    def _held(
        self, descent: Descent, desired: Angles, slow: Bounds, bounds: StepBounds, trust: float = 1.0
    ) -> Held:
        """The pose nearest to `desired` (n,) within the bounds `slow` that holds the aim; within the wider
        `bounds` if the aim would be lost, or lost by more, otherwise.
        """
        answer = _held(*descent.held(desired, *slow))
        if answer.aim_error > AT_RISK:
            faster = _held(*descent.held(desired, *bounds.by_acceleration(HURRIED, trust)))
            # a smaller improvement would be invisible
            if faster.aim_error < max(AIM_LOST, answer.aim_error - AT_RISK):
                return faster
        return answer


def _tracked(frame: Tracked) -> Held:
    """The pose of a frame that the kernel has tracked."""
    return Held(frame.angles, frame.aim_error, frame.merit, frame.steps, frame.measured)


def _held(pose: Candidates, steps: int) -> Held:
    """The only pose of a batch of one."""
    return Held(pose.angles[0], float(pose.aim_error[0]), float(pose.merit[0]), steps)
