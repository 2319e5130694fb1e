"""A mechanism's solve in the compiled kernel, for goals whose tasks it knows."""

from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from struct import Struct
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
POSITION, ORIENTATION, AXIS, CENTRE, VALUE, BALL = (Struct("d").pack(k) for k in range(6))
# the other numbers of `struct limber_mechanism_goal`
END, ROOTS, TARGET = (Struct(f"{count}d").pack for count in (16, 3, 9))
NOT_ON_A_BODY = (0.0,) * 15  # frame of an end, and roots of weights
NO_FRAME = Struct("13d").pack(-1.0, *NOT_ON_A_BODY[:12])
IS_REGULAR = 1  # index in a solve's `branch` of the flag: the assembly mode is regular


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
                len(loops.clusters),
                limits,
                actuated,
                masses / (masses.sum() or 1.0),
                np.array([body.centre for body in bodies]).reshape(-1, 3),
            ),
        )
        self.task, self.inputs = self.mechanism.task, self.mechanism.inputs
        v, balls = self.mechanism.counts
        self._slices = tuple(np.cumsum([v, 9 * balls, 2 * v]).tolist())
        self._ends = lru_cache(16)(self._ends_bytes)

    # -- goals as bytes --

    def _ends_bytes(self, ends: Ends) -> list[bytes]:
        """Of each end the joint that carries it, its frame in that, and roots of its weights."""
        rows = []
        for node, offset, roots in zip(ends.nodes, ends.offsets, ends.roots, strict=True):
            weights = (*roots.tolist(), 0.0, 0.0)[:3]
            frame = (*offset[:3, :3].ravel().tolist(), *offset[:3, 3].tolist())
            rows.append(END(float(self.tree.node_joints[node]), *frame, *weights))
        return rows

    def _of_position(self, task: Position) -> list[bytes]:
        targets = [TARGET(x, y, z, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0) for x, y, z in task.targets]
        return [POSITION + end + target for end, target in zip(self._ends(task.ends), targets, strict=True)]

    def _of_rotation(self, task: Orientation | Direction, kind: bytes) -> list[bytes]:
        targets = [TARGET(a, d, g, b, e, h, c, f, i) for (a, b, c), (d, e, f), (g, h, i) in task.targets]
        return [kind + end + target for end, target in zip(self._ends(task.ends), targets, strict=True)]

    def _of_centre(self, task: CentreOfMass) -> list[bytes]:
        return [CENTRE + NO_FRAME + ROOTS(*task.roots) + TARGET(*task.target, *(0.0,) * 6)]

    WRITERS: dict[type, Callable[["CompiledSolve", Any], list[bytes]]] = {
        Position: _of_position,
        Orientation: partial(_of_rotation, kind=ORIENTATION),
        Direction: partial(_of_rotation, kind=AXIS),
        CentreOfMass: _of_centre,
    }

    def goals(self, tasks: Iterable[Task], commands: Commands) -> bytes | None:
        """Goals as the kernel has them; None: it does not know one of the tasks."""
        goals: list[bytes] = []
        for task in tasks:
            writer = self.WRITERS.get(type(task))
            if writer is None:
                return None
            goals += writer(self, task)
        for coordinate, value in zip(commands.coordinates, commands.desired, strict=True):
            goals.append(VALUE + END(coordinate, *NOT_ON_A_BODY) + TARGET(value, *(0.0,) * 8))
        for ball, back in zip(commands.balls, commands.back, strict=True):
            goals.append(BALL + END(ball, *NOT_ON_A_BODY) + TARGET(*back.ravel().tolist()))
        return b"".join(goals)

    # -- solving --

    @staticmethod
    def is_regular(branch: Array) -> bool:
        """Whether an assembly mode (m,) is away from singular poses."""
        return bool(branch[IS_REGULAR])

    def solve(
        self,
        goals_of_tasks: bytes,
        goals: Goals,
        driven: dict[int, Array],
        dt: float | None,
        start: tuple[Array, Array, float],
        motion: Motion | None = None,
        branch: Array | None = None,
        closes_only: bool = False,
    ) -> Solved:
        """Solves for goals; `task` has the budget, and afterwards the report.

        Args:
            goals_of_tasks: As of `goals`.
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
        inputs["values"][:], balls, task.damping = start
        if len(balls):
            inputs["balls"][:] = balls
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
        after, poses = self.mechanism.solve(goals_of_tasks, is_regularised)
        first, second, third = self._slices
        return Solved(
            after[:first],
            after[first:second].reshape(-1, 3, 3),
            after[second:third].reshape(2, -1),
            after[third:],
            poses,
        )
