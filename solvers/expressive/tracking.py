"""Solving from the last frame: local steps, and transitions to other branches that the planner has chosen. Knows no Blender.

A frame's local step improves the shape while it holds the aim, within limits of speed and acceleration; the least change then makes the aim
exact. During a transition joints move to its branch, which tracks the goal meanwhile.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..aim_residual import Finished, least_change, residual
from ..gaze import PlanSlot
from ..goals import Aim, Direction, GazeGoal, Point
from ..kinematics.skeleton import Angles
from .aims import BatchedAim
from .descent import Candidates, Descent, StepSettings
from .model import DIRECT_ACCELERATION, EMERGENCY_ACCELERATION, LARGEST_ACCELERATION, LARGEST_MOVE, Authored, Model, allowed_acceleration
from .plan import Planner, Planning, Search
from .prediction import FrameContext, GoalForecast, Velocity, farthest, numbers, velocity
from .simulation import AIM_LOST, DIRECT, STAY, WITH_AIM, Floats, Transition, Transitions, arrived, step_goals

DAMPING_DECAY = 0.9  # factor of the damping after each frame
LEAST_DAMPING = 0.01
TRUST_DECAY = 0.9  # factor of the trust region after a frame without improvement
TRUST_GROWTH = 1.1  # the same after a frame with improvement
LEAST_GAIN = 1e-6  # relative decrease of the cost that counts as improvement: less is not seen
PLANNING_FRAMES = 300  # frames after which no transition begins, and every frame shrinks the trust region
TRANSITION_FRAMES = 10 * PLANNING_FRAMES  # frames after which a transition in progress is given up
FOLLOWING_RATIO = 20.0  # least movement allowed to joints, times the goal's: near singular poses they move that much more


@dataclass(frozen=True)
class Settling:
    """How far a chain has settled since its goal last changed, which controls damping and trust region of its steps.

    Along a shallow valley damped steps take minutes to converge, so damping decreases from frame to frame. Where the aim cannot be met, or
    a joint is at a limit, steps may overshoot for ever, so each frame without improvement shrinks the trust region; in the end every frame
    does.
    """

    frames: int = 0
    best: float = math.inf  # cost of the best solution since the last transition
    last: float = math.inf  # cost of the last solution
    trust: float = 1.0  # trust region: share of `motion_limits.LARGEST_MOVE` that a joint may move

    @property
    def damping_share(self) -> float:
        """Factor of the damping of steps."""
        return float(max(DAMPING_DECAY**self.frames, LEAST_DAMPING))

    @property
    def may_plan(self) -> bool:
        """Whether transitions may begin."""
        return self.frames < PLANNING_FRAMES

    @property
    def may_continue(self) -> bool:
        """Whether a transition may continue."""
        return self.frames < TRANSITION_FRAMES

    def at(self, merit: float) -> "Settling":
        """The state before a step from a solution of cost `merit`."""
        better = merit < (1.0 - LEAST_GAIN) * self.best
        trust = min(1.0, TRUST_GROWTH * self.trust) if better and self.may_plan else TRUST_DECAY * self.trust
        return replace(self, best=merit if better else self.best, last=merit, trust=trust)

    def after_change(self, by: float) -> "Settling":
        """The state after a change of goal or posture by `by` [rad, or relative to its size]."""
        restored = min(1.0, FOLLOWING_RATIO * by / LARGEST_MOVE)
        # After a large change the last cost is no measure: every solution on the way would count as worse.
        return Settling() if restored == 1.0 else Settling(best=self.last, trust=max(self.trust, restored))

    def in_transition(self) -> "Settling":
        """The state during a transition, whose frames cost more and move farther by design."""
        return Settling(self.frames)

    def next(self) -> "Settling":
        return replace(self, frames=self.frames + 1)


WARM = StepSettings(proximal=1.0, largest_step=0.2)
WARM_STEPS = 3
WARM_ENOUGH = math.radians(3)  # [rad] of movement in a step: what is left after a smaller step is corrected in the next frame
HOLD_STEPS = 5
HELD = 1e-7  # [rad] aim error: a tenth of what counts as met
HOLD_DAMPING = 1e-6  # of the squared lever arms: without it joints tremble where the aim cannot be met
EXACT = math.radians(0.01)  # [rad] aim error from which joints may use `allowed_acceleration`
AT_RISK = math.radians(0.6)  # [rad] aim error from which joints may use EMERGENCY_ACCELERATION
STILL = 1e-6  # [rad] of movement in a frame: a smaller one is none, and a start that is nearer to the last solution is that
IDLE_FRAMES = 60  # settled frames after which nothing is computed: the planner has then looked at all it knows twice
EVERY_FRAME = PlanSlot()


@dataclass(frozen=True)
class Memory:
    """State of the tracker from frame to frame."""

    problem: tuple[object, ...] = ()  # skeleton, options and kinds of goal
    values: tuple[Floats, ...] = ()  # numbers of the posture and of each aim
    aims: tuple[Aim, ...] = ()
    moving: tuple[Velocity, ...] = ()  # velocity of each aim
    angles: tuple[float, ...] = ()  # (n,) [rad] the solution
    move: tuple[float, ...] = ()  # (n,) [rad] movement in the last frame
    speed: float = 0.0  # [rad per frame] of the transition in progress
    lost: int = 0  # frames since the aim was last met
    settling: Settling = field(default_factory=Settling)
    idle: int = 0  # frames since the goal changed or a joint moved
    planning: Planning = field(default_factory=Planning)


class Box(NamedTuple):
    lower: Sequence[float]  # (n,)
    upper: Sequence[float]


class Followed(NamedTuple):
    finished: Finished
    steps: int
    memory: Memory


class Tracker:
    """Tracks a goal from frame to frame on one skeleton; the caller keeps the memory."""

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
        """The solution `dt` [s] after angles `start` (n,), with its memory; arguments as for `Expressive.solve`."""
        model, skeleton = self.model, self.model.skeleton
        last = self._usable_memory(memory, start)
        ends = goal.ends
        values = (posture, *(numbers(end.aim) for end in ends))
        kinds = ((type(end.aim), _rolls(end.aim), end.end, end.symmetric) for end in ends)
        problem = (skeleton, model.options, goal.keep, *kinds, *goal.weights, *map(len, values))
        is_changed = problem != last.problem or values != last.values or any(coming.ends != ends for coming in ahead)
        if not is_changed and last.idle > IDLE_FRAMES:
            angles = tuple(start.tolist())
            pose = skeleton.forward(angles)
            return Followed(Finished(angles, pose, residual(skeleton, goal, pose).size, 0), 0, last)
        aims = tuple(end.aim for end in ends)
        moving = tuple(Velocity() for _ in aims)
        if len(last.aims) == len(aims):
            moving = tuple(map(velocity, last.aims, aims, last.moving))
        slot = EVERY_FRAME if ahead else slot  # known goals are those of a bake, which has time to plan
        now = FrameContext(GoalForecast(goal, moving, ahead), authored, np.array(posture), start, last.speed, last.lost, slot)
        settling = last.settling if problem == last.problem else Settling()
        if is_changed and problem == last.problem:
            settling = settling.after_change(max(farthest(values[1:], last.values[1:]), math.dist(posture, last.values[0])))
        planning = last.planning if settling.may_continue else replace(last.planning, transition=None)
        if settling.may_plan:
            is_for_shape = planning.transition is None and not last.lost
            planning = self.planner.advance(planning, now)
            if mutual and is_for_shape:
                planning = replace(planning, transition=None)
        descent = Descent(model, authored, BatchedAim(model, goal))
        speed = 0.0
        if planning.transition is None:
            here = descent.at(start[None], None)
            settling = settling.at(float(here.merit[0]))
            box = self._box(start, np.array(last.move), LARGEST_ACCELERATION, settling.trust)
            desired, steps = self._local_step(descent, here, settling)
            desired = self._braking(start, desired, np.array(last.move), box)
        else:
            settling = settling.in_transition()
            box = self._box(start, np.array(last.move), DIRECT_ACCELERATION if planning.transition.kind == DIRECT else LARGEST_ACCELERATION)
            desired, branch, speed, box = self._transition_step(descent, start, planning.transition, last.speed, box)
            steps = 1
        kind = STAY if planning.transition is None else planning.transition.kind
        answer = self._with_aim(goal, desired, box) if kind != DIRECT else self._evaluated(goal, desired)
        if kind in (STAY, WITH_AIM):
            for acceleration, risk in _raised_accelerations(dt):
                if answer.aim_error > risk:
                    faster = self._with_aim(goal, desired, self._box(start, np.array(last.move), acceleration, settling.trust))
                    answer = faster if faster.aim_error < AIM_LOST else answer  # an acceleration that does not save the aim is not used
        if planning.transition is not None:
            stuck = float(np.abs((np.array(answer.angles) - start) / model.scale).max()) < STILL  # the aim blocks the transition
            there = stuck or arrived(model, np.array(answer.angles)[None], branch[None])[0]
            transition = None if there else Transition(planning.transition.kind, tuple(branch.tolist()))
            planning = replace(planning, transition=transition)
            speed = 0.0 if there else speed
        move = np.array(answer.angles) - start
        settled = not is_changed and planning.transition is None and float(np.abs(move / model.scale).max()) < STILL
        if settled:
            move = np.zeros_like(move)
            answer = self._evaluated(goal, start)
        kept = Memory(
            problem=problem,
            values=values,
            aims=aims,
            moving=moving,
            angles=answer.angles,
            move=tuple(move.tolist()),
            speed=speed,
            lost=last.lost + 1 if answer.aim_error > AIM_LOST else 0,
            settling=(last.settling if settled else settling).next(),
            idle=last.idle + 1 if settled else 0,
            planning=planning,
        )
        return Followed(answer, steps + answer.steps, kept)

    def _usable_memory(self, memory: object, start: Angles) -> Memory:
        """The last frame's memory; where the start is not its solution, only what it knows of other branches."""
        resting = Memory(angles=tuple(start.tolist()), move=(0.0,) * len(start))
        if not isinstance(memory, Memory) or len(memory.angles) != len(start):
            return resting
        if float(np.abs(np.array(memory.angles) - start).max()) <= STILL:
            return memory
        planning = replace(memory.planning, transition=None, simulation=None, stage=Planning().stage, searching=(), sides=(), steps=0)
        return replace(resting, aims=memory.aims, moving=memory.moving, planning=planning)

    def _reachable(self, start: Angles, trust: float) -> tuple[Angles, Angles]:
        """Angles (n,), (n,) within the joint limits and within a share of the largest movement per frame."""
        model = self.model
        reach = trust * LARGEST_MOVE * model.scale
        return np.maximum(model.lower, start - reach), np.minimum(model.upper, start + reach)

    def _box(self, start: Angles, move: Angles, acceleration: float = LARGEST_ACCELERATION, trust: float = 1.0) -> tuple[Angles, Angles]:
        """Angles (n,), (n,) within limits of speed and acceleration, from the last frame's movement `move` (n,)."""
        lower, upper = self._reachable(start, 1.0)
        change = acceleration * self.model.scale
        slowest, fastest = start + move - change, start + move + change
        if trust < 1.0:  # the trust region brakes no faster than the acceleration limit
            short, long = self._reachable(start, trust)
            lower, upper = np.maximum(lower, np.minimum(short, fastest)), np.minimum(upper, np.maximum(long, slowest))
        return np.minimum(np.maximum(lower, slowest), upper), np.maximum(np.minimum(upper, fastest), lower)

    def _local_step(self, descent: Descent, here: Candidates, settling: Settling) -> tuple[Angles, int]:
        """Angles (n,) after steps to the local optimum, without acceleration limits, and the number of steps."""
        settings = replace(WARM, proximal=settling.damping_share * WARM.proximal)
        lower, upper = self._reachable(here.angles[0], settling.trust)
        candidates, steps = here, 0
        while True:
            angles = descent.stepped(candidates, settings, lower, upper)
            steps += 1
            if steps >= WARM_STEPS or float(np.abs(angles - candidates.angles).max()) <= WARM_ENOUGH:
                return angles[0], steps
            candidates = descent.at(angles, None)

    def _braking(self, start: Angles, desired: Angles, last: Angles, box: tuple[Angles, Angles]) -> Angles:
        """`desired` (n,), or as much of the movement to it as lets each joint brake in time under the acceleration limit."""
        acceleration = LARGEST_ACCELERATION * self.model.scale
        away = desired - start
        far = np.abs(away)
        slowed = np.sign(away) * np.minimum(far, np.maximum(acceleration, np.sqrt(2.0 * acceleration * far) - 0.5 * acceleration))
        moved: Angles = np.clip(start + np.where(np.abs(away - last) <= acceleration, away, slowed), *box)
        return moved

    def _transition_step(
        self, descent: Descent, start: Angles, transition: Transition, speed: float, box: tuple[Angles, Angles]
    ) -> tuple[Angles, Angles, float, tuple[Angles, Angles]]:
        """Angles (n,) after a step of a transition, its branch (n,) now, its speed [rad per frame] and bounds."""
        model = self.model
        candidates = descent.at(np.array([tuple(start.tolist()), transition.branch]), None)
        branch = descent.stepped(candidates.pick(np.array([1])), WARM)[0]
        transitions = Transitions(np.array([transition.kind]), branch[None], np.array([speed]))
        step_goal, speeds = step_goals(model, start[None], transitions, 1, box[0][None], box[1][None])
        angles: Angles = descent.guided(candidates.pick(np.array([0])), step_goal)[0]
        return angles, branch, float(speeds[0]), (step_goal.lower[0], step_goal.upper[0])

    def _with_aim(self, goal: GazeGoal, desired: Angles, box: tuple[Angles, Angles]) -> Finished:
        """The nearest angles in the box whose aim error is below HELD, or the least error found."""
        limits = Box(box[0].tolist(), box[1].tolist())
        skeleton = self.model.skeleton
        costs = [1.0] * len(desired) if not self.model.sliding else (1.0 / self.model.scale**2).tolist()
        angles = skeleton.clamp(desired)
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
            if left.size < best.aim_error:
                best = Finished(angles, pose, left.size, steps)
        return best

    def _evaluated(self, goal: GazeGoal, desired: Angles) -> Finished:
        skeleton = self.model.skeleton
        angles = skeleton.clamp(desired)
        pose = skeleton.forward(angles)
        return Finished(angles, pose, residual(skeleton, goal, pose).size, 0)


def _rolls(aim: Aim) -> tuple[bool, bool]:
    """Whether an aim fixes the roll, and whether it prefers one."""
    return (aim.up is not None, aim.level is not None) if isinstance(aim, Direction | Point) else (False, False)


def _raised_accelerations(dt: float) -> list[tuple[float, float]]:
    """Larger acceleration limits [rad per frame^2], each with the aim error [rad] from which it may be used."""
    gentle = allowed_acceleration(dt)
    ramps = [(gentle, EXACT)] if gentle > LARGEST_ACCELERATION else []
    return ramps if gentle >= EMERGENCY_ACCELERATION else [*ramps, (EMERGENCY_ACCELERATION, AT_RISK)]
