"""A mechanism's solve in the compiled kernel, for goals whose tasks the kernel supports."""

from collections.abc import Callable
from functools import lru_cache, partial
from struct import Struct
from typing import Any

import numpy as np

from ..kernel.library import Kernel
from ..kernel.mechanism import ClosureInput, CompiledMechanism, MechanismInput
from ..kinematics.rotations import IDENTITY, to_matrix
from ..kinematics.se3 import Array
from ..kinematics.tree import Indices
from ..tasks import CentreOfMass, DirectionTask, Ends, OrientationTask, PositionTask
from .descent import CurvedStep
from .goals import NO_REGULARISER, Goals
from .kinds import KINDS
from .loops import Loops
from .model import Mechanism
from .objectives import Objectives
from .solution import AssemblyState
from .tree import SpanningTree

# numbers of `enum limber_task`, as bytes
POSITION, ORIENTATION, AXIS, CENTRE, VALUE, BALL = (Struct("d").pack(k) for k in range(6))
# bytes of the other fields of `struct limber_mechanism_goal`, all 0 if a task does not have them
END, TARGET = Struct("16d").pack, Struct("9d").pack
INDEX, POINT, NUMBER = Struct("d120x").pack, Struct("3d48x").pack, Struct("d64x").pack
# bytes of a centre of mass as an end: -1 for its joint, zeros, square roots of the weights
CENTRE_END = Struct("d96x3d").pack
IS_REGULAR = 1  # index in a solve's `branch` of the flag for a regular assembly mode


class CompiledSolve:
    """Solves of one mechanism; only one thread at a time may use it."""

    def __init__(
        self,
        library: Kernel,
        mechanism: Mechanism,
        tree: SpanningTree,
        loops: Loops,
        limits: tuple[Array, Array, Array],
        actuated: Indices,
    ) -> None:
        """`limits`: lower, upper and velocity limits, (v,) each; `actuated`: indices of the coordinates that
        actuators drive.
        """
        bodies = mechanism.bodies
        masses = np.array([body.mass for body in bodies])
        self.tree = tree
        self.driven = [k for k, body in enumerate(bodies) if body.driven]
        closures = [
            ClosureInput(
                closure.on_parent,
                closure.on_child,
                sum(1 << row for row in KINDS[closure.kind].rows),
                self.driven.index(closure.driven) if closure.driven >= 0 else -1,
                cluster,
            )
            for closure, cluster in zip(tree.closures, loops.clusters.cluster_of, strict=True)
        ]
        self.mechanism = CompiledMechanism(
            library,
            MechanismInput(
                tree,
                tree.size,
                len(bodies),
                len(self.driven),
                closures,
                len(loops.clusters),
                limits,
                actuated,
                masses / (masses.sum() or 1.0),
                np.array([body.centre for body in bodies]).reshape(-1, 3),
            ),
        )
        self.task = self.mechanism.task
        v, balls = self.mechanism.counts
        self._starts = v, v + 9 * balls, 2 * v + 9 * balls, 3 * v + 9 * balls
        self._has_balls = balls > 0
        self._ends = lru_cache(16)(self._ends_bytes)

    # -- goals as bytes --

    def _ends_bytes(self, ends: Ends) -> list[bytes]:
        """For each end, as bytes: the joint that carries it, its frame in that joint's, and the square roots
        of its weights.
        """
        rows = []
        for node, offset, roots in zip(ends.nodes, ends.offsets, ends.roots, strict=True):
            weights = (*roots.tolist(), 0.0, 0.0)[:3]
            frame = (*offset[:3, :3].ravel().tolist(), *offset[:3, 3].tolist())
            rows.append(END(float(self.tree.node_joints[node]), *frame, *weights))
        return rows

    def _of_position(self, task: PositionTask) -> list[bytes]:
        ends, targets = self._ends(task.ends), task.targets
        return [POSITION + end + POINT(*target) for end, target in zip(ends, targets, strict=True)]

    def _of_rotation(self, task: OrientationTask | DirectionTask, kind: bytes) -> list[bytes]:
        targets = [TARGET(a, d, g, b, e, h, c, f, i) for (a, b, c), (d, e, f), (g, h, i) in task.targets]
        return [kind + end + target for end, target in zip(self._ends(task.ends), targets, strict=True)]

    def _of_centre(self, task: CentreOfMass) -> list[bytes]:
        return [CENTRE + CENTRE_END(-1.0, *task.roots) + POINT(*task.target)]

    WRITERS: dict[type, Callable[["CompiledSolve", Any], list[bytes]]] = {
        PositionTask: _of_position,
        OrientationTask: partial(_of_rotation, kind=ORIENTATION),
        DirectionTask: partial(_of_rotation, kind=AXIS),
        CentreOfMass: _of_centre,
    }

    def goals(self, goals: Goals, objectives: Objectives) -> bytes | None:
        """The tasks of goals in the kernel's form; None if the kernel does not support one of them."""
        rows: list[bytes] = []
        for task in objectives.of_goals(goals):
            writer = self.WRITERS.get(type(task))
            if writer is None:
                return None
            rows += writer(self, task)
        if goals.actuators:
            commands = objectives.commands(goals)
            for coordinate, value in zip(commands.coordinates, commands.desired, strict=True):
                rows.append(VALUE + INDEX(coordinate) + NUMBER(value))
            for ball, back in zip(commands.balls, commands.back, strict=True):
                rows.append(BALL + INDEX(ball) + TARGET(*back.ravel().tolist()))
        return b"".join(rows)

    # -- solving --

    def solve(
        self,
        tasks_of_goals: bytes,
        goals: Goals,
        driven: dict[int, Array],
        dt: float | None,
        start: AssemblyState,
        closes_only: bool = False,
    ) -> tuple[AssemblyState, Array]:
        """Solves for goals; `self.task` contains the budget before the call, and the report after it.

        Args:
            tasks_of_goals: Tasks as returned by `goals`.
            goals: Goals, for the regularisers, the axes of weights, and whether full rotations count.
            driven: Poses (4, 4) of driven bodies, by the body's index.
            dt: Time since the last frame [s]; None: without speed limits.
            start: State of the last frame.
            closes_only: Whether only the loops are closed, without regard to goals.

        Returns:
            The state after the solve, and poses (b, 4, 4) of the bodies.
        """
        task, mechanism, weights = self.task, self.mechanism, goals.regulariser_weights
        mechanism.values[:], task.damping = start.values, start.damping
        if self._has_balls:
            mechanism.balls[:] = start.balls
        task.dt = task.motion_dt = 0.0
        if dt is not None:
            task.dt = dt
            if start.motion is not None:
                motion = mechanism.motion
                motion[0], motion[1], task.motion_dt = start.motion
        mode = start.branch if type(start.branch) is np.ndarray else None
        task.has_mode = mode is not None
        if mode is not None:
            mechanism.mode[:] = mode
        task.has_weight_axes = goals.weight_axes != IDENTITY
        if task.has_weight_axes:
            task.weight_axes[:] = [number for row in to_matrix(goals.weight_axes) for number in row]
        task.keep_weight, task.speed_weight = weights.weight, weights.speed_weight if dt else 0.0
        task.speed = weights.speed
        task.counts_full_rotations, task.closes_only = goals.counts_full_rotations, closes_only
        if self.driven:
            rows = mechanism.driven
            rows[:, 0] = 0.0
            for body, pose in driven.items():
                row = rows[self.driven.index(body)]
                row[0], row[1:10], row[10:] = 1.0, pose[:3, :3].ravel(), pose[:3, 3]
        is_regularised = weights is not NO_REGULARISER and weights != NO_REGULARISER
        after, poses = mechanism.solve(tasks_of_goals, is_regularised)
        return self._state(after, dt, start), poses

    def _state(self, after: Array, dt: float | None, start: AssemblyState) -> AssemblyState:
        """The state after a solve, from the numbers that `CompiledMechanism.solve` returns."""
        task, (balls_start, first_start, rest_start, mode_start) = self.task, self._starts
        values, damping, motion, mode = after[:balls_start], task.damping_after, None, None
        balls = after[balls_start:first_start].reshape(-1, 3, 3) if self._has_balls else start.balls
        if dt is not None and task.has_motion_after:
            motion = CurvedStep(after[first_start:rest_start], after[rest_start:mode_start], dt)
        regular = start.regular
        if task.has_mode_after:
            mode = after[mode_start:]
            if task.is_flipped or mode[IS_REGULAR]:
                regular = AssemblyState(values, balls, damping, None, mode)
        return AssemblyState(values, balls, damping, motion, mode, regular)
