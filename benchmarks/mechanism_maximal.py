"""Forward kinematics on the poses of all bodies, with six unknowns each, and the inverse kinematics that
follows from it. Knows no Blender.

Paper (Schumacher et al. 2021): eq. 1 (`Maximal.forward`: least squares over every joint, here with rotation
vectors as updates, so six unknowns a body and no rows for the length of quaternions) and eq. 2 (`implicit`:
the unknowns are the actuators). Both can open the joints of a mechanism, which `solver.MechanismSolver`
cannot: they serve for comparison, and to assemble roughly placed bodies.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from limber.solvers.kinematics.rotations import to_matrix
from limber.solvers.kinematics.se3 import Array, exponential, frame_array, half_angle, hat, orthonormal
from limber.solvers.mechanism.goals import FrameGoal
from limber.solvers.mechanism.kinds import KINDS
from limber.solvers.mechanism.loops import JointResiduals
from limber.solvers.mechanism.model import WORLD, Joint, Mechanism

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
STEPS = 100  # largest number of Gauss-Newton steps of a forward solve
FLOOR = 1e-12  # damping as a fraction of the sum of squares, so that undetermined motion is zero
# an iteration ends when the largest component of its step (`forward`) or of the goal's error (`implicit`) is
# smaller [rad, sizes]
DONE = 1e-13
# smallest share of the decrease predicted to first order that the line search accepts (Nocedal & Wright's c1)
GAIN = 1e-4
SHORTEST = 1e-6  # shortest fraction of a step in the line search
DIFFERENCE = 1e-6  # [rad or m] difference of an actuator for its numerical derivative


@dataclass(frozen=True)
class Gap:
    """Result of a least-squares forward solve."""

    poses: Array  # (b, 4, 4) poses of the bodies
    residual: float  # [m or rad] largest residual of a joint
    worst: str  # name of the joint with that residual


class Maximal:
    """The joints of a mechanism as functions of the poses of all its bodies."""

    def __init__(self, mechanism: Mechanism, driven_joints: tuple[str, ...] = ()) -> None:
        """`driven_joints`: joints whose values are given in every solve; the others are passive."""
        self.mechanism = mechanism
        grounds = [
            Joint(f"ground {body.name}", "fixed", WORLD, body.name, body.start)
            for body in mechanism.bodies
            if body.grounded and body.start
        ]
        self.joints = [*grounds, *mechanism.joints]
        self.held = [(k, joint) for k, joint in enumerate(self.joints) if joint.name in driven_joints]
        # A joint whose values are given constrains all six components: the values move its frame on the
        # parent.
        self.rows = JointResiduals(
            ["fixed" if joint.name in driven_joints else joint.kind for joint in self.joints]
        )
        index = {**mechanism.body_index, WORLD: len(mechanism.bodies)}
        self.parents = np.array([index[joint.parent] for joint in self.joints], int)
        self.children = np.array([index[joint.child] for joint in self.joints], int)
        self.in_parent = np.array([frame_array(joint.in_parent) for joint in self.joints])
        self.in_child = np.array([frame_array(joint.in_child) for joint in self.joints])
        arms = [np.linalg.norm(frame[:3, 3]) for frame in (*self.in_parent, *self.in_child)]
        long = [arm for arm in arms if arm > 0.0]
        self.size = float(np.mean(long)) if long else 1.0
        self.weight = np.where(self.rows.is_position, 1.0 / self.size, 1.0)
        self.columns = 6 * len(mechanism.bodies)

    def relative(self, poses: Array, values: Mapping[str, tuple[float, ...]]) -> tuple[Array, Array, Array]:
        """Joints' frames on the parents and on the children in the world, and the latter relative to the
        former, (j, 4, 4) each. `values`: those of the driven joints, by name.
        """
        every = np.concatenate((poses, np.eye(4)[None]))
        in_parent = self.in_parent.copy()
        for k, joint in self.held:
            in_parent[k] = in_parent[k] @ moved(joint.kind, values[joint.name])
        parents, children = every[self.parents] @ in_parent, every[self.children] @ self.in_child
        return parents, children, self.rows.relative(parents, children)

    def residual(self, poses: Array, values: Mapping[str, tuple[float, ...]]) -> Array:
        """Weighted residuals (r,) of all joints [rad; positions in units of `size`, here called sizes]."""
        return self.weight * self.rows.residual(self.relative(poses, values)[2])[0]

    def linear(self, poses: Array, values: Mapping[str, tuple[float, ...]]) -> tuple[Array, Array]:
        """Residuals (r,) and their derivative (r, 6 b), for each body with respect to its rotation about its
        own origin [rad], then its displacement [sizes].
        """
        parents, children, relative = self.relative(poses, values)
        residual, by_rotation = self.rows.residual(relative)
        frame_from_world = np.swapaxes(parents[:, :3, :3], -1, -2)
        rows = np.zeros((len(self.joints), 9, len(poses) + 1, 6))
        every = np.concatenate((poses, np.eye(4)[None]))
        index = np.arange(len(self.joints))
        for sign, bodies in ((-1.0, self.parents), (1.0, self.children)):
            arm = children[:, :3, 3] - every[bodies, :3, 3]
            block = np.zeros((len(self.joints), 9, 6))
            block[:, :3, :3] = -frame_from_world @ hat(arm)
            block[:, :3, 3:] = self.size * frame_from_world
            block[:, 3:, :3] = by_rotation @ frame_from_world
            rows[index, :, bodies] += sign * block
        flat = rows[:, :, :-1].reshape(9 * len(self.joints), self.columns)
        return self.weight * residual, self.weight[:, None] * flat[self.rows.picked]

    def step(self, poses: Array, step: Array) -> Array:
        """Poses after a step (6 b,) of all bodies."""
        parts = step.reshape(-1, 2, 3)
        stepped = poses.copy()
        stepped[:, :3, :3] = orthonormal(exponential(parts[:, 0]) @ poses[:, :3, :3])
        stepped[:, :3, 3] += self.size * parts[:, 1]
        return stepped

    def forward(self, poses: Array, values: Mapping[str, tuple[float, ...]] | None = None) -> Gap:
        """Poses with the least squared residuals, found from `poses` (b, 4, 4) on; the result may be
        assembled or not. `values`: values [rad, m] of the driven joints.
        """
        values = values or {}
        residual, rows = self.linear(poses, values)
        damping = 0.0
        for _ in range(STEPS):
            square = rows.T @ rows
            square.flat[:: self.columns + 1] += FLOOR * float(square.trace()) + damping
            slope = rows.T @ residual
            step = -np.linalg.solve(square, slope)
            share, error_square = 1.0, float(residual @ residual)
            while True:  # backtracking line search
                stepped = self.step(poses, share * step)
                error = self.residual(stepped, values)
                if (
                    float(error @ error) <= error_square + 2.0 * GAIN * share * float(slope @ step)
                    or share < SHORTEST
                ):
                    break
                share *= 0.5
            if share < SHORTEST:
                break
            poses = stepped
            # Levenberg-Marquardt damping far from the solution
            damping = 1e-3 * float(error @ error) if share < 1.0 else 0.0
            residual, rows = self.linear(poses, values)
            if np.abs(step).max(initial=0.0) < DONE:
                break
        sizes = self.rows.true_size(self.relative(poses, values)[2])
        worst = int(np.argmax(sizes))
        return Gap(poses, float(sizes[worst]), self.joints[worst].name)

    def sensitivity(self, poses: Array, values: Mapping[str, tuple[float, ...]]) -> Array:
        """Derivative (6 b, m) of the least-squares poses with respect to the given values, in the order of
        `held` (Gauss-Newton's Hessian).
        """
        columns = []
        for _, joint in self.held:
            for k in range(len(values[joint.name])):
                ends = []
                for sign in (1.0, -1.0):
                    changed = list(values[joint.name])
                    changed[k] += sign * DIFFERENCE
                    ends.append(self.residual(poses, {**values, joint.name: tuple(changed)}))
                columns.append((ends[0] - ends[1]) / (2.0 * DIFFERENCE))
        rows = self.linear(poses, values)[1]
        square = rows.T @ rows
        square.flat[:: self.columns + 1] += FLOOR * float(square.trace())
        return -np.linalg.solve(square, rows.T @ np.array(columns).T)


def moved(kind: str, values: tuple[float, ...]) -> Array:
    """The child's joint frame (4, 4) in the parent's, for a joint's values [rad, m]."""
    frame, first = np.eye(4), 0
    for move in KINDS[kind].moves:
        step = np.eye(4)
        if move == "ball":
            step[:3, :3] = exponential(np.array(values[first : first + 3]))
            first += 3
        else:
            word, letter = move.split()
            axis = values[first] * np.array(AXES[letter])
            first += 1
            if word == "rotate":
                step[:3, :3] = exponential(axis)
            else:
                step[:3, 3] = axis
        frame = frame @ step
    return frame


def aim_of(goal: FrameGoal, pose: Array, size: float) -> tuple[Array, Array]:
    """Weighted errors (6,) of a goal for its body's world pose (4, 4): of the position along the world's axes
    [sizes], then of the rotation as its half-angle vector in the goal's frame. And their derivative (6, 6)
    with respect to a rotation of the body about its origin [rad], then a displacement [sizes], both along the
    world's axes. `size`: the mechanism's unit of length [m].
    """
    end = pose @ frame_array(goal.on_body)
    error, jacobian = np.zeros(6), np.zeros((6, 6))
    if goal.position is not None:
        weight = np.sqrt(np.array(goal.position_weight)) / size
        error[:3] = weight * (end[:3, 3] - goal.position)
        jacobian[:3, :3], jacobian[:3, 3:] = (
            -weight[:, None] * hat(end[:3, 3] - pose[:3, 3]),
            np.diag(weight * size),
        )
    if goal.rotation is not None:
        weight, goal_from_world = (
            np.sqrt(np.array(goal.rotation_weight)),
            np.array(to_matrix(goal.rotation)).T,
        )
        vector, by_rotation = half_angle(goal_from_world @ end[:3, :3])
        error[3:], jacobian[3:, :3] = weight * vector, weight[:, None] * (by_rotation @ goal_from_world)
    return error, jacobian


def implicit(
    maximal: Maximal, goal: FrameGoal, poses: Array, values: Mapping[str, tuple[float, ...]], steps: int = 30
) -> tuple[Gap, dict[str, tuple[float, ...]]]:
    """(forward solve, actuator values [rad, m]): values that bring a frame to its goal, and the result of
    forward kinematics for them (eq. 2 of the paper).

    If the goal cannot be met, the method opens joints to meet it: that is its flaw.

    Args:
        maximal: The mechanism.
        goal: Goal of one body.
        poses: (b, 4, 4) poses of the bodies to start from.
        values: Actuator values [rad, m] to start from, by joint.
        steps: Largest number of Gauss-Newton steps.
    """
    body = maximal.mechanism.body_index[goal.body]
    gap = maximal.forward(poses, values)
    commanded = {name: tuple(value) for name, value in values.items()}
    for _ in range(steps):
        error, rows = aim_of(goal, gap.poses[body], maximal.size)
        if np.abs(error).max() < DONE:
            break
        slope: Array = rows @ maximal.sensitivity(gap.poses, commanded)[6 * body : 6 * body + 6]
        square = slope.T @ slope
        square.flat[:: len(square) + 1] += FLOOR * float(square.trace()) + 1e-6 * float(error @ error)
        step = -np.linalg.solve(square, slope.T @ error)
        share = min(1.0, 0.3 / max(float(np.abs(step).max()), 0.3))
        while share > 1e-3:
            tried, first = {}, 0
            for _, joint in maximal.held:
                count = len(commanded[joint.name])
                tried[joint.name] = tuple(
                    np.array(commanded[joint.name]) + share * step[first : first + count]
                )
                first += count
            next_gap = maximal.forward(gap.poses, tried)
            left = aim_of(goal, next_gap.poses[body], maximal.size)[0]
            if float(left @ left) < float(error @ error):
                break
            share *= 0.5
        else:
            break
        gap, commanded = next_gap, tried
    return gap, commanded
