"""One skeleton in the compiled kernel: arrays are prepared once, so that a call takes a few microseconds."""

import ctypes
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from ..aims.blocks import PoseErrors
from ..goals import GazeGoal
from ..kinematics.skeleton import Angles
from ..least_squares.bounded_step import MAX_ITERATIONS
from .aims import SIZE
from .inputs import Forecast, ModelInput, PlannedPath, SeedsInput, TransitionInput
from .library import Kernel, KernelError, check
from .structures import (
    END_ERRORS,
    Buffer,
    Correction,
    CorrectionStructure,
    Evaluation,
    FrameStructure,
    PlanStructure,
    ProblemStructure,
    Searched,
    SeedsStructure,
    SkeletonStructure,
    Tracked,
    frame_numbers,
)

# as in limber.h: number of branches that are kept from plan to plan, as many of which are simulated; largest
# number of steps in a simulation; kind of a path without a transition
POOL, MOST_STEPS, STAY = 10, 64, 1
Problem = tuple[GazeGoal, tuple[float, ...], float]  # goal, posture (n,) within limits, weight of the shape


class CompiledModel:
    """A model in the kernel, with the buffers of its calls; only one thread at a time may use it."""

    def __init__(self, kernel: Kernel, model: ModelInput) -> None:
        """Raises KernelError if the kernel does not support the skeleton."""
        self.kernel, self.model, self.n = kernel, model, len(model.lower)
        skeleton, tree, directions = model.skeleton, model.skeleton.tree, model.shape
        integers = {
            "parents": tree.parents,
            "prismatic": [kind == "prismatic" for kind in tree.kinds],
            "carriers": [each.carrier for each in directions],
            "slides": [each.slide for each in directions],
            "end_joints": [end.joint for end in skeleton.ends],
        }
        reals = {
            "rests": frame_numbers(tree.rests),
            "axes": tree.axes,
            "lower": model.lower,
            "upper": model.upper,
            "vectors": model.vectors,
            "weights": model.weights,
            "end_frames": frame_numbers(tree.ends),
        }
        arrays = {name: np.array(values, np.int32) for name, values in integers.items()} | {
            name: np.ascontiguousarray(values, float) for name, values in reals.items()
        }
        described = SkeletonStructure(
            joints=self.n,
            directions=len(directions),
            ends=len(skeleton.ends),
            hold_body=model.options.hold_body,
            reach=skeleton.reach,
            transition_speed=model.options.transition_speed,
            **{name: array.ctypes.data for name, array in arrays.items()},
        )
        size = kernel.model_bytes(ctypes.byref(described))
        self._memory = Buffer(size // 8 + 1)
        check(kernel.model(self._memory.address, size, ctypes.byref(described)))
        self._posture = Buffer(self.n)
        self._posture_written: tuple[float, ...] = ()
        self._problem = ProblemStructure(model=self._memory.address, posture=self._posture.address)
        self._address = ctypes.addressof(self._problem)
        self._aims = self._candidates = 0
        self._start, self._velocity = Buffer(self.n), Buffer(self.n)
        self._branch, self._best = Buffer(self.n), Buffer(self.n)
        self._pool, self._durations, self._goals = Buffer(POOL + 1, self.n), Buffer(MOST_STEPS), Buffer(1)
        self._moving, self._times = Buffer(1), Buffer(MOST_STEPS + 1)
        self._frame = FrameStructure(
            start=self._start.address,
            velocity=self._velocity.address,
            branch=self._branch.address,
            angles=self._best.address,
        )
        self._frame_address = ctypes.addressof(self._frame)
        self._plan = PlanStructure(
            angles=self._start.address,
            branch=self._branch.address,
            durations=self._durations.address,
            pool=self._pool.address,
        )
        self._plan_address = ctypes.addressof(self._plan)
        self._seeds: SeedsInput | None = None
        self._written_seeds = SeedsStructure()
        self._plan.seeds = self._seeds_address = ctypes.addressof(self._written_seeds)
        self._costs = Buffer(self.n)
        self._costs.write(*(1.0,) * self.n)
        self._joint_costs: tuple[float, ...] | None = None
        self._correction = CorrectionStructure(angles=self._start.address, costs=self._costs.address)
        self._correction_address = ctypes.addressof(self._correction)
        self._correction_options = (0, False, False)  # steps, `looks`, whether the shape is measured

    def pose(self, goal: GazeGoal, posture: tuple[float, ...], keep: float, candidates: int = 1) -> int:
        """Address of the written problem of a goal and a posture (n,); `keep`: weight of the shape."""
        self._problem.keep = keep
        if posture is not self._posture_written:
            self._posture.write(*posture)
            self._posture_written = posture
        return self._write_aims(goal, candidates)

    def _write_aims(self, goal: GazeGoal, candidates: int = 1) -> int:
        """Address of the problem with a goal's aims, written, and with room for `candidates` candidates."""
        aims = len(goal.ends)
        if aims != self._aims or candidates > self._candidates:
            self._make_room(aims, max(candidates, self._candidates))
        self._problem.aim = goal.kernel_address
        return self._address

    def _make_room(self, aims: int, candidates: int) -> None:
        """Makes room for these numbers of aims and candidates."""
        size = self.kernel.workspace_bytes(self._memory.address, aims, candidates)
        if not size:
            raise KernelError(
                f"{aims} aims and {candidates} candidates are more than the compiled solver takes"
            )
        self._workspace, self._errors = Buffer(size // 8 + 1), Buffer(END_ERRORS * aims)
        self._frame.errors = self._correction.errors = self._errors.address
        self._problem.workspace, self._problem.workspace_bytes = self._workspace.address, size
        self._problem.aims = self._aims = aims
        self._candidates = candidates
        n = self.n
        self._angles, self._sides, self._shape = Buffer(candidates, n), Buffer(candidates), Buffer(candidates)
        self._values = Buffer(8 * candidates + 8)
        self._error, self._columns = Buffer(6 * aims), Buffer(n * 6 * aims)
        self._matrix, self._descent = Buffer(n, n), Buffer(n)

    def _measured(self) -> PoseErrors:
        """The errors written by the last call."""
        return PoseErrors(self._errors.read())

    def forward(self, angles: Angles) -> tuple[Angles, Angles]:
        """Frames (n, 12) and axes (n, 3) of the joints at angles (n,) [rad or m]."""
        values, frames, axes = Buffer(self.n), Buffer(self.n, 12), Buffer(self.n, 3)
        values.array[:] = angles
        check(self.kernel.forward(self._memory.address, values.address, frames.address, axes.address))
        return frames.array, axes.array

    def evaluate(
        self, goal: GazeGoal, posture: tuple[float, ...], keep: float, angles: Angles, side: float = 0.0
    ) -> Evaluation:
        """Errors and derivatives of one configuration `angles` (n,) [rad or m]; `goal`, `posture` and `keep`
        as for `pose`, `side` of a symmetric end as in `ResidualBlock.errors`.
        """
        problem = self.pose(goal, posture, keep)
        self._angles.array[0] = angles
        check(
            self.kernel.evaluate(
                problem,
                self._angles.address,
                side,
                self._error.address,
                self._columns.address,
                self._matrix.address,
                self._descent.address,
                self._values.address,
            )
        )
        values = self._values.array
        rows = int(values[0])
        lower = np.tril(self._matrix.array)
        return Evaluation(
            self._error.array[:rows].copy(),
            self._columns.array[: self.n * rows].reshape(self.n, rows).copy(),
            lower + np.tril(lower, -1).T,
            self._descent.array.copy(),
            *values[1:6].tolist(),
        )

    def descend(
        self,
        goal: GazeGoal,
        posture: tuple[float, ...],
        keep: float,
        angles: Angles,
        sides: Angles,
        shape: Angles,
        steps: int,
        passes: int,
    ) -> tuple[Angles, Angles]:
        """Configurations (m, n) after `steps` large steps; and their merits, mean cosines and aim errors
        [rad], as rows (3, m).

        Args:
            goal, posture, keep: As for `pose`.
            angles, sides: Configurations (m, n) [rad or m] to start from, and their sides (m,) of a
                symmetric end.
            shape: (m,) 1, or 0 for candidates whose steps ignore the shape.
            steps: Number of steps.
            passes: Largest number of passes of the active-set method in each.
        """
        m = len(angles)
        problem = self.pose(goal, posture, keep, m)
        self._angles.array[:m], self._sides.array[:m], self._shape.array[:m] = angles, sides, shape
        check(
            self.kernel.descend(
                problem,
                m,
                self._angles.address,
                self._sides.address,
                self._shape.address,
                steps,
                passes,
                self._values.address,
            )
        )
        return self._angles.array[:m].copy(), self._values.array[: 3 * m].reshape(3, m).copy()

    def search(self, goal: GazeGoal, posture: tuple[float, ...], keep: float, seeds: SeedsInput) -> Searched:
        """The best configuration from scratch, for the shape of a posture (n,) [rad or m] within limits;
        `keep`: weight of that shape.
        """
        if seeds is not self._seeds:
            self._write_seeds(seeds)
        problem = self.pose(goal, posture, keep, self._search_room)
        best, values = self._best, self._values
        check(
            self.kernel.search(
                problem, self._seeds_address, best.address, self._errors.address, values.address
            )
        )
        aim_error, steps = values.array[:2].tolist()
        return Searched(best.copy(), aim_error, int(steps), self._measured())

    def correct(
        self,
        goal: GazeGoal,
        posture: tuple[float, ...] | None,
        start: Sequence[float] | Angles,
        costs: tuple[float, ...] | None = None,
        steps: int = MAX_ITERATIONS,
        looks: bool = True,
    ) -> Correction:
        """Angles `start` (n,) with their aim corrected exactly, in at most `steps` steps.

        Args:
            goal: The goal.
            posture: Posture (n,) from which the shape deviation is measured; None: it is not measured.
            start: Angles (n,) [rad or m].
            costs: Costs (n,) of the joints; None: all 1.
            steps: Largest number of steps; 0: the start is only evaluated.
            looks: Whether only the views are corrected if a chain cannot also be upright.
        """
        problem = self._write_aims(goal) if posture is None else self.pose(goal, posture, 1.0)
        correction = self._correction
        self._start.write(*start)
        if costs is not self._joint_costs:
            self._costs.write(*(costs or (1.0,) * self.n))
            self._joint_costs = costs
        options = steps, looks, posture is not None
        if options != self._correction_options:
            correction.most_steps, correction.looks, correction.measures_shape = options
            self._correction_options = options
        check(self.kernel.correct(problem, self._correction_address))
        return Correction(
            self._start.copy(), correction.aim_error, correction.cosine, correction.steps, self._measured()
        )

    def local_frame(
        self,
        problem: Problem,
        start: Sequence[float],
        velocity: Sequence[float],
        dt: float,
        trust: float,
        damping: float,
    ) -> Tracked:
        """The next frame's angles (n,) [rad or m] by a local step from `start` (n,) with the velocity (n,)
        [per s] of the last frame; `dt`: duration [s] of the frame; `trust` and `damping`: factors of the
        trust region and of the inertia of local steps.
        """
        frame = self._frame
        address = self.pose(*problem)
        self._start.write(*start)
        self._velocity.write(*velocity)
        frame.dt, frame.trust, frame.damping = dt, trust, damping
        check(self.kernel.local_frame(address, self._frame_address))
        return self._tracked(None, 0.0)

    def transition_frame(
        self,
        problem: Problem,
        start: Sequence[float],
        velocity: Sequence[float],
        dt: float,
        transition: TransitionInput,
        speed: float,
        is_still: bool,
    ) -> Tracked:
        """The next frame's angles (n,) [rad or m] by a step of a transition, and the transition after this
        step. `speed`: speed [rad/s] of the transition so far; `is_still`: whether the goal stands still;
        other arguments as for `local_frame`.
        """
        frame = self._frame
        address = self.pose(*problem)
        self._start.write(*start)
        self._velocity.write(*velocity)
        self._branch.write(*transition.branch)
        frame.dt, frame.trust, frame.damping = dt, 1.0, 1.0
        frame.kind, frame.speed, frame.is_still = transition.kind, speed, is_still
        check(self.kernel.transition_frame(address, self._frame_address))
        branch = None if frame.kind == STAY else self._branch.read()
        return self._tracked(branch, frame.speed)

    def _tracked(self, branch: tuple[float, ...] | None, speed: float) -> Tracked:
        """The result of a frame, with `branch` and `speed` of the transition in progress as for `Tracked`."""
        frame = self._frame
        return Tracked(
            self._best.read(),
            frame.aim_error,
            frame.merit,
            frame.steps,
            branch,
            speed,
            self._measured(),
        )

    def plan(
        self,
        problem: Problem,
        forecast: Forecast,
        lead: float,
        durations: tuple[float, ...],
        seeds: SeedsInput,
        path: PlannedPath,
    ) -> tuple[Angles, int | None, tuple[float, ...]]:
        """A plan of transitions between branches.

        Args:
            problem: The current goal, the posture and the weight of the shape.
            forecast: Forecast of the goal.
            lead: Time [s] from now for which branches are followed.
            durations: Durations [s] of a simulation's steps.
            seeds: Starting configurations of branches.
            path: Start of the plan: configuration, and the transition in progress.

            Returns:
                The best starts on different branches (b, n); the kind of the chosen transition, None if the
                transition in progress continues; the branch (n,) of the transition.
        """
        plan, steps, ends = self._plan, len(durations), len(problem[0].ends)
        if seeds is not self._seeds:
            self._write_seeds(seeds)
        address = self.pose(*problem, self._plan_room)
        self._write_goals(forecast, ends, (lead, *accumulate(durations)))
        self._problem.aim = self._goals.address
        self._start.write(*path.angles)
        self._durations.array[:steps] = durations
        self._branch.write(*(path.branch or path.angles))
        plan.pooled = 0 if path.known is None else len(path.known)
        if path.known is not None:
            self._pool.array[: plan.pooled] = path.known
        plan.goals, plan.steps = self._goals.address + 8 * SIZE * ends, steps
        plan.dt, plan.speed, plan.hysteresis, plan.kind = path.dt, path.speed, path.hysteresis, path.kind
        plan.is_lasting, plan.is_straight_only = path.is_lasting, path.is_straight_only
        check(self.kernel.plan(address, self._plan_address))
        pool = self._pool.array[: plan.pooled].copy()
        return pool, plan.kind if plan.is_new else None, self._branch.read()

    def _write_seeds(self, seeds: SeedsInput) -> None:
        """Writes the starting configurations of branches to memory."""
        count = len(seeds.spread)
        self._spread, self._mirror = Buffer(count, self.n), Buffer(self.n)
        self._spread.array[:], self._mirror.array[:] = seeds.spread, seeds.mirror
        written = self._written_seeds
        written.spreads, written.spread, written.mirror = count, self._spread.address, self._mirror.address
        self._seeds, self._search_room = seeds, 2 * (16 + count) + 16  # LIMBER_SEARCH of limber.h
        starts = POOL + 1 + 2 * (16 + count) + 4 * self.n  # LIMBER_STARTS of limber.h
        self._plan_room = max(starts, (POOL + 1) * (MOST_STEPS + 1))

    def _write_goals(self, forecast: Forecast, ends: int, times: tuple[float, ...]) -> None:
        """Writes the goals forecast for `times` [s] from now to the buffer of goals."""
        count = len(times) * ends * SIZE
        if count > len(self._goals.array):
            self._goals, self._moving = Buffer(count), Buffer(6 * ends)
        if forecast.ahead:
            self._goals.memory[: 8 * count] = b"".join(forecast.at(time).kernel_numbers for time in times)
            return
        self._moving.array[: 6 * ends] = [
            number for velocity in forecast.moving for vector in velocity for number in vector
        ]
        self._times.array[: len(times)] = [forecast.time_of(time) for time in times]
        aim, moving, when = self._problem.aim, self._moving.address, self._times.address
        check(self.kernel.forecast(aim, moving, ends, when, len(times), self._goals.address))
