"""A mechanism's solve in the compiled kernel, for goals whose tasks it knows."""

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from ..kernel.library import Kernel
from ..kernel.mechanism import ClosureInput, CompiledMechanism, MechanismInput
from ..kinematics.rotations import IDENTITY, to_matrix
from ..kinematics.se3 import Array
from ..kinematics.tree import Indices
from ..tasks import CentreOfMass, Direction, Ends, Orientation, Position, Task
from .descent import Motion
from .goals import NO_REGULARISER, Goals
from .kinds import KINDS
from .loops import Loops
from .model import Mechanism
from .objectives import Commands
from .tree import SpanningTree

# `enum limber_task`
POSITION, ORIENTATION, AXIS, CENTRE, VALUE, BALL = map(float, range(6))
NOT_ON_A_BODY = (0.0,) * 15  # frame of an end, and roots of weights
IS_REGULAR = 1  # index in an assembly mode
REST_OF_POSITION, REST_OF_VALUE = (0.0,) * 6, (0.0,) * 8  # of the target's nine numbers


class Solved(NamedTuple):
    """What a solve returns beside `CompiledMechanism.task`."""

    values: Array  # (v,)
    balls: Array  # (k, 3, 3)
    motion: Array  # (2, v)
    branch: Array  # (m,)
    poses: Array  # (b, 4, 4)


class CompiledSolve:
    """Solves of one mechanism; for one thread at a time."""

    def __init__(
        self,
        library: Kernel,
        mechanism: Mechanism,
        tree: SpanningTree,
        loops: Loops,
        limits: tuple[Array, Array, Array],
        actuated: Indices,
    ) -> None:
        """`limits`: lower, upper and velocity limits (v,); `actuated`: coordinates that actuators drive."""
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
                loops.clusters.count,
                limits,
                actuated,
                masses / (masses.sum() or 1.0),
                np.array([body.centre for body in bodies]).reshape(-1, 3),
            ),
        )
        self.task, self.inputs = self.mechanism.task, self.mechanism.inputs
        v, balls = self.mechanism.counts
        self._slices = tuple(np.cumsum([v, 9 * balls, 2 * v]).tolist())
        self._ends = lru_cache(16)(self._ends_numbers)

    # -- goals as numbers --

    def _ends_numbers(self, ends: Ends) -> list[tuple[float, ...]]:
        """Of each end the joint that carries it, its frame in that, and roots of its weights."""
        rows = []
        for node, offset, roots in zip(ends.nodes, ends.offsets, ends.roots, strict=True):
            weights = (*roots.tolist(), 0.0, 0.0)[:3]
            frame = (*offset[:3, :3].ravel().tolist(), *offset[:3, 3].tolist())
            rows.append((float(self.tree.node_joints[node]), *frame, *weights))
        return rows

    def _add_positions(self, task: Position, numbers: list[float]) -> None:
        for end, target in zip(self._ends(task.ends), task.targets, strict=True):
            numbers += (POSITION, *end, *target, *REST_OF_POSITION)

    def _add_rotations(self, task: Orientation | Direction, numbers: list[float], kind: float) -> None:
        for end, ((a, b, c), (d, e, f), (g, h, i)) in zip(self._ends(task.ends), task.targets, strict=True):
            numbers += (kind, *end, a, d, g, b, e, h, c, f, i)

    def _add_centre(self, task: CentreOfMass, numbers: list[float]) -> None:
        numbers += (CENTRE, -1.0, *NOT_ON_A_BODY[:12], *task.roots, *task.target, *REST_OF_POSITION)

    WRITERS: dict[type, Callable[["CompiledSolve", Any, list[float]], None]] = {
        Position: _add_positions,
        Orientation: partial(_add_rotations, kind=ORIENTATION),
        Direction: partial(_add_rotations, kind=AXIS),
        CentreOfMass: _add_centre,
    }

    def numbers(self, tasks: Iterator[Task], commands: Commands) -> list[float] | None:
        """The numbers of goals; None: the kernel does not know one of the tasks."""
        numbers: list[float] = []
        for task in tasks:
            writer = self.WRITERS.get(type(task))
            if writer is None:
                return None
            writer(self, task, numbers)
        for coordinate, value in zip(commands.coordinates, commands.desired, strict=True):
            numbers += (VALUE, coordinate, *NOT_ON_A_BODY, value, *REST_OF_VALUE)
        for ball, back in zip(commands.balls, commands.back, strict=True):
            numbers += (BALL, ball, *NOT_ON_A_BODY, *back.ravel().tolist())
        return numbers

    # -- solving --

    @staticmethod
    def is_regular(branch: Array) -> bool:
        """Whether an assembly mode (m,) is away from singular poses."""
        return bool(branch[IS_REGULAR])

    def solve(
        self,
        numbers: list[float],
        goals: Goals,
        driven: dict[int, Array],
        dt: float | None,
        start: tuple[Array, Array, float],
        motion: Motion | None = None,
        branch: Array | None = None,
        closes_only: bool = False,
    ) -> Solved:
        """Solves for goals with these `numbers`; `task` has the budget, and afterwards the report.

        Args:
            numbers: As of `numbers`.
            goals: For regularisers and weights' axes.
            driven: Poses (4, 4) of driven bodies, by the body's index.
            dt: [s]; None: without speed limits.
            start: Values (v,), balls (k, 3, 3) and damping of the last frame.
            motion: Of the last frame.
            branch: Assembly mode (m,) in it.
            closes_only: Whether only the loops are closed, without regard to goals.
        """
        task, inputs, weights = self.task, self.inputs, goals.regulariser_weights
        task.dt = dt or 0.0
        inputs["values"][:], inputs["balls"][:], task.damping = start
        task.motion_dt = 0.0
        if motion is not None and dt is not None:
            v = len(motion.first)
            inputs["motion"][:v], inputs["motion"][v:], task.motion_dt = motion
        task.has_mode = branch is not None
        if branch is not None:
            inputs["mode"][:] = branch
        task.has_weight_axes = goals.weight_axes != IDENTITY
        if task.has_weight_axes:
            task.weight_axes[:] = [number for row in to_matrix(goals.weight_axes) for number in row]
        task.keep_weight, task.speed_weight = weights.weight, weights.speed_weight if dt else 0.0
        task.speed = weights.speed
        task.counts_full_rotations, task.closes_only = goals.counts_full_rotations, closes_only
        if self.driven:
            rows = inputs["driven"]
            rows[:, 0] = 0.0
            for body, pose in driven.items():
                row = rows[self.driven.index(body)]
                row[0], row[1:10], row[10:] = 1.0, pose[:3, :3].ravel(), pose[:3, 3]
        is_regularised = weights is not NO_REGULARISER and weights != NO_REGULARISER
        after, poses = self.mechanism.solve(numbers, is_regularised)
        first, second, third = self._slices
        return Solved(
            after[:first],
            after[first:second].reshape(-1, 3, 3),
            after[second:third].reshape(2, -1),
            after[third:],
            poses,
        )
