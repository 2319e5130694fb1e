"""Simulates the coming frames of staying and of transitions to other branches, to choose the cheapest. Knows no Blender.

All paths advance together, some steps per frame, while their branches track the forecast goals. A path's cost is its shape deviation and,
with a much larger weight, its aim error. The simulation is a value: equal inputs give equal results, bit for bit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kinematics.skeleton import Angles
from .descent import Candidates, StepGoal
from .model import ARRIVAL_DISTANCE, DIRECT_ACCELERATION, LARGEST_ACCELERATION, LARGEST_MOVE, Indices, Model
from .prediction import FrameContext

STAY, WITH_AIM, DIRECT = range(3)
"""Kinds: no transition; toward the branch while the aim is held; straight to the branch, whatever the aim."""
KINDS = (WITH_AIM, DIRECT)

Floats = tuple[float, ...]
"""Joint angles, or other numbers, as an immutable value."""


@dataclass(frozen=True)
class Transition:
    """A transition in progress."""

    kind: int
    branch: Floats  # (n,) configuration of the target branch


class Transitions(NamedTuple):
    """Transitions of m candidates."""

    kinds: Indices  # (m,)
    goals: Angles  # (m, n) configurations of the target branches
    speeds: Angles  # (m,) [rad a frame]


def step_goals(
    model: Model, angles: Angles, transitions: Transitions, frames: int, lower: Angles, upper: Angles
) -> tuple[StepGoal, Angles]:
    """Objectives of one step of `frames` frames for candidates at `angles` (m, n) within bounds (m, n), and their speeds (m,) after it."""
    is_moving = transitions.kinds != STAY
    away = np.where(is_moving[:, None], transitions.goals - angles, 0.0)
    far = np.abs(away) / model.scale
    left = np.maximum(far.max(1), ARRIVAL_DISTANCE)
    fastest = min(LARGEST_MOVE, model.options.glide_speed)
    acceleration = np.where(transitions.kinds == DIRECT, DIRECT_ACCELERATION, LARGEST_ACCELERATION)
    brake = np.maximum(acceleration, np.sqrt(2.0 * acceleration * left) - 0.5 * acceleration)
    travel = frames * np.minimum(np.minimum(fastest, transitions.speeds + 0.5 * (frames + 1) * acceleration), brake)
    toward = away * np.minimum(1.0, travel / left)[:, None]
    staying = np.where(is_moving, 0.0, 1.0)
    step_goal = StepGoal(toward, staying, np.where(transitions.kinds == DIRECT, 0.0, 1.0), np.ones(len(angles)), lower, upper)
    return step_goal, np.where(is_moving, np.minimum(np.minimum(fastest, brake), transitions.speeds + frames * acceleration), 0.0)


def arrived(model: Model, angles: Angles, goals: Angles) -> NDArray[np.bool_]:
    """Which candidates (m,) are so near their branch that local steps go on alone."""
    there: NDArray[np.bool_] = (np.abs(angles - goals) / model.scale).max(1) < ARRIVAL_DISTANCE
    return there


def as_tuples(angles: Angles) -> tuple[Floats, ...]:
    """The configurations (m, n) as immutable tuples."""
    return tuple(tuple(row) for row in angles.tolist())


HORIZON = 40  # simulated frames: a transition of half a turn takes 30
DELAY = 2  # frames before a new transition begins in a simulation: as many as planning takes
# The same for solvers that share frames (`PlanSlot.sharing`), in their own frames: from selection to choice it takes 4 of two solvers, 3 of
# three, 2 of four. The longest serves all: a transition simulated from too early a start begins where the joints no longer are, and that
# costs more than one that begins late.
SHARED_DELAY = 4
STRIDE = 2  # frames per simulation step: coarser steps misjudge the aim error of transitions
NEAR_FUTURE = 14  # simulated frames with that step: a fast transition has arrived by then
FAR_STRIDE = 6  # frames per step afterwards
WORK = 10000  # joint values simulated per frame, with STEP_WORK: two or three milliseconds in numpy
LESS_WORK = 5000  # the same for solvers that share frames, since others use the time too
STEP_WORK = 1500  # overhead of one simulation step, in joint values
TAIL = 30  # frames for which the final state counts on, so that permanent loss costs enough
BRANCH_PROXIMAL = 0.1  # proximal weight of branches in a simulation: they converge freely
AIM_COST = 30.0  # degrees of shape deviation that one degree of aim error costs
LOST_COST = 90.0  # [deg of shape deviation] cost of a frame whose aim error is AIM_LOST or more
AIM_TOLERANCE = math.radians(0.5)  # [rad] aim error that costs nothing: that of coarse steps
AIM_LOST = math.radians(1)  # [rad] aim error from which the aim counts as lost
PATIENCE = 10  # frames without aim, after which only direct transitions may be chosen: holding the aim may block the others
HYSTERESIS = 1.0  # [deg of shape deviation] by which another choice must be cheaper


@dataclass(frozen=True)
class Simulation:
    """Paths simulated over `frames` frames: `candidates` holds the branches, then one configuration for each path."""

    branches: tuple[Floats, ...]  # (n,) each, where they were at the start
    candidates: tuple[Floats, ...]
    planned_kinds: tuple[int, ...]  # kind of transition of each path at the start
    kinds: tuple[int, ...]  # the same now: STAY after arrival
    goal_branches: tuple[int, ...]  # index of each path's branch
    speeds: tuple[float, ...]
    costs: tuple[float, ...]  # [deg of shape deviation x frames]
    frames: int = 0
    age: int = 0  # frames of real time since the start
    under_way: bool = False  # whether the first branch is that of the transition in progress

    @property
    def is_done(self) -> bool:
        return self.frames >= HORIZON

    def cheapest(self, transition: Transition | None, lost: int) -> Transition | None:
        """The cheapest transition, with a bonus for `transition`, the one in progress; None: stay.

        `lost` counts the frames since the aim was last met.
        """
        current = self._current(transition)
        biased = np.array(self.costs) / (HORIZON + TAIL) + HYSTERESIS
        biased[current] -= HYSTERESIS
        if lost > PATIENCE:
            biased[np.array(self.planned_kinds) == WITH_AIM] = np.inf
        best = int(np.argmin(biased))
        if best == current:
            return transition
        return None if self.planned_kinds[best] == STAY else Transition(self.planned_kinds[best], self.branches[self.goal_branches[best]])

    def _current(self, transition: Transition | None) -> int:
        """Index of the path of the transition in progress; 0, staying, where there is none."""
        if transition is None or not self.under_way:
            return 0
        pairs = zip(self.planned_kinds, self.goal_branches, strict=True)
        return next(path for path, pair in enumerate(pairs) if pair == (transition.kind, 0))


class Simulator:
    """Simulates staying and transitions on one skeleton; the caller keeps the state."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def begin(self, branches: Sequence[Floats], transition: Transition | None, context: FrameContext) -> Simulation:
        """A new simulation: staying, and each kind of transition to each branch. The branch of `transition`, if any, must come first."""
        start, speed = self._start_of(transition, context)
        kinds = (STAY, *(kind for _ in branches for kind in KINDS))
        return Simulation(
            branches=tuple(branches),
            candidates=(*branches, *(start for _ in kinds)),
            planned_kinds=kinds,
            kinds=kinds,
            goal_branches=(0, *(index for index in range(len(branches)) for _ in KINDS)),
            speeds=(speed,) * len(kinds),
            costs=(0.0,) * len(kinds),
            frames=_delay(context),
            under_way=transition is not None,
        )

    def advance(self, old: Simulation, context: FrameContext) -> Simulation:
        """The simulation after one frame's share of work."""
        count = len(old.branches)
        kinds, goal_branches = np.array(old.kinds), np.array(old.goal_branches)
        angles, speeds, costs = np.array(old.candidates), np.array(old.speeds), np.array(old.costs)
        frames, age = old.frames, old.age + 1
        work = WORK if context.slot.sharing == 1 else LESS_WORK
        for _ in range(max(1, work // (STEP_WORK + angles.size))):
            stride = STRIDE if frames < NEAR_FUTURE else FAR_STRIDE
            frames += stride
            descent = context.descent(self.model, frames - age)
            candidates = descent.at(angles, None)
            step_goal, speeds = self._step_goal(candidates, count, Transitions(kinds, angles[goal_branches], speeds), stride)
            angles = descent.guided(candidates, step_goal)
            # The aim error left by a step, from its own linear model.
            left = candidates.error - ((angles - candidates.angles)[:, None] @ candidates.columns)[:, 0]
            aim_error = np.maximum(0.0, np.sqrt((left[count:] ** 2).sum(1)) - AIM_TOLERANCE)
            cosine = candidates.cosine[count:]
            # the loss of rolls may exceed that of all directions
            shape = np.arccos(np.clip(cosine, -1.0, 1.0)) + np.maximum(0.0, -1.0 - cosine)
            weight = stride + (TAIL if frames >= HORIZON else 0)
            costs += weight * (
                np.degrees(context.authored.keep * shape + AIM_COST * aim_error) + LOST_COST * np.minimum(1.0, aim_error / AIM_LOST)
            )
            kinds = np.where(arrived(self.model, angles[count:], angles[goal_branches]), STAY, kinds)
            if frames >= HORIZON:
                break
        return replace(
            old,
            candidates=as_tuples(angles),
            kinds=tuple(kinds.tolist()),
            speeds=tuple(speeds.tolist()),
            costs=tuple(costs.tolist()),
            frames=frames,
            age=age,
        )

    def _start_of(self, transition: Transition | None, context: FrameContext) -> tuple[Floats, float]:
        """Configuration and speed [rad per frame] after the planning delay, if `transition` goes on meanwhile."""
        speeds = np.array([context.speed])
        candidates = (
            [context.angles.tolist(), context.angles.tolist()] if transition is None else [transition.branch, context.angles.tolist()]
        )
        angles, kinds = np.array(candidates), np.array([STAY if transition is None else transition.kind])
        stride = STRIDE * context.slot.sharing
        for frames in range(stride, _delay(context) + 1, stride):
            descent = context.descent(self.model, frames - 1)
            there = descent.at(angles, None)
            step_goal, speeds = self._step_goal(there, 1, Transitions(kinds, angles[:1], speeds), stride)
            angles = descent.guided(there, step_goal)
            kinds = np.where(arrived(self.model, angles[1:], angles[:1]), STAY, kinds)
        return tuple(angles[1].tolist()), float(speeds[0])

    def _step_goal(self, candidates: Candidates, count: int, transitions: Transitions, stride: int) -> tuple[StepGoal, Angles]:
        """Step objectives and new speeds: branches follow shape and aim, paths their transitions within the speed limit."""
        model, free = self.model, np.zeros(count)
        room = stride * LARGEST_MOVE * model.scale
        lower = np.maximum(model.lower, candidates.angles - room)
        upper = np.minimum(model.upper, candidates.angles + room)
        step_goal, speeds = step_goals(model, candidates.angles[count:], transitions, stride, lower[count:], upper[count:])
        one = free + 1.0
        return StepGoal(
            np.concatenate([np.zeros((count, step_goal.toward.shape[1])), step_goal.toward]),
            np.concatenate([one, step_goal.shape]),
            np.concatenate([one, step_goal.aim]),
            np.concatenate([free + BRANCH_PROXIMAL, step_goal.proximal]),
            np.concatenate([np.broadcast_to(model.lower, (count, len(model.lower))), step_goal.lower]),
            np.concatenate([np.broadcast_to(model.upper, (count, len(model.upper))), step_goal.upper]),
        ), speeds


def _delay(context: FrameContext) -> int:
    return DELAY if context.slot.sharing == 1 else SHARED_DELAY * context.slot.sharing
