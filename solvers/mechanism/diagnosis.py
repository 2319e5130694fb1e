"""Diagnosis of locked loops: the joints that cannot move, and the one with a misaligned axis. Knows no Blender.

At a pose each degree of freedom of a joint is a screw (its rotation, and the velocity of a point). A loop allows those rates of its joints
whose screws sum to zero, so the matrix with a column for each degree of freedom and six equations for each loop has the possible motions as
its null space. A misaligned hinge adds a screw that the others of its loop cannot balance: it is locked, and mostly the whole loop with it.
Without it the others span the screws that they can balance; if that contains a hinge at the same position about another axis, this is the
correct axis. That may hold at one pose alone: so the corrected loop is moved a little before it counts.

Source: screw systems and loop equations, as in Hunt, Kinematic Geometry of Mechanisms, 1978, and Davies, Kirchhoff's Circulation Law
Applied to Multi-Loop Kinematic Chains, 1981.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ..kinematics.rotations import IDENTITY, between, conjugate, from_matrix, multiply
from ..kinematics.se3 import Array, Frame, angle_of, frame_array, inverse
from .counting import RANK, STILL, linearised, null_space
from .goals import Goals
from .kinds import KINDS
from .model import WORLD, Joint, Mechanism
from .report import ASSEMBLED
from .solver import MechanismSolver, State

LARGEST_CORRECTION = np.radians(15.0)  # [rad] an axis with a larger error is taken for intended
# [rad or sizes] of the joint that moves most: trial steps of a corrected loop
TRIAL_STEPS = (0.3, -0.3, 0.1, -0.1, 0.05, -0.05)
MOVED = 1e-3  # [rad or sizes] of a joint after such a step: more is motion
STEPS = 60  # of closing a loop after the step
BETTER_FIT = 0.1  # of the residual of the joint's own axis: an axis with less is taken for the correct one


@dataclass(frozen=True)
class MisalignedAxis:
    """A joint with a misaligned axis: with the correct one its loop can move."""

    joint: str
    angle: float  # [rad] between its axis and the correct one
    axis: Array  # (3,) unit vector in the mechanism's base, at the pose examined
    correct: Array  # (3,) the correct axis


@dataclass(frozen=True)
class LockedLoop:
    """Joints that their loops lock."""

    joints: tuple[str, ...]  # that cannot move
    loop: tuple[str, ...]  # all joints with degrees of freedom in the connected loops
    misaligned: MisalignedAxis | None  # the misaligned joint; None: no single axis is


def locked_loops(solver: MechanismSolver, state: State) -> tuple[LockedLoop, ...]:
    """All locked loops at an assembled pose; driven bodies count as free."""
    mechanism = _at(solver.mechanism, solver.poses(state))
    found = (_held(_part(mechanism, joints)) for joints in _blocks(mechanism))
    return tuple(held for held in found if held is not None)


def _at(mechanism: Mechanism, poses: Array) -> Mechanism:
    """The same mechanism with its bodies starting at these poses (b, 4, 4)."""
    starts = [Frame(from_matrix(pose[:3, :3].tolist()), tuple(pose[:3, 3].tolist())) for pose in poses]
    bodies = [replace(body, start=start, driven=False) for body, start in zip(mechanism.bodies, starts, strict=True)]
    return replace(mechanism, bodies=tuple(bodies))


def _part(mechanism: Mechanism, joints: Iterable[Joint]) -> Mechanism:
    """These joints alone with their bodies, without limits; where nothing is grounded, the first body is."""
    free = tuple(replace(joint, lower=(), upper=(), velocity=(), actuated=False) for joint in joints)
    names = {name for joint in free for name in (joint.parent, joint.child)}
    bodies = [body for body in mechanism.bodies if body.name in names]
    if WORLD not in names and not any(body.grounded for body in bodies):
        bodies[0] = replace(bodies[0], grounded=True)
    return Mechanism(tuple(bodies), free)


def _held(part: Mechanism) -> LockedLoop | None:
    screws = _Screws(part)
    still = screws.still()
    if not still:
        return None
    misaligned = sorted((screws.off_axis(joint) for joint in still), key=lambda one: one.angle if one else np.inf)
    blamed = next((one for one in misaligned if one is not None and _moves(_corrected(part, one), one.joint)), None)
    loop = tuple(joint.name for joint in part.joints if KINDS[joint.kind].freedoms)
    return LockedLoop(tuple(joint.name for joint in still), loop, blamed)


def _corrected(part: Mechanism, misaligned: MisalignedAxis) -> Mechanism:
    """The mechanism with a joint's axis corrected, at the bodies' starts."""
    turn = between(tuple(misaligned.axis.tolist()), tuple(misaligned.correct.tolist()))
    starts = {body.name: body.start.rotation for body in part.bodies if body.start is not None} | {WORLD: IDENTITY}

    def corrected(joint: Joint) -> Joint:
        ends = ((joint.parent, joint.in_parent), (joint.child, joint.in_child))
        on_parent, on_child = (
            Frame(multiply(conjugate(starts[name]), multiply(turn, multiply(starts[name], frame.rotation))), frame.position)
            for name, frame in ends
        )
        return replace(joint, in_parent=on_parent, in_child=on_child)

    return replace(part, joints=tuple(corrected(joint) if joint.name == misaligned.joint else joint for joint in part.joints))


def _moves(part: Mechanism, name: str) -> bool:
    """Whether a joint can move noticeably while all loops hold."""
    solver = MechanismSolver(part)
    state = solver.rest()
    directions = null_space(linearised(solver, state)[0], len(solver.tree))
    if not directions.shape[1]:
        return False
    before, dice = _relative(solver, state, name), np.random.default_rng(0)
    for far in TRIAL_STEPS:
        step = directions @ dice.normal(size=directions.shape[1])
        step *= far / np.abs(step).max()
        values, balls = solver.tree.moved(state.values, state.balls, step * solver.tree.unit)
        found = solver.solve(Goals(), State(values, balls), iterations=STEPS)
        moved = inverse(before) @ _relative(solver, found.state, name)
        by = max(float(angle_of(moved[:3, :3])), float(np.linalg.norm(moved[:3, 3])) / solver.tree.size)
        if found.report.residual <= ASSEMBLED and by > MOVED:
            return True
    return False


def _relative(solver: MechanismSolver, state: State, name: str) -> Array:
    """Frame (4, 4) of a joint's child in that of its parent."""
    joint, poses, index = solver.mechanism.joint[name], solver.poses(state), solver.mechanism.body_index
    parent, child = (np.eye(4) if body == WORLD else poses[index[body]] for body in (joint.parent, joint.child))
    made: Array = inverse(parent @ frame_array(joint.in_parent)) @ child @ frame_array(joint.in_child)
    return made


def _cycles(mechanism: Mechanism) -> list[dict[int, float]]:
    """One independent loop for each joint that closes one: indices of its joints -> 1, or -1 where one is traversed backward."""
    grounded = {body.name for body in mechanism.bodies if body.grounded}
    ends = [tuple(WORLD if name in grounded else name for name in (joint.parent, joint.child)) for joint in mechanism.joints]
    at: dict[str, list[int]] = {}
    for k, pair in enumerate(ends):
        for name in set(pair):
            at.setdefault(name, []).append(k)
    directions: dict[str, dict[int, float]] = {}  # joints from the root of its part of the tree to a body
    chosen: set[int] = set()
    for root in [WORLD, *(body.name for body in mechanism.bodies)]:
        if root in directions:
            continue
        directions[root] = {}
        waiting = [root]
        while waiting:
            here = waiting.pop(0)
            for k in at.get(here, ()):
                parent, child = ends[k]
                there, sign = (child, 1.0) if parent == here else (parent, -1.0)
                if there not in directions:
                    directions[there] = {**directions[here], k: sign}
                    chosen.add(k)
                    waiting.append(there)
    found = []
    for k, (parent, child) in enumerate(ends):
        if k not in chosen:
            on, back = directions[child], directions[parent]
            apart = {j: sign for j, sign in on.items() if j not in back} | {j: -sign for j, sign in back.items() if j not in on}
            found.append({**apart, k: -1.0})
    return found


def _blocks(mechanism: Mechanism) -> list[list[Joint]]:
    """Groups of joints whose loops share joints."""
    blocks: list[set[int]] = []
    for cycle in _cycles(mechanism):
        together = set(cycle).union(*(block for block in blocks if block & set(cycle)))
        blocks = [*(block for block in blocks if not block & together), together]
    return [[mechanism.joints[k] for k in sorted(block)] for block in blocks]


class _Screws:
    """Screws of a mechanism's joints at its bodies' starts: positions from the joints' centre, in the mechanism's size."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.joints = mechanism.joints
        starts = {body.name: frame_array(body.start) for body in mechanism.bodies if body.start is not None} | {WORLD: np.eye(4)}
        self.frames = [
            (starts[joint.parent] @ frame_array(joint.in_parent), starts[joint.child] @ frame_array(joint.in_child))
            for joint in self.joints
        ]
        positions = np.array([child[:3, 3] for _, child in self.frames])
        self.middle = positions.mean(0)
        spread = np.linalg.norm(positions - self.middle, axis=1)
        self.size = float(spread.mean()) or 1.0
        cycles = _cycles(mechanism)
        self.signs = np.array([[cycle.get(k, 0.0) for k in range(len(self.joints))] for cycle in cycles])  # (l, j)
        self.matrix = np.zeros((6 * len(cycles), 0))  # (6 l, f)
        self.columns: list[list[int]] = []  # of each joint
        for k, joint in enumerate(self.joints):
            made = [self._spread(k, screw) for screw in self._of(joint, k)]
            first = self.matrix.shape[1]
            self.columns.append(list(range(first, first + len(made))))
            self.matrix = np.hstack((self.matrix, *(column[:, None] for column in made)))

    def _spread(self, k: int, screw: Array) -> Array:
        """A screw (6,) of joint k as a column (6 l,) over all loops that contain it."""
        return np.outer(self.signs[:, k], screw).ravel()

    def _of(self, joint: Joint, k: int) -> list[Array]:
        parent, child = self.frames[k]
        found = []
        for move in KINDS[joint.kind].freedoms:
            if move == "ball":
                continue
            word, letter = move.split()
            is_late = move == "rotate y" or (word == "rotate" and joint.kind in ("planar", "cylindrical"))
            axis = (child if is_late else parent)[:3, "xyz".index(letter)]
            found.append(self._rotation(k, axis) if word == "rotate" else self._translation(axis))
        if "ball" in KINDS[joint.kind].moves:
            found += [self._rotation(k, axis) for axis in np.eye(3)]
        return found

    def _rotation(self, k: int, axis: Array) -> Array:
        return np.concatenate((axis, np.cross((self.frames[k][1][:3, 3] - self.middle) / self.size, axis)))

    @staticmethod
    def _translation(axis: Array) -> Array:
        return np.concatenate((np.zeros(3), axis))

    def still(self) -> list[Joint]:
        """Joints whose degrees of freedom are all locked."""
        _, sizes, directions = np.linalg.svd(self.matrix)
        null = directions[int((sizes > RANK * max(float(sizes.max(initial=0.0)), 1e-300)).sum()) :]
        return [
            joint for joint, own in zip(self.joints, self.columns, strict=True) if own and np.abs(null[:, own]).max(initial=0.0) < STILL
        ]

    def off_axis(self, joint: Joint) -> MisalignedAxis | None:
        """The nearest axis about or along which a locked joint could move; None where there is none, or it is far."""
        if joint.kind not in ("revolute", "prismatic"):
            return None
        k = next(k for k, one in enumerate(self.joints) if one is joint)
        others = np.delete(self.matrix, self.columns[k], 1)
        sides, sizes, _ = np.linalg.svd(others, full_matrices=False)
        spanned = sides[:, sizes > RANK * max(float(sizes.max(initial=0.0)), 1e-300)]
        screw = self._translation if joint.kind == "prismatic" else lambda axis: self._rotation(k, axis)
        by_axis = np.stack([self._spread(k, screw(axis)) for axis in np.eye(3)], 1)  # (6 l, 3)
        axis = self.frames[k][0][:3, 2]
        left = by_axis - spanned @ (spanned.T @ by_axis)
        now = float(np.linalg.norm(left @ axis))
        _, sizes, directions = np.linalg.svd(left)
        near = directions[sizes < BETTER_FIT * now]
        correct = near.T @ (near @ axis)
        length = float(np.linalg.norm(correct))
        if length < np.cos(LARGEST_CORRECTION):
            return None
        correct = correct / length
        return MisalignedAxis(joint.name, float(np.arctan2(np.linalg.norm(np.cross(axis, correct)), axis @ correct)), axis, correct)
