"""Interfaces of the solvers' models, goals, transitions and forecasts, as far as the kernel needs them."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ..goals import GazeGoal
from ..kinematics.rotations import Vector
from ..kinematics.skeleton import Angles, Skeleton
from ..kinematics.tree import Indices, Tree


class DirectionInput(Protocol):
    """Interface of a direction of a model that the shape deviation compares."""

    @property
    def carrier(self) -> int: ...

    @property
    def slide(self) -> int: ...


class OptionsInput(Protocol):
    """Interface of a model's options."""

    @property
    def hold_body(self) -> bool: ...

    @property
    def transition_speed(self) -> float: ...


class ModelInput(Protocol):
    """Interface of an `expressive.model.Model`, as far as the kernel needs it."""

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
    """Interface of a `motion.ActiveTransition`, as far as the kernel needs it."""

    @property
    def kind(self) -> int: ...

    @property
    def branch(self) -> tuple[float, ...]: ...


class Forecast(Protocol):
    """Interface of a `prediction.GoalForecast`, as far as a plan needs it."""

    @property
    def ahead(self) -> Sequence[GazeGoal]: ...

    @property
    def moving(self) -> Sequence[tuple[Vector, Vector]]: ...

    def at(self, time: float) -> GazeGoal: ...

    def time_of(self, time: float) -> float: ...


class SeedsInput(Protocol):
    """Interface of `expressive.seeds.Seeds`: starting configurations of a plan's branches, for a skeleton."""

    spread: Angles  # (k, n) configurations spread evenly over the joints' ranges
    mirror: Angles  # (n,) factors of the joint values that mirror a shape


class PlannedPath(NamedTuple):
    """Start of a plan: the configuration, known branches and the transition in progress."""

    known: Angles | None  # (b, n) [rad; prismatic joints m] branches of the last plan; None if there are none
    angles: tuple[float, ...]  # (n,) [rad; prismatic joints m] current angles
    dt: float  # [s] duration of a frame
    speed: float  # [rad/s] speed of the transition in progress
    kind: int  # kind of the transition in progress; STAY if there is none
    branch: tuple[float, ...]  # (n,) branch of the transition in progress; () if there is none
    hysteresis: float  # [deg] margin by which another path must be cheaper to be chosen
    is_lasting: bool  # whether the aim has been lost for long: the aim error at a path's end is then decisive
    is_straight_only: bool  # whether only straight transitions are allowed


class HyperparametersInput(Protocol):
    """Interface of ERIK's hyperparameters; those in `erik.REALS` and `erik.COUNTS` are read by name."""

    @property
    def loop(self) -> str: ...

    @property
    def symmetric_endpoint(self) -> bool: ...


class BoneInput(Protocol):
    """Interface of a bone of a model."""

    @property
    def joints(self) -> tuple[int, ...]: ...

    @property
    def is_ball(self) -> bool: ...


class BonesInput(Protocol):
    """Interface of a `bones.model.BoneModel`, as far as the kernel needs it."""

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
    """Interface of a `bones.model.BonePose` that describes the difference between two configurations."""

    @property
    def values(self) -> Angles: ...

    @property
    def balls(self) -> Angles: ...


class LastFramesInput(Protocol):
    """Interface of `bones.last_frames.LastFrames`, as far as the kernel needs it."""

    @property
    def deviation(self) -> DeviationInput: ...

    @property
    def before(self) -> DeviationInput | None: ...

    @property
    def forces(self) -> Angles: ...
