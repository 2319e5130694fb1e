"""Weighted task errors of a mechanism's goals and their Jacobian: what a solve minimises. Knows no Blender.

Position errors are in units of the mechanism's size, rotation errors in radians (twice the sine of half the angle). Paper: section IV.B;
the rotation's squared half-angle vector is twice its f_ori, at even weights.
"""

import numpy as np

from ..kinematics.rotations import ORIGIN, to_matrix
from ..kinematics.se3 import Array, exponential, frame_array, half_angle, hat
from .clusters import run_of
from .goals import CentreGoal, Goals
from .model import Mechanism, MechanismError
from .tree import Coordinates, Tree

EVERY_WAY = np.eye(3)


class TaskErrors:
    """One frame's goals for one mechanism: e residuals."""

    def __init__(self, mechanism: Mechanism, tree: Tree, coordinates: Coordinates, goals: Goals, reference: Array) -> None:
        """`reference` (v,): values relative to which a rotating actuator's full rotations are counted."""
        self.coordinates = coordinates
        nodes, offsets, positions, rotations, weights = [], [], [], [], []
        for goal in goals.frames:
            if goal.body not in mechanism.body_index:
                raise MechanismError(f"there is no body '{goal.body}' to have a goal: name one of {', '.join(mechanism.body_index)}")
            carried = tree.bodies[mechanism.body_index[goal.body]]
            nodes.append(carried.node)
            offsets.append(carried.offset @ frame_array(goal.on_body))
            positions.append(goal.position or ORIGIN)
            rotations.append(np.eye(3) if goal.rotation is None else to_matrix(goal.rotation))
            weights.append(ORIGIN if goal.position is None else goal.position_weight)
            weights.append(ORIGIN if goal.rotation is None else goal.rotation_weight)
        self.nodes = np.array(nodes, int)
        self.offsets = np.array(offsets).reshape(-1, 4, 4)
        self.positions = np.array(positions).reshape(-1, 3)
        self.back = np.swapaxes(np.array(rotations).reshape(-1, 3, 3), -1, -2)
        roots = np.sqrt(np.array(weights).reshape(-1, 6))
        roots[:, :3] *= 1.0 / coordinates.size
        picked = np.flatnonzero(roots)
        self.picked, self.weight = run_of(picked), roots.reshape(-1)[picked]
        self.has_frames = len(picked) > 0
        # (e, v) weight with which a coordinate moves a residual
        self._share = self.weight[:, None] * coordinates.carries[self.nodes[picked // 6]]
        self._by_screw = np.zeros((len(nodes), 6, 6))  # of a goal's end: its angular velocity, and its velocity at the world's origin
        self._by_screw[:, :3, 3:] = EVERY_WAY
        self.has_rotations = any(goal.rotation is not None for goal in goals.frames)
        self.centre = None
        if goals.centre is not None and any(goals.centre.weight):
            self.centre = _Centre(mechanism, tree, coordinates, goals.centre)
        self.driven, self.desired = _actuators(goals, tree, coordinates, reference)
        self.driven_unit = coordinates.unit[self.driven]
        self.balls, self.balls_back = _driven_balls(goals, tree, coordinates)

    def error(self, frames: Array, values: Array, balls: Array) -> Array:
        """Weighted task errors (e,)."""
        parts = []
        if self.has_frames:
            ends = frames[self.nodes] @ self.offsets
            every = np.zeros((len(self.nodes), 6))
            every[:, :3] = ends[:, :3, 3] - self.positions
            if self.has_rotations:
                every[:, 3:] = half_angle(self.back @ ends[:, :3, :3])[0]
            parts.append(self.weight * every.reshape(-1)[self.picked])
        if self.centre is not None:
            parts.append(self.centre.error(frames))
        if len(self.driven):
            parts.append((values[self.driven] - self.desired) / self.driven_unit)
        if len(self.balls):
            parts.append(half_angle(self.balls_back @ balls[self.balls])[0].ravel())
        return np.concatenate(parts) if parts else np.zeros(0)

    def linear(self, frames: Array, screws: Array, values: Array, balls: Array) -> tuple[Array, Array]:
        """Weighted task errors (e,) and their Jacobian (e, v) by unit steps in the coordinates."""
        errors, derivatives = [], []
        if self.has_frames:
            ends = frames[self.nodes] @ self.offsets
            every = np.zeros((len(self.nodes), 6))
            every[:, :3] = ends[:, :3, 3] - self.positions
            by_screw = self._by_screw.copy()
            by_screw[:, :3, :3] = hat(-ends[:, :3, 3])
            if self.has_rotations:
                every[:, 3:], grows = half_angle(self.back @ ends[:, :3, :3])
                np.matmul(grows, self.back, out=by_screw[:, 3:, :3])
            errors.append(self.weight * every.reshape(-1)[self.picked])
            derivatives.append((by_screw.reshape(-1, 6)[self.picked] @ screws.reshape(6, -1)) * self._share)
        if self.centre is not None:
            errors.append(self.centre.error(frames))
            derivatives.append(self.centre.derivative(frames, screws))
        if len(self.driven):
            errors.append((values[self.driven] - self.desired) / self.driven_unit)
            chosen = np.zeros((len(self.driven), self.coordinates.width))
            chosen[np.arange(len(self.driven)), self.driven] = 1.0
            derivatives.append(chosen)
        if len(self.balls):
            turns = self.balls_back @ balls[self.balls]
            vectors, grows = half_angle(turns)
            errors.append(vectors.ravel())
            chosen = np.zeros((len(self.balls), 3, self.coordinates.width))
            for k, ball in enumerate(self.balls):
                chosen[k][:, self.coordinates.ball_coordinates[ball]] = grows[k] @ turns[k]
            derivatives.append(chosen.reshape(-1, self.coordinates.width))
        if not errors:
            return np.zeros(0), np.zeros((0, self.coordinates.width))
        if len(errors) == 1:
            return errors[0], derivatives[0]
        return np.concatenate(errors), np.concatenate(derivatives)


class _Centre:
    """Error of the centre of mass."""

    def __init__(self, mechanism: Mechanism, tree: Tree, coordinates: Coordinates, goal: CentreGoal) -> None:
        heavy = [k for k, body in enumerate(mechanism.bodies) if body.mass > 0.0]
        if not heavy:
            raise MechanismError("the centre of mass has a goal, but no body has a mass: give at least one body its mass")
        masses = np.array([mechanism.bodies[k].mass for k in heavy])
        self.shares = masses / masses.sum()
        self.nodes = np.array([tree.bodies[k].node for k in heavy], int)
        points = [tree.bodies[k].offset @ np.array((*mechanism.bodies[k].centre, 1.0)) for k in heavy]
        self.points = np.array(points)[..., None]
        self.carries = coordinates.carries[self.nodes]
        self.carried = self.shares @ self.carries  # (v,) share of the mass that each coordinate moves
        self.position = np.array(goal.position)
        self.weight = np.sqrt(np.array(goal.weight)) / coordinates.size

    def _centres(self, frames: Array) -> Array:
        error: Array = (frames[self.nodes] @ self.points)[:, :3, 0]
        return error

    def error(self, frames: Array) -> Array:
        error: Array = self.weight * (self.shares @ self._centres(frames) - self.position)
        return error

    def derivative(self, frames: Array, screws: Array) -> Array:
        turn, moment = screws
        moved = (self.shares[:, None] * self._centres(frames)).T @ self.carries  # (3, v) moments of what each coordinate moves
        across = np.empty_like(turn)
        across[0] = turn[1] * moved[2] - turn[2] * moved[1]
        across[1] = turn[2] * moved[0] - turn[0] * moved[2]
        across[2] = turn[0] * moved[1] - turn[1] * moved[0]
        derivative: Array = self.weight[:, None] * (self.carried * moment + across)
        return derivative


def _actuators(goals: Goals, tree: Tree, coordinates: Coordinates, reference: Array) -> tuple[Array, Array]:
    """Coordinates (m,) of commanded actuators, and their values (m,); rotating ones modulo full rotations where these do not count."""
    driven, desired = [], []
    for name, values in goals.actuators.items():
        nodes, _ = _driven_nodes(tree, name)
        count = sum(3 if tree.nodes[node].move == "ball" else 1 for node in nodes)
        if len(values) != count:
            raise MechanismError(f"joint '{name}' has {count} degrees of freedom and its actuator {len(values)} values: give one each")
        if tree.nodes[nodes[-1]].move == "ball":
            nodes, values = nodes[:-1], values[:-3]
        for node, value in zip(nodes, values, strict=True):
            coordinate = int(coordinates.first[node])
            if coordinates.is_turn[coordinate] and not goals.counts_full_rotations:
                value -= 2.0 * np.pi * round((value - reference[coordinate]) / (2.0 * np.pi))
            driven.append(coordinate)
            desired.append(value)
    return np.array(driven, int), np.array(desired, float)


def _driven_balls(goals: Goals, tree: Tree, coordinates: Coordinates) -> tuple[Array, Array]:
    """Indices (m,) of commanded balls, and the inverses of their commanded rotations (m, 3, 3)."""
    positions, turns = [], []
    for name, values in goals.actuators.items():
        nodes, is_backward = _driven_nodes(tree, name)
        if tree.nodes[nodes[-1]].move == "ball":
            turn = exponential(np.array(values[-3:]))
            positions.append(int(np.flatnonzero(coordinates.balls == nodes[-1])[0]))
            turns.append(turn if is_backward else turn.T)
    return np.array(positions, int), np.array(turns).reshape(-1, 3, 3)


def _driven_nodes(tree: Tree, name: str) -> tuple[tuple[int, ...], bool]:
    if not tree.traversed.get(name, ((), False))[0]:
        free = ", ".join(joint for joint, (nodes, _) in tree.traversed.items() if nodes)
        raise MechanismError(f"there is no joint '{name}' with a degree of freedom to drive: name one of {free}")
    return tree.traversed[name]
