"""Goals of a mechanism in a frame: poses, centre of mass and actuator values, each with weights."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ..kinematics.rotations import IDENTITY, Quaternion, Vector, Z, to_matrix
from ..kinematics.se3 import HERE, RigidTransform
from ..least_squares.damping import REDUNDANT
from .model import FARTHEST, MechanismError, check_numbers, check_rotation

EVENLY: Vector = (1.0, 1.0, 1.0)


def _check_weights(what: str, weights: tuple[float, ...], count: int = 3) -> None:
    """Raises MechanismError if there are not `count` weights from 0 to 1 / `REDUNDANT`."""
    # largest weight: above it the damping would exceed the effect of weights of 1
    check_numbers(what, weights, count, 1.0 / REDUNDANT)
    if any(weight < 0.0 for weight in weights):
        raise MechanismError(f"{what} must not be below 0, got {', '.join(map(str, weights))}")


@dataclass(frozen=True)
class FrameGoal:
    """Goal for the pose of a frame on a body, in the world. Weights can change from frame to frame; a
    weight of 0 leaves an axis free.
    """

    body: str
    on_body: RigidTransform = HERE
    position: Vector | None = None  # [m] desired position; None: free
    rotation: Quaternion | None = None  # desired orientation; None: free
    position_weight: Vector = EVENLY  # weights along `Goals.weight_axes`
    rotation_weight: Vector = EVENLY  # weights about the goal's own axes
    # direction in the world (any length) in which `axis` points; the roll about it is free
    direction: Vector | None = None
    axis: Vector = Z  # axis of the frame on the body that points in `direction`
    direction_weight: float = 1.0

    def __post_init__(self) -> None:
        who = f"the goal of body '{self.body}': its"
        if self.position is not None:
            check_numbers(f"{who} position [m]", self.position, 3, FARTHEST)
        if self.rotation is not None:
            check_rotation(f"{who} rotation", self.rotation)
        if self.direction is not None:
            for what, vector in (("direction", self.direction), ("axis", self.axis)):
                check_numbers(f"{who} {what}", vector, 3)
                if not any(vector):
                    raise MechanismError(f"{who} {what} is 0, 0, 0, which points nowhere: give it a length")
        _check_weights(f"{who} weight of direction", (self.direction_weight,), 1)
        _check_weights(f"{who} weights of position", self.position_weight)
        _check_weights(f"{who} weights of rotation", self.rotation_weight)


@dataclass(frozen=True)
class CentreGoal:
    """Goal for the position of the centre of mass [m], with weights along `Goals.weight_axes`."""

    position: Vector
    weight: Vector = EVENLY

    def __post_init__(self) -> None:
        check_numbers("the goal of the centre of mass: its position [m]", self.position, 3, FARTHEST)
        _check_weights("the goal of the centre of mass: its weights", self.weight)


@dataclass(frozen=True)
class RegulariserWeights:
    """Weights of the motion regulariser. Position errors count in multiples of the mechanism's size, rotation
    errors in radians.
    """

    weight: float = 0.0  # weight of the squared distance from the last frame's poses (R_state)
    speed_weight: float = 0.0  # weight of rotating faster than `speed` (R_vel of Schumacher et al. 2021)
    speed: float = 4.0  # [rad/s] angular velocity of a body above which `speed_weight` applies

    def __post_init__(self) -> None:
        for what, number in (
            ("weight", self.weight),
            ("speed weight", self.speed_weight),
            ("speed", self.speed),
        ):
            _check_weights(f"the regulariser's {what}", (number,), 1)


NO_REGULARISER = RegulariserWeights()


@dataclass(frozen=True)
class Goals:
    """All goals of a frame. Without any goal, a solve only closes the loops."""

    frames: tuple[FrameGoal, ...] = ()
    centres: tuple[CentreGoal, ...] = ()  # goals for the centre of mass, of which the weighted mean is used
    # joint -> its commanded values [rad or m], as in forward kinematics
    actuators: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    # driven body -> its pose; a driven body without one is free in this frame
    driven: Mapping[str, RigidTransform] = field(default_factory=dict)
    regulariser_weights: RegulariserWeights = NO_REGULARISER
    # whether actuators' full rotations count; otherwise they rotate by the shortest way within their limits
    counts_full_rotations: bool = False
    # rotation of the axes of position weights, in the frame in which these goals are given
    weight_axes: Quaternion = IDENTITY

    def __post_init__(self) -> None:
        for name, values in self.actuators.items():
            check_numbers(f"joint '{name}': the values of its actuator", values)
        check_rotation("the axes of weights", self.weight_axes)
        for name, pose in self.driven.items():
            check_numbers(f"driven body '{name}': its position [m]", pose.position, 3, FARTHEST)
            check_rotation(f"driven body '{name}': its rotation", pose.rotation)

    @cached_property
    def centre(self) -> CentreGoal | None:
        """A single goal equivalent to all goals of the centre of mass; None if none has a weight. Their sum
        of weighted squares is that of the weighted mean plus a constant, which no motion could reduce.
        """
        weights = [
            sum(axis_weights) for axis_weights in zip(*(goal.weight for goal in self.centres), strict=True)
        ]
        if not any(weights):
            return None
        axes = to_matrix(self.weight_axes)  # axes of the weights, as columns
        positions = [
            sum(
                goal.weight[k] * sum(axes[i][k] * goal.position[i] for i in range(3)) for goal in self.centres
            )
            / (weights[k] or 1.0)
            for k in range(3)
        ]
        x, y, z = (sum(axes[i][k] * positions[k] for k in range(3)) for i in range(3))
        return CentreGoal((x, y, z), (weights[0], weights[1], weights[2]))
