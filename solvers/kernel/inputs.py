"""What the kernel needs of the solvers' models, goals, transitions and forecasts."""

from array import array
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ..goals import GazeGoal
from ..kinematics.rotations import Vector
from ..kinematics.skeleton import Angles, Skeleton
from ..kinematics.tree import Indices, Tree
from .library import KernelError


def known_aims(goal: GazeGoal) -> "array[float]":
    """`GazeGoal.numbers`; raises KernelError where the kernel does not know an aim."""
    if goal.numbers is None:
        raise KernelError(f"the kernel cannot {goal.aim.words}")
    return goal.numbers


def aims_address(goal: GazeGoal) -> int:
    """Address of a goal's array of `struct limber_aim`, which it keeps."""
    return known_aims(goal).buffer_info()[0]


class DirectionInput(Protocol):
    """What a model tells of a direction that is compared in shape deviation."""

    @property
    def carrier(self) -> int: ...

    @property
    def slide(self) -> int: ...


class OptionsInput(Protocol):
    """What a model tells of its options."""

    @property
    def hold_body(self) -> bool: ...

    @property
    def transition_speed(self) -> float: ...


class ModelInput(Protocol):
    """What the kernel needs of an `expressive.model.Model`."""

    skeleton: Skeleton
    lower: Angles
    upper: Angles
    vectors: Angles
    weights: Angles

    @property
    def options(self) -> OptionsInput: ...

    @property
    def shape(self) -> Sequence[DirectionInput]: ...


class TransitionInput(Protocol):
    """What the kernel needs of a `motion.Transition`."""

    @property
    def kind(self) -> int: ...

    @property
    def branch(self) -> tuple[float, ...]: ...


class Forecast(Protocol):
    """What a plan needs of a `prediction.GoalForecast`."""

    @property
    def ahead(self) -> Sequence[GazeGoal]: ...

    @property
    def moving(self) -> Sequence[tuple[Vector, Vector]]: ...

    def at(self, time: float) -> GazeGoal: ...

    def time_of(self, time: float) -> float: ...


class SeedsInput(Protocol):
    """Where the starts of a plan's branches are, for a skeleton, as `expressive.seeds.Seeds`."""

    spread: Angles  # (k, n) spread evenly over the joints' ranges
    mirror: Angles  # (n,) factors of the joints that mirror a shape


class PlannedPath(NamedTuple):
    """Where a plan begins."""

    known: Angles | None  # (b, n) branches of the last plan
    angles: Angles  # (n,)
    dt: float  # [s] of a frame
    speed: float  # [rad/s] of the transition in progress
    kind: int  # of the transition in progress; STAY: none
    branch: tuple[float, ...]  # (n,) of it; () for none
    hysteresis: float  # [deg]
    is_lasting: bool  # whether what is left of the aim error at the end decides
    is_straight_only: bool  # whether only straight transitions may be chosen


class HyperparametersInput(Protocol):
    """What the kernel needs of ERIK's hyperparameters, beside those in `REALS` and `COUNTS`."""

    @property
    def loop(self) -> str: ...

    @property
    def symmetric_endpoint(self) -> bool: ...


class BoneInput(Protocol):
    """What a model tells of a bone."""

    @property
    def joints(self) -> tuple[int, ...]: ...

    @property
    def is_ball(self) -> bool: ...


class BonesInput(Protocol):
    """What the kernel needs of a `bones.model.BoneModel`."""

    skeleton: Skeleton
    reach: float
    tree: Tree
    balls: Indices
    ball_axes: Angles
    lower: Angles
    upper: Angles
    costs: Angles
    slides: Angles
    sizes: Angles

    @property
    def bones(self) -> Sequence[BoneInput]: ...


class DeviationInput(Protocol):
    """A `bones.model.BonePose` that tells how a configuration differs from another one."""

    @property
    def values(self) -> Angles: ...

    @property
    def balls(self) -> Angles: ...


class LastFramesInput(Protocol):
    """What the kernel needs of `bones.last_frames.LastFrames`."""

    @property
    def deviation(self) -> DeviationInput: ...

    @property
    def before(self) -> DeviationInput | None: ...

    @property
    def forces(self) -> Angles: ...
