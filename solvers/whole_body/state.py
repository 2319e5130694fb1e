"""State of a body between steps, and solution of a step."""

from dataclasses import dataclass, field

import numpy as np

from ..kinematics.se3 import Array, exponential, logarithm, orthonormal
from ..kinematics.tree import BASE, Frames
from ..least_squares.box import Sides
from ..least_squares.constrained import Mask
from .body import Body


def no_multipliers() -> Array:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class KinematicState:
    """Pose and velocity of a body. Immutable; equal only to itself, since it holds arrays."""

    joints: Array  # (n,) [rad or m]
    base_rotation: Array  # (3, 3)
    base_position: Array  # (3,) [m]
    # (6 + n,) in the last step: of the base [m/s, rad/s], linear then angular, and of the joints [rad/s or
    # m/s]
    velocity: Array
    frames: Frames = field(repr=False)
    sides: Sides = field(repr=False)  # (6 + n,) bounds active in the last step
    # multipliers of contacts and couplings in the last step
    multipliers: Array = field(default_factory=no_multipliers, repr=False)


@dataclass(frozen=True, eq=False)
class WholeBodySolution:
    """Result of a step: new pose and velocity, lost targets, violated constraints and active limits. As it
    holds arrays, it equals only itself.
    """

    joints: Array  # (n,) [rad or m], within limits
    base_rotation: Array  # (3, 3)
    base_position: Array  # (3,) [m]
    velocity: Array  # (6 + n,) [m/s, rad/s] as in `KinematicState`
    lost: tuple[str, ...] = ()  # names of links whose target has no value; they are free in this step
    yielded: tuple[str, ...] = ()  # violated constraints: contacts, couplings, acceleration limits
    bounded: Mask = field(default_factory=lambda: np.zeros(0, bool))  # (n,) joints at an active limit
    rounds: int = 0  # number of linear solves
    stopped: bool = False  # whether the search for the best step was stopped early


def at_rest(body: Body, joints: Array, base_rotation: Array, base_position: Array) -> KinematicState:
    """A state of the body with the given pose and velocity 0."""
    frames = body.forward(joints, base_rotation)
    return KinematicState(
        joints,
        base_rotation,
        base_position,
        np.zeros(body.unknowns),
        frames,
        np.zeros(body.unknowns, np.int8),
    )


def moved(body: Body, state: KinematicState, move: Array, dt: float) -> KinematicState:
    """The state after a step `move` (6 + n,) of base and joints in `dt` [s]; joints stay within their limits.

    Args:
        body: The body's model.
        state: State before the step.
        move: Displacement [m] and rotation [rad] of the base in the world, then changes of the joint values.
        dt: Duration of the step [s].
    """
    joints = np.minimum(np.maximum(state.joints + move[BASE:], body.lower), body.upper)
    turn = orthonormal(exponential(move[3:BASE]) @ state.base_rotation)
    velocity = move / dt
    velocity[BASE:] = (joints - state.joints) / dt
    return KinematicState(
        joints,
        turn,
        state.base_position + move[:3],
        velocity,
        body.forward(joints, turn),
        state.sides,
        state.multipliers,
    )


def since(state: KinematicState, before: KinematicState, dt: float) -> Array:
    """The velocity (6 + n,) that leads from the state `before` to `state` within `dt` [s]."""
    velocity = np.empty_like(state.velocity)
    velocity[:3] = state.base_position - before.base_position
    velocity[3:BASE] = logarithm(state.base_rotation @ before.base_rotation.T)
    velocity[BASE:] = state.joints - before.joints
    return velocity / dt
