"""Diagnosis of loops that are locked or flat: joints that cannot move, and misaligned axes.

With every joint in the spanning tree, the loops' Jacobian has a column for each DoF, its screw, and six rows
for each loop: its null space contains the possible motions. A misaligned revolute joint adds a screw that the
other joints of its loop cannot balance: the joint is locked, and mostly the whole loop with it. The screws of
the other joints span all screws that they can balance. If these include that of a revolute joint at the same
position about another axis, this is the correct axis. This can hold at a single pose only, so the corrected
loop must also be able to move a little.

Source: screw systems and loop equations, as in Hunt, Kinematic Geometry of Mechanisms, 1978, and Davies,
Kirchhoff's Circulation Law Applied to Multi-Loop Kinematic Chains, 1981.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from ..kinematics.rotations import IDENTITY, between, conjugate, from_matrix, multiply
from ..kinematics.se3 import Array, RigidTransform
from ..kinematics.tree import Indices
from ..least_squares.bounded_step import MAX_ITERATIONS
from ..tolerances import MET
from .clusters import RANK
from .counting import null_space
from .goals import Goals
from .kinds import KINDS
from .model import WORLD, Joint, Mechanism
from .solution import AssemblyState
from .solver import MechanismSolver

# [rad or sizes] trial steps, for the coordinate that moves most, after a joint's axis was corrected; large
# ones first, since a small motion can be a rounding error
TRIAL_STEPS = (0.3, -0.3, 0.1, -0.1, 0.05, -0.05)
# [rad or sizes] motion of a joint in a trial step up to which it counts as rounding or play
MOVED = 1e-3
FEWEST_HINGES = 4  # smallest number of revolute joints in a loop that moves in a plane
# [rad, fraction of a loop's size] error below which axes count as parallel or in a plane, for models made by
# eye
FLAT = 0.02
# smallest width of a flat loop, as a fraction of its length, both in its plane; a smaller width comes only
# from the thickness of bars along their axes
SPREAD = 0.1
# fraction of the residual of the joint's own axis, below which another axis counts as the correct one
BETTER_FIT = 0.1
# cosine of the angle between an axis and the nearest correct one, up to which they count as perpendicular:
# neither sign of the correct axis is nearer
SQUARE = 1e-6


@dataclass(frozen=True)
class MisalignedAxis:
    """A joint with a misaligned axis: with the correct one its loop can move."""

    joint: str
    angle: float  # [rad] angle between its axis and the correct one
    axis: Array  # (3,) unit vector in the mechanism's base, at the pose examined
    correct: Array  # (3,) the correct axis, unit vector in the mechanism's base


@dataclass(frozen=True)
class LockedLoop:
    """Joints that cannot move because of their loop."""

    joints: tuple[str, ...]  # names of joints that cannot move
    loop: tuple[str, ...]  # names of all joints with degrees of freedom in the connected loops
    misaligned: MisalignedAxis | None  # the misaligned joint; None if a single axis is not the cause


@dataclass(frozen=True)
class FlatLoop:
    """A fully stretched loop of revolute joints: their parallel axes lie in the plane of their positions, so
    that the loop can at most fold out of that plane.
    """

    joints: tuple[str, ...]
    axis: Array  # (3,) unit vector in the mechanism's base
    normal: Array  # (3,) normal of the plane in which the loop would move if the axes were parallel to it


def locked_loops(solver: MechanismSolver, state: AssemblyState) -> tuple[LockedLoop, ...]:
    """All locked loops at an assembled pose, in the order of their joints; driven bodies count as free."""
    return _Examination(solver.mechanism, solver.poses(state)).locked()


def flat_loops(solver: MechanismSolver, state: AssemblyState) -> tuple[FlatLoop, ...]:
    """All flat loops at an assembled pose, in the order of their joints."""
    return _Examination(solver.mechanism, solver.poses(state)).flat()


def _freed(mechanism: Mechanism, poses: Array) -> Mechanism:
    """The mechanism with its bodies starting at poses (b, 4, 4), all joints in the spanning tree, no limits
    and no driven bodies.
    """
    starts = [
        RigidTransform(from_matrix(pose[:3, :3].tolist()), tuple(pose[:3, 3].tolist())) for pose in poses
    ]
    bodies = [
        replace(body, start=start, driven=False) for body, start in zip(mechanism.bodies, starts, strict=True)
    ]
    joints = [
        replace(joint, lower=(), upper=(), velocity=(), actuated=bool(KINDS[joint.kind].freedoms))
        for joint in mechanism.joints
    ]
    return replace(mechanism, bodies=tuple(bodies), joints=tuple(joints))


class _Examination:
    """A mechanism at given poses of its bodies, with every joint as a coordinate."""

    def __init__(self, mechanism: Mechanism, poses: Array) -> None:
        self.solver = MechanismSolver(_freed(mechanism, poses))
        self.tree, self.state = self.solver.tree, self.solver.rest()
        self.frames = self.tree.forward(self.state.values, balls=self.state.balls)
        self.screws = self.tree.screws(self.frames)

    def locked(self) -> tuple[LockedLoop, ...]:
        clusters = self.solver.loops.clusters
        blocks = clusters.blocks(self._jacobian(self.screws))
        loops = [
            self._locked(coordinates, block)
            for coordinates, block in zip(clusters.columns, blocks, strict=True)
        ]
        return tuple(
            sorted((loop for loop in loops if loop is not None), key=lambda loop: self._order(loop.loop[0]))
        )

    def flat(self) -> tuple[FlatLoop, ...]:
        loops = [self._flat(coordinates) for coordinates in self.solver.loops.clusters.columns]
        return tuple(
            sorted((loop for loop in loops if loop is not None), key=lambda loop: self._order(loop.joints[0]))
        )

    def _order(self, joint: str) -> int:
        return [each.name for each in self.solver.mechanism.joints].index(joint)

    def _joints(self, coordinates: Indices) -> list[Joint]:
        """The joints of a cluster with these coordinates (c,)."""
        return [
            joint
            for joint in self.solver.mechanism.joints
            if np.isin(self._coordinates(joint), coordinates).any()
        ]

    def _flat(self, coordinates: Indices) -> FlatLoop | None:
        """The flat loop of a cluster with these coordinates (c,); None if it is not flat."""
        joints = self._joints(coordinates)
        if len(joints) < FEWEST_HINGES or any(joint.kind != "revolute" for joint in joints):
            return None
        axes, positions = self.frames.axes[coordinates], self.frames.nodes[self.tree.held[coordinates], :3, 3]
        _, extents, directions = np.linalg.svd(positions - positions.mean(0))
        normal = directions[2]
        is_parallel = np.linalg.norm(np.cross(axes[0], axes), axis=1).max() < FLAT
        is_plane = extents[1] > SPREAD * extents[0] and extents[2] < FLAT * extents[0]
        if not is_parallel or not is_plane or abs(normal @ axes[0]) > FLAT:
            return None
        return FlatLoop(tuple(joint.name for joint in joints), _positive(axes[0]), _positive(normal))

    def _jacobian(self, screws: Array) -> Array:
        return self.solver.loops.linear(self.frames, screws, {})[1]

    def _locked(self, coordinates: Indices, block: Array) -> LockedLoop | None:
        """The locked loop of a cluster with these coordinates (c,) and Jacobian `block` (r, c); None if all
        its joints can move.
        """
        free = null_space(block, len(coordinates))
        motions = np.zeros((len(self.tree), free.shape[1]))
        motions[coordinates] = free
        loop = self._joints(coordinates)
        still = [joint for joint in loop if np.abs(motions[self._coordinates(joint)]).max(initial=0.0) < MET]
        if not still:
            return None
        misaligned = [
            corrected for joint in still if (corrected := self._off_axis(joint, coordinates)) is not None
        ]
        play, blamed = min(
            ((self._play(corrected, coordinates), corrected) for corrected in misaligned),
            key=lambda pair: pair[0],
            default=(math.inf, None),
        )
        blamed = blamed if play < math.inf else None
        return LockedLoop(tuple(joint.name for joint in still), tuple(joint.name for joint in loop), blamed)

    def _coordinates(self, joint: Joint) -> Indices:
        return self.tree.all_coordinates(joint.name) if joint.actuated else np.zeros(0, np.intp)

    def _off_axis(self, joint: Joint, coordinates: Indices) -> MisalignedAxis | None:
        """The nearest axis about or along which a locked revolute or prismatic joint could move; None without
        such an axis, and for other joints. `coordinates`: indices of all coordinates in its cluster of loops.
        """
        if joint.kind not in ("revolute", "prismatic"):
            return None
        coordinate = int(self._coordinates(joint)[0])
        sides, sizes, _ = np.linalg.svd(
            self._jacobian(self.screws)[:, coordinates[coordinates != coordinate]], full_matrices=False
        )
        spanned = sides[:, sizes > RANK * sizes.max(initial=0.0)]
        # (r, 3) the coordinate's column of the Jacobian if its axis were X, Y or Z of the mechanism's base
        by_axis = np.stack(
            [self._jacobian(self._screws_with(coordinate, axis))[:, coordinate] for axis in np.eye(3)], 1
        )
        axis = self.frames.axes[coordinate]
        left = by_axis - spanned @ (spanned.T @ by_axis)
        _, sizes, directions = np.linalg.svd(left)
        near = directions[sizes < BETTER_FIT * np.linalg.norm(left @ axis)]
        if not len(near):
            return None
        correct = near.T @ (near @ axis)
        length = float(np.linalg.norm(correct))
        # if the axis is perpendicular to the nearest one, neither sign of the nearest one is nearer
        correct = correct / length if length > SQUARE else _positive(near[-1])
        return MisalignedAxis(
            joint.name,
            float(np.arctan2(np.linalg.norm(np.cross(axis, correct)), axis @ correct)),
            axis,
            correct,
        )

    def _screws_with(self, coordinate: int, axis: Array) -> Array:
        """Screws (2, 3, v) of all coordinates, with the axis of one of them replaced by `axis` (3,), a unit
        vector in the mechanism's base.
        """
        screws = self.screws.copy()
        if self.tree.slides[coordinate]:
            screws[:, :, coordinate] = np.zeros(3), self.tree.size * axis
        else:
            screws[:, :, coordinate] = (
                axis,
                np.cross(self.frames.nodes[self.tree.held[coordinate], :3, 3], axis),
            )
        return screws

    def _play(self, misaligned: MisalignedAxis, coordinates: Indices) -> float:
        """Play of a cluster's loops after a joint's axis has been corrected: residual of the loops [m or rad]
        per unit of motion of that joint; infinite if they lock it.
        """
        solver = MechanismSolver(_corrected(self.solver.mechanism, misaligned))
        tree, state = solver.tree, solver.rest()
        directions = _motions(solver, state, coordinates)
        if not directions.shape[1]:
            return math.inf
        coordinate, dice = int(tree.all_coordinates(misaligned.joint)[0]), np.random.default_rng(0)
        for far in TRIAL_STEPS:
            step = np.zeros(len(tree))
            step[coordinates] = directions @ dice.normal(size=directions.shape[1])
            values, balls = tree.moved(
                state.values, state.balls, step * (far / np.abs(step).max()) * tree.unit
            )
            solution = solver.solve(Goals(), AssemblyState(values, balls), iterations=MAX_ITERATIONS)
            moved = abs(
                float((solution.state.values[coordinate] - state.values[coordinate]) / tree.unit[coordinate])
            )
            # The loop can have closed in another assembly nearby, in which it is locked again.
            if (
                solution.report.assembled
                and moved > MOVED
                and _motions(solver, solution.state, coordinates).shape[1]
            ):
                return solution.report.residual / moved
        return math.inf


def _motions(solver: MechanismSolver, state: AssemblyState, coordinates: Indices) -> Array:
    """Directions (c, m) in which the coordinates `coordinates` (c,) can move at a pose, to first order."""
    frames = solver.tree.forward(state.values, balls=state.balls)
    return null_space(
        solver.loops.linear(frames, solver.tree.screws(frames), {})[1][:, coordinates], len(coordinates)
    )


def _positive(axis: Array) -> Array:
    """The axis, with the sign that makes its component of largest magnitude positive."""
    return axis if axis[np.abs(axis).argmax()] > 0.0 else -axis


def _corrected(mechanism: Mechanism, misaligned: MisalignedAxis) -> Mechanism:
    """The mechanism with a joint's axis corrected, with all bodies at their starting poses."""
    rotation = between(tuple(misaligned.axis.tolist()), tuple(misaligned.correct.tolist()))
    starts = {body.name: body.start.rotation for body in mechanism.bodies if body.start is not None} | {
        WORLD: IDENTITY
    }

    def corrected(joint: Joint) -> Joint:
        ends = ((joint.parent, joint.in_parent), (joint.child, joint.in_child))
        on_parent, on_child = (
            RigidTransform(
                multiply(conjugate(starts[name]), multiply(rotation, multiply(starts[name], frame.rotation))),
                frame.position,
            )
            for name, frame in ends
        )
        return replace(joint, in_parent=on_parent, in_child=on_child)

    return replace(
        mechanism,
        joints=tuple(
            corrected(joint) if joint.name == misaligned.joint else joint for joint in mechanism.joints
        ),
    )
