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

from ..aims.blocks import PoseErrors
from ..gaze import FRAME
from ..goals import GazeGoal
from ..kernel.structures import Tracked
from ..kinematics.skeleton import Angles
from ..tolerances import MET
from .descent import Candidates, ShapeDescent, StepGoal
from .model import Model
from .motion import (
    ACCELERATION,
    DIRECT,
    HURRIED,
    STAY,
    ActiveTransition,
    Bounds,
    Settling,
    StepBounds,
    Transitions,
    arrived,
    moved,
    within_speed,
)
from .plan import Planner, Planning
from .prediction import FrameContext, TrackedGoal, Velocity
from .search import Search
from .shape import Authored
from .simulation import AIM_LOST

# [rad] movement in a frame that counts as none; a start within this distance of the last solution counts as
# equal to it
STILL = MET
# [s] time constant of a joint that one direction alone pulls; sets the inertia of local steps
PULL_TIME = 1 / 60
LOCAL_STEPS = 3  # largest number of Newton steps in a frame
# [rad] movement in a step up to which the steps end: the next frame corrects the remaining error
ENOUGH = math.radians(3)
# [rad] aim error above which joints are allowed to accelerate by HURRIED, and the aim counts as lost if its
# goal stands still; a smaller error is invisible
AT_RISK = math.radians(0.2)
# [s] time at rest after which nothing is computed; the planner has then made about a dozen plans
IDLE_TIME = 1.0
# smallest speed at which a transition's farthest joint must approach the branch, as a fraction of the
# transition's speed
LEAST_PROGRESS = 0.1


class TrackerMemory(NamedTuple):
    """State of the tracker, passed on from frame to frame."""

    goal: TrackedGoal = TrackedGoal()
    moving: tuple[Velocity, ...] = ()  # velocity of each aim
    angles: tuple[float, ...] = ()  # (n,) [rad; prismatic joints m] last solution
    velocity: tuple[float, ...] = ()  # (n,) [rad/s; prismatic joints m/s] velocities in the last frame
    speed: float = 0.0  # [rad/s] speed of the transition in progress
    aim_error: float = 0.0  # [rad] aim error of the solution
    # [s] time since the aim was last met: within AIM_LOST, or within AT_RISK if the goal stands still
    lost: float = 0.0
    settling: Settling = Settling()
    idle: float = 0.0  # [s] time since the goal changed or a joint moved
    planning: Planning = Planning()

    def settling_for(self, goal: TrackedGoal, is_still: bool, dt: float) -> Settling:
        """The settling state of the next frame, of `dt` [s], before its step; `is_still`: whether its goal is
        the same as the last frame's, and so are the known ones ahead.
        """
        if goal.problem != self.goal.problem:
            return Settling()
        return self.settling if is_still else self.settling.after_change(goal.distance(self.goal), dt)


class TrackingResult(NamedTuple):
    """Result of tracking one frame: angles (n,) [rad or m], the number of steps, and the state for the next
    frame.
    """

    angles: tuple[float, ...]
    steps: int
    memory: TrackerMemory
    measured: PoseErrors | None = None  # errors of the ends; None if unknown


class Tracker:
    """Tracks a goal from frame to frame on one skeleton; the caller keeps the memory."""

    def __init__(self, model: Model, search: Search) -> None:
        self.model = model
        self.planner = Planner(model, search)

    def follow(
        self,
        goal: GazeGoal,
        authored: Authored,
        start: tuple[float, ...],
        memory: object,
        ahead: Sequence[GazeGoal] = (),
        dt: float = FRAME,
        mutual: bool = False,
    ) -> TrackingResult:
        """The solution `dt` [s] after angles `start` (n,) [rad or m], with its memory; arguments as for
        `Expressive.solve`.
        """
        last = usable_memory(memory, start)
        current = TrackedGoal.of(self.model, goal, authored.posture)
        ends = goal.ends
        is_still = current.equals(last.goal) and all(coming.ends == ends for coming in ahead)
        if is_still and last.idle > IDLE_TIME:
            return TrackingResult(start, 0, last)

        moving = current.velocities(last.goal, last.moving, dt)
        context = FrameContext(goal, moving, ahead, authored, start, last.velocity, last.speed, last.lost, dt)
        settling = last.settling_for(current, is_still, dt)
        planning = self._planned(last.planning, context, settling, is_still, mutual)
        transition = planning.transition
        answer = self._advanced(context, settling, transition, is_still)
        if transition is None:
            settling = settling.at(answer.merit, dt)
        else:
            settling = settling.in_transition()
            going_on = None if answer.branch is None else ActiveTransition(transition.kind, answer.branch)
            planning = planning._replace(transition=going_on)

        ways, idle, aim_error = zip(answer.angles, start, strict=True), 0.0, answer.aim_error
        joint_velocity = tuple([(angle - before) / dt for angle, before in ways])
        if (
            is_still
            and transition is None
            and self._has_converged(np.array(joint_velocity) * dt, settling, last.settling)
        ):
            # the solution is exactly the last one
            answer = answer._replace(angles=start, steps=0, measured=None)
            joint_velocity, idle, aim_error = (0.0,) * len(start), last.idle + dt, last.aim_error
            settling = last.settling._replace(trust=settling.trust)
        is_lost = aim_error > (AT_RISK if is_still else AIM_LOST)
        memory_after = TrackerMemory(
            goal=current,
            moving=moving,
            angles=answer.angles,
            velocity=joint_velocity,
            speed=answer.speed,
            aim_error=aim_error,
            lost=last.lost + dt if is_lost else 0.0,
            settling=settling.later(dt),
            idle=idle,
            planning=planning,
        )
        return TrackingResult(answer.angles, answer.steps, memory_after, answer.measured)

    def _planned(
        self, last: Planning, context: FrameContext, settling: Settling, is_still: bool, mutual: bool
    ) -> Planning:
        """The planner's state in this frame, with the transition to take, from its state `last` in the last
        frame. `is_still`: whether the goal is that of the last frame; `mutual`: no transition begins
        for the sake of shape alone, as in `Expressive.solve`.
        """
        planning = last if settling.may_continue_transition else last._replace(transition=None)
        if planning.choices and not is_still:
            planning = planning._replace(choices=0)
        if not settling.may_plan:
            return planning
        is_for_shape = planning.transition is None and not context.lost
        planning = self.planner.advance(planning, context)
        return planning._replace(transition=None) if mutual and is_for_shape else planning

    def _has_converged(self, movement: Angles, settling: Settling, last: Settling) -> bool:
        """Whether local steps toward a goal that stands still have converged: no joint moves (`movement`
        (n,) [rad or m]), or, after `PLANNING_TIME`, the cost grows again, since the end is as close to the
        target as it can get.
        """
        if float(np.abs(movement / self.model.scale).max()) < STILL:
            return True
        return not settling.may_plan and settling.last > last.last

    def _advanced(
        self, context: FrameContext, settling: Settling, transition: ActiveTransition | None, is_still: bool
    ) -> Tracked:
        """The solution after a step of `transition`; None: after a local step toward the optimum. `is_still`:
        whether the goal stands still; a transition that makes little progress is then abandoned.
        """
        goal, authored, start = context.goal, context.authored, (context.angles, context.velocity, context.dt)
        compiled = self.model.compiled_for(goal)
        if compiled is not None:
            problem = goal, authored.posture, authored.keep
            if transition is None:
                return compiled.local_frame(problem, *start, settling.trust, settling.damping_share)
            return compiled.transition_frame(problem, *start, transition, context.speed, is_still)
        descent, bounds = context.descent(self.model, 0.0), StepBounds(self.model, *start)
        if transition is None:
            return self._local_frame(descent, bounds, settling)
        return self._transition_frame(descent, bounds, transition, context.speed, is_still)

    def _local_frame(self, descent: ShapeDescent, bounds: StepBounds, settling: Settling) -> Tracked:
        """The solution after a local step toward the optimum."""
        desired, steps = self._local_step(descent, bounds, settling)
        slow = bounds.by_acceleration(ACCELERATION, settling.trust)
        at_hold = self._held(descent, bounds.braked(desired, slow), slow, bounds, settling.trust)
        return at_hold._replace(steps=steps + at_hold.steps)

    def _local_step(
        self, descent: ShapeDescent, bounds: StepBounds, settling: Settling
    ) -> tuple[Angles, int]:
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
        descent: ShapeDescent,
        bounds: StepBounds,
        transition: ActiveTransition,
        speed: float,
        is_still: bool,
    ) -> Tracked:
        """The solution after a step of a transition. `speed`: speed [rad/s] of the transition so far;
        `is_still` as for `_advanced`.
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
        # The aim or a joint's limit blocks the transition; if the goal moves, the path can become free.
        is_stuck = travel < STILL or (is_still and before - left < LEAST_PROGRESS * float(speeds[0]) * dt)
        if is_stuck or arrived(model, np.array([answer.angles]), branch)[0]:
            return answer
        return answer._replace(branch=tuple(branch[0].tolist()), speed=float(speeds[0]))

    def _held(
        self, descent: ShapeDescent, desired: Angles, slow: Bounds, bounds: StepBounds, trust: float = 1.0
    ) -> Tracked:
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


def _held(pose: Candidates, steps: int) -> Tracked:
    """The pose in a batch that has only one, without a transition; its ends are not measured."""
    angles = tuple(pose.angles[0].tolist())
    return Tracked(angles, float(pose.aim_error[0]), float(pose.merit[0]), steps)


def usable_memory(memory: object, start: tuple[float, ...]) -> TrackerMemory:
    """The last frame's memory, for a frame that starts at angles `start` (n,); if these are not the last
    solution, only the part about the target's motion and other branches; without a memory that fits, a new
    one at rest.
    """
    at_rest = (0.0,) * len(start)
    if not isinstance(memory, TrackerMemory) or len(memory.angles) != len(start):
        return TrackerMemory(angles=start, velocity=at_rest)
    if memory.angles == start or float(np.abs(np.subtract(memory.angles, start)).max()) <= STILL:
        return memory
    return TrackerMemory(
        goal=TrackedGoal(aims=memory.goal.aims),
        moving=memory.moving,
        angles=start,
        velocity=at_rest,
        planning=Planning(pool=memory.planning.pool),
    )
