"""Inverse and forward kinematics of a mechanism with closed loops.

A mechanism is assembled into a solver once; each solve is a function of goals, state and time, without side
effects. Lengths in "sizes" are multiples of the mechanism's size (see `tree.SpanningTree`). Source:
docs/mechanisms.md.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from ..kernel.library import kernel
from ..kinematics.se3 import Array, RigidTransform, frame_array, orthonormal
from ..kinematics.tree import Frames, Indices, Mask
from ..limits import JointState, Limit, PositionLimit, VelocityLimit, bounds
from ..tasks import JointValues, Kinematics, Task
from ..tolerances import EXACT, LONGEST_FRAME, MET, SHORTEST_FRAME
from .branches import Branch, Branches
from .compiled import CompiledSolve
from .continuation import continued
from .descent import CLOSE_ENOUGH, Configuration, CurvedStep, Descent
from .goals import NO_REGULARISER, Goals
from .loops import Loops
from .model import Mechanism, MechanismError
from .objectives import Objectives, by_full_rotations, stacked
from .readout import coordinates_at, values_of
from .solution import AssemblyState, MechanismSolution, SolveReport
from .tree import SpanningTree
from .waypoints import waypoints

ITERATIONS = 20  # largest number of steps in a frame; three are usual from the last frame's state


class MechanismSolver:
    """Solver of one mechanism; each solve depends only on its goals and state."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.tree = SpanningTree(mechanism)
        self.loops = Loops(self.tree, self.tree.closures)
        self.lower, self.upper, self.velocity = self._limits()
        self.limits: tuple[Limit, ...] = (VelocityLimit(self.velocity), PositionLimit())
        self.has_limits = bool(np.isfinite([self.lower, self.upper]).any())
        self.has_speeds = bool(np.isfinite(self.velocity).any())
        self.objectives = Objectives(mechanism, self.tree)
        library = kernel()
        self.compiled = (
            None
            if library is None
            else CompiledSolve(
                library,
                mechanism,
                self.tree,
                self.loops,
                (self.lower, self.upper, self.velocity),
                self.actuated,
            )
        )

    def _limits(self) -> tuple[Array, Array, Array]:
        """Lower, upper and velocity limits of the coordinates, (v,) each; infinite if there are none."""
        lower, upper, velocity = np.full((3, len(self.tree)), [[-np.inf], [np.inf], [np.inf]])
        for joint in self.mechanism.joints:
            coordinates = self.tree.passage(joint.name).coordinates
            for array, of_joint in ((lower, joint.lower), (upper, joint.upper), (velocity, joint.velocity)):
                if of_joint:
                    array[coordinates] = of_joint[: len(coordinates)]
        return lower, upper, velocity

    @cached_property
    def actuated(self) -> Indices:
        """Indices (m,) of the coordinates that actuators drive."""
        return np.concatenate(
            [
                np.zeros(0, np.intp),
                *(self.tree.all_coordinates(joint.name) for joint in self.mechanism.actuators),
            ]
        )

    @cached_property
    def branches(self) -> Branches:
        """Tracker of this mechanism's assembly modes."""
        return Branches(self.loops.clusters, self.actuated, self.tree.unit)

    # -- states --

    def state_at(self, poses: Mapping[str, RigidTransform]) -> AssemblyState:
        """The state nearest to the given poses of bodies in the world; its loops can be open."""
        values, balls = coordinates_at(self.mechanism, self.tree, poses)
        return AssemblyState(self._within(values, self.lower, self.upper), balls)

    def rest(self) -> AssemblyState:
        """The state with bodies at their rest poses, or without these with every joint at 0, within
        limits.
        """
        return self.state_at(
            {body.name: body.start for body in self.mechanism.bodies if body.start is not None}
        )

    def poses(self, state: AssemblyState) -> Array:
        """Poses (b, 4, 4) of the bodies in the world for a state."""
        return self._bodies(self.tree.forward(state.values, balls=state.balls))

    def values(self, state: AssemblyState, joint: str) -> tuple[float, ...]:
        """A joint's values [rad, m], continuous over full rotations. Raises KeyError if the joint closes a
        loop and has no actuator or limit.
        """
        return values_of(self.tree, joint, state.values, state.balls)

    def _bodies(self, frames: Frames) -> Array:
        return self.tree.placed(frames, self.tree.bodies)

    def _within(self, values: Array, lower: Array, upper: Array) -> Array:
        """Values (v,) moved into limits, by full rotations if possible."""
        if ((values >= lower) & (values <= upper)).all():
            return values
        within: Array = np.clip(by_full_rotations(values, lower, upper, self.tree.slides), lower, upper)
        return within

    # -- solving --

    def solve(
        self,
        goals: Goals,
        state: AssemblyState,
        dt: float | None = None,
        iterations: int = ITERATIONS,
        evaluations: int | None = None,
    ) -> MechanismSolution:
        """The solution nearest to the goals with closed loops, from the last frame's state.

        Args:
            goals: Goals of this frame.
            state: State of the last frame, or one from `assemble`.
            dt: Time [s] since the last frame, above 0, for speed limits; None: without speed limits.
            iterations: Maximum number of steps.
            evaluations: Approximate budget of evaluated configurations; None: no limit. The next frame
                continues from the result.

        Returns:
            The nearest closed pose found. If the loops cannot be closed, `report.assembled` is False.

        Raises:
            MechanismError: a goal is for a body or joint that does not exist, an actuator has a wrong number
                of values, a body that is not driven is given a pose, the centre of mass has a goal although
                no body has a mass, or `dt` is not a valid duration.
        """
        if dt is not None and not SHORTEST_FRAME <= dt <= LONGEST_FRAME:
            raise MechanismError(
                f"the time since the last frame must be above 0 and finite, from {SHORTEST_FRAME:g} to"
                f" {LONGEST_FRAME:g} s, got {dt} s: give None where no speed limit holds"
            )
        answer = self._solved(goals, state, dt, iterations, evaluations)
        if not answer.report.flipped or goals.frames or goals.centres or state.regular is None:
            return answer
        # An actuator is commanded past its dead point, where two assemblies meet, or returns from there in
        # the other assembly.
        again = self._solved(
            goals, replace(state.regular, regular=state.regular), dt, iterations, evaluations
        )
        if not again.report.flipped:
            return again
        if answer.report.goal_error <= MET:
            return answer
        # Only a rounding error has led past the dead point: the assembly counts as unchanged, since the
        # actuator will return in the same one.
        state_before_flip = replace(answer.state, branch=state.branch, regular=state.regular)
        return replace(answer, state=state_before_flip, report=answer.report._replace(flipped=False))

    def _solved(
        self, goals: Goals, state: AssemblyState, dt: float | None, iterations: int, evaluations: int | None
    ) -> MechanismSolution:
        """The solution for valid goals, by the kernel if it supports them all; arguments as for `solve`."""
        if self.compiled is not None:
            tasks_of_goals = self.compiled.goals(goals, self.objectives)
            if tasks_of_goals is not None:
                return self._solved_by_kernel(
                    self.compiled, tasks_of_goals, goals, state, dt, iterations, evaluations
                )
        return self._solved_in_python(goals, state, dt, iterations, evaluations)

    def _solved_in_python(
        self, goals: Goals, state: AssemblyState, dt: float | None, iterations: int, evaluations: int | None
    ) -> MechanismSolution:
        """Same as `_solved`, without the kernel."""
        driven, bounds = self.driven_poses(goals), self._bounds(state, dt)
        values = self._within(state.values, *bounds)
        commanded, balls = self.objectives.of_actuators(goals, values, self.lower, self.upper)
        tasks: list[Task] = [
            *self.objectives.of_goals(goals),
            *(task for task in (commanded, balls) if task is not None),
        ]
        regularisers = self._regularisers(goals, state, dt)
        descent = Descent(self.tree, self.loops, [*tasks, *regularisers], driven, bounds, state.damping)
        start = descent.evaluate(values, state.balls)
        start, branch, flipped = self._approached(descent, start, commanded, state.branch, iterations)
        descent.first = None
        descent.last = state.motion.over(dt) if dt is not None and state.motion is not None else None
        descent.most = math.inf if evaluations is None else descent.evaluations + evaluations
        configuration, settled, count = descent.go(start, iterations)
        if start.open <= EXACT and 0.0 < start.square <= configuration.square:
            # steps are compared with nearly closed loops: closing the loops can undo their apparent gain
            configuration, settled = start, True
        motion = None
        if dt is not None and configuration.open <= CLOSE_ENOUGH:
            if descent.last is not None and self._is_moved_by_bodies(goals) and not regularisers:
                other = continued(
                    descent, start, configuration, descent.last.first + descent.last.rest, iterations
                )
                configuration, settled = (configuration, settled) if other is None else (other, True)
            moved = descent.difference(start, configuration)
            first = moved if descent.first is None else descent.first
            motion = CurvedStep(first, moved - first, dt)
        branch, over = self._followed(branch, configuration)
        flipped |= over
        return self._answer(
            descent, tasks, configuration, motion, branch, state.regular, settled, count, flipped
        )

    def _regularisers(self, goals: Goals, state: AssemblyState, dt: float | None) -> list[Task]:
        """Tasks that regularise the movement from the last frame's state; empty if no weight of the
        regulariser is above 0.
        """
        if goals.regulariser_weights == NO_REGULARISER:
            return []
        frames = self.tree.forward(state.values, balls=state.balls)
        return list(self.objectives.of_regularisers(goals.regulariser_weights, frames, dt))

    def _approached(
        self,
        descent: Descent,
        start: Configuration,
        commanded: JointValues | None,
        last: Branch | Array | None,
        iterations: int,
    ) -> tuple[Configuration, Branch | None, bool]:
        """(configuration, its assembly mode, whether the mode has changed on the way) after small steps from
        `start` toward distant commands of actuators, since small steps keep the mode; `start` if none is
        distant. `last`: the last frame's mode; if None or the kernel's numbers, the mode at `start` counts.
        """
        branch, flipped = last if isinstance(last, Branch) else None, False
        if branch is None:
            branch, flipped = self._followed(None, start)
        if commanded is None:
            return start, branch, flipped
        target = commanded.desired
        for waypoint in waypoints(commanded, start.values):
            commanded.desired = waypoint
            start, _, _ = descent.go(descent.evaluate(start.values, start.balls), iterations)
            commanded.desired = target
            start = descent.evaluate(start.values, start.balls)
            branch, over = self._followed(branch, start)
            flipped |= over
        return start, branch, flipped

    def _is_moved_by_bodies(self, goals: Goals) -> bool:
        """Whether goals of bodies (not of actuators) move actuators."""
        return bool(goals.frames or goals.centres) and len(goals.actuators) < len(self.mechanism.actuators)

    def _solved_by_kernel(
        self,
        compiled: CompiledSolve,
        tasks_of_goals: bytes,
        goals: Goals,
        state: AssemblyState,
        dt: float | None,
        iterations: int,
        evaluations: int | None,
    ) -> MechanismSolution:
        """Same as `_solved`, by the kernel; tasks as returned by `CompiledSolve.goals`."""
        task = compiled.task
        task.continues = self._is_moved_by_bodies(goals)
        task.iterations, task.evaluations = iterations, -1 if evaluations is None else evaluations
        after, poses = compiled.solve(tasks_of_goals, goals, self.driven_poses(goals), dt, state)
        limiting: tuple[str, ...] = ()
        if task.any_held:
            at_bound, least, most = compiled.mechanism.held()
            limiting = tuple(self._sentences_on_limits(at_bound, least, most, after.values))
        residual, worst = task.residual, task.worst
        report = SolveReport(
            residual <= MET,
            bool(task.is_settled),
            residual,
            self.loops.names[worst] if worst >= 0 else "",
            task.goal_error,
            limiting,
            task.steps,
            bool(task.is_flipped),
        )
        return MechanismSolution(after, poses, report)

    def closed_by_kernel(
        self, compiled: CompiledSolve, start: AssemblyState, goals: Goals, iterations: int
    ) -> AssemblyState:
        """The state after steps that close the loops within limits, without regard to goals."""
        compiled.task.iterations, compiled.task.evaluations, compiled.task.continues = iterations, -1, False
        driven = Goals(driven=goals.driven)
        pose = AssemblyState(start.values, start.balls, start.damping)
        after, _ = compiled.solve(b"", driven, self.driven_poses(driven), None, pose, closes_only=True)
        return AssemblyState(after.values, after.balls)

    def _followed(self, branch: Branch | None, configuration: Configuration) -> tuple[Branch | None, bool]:
        """(assembly mode at a configuration, whether a loop has changed to another since the mode `branch`);
        while the loops are open (`branch`, False), so that the mode is None until they have been closed.
        """
        if configuration.open > CLOSE_ENOUGH:
            return branch, False
        if branch is None:
            return self.branches.begin(configuration.shape.loops[1], configuration.values), False
        return self.branches.follow(branch, configuration.shape.loops[1], configuration.values)

    def driven_poses(self, goals: Goals) -> dict[int, Array]:
        """Poses (4, 4) of driven bodies by index; raises MechanismError if a posed body is not driven."""
        poses = {}
        for name, pose in goals.driven.items():
            if (
                name not in self.mechanism.body_index
                or not self.mechanism.bodies[self.mechanism.body_index[name]].driven
            ):
                driven = ", ".join(body.name for body in self.mechanism.bodies if body.driven) or "none"
                raise MechanismError(
                    f"body '{name}' is given a pose but is not driven: the driven bodies are {driven}"
                )
            poses[self.mechanism.body_index[name]] = frame_array(pose)
        return poses

    def _bounds(self, state: AssemblyState, dt: float | None) -> tuple[Array, Array]:
        """Least and largest coordinates (v,) [rad, m], `dt` [s] after `state`; without `dt`, at any time."""
        if dt is None or not self.has_speeds:
            return self.lower, self.upper
        start = np.clip(state.values, self.lower, self.upper)
        return bounds(self.limits, JointState(start, np.zeros(0), self.lower, self.upper), dt)

    def _answer(
        self,
        descent: Descent,
        tasks: list[Task],
        configuration: Configuration,
        motion: CurvedStep | None,
        branch: Branch | None,
        regular: AssemblyState | None,
        settled: bool,
        count: int,
        flipped: bool,
    ) -> MechanismSolution:
        """The solution of a frame from its last configuration, with the errors of `tasks`, which are the
        goals' tasks without the regularisers.
        """
        sizes = self.loops.sizes(configuration.shape.frames, descent.driven)
        worst = int(np.argmax(sizes)) if len(sizes) else -1
        residual, name = (float(sizes[worst]), self.loops.names[worst]) if len(sizes) else (0.0, "")
        error = configuration.goals[0]
        if len(descent.tasks) > len(tasks):
            at = Kinematics(
                configuration.shape.frames,
                configuration.shape.screws,
                configuration.values,
                configuration.balls,
            )
            error, _ = stacked(tasks, at, len(self.tree))
        at_limits: tuple[str, ...] = ()
        if descent.held.any():
            limits = descent.held, descent.lower, descent.upper, configuration.values
            at_limits = tuple(self._sentences_on_limits(*limits))
        balls = orthonormal(configuration.balls) if configuration.balls.size else configuration.balls
        if branch is not None and (flipped or branch.is_regular):
            regular = AssemblyState(configuration.values, balls, descent.damping.share, None, branch)
        state = AssemblyState(configuration.values, balls, descent.damping.share, motion, branch, regular)
        report = SolveReport(
            residual <= MET, settled, residual, name, float(np.sqrt(error @ error)), at_limits, count, flipped
        )
        return MechanismSolution(state, self._bodies(configuration.shape.frames), report)

    def _sentences_on_limits(self, at_bound: Mask, least: Array, most: Array, values: Array) -> list[str]:
        """Sentences on the joints at a bound that the goals would carry them over.

        Args:
            at_bound: (v,) whether a coordinate is at a bound.
            least, most: (v,) bounds of the frame, from limits of position and speed.
            values: (v,) values of the coordinates [rad, m].
        """
        sentences = []
        for name, passage in self.tree.passages.items():
            for c in passage.coordinates[at_bound[passage.coordinates]].tolist():
                value, unit = float(values[c]), "mm" if self.tree.slides[c] else "degrees"
                per_unit = 1e3 if self.tree.slides[c] else math.degrees(1.0)
                for word, bound, limit in (
                    ("lower", least[c], self.lower[c]),
                    ("upper", most[c], self.upper[c]),
                ):
                    if abs(value - bound) <= EXACT * self.tree.unit[c]:
                        speed = f"its speed limit of {per_unit * self.velocity[c]:.6g} {unit}/s"
                        what = (
                            f"its {word} limit of {per_unit * limit:.6g} {unit}" if bound == limit else speed
                        )
                        sentences.append(f"joint '{name}' is at {what}")
        return sentences
