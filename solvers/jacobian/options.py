"""Options of the Jacobian family."""

import math
from dataclasses import dataclass
from itertools import permutations
from typing import Literal

from ..settings import Choice, SolverOptions, setting, with_default
from .clamping import HALF_A_LINK, LARGEST_TURN
from .damping import ByError, BySmallest, Constant, DampingRule
from .objectives import KeepPosture, LeaveLimits, Manipulability, Objective
from .priorities import AIM, DAMPING, POSITION, POSTURE, SECONDARY_DAMPING, UPRIGHT, Level

ObjectiveName = Literal["posture", "limits", "manipulability"]
Task = Literal["position", "aim", "posture"]
OBJECTIVES: dict[ObjectiveName, Objective] = {
    "posture": KeepPosture(),
    "limits": LeaveLimits(),
    "manipulability": Manipulability(),
}
LEVELS: dict[Task, tuple[Level, ...]] = {
    "position": (POSITION,),
    "aim": (AIM, UPRIGHT),
    "posture": (POSTURE,),
}

NEAR = (("near_targets", True),)

OBJECTIVE_CHOICES = (
    Choice("posture", "Posture", "Keep joints near the posture"),
    Choice("limits", "Limit Avoidance", "Keep joints away from their limits"),
    Choice(
        "manipulability",
        "Manipulability",
        "Keep joints away from singular poses, in which the end cannot move in every direction",
    ),
)
ORDERS = tuple(
    Choice(
        (first, second, third),
        f"{first}, {second}, {third}".capitalize(),
        f"{first.capitalize()} counts most, {third} least",
    )
    for first, second, third in permutations(LEVELS)
)
UPDATES = (
    Choice("one", "One", "One update in a frame: ends follow late, at the least cost"),
    Choice("few", "A Few", "The number of updates that is set below"),
    Choice("all", "Until Converged", "As many updates as it takes to meet the goal"),
)
DAMPINGS = (
    Choice(
        "error", "By Error", "Damping grows with the error and vanishes at the goal (Chan & Lawrence 1988)"
    ),
    Choice(
        "smallest",
        "By Singular Value",
        "The least damping that bounds the step, by the smallest singular value (Maciejewski & Klein 1988)",
    ),
    Choice(
        "constant",
        "Constant",
        "The same damping in all poses (Wampler 1986); Choose Damping finds it for this chain",
    ),
)


@dataclass(frozen=True)
class JacobianOptions(SolverOptions):
    """Settings that all methods of the Jacobian family have."""

    beneath: tuple[ObjectiveName, ...] = setting(
        ("posture",),
        "Secondary Objective",
        "Use of the degrees of freedom that the goals leave, in the goals' null space (Buss 2009, eq. 7)",
        choices=OBJECTIVE_CHOICES,
        several=True,
        is_usual=True,
    )
    updates: Literal["one", "few", "all"] = setting(
        "few",
        "Updates in a Frame",
        "Updates from one frame to the next (Buss 2009, section 2)",
        choices=UPDATES,
    )
    few: int = setting(
        8,
        "Number of Updates",
        "Number of updates from one frame to the next",
        low=1,
        high=300,
        slider=30,
        needs=(("updates", "few"),),
    )
    at_most: int = setting(
        300,
        "Updates at Most",
        "Largest number of updates of a solve from scratch; with Updates at Until Converged, of every frame",
        low=1,
        high=10_000,
        slider=1000,
    )
    shakes: int = setting(
        6,
        "Restarts",
        "Largest number of restarts of a solve from scratch that is stuck: the first near its pose, later ones"
        " farther away (compare Beeson & Ames 2015); 0: none, as in the original method",
        high=100,
    )
    at_targets: bool = setting(
        False,
        "Alternate Jacobian",
        "Take velocities at the targets, as if attached to the end's link (Buss 2009, section 2)",
    )
    largest_change: float = setting(
        math.radians(30),
        "Largest Change",
        "Largest change of a joint in one update; for a prismatic joint, 60° mean about one length of the"
        " chain (Buss 2009, ClampMaxAbs; gamma_max of SDLS)",
        low=math.radians(0.1),
        high=math.pi,
        unit="angle",
    )

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """The secondary objectives."""
        return tuple(OBJECTIVES[name] for name in self.beneath)

    @property
    def in_frame(self) -> int | None:
        """Number of updates in a frame; None: as many as it takes to meet the goal."""
        return {"one": 1, "few": self.few, "all": None}[self.updates]


@dataclass(frozen=True)
class NearTargets(JacobianOptions):
    """Settings of methods with clamped target distances."""

    nearest: float = setting(
        HALF_A_LINK,
        "Target Distance",
        "D_max: distance to which targets are brought, in lengths of the chain's typical link (Buss 2009,"
        " section 2)",
        low=0.01,
        slider=10.0,
    )
    largest_turn: float = setting(
        LARGEST_TURN,
        "Target Angle",
        "Angle to which targets of aims and orientations are brought: half a link seen from a link's length"
        " away",
        low=math.radians(0.1),
        high=math.pi,
        unit="angle",
    )

    @property
    def brings_near(self) -> bool:
        """Whether target distances are clamped (brought closer)."""
        return True


@dataclass(frozen=True)
class SelectiveOptions(NearTargets):
    """Settings of selectively damped least squares."""

    largest_change: float = with_default(JacobianOptions, "largest_change", math.radians(45))


@dataclass(frozen=True)
class DampingOptions(JacobianOptions):
    """Settings of methods that use damping."""

    damping: Literal["error", "smallest", "constant"] = setting(
        "error",
        "Damping",
        "How steps are shortened near singular poses and out of reach (Buss 2009, section 5)",
        choices=DAMPINGS,
    )
    constant: float = setting(
        Constant.damping,
        "Constant",
        "Damping constant lambda, as error per joint value: 1 is an error of the chain's reach per radian. A"
        " larger value gives smoother motion that lags more (Buss 2009, eq. 11)",
        low=1e-4,
        high=100.0,
        slider=1.0,
        needs=(("damping", "constant"),),
    )
    gain: float = setting(
        ByError.gain,
        "Gain of Error",
        "Square of the damping over half the squared error: no singular direction then moves joints by more"
        " than 1 / sqrt(2 gain) radians in an update (Chan & Lawrence 1988)",
        low=1e-3,
        high=1e4,
        slider=50.0,
        needs=(("damping", "error"),),
    )
    longest_step: float = setting(
        BySmallest.largest_change,
        "Longest Step",
        "Longest step of all joints together in an update (ERIK paper, eq. 15: b_max)",
        low=math.radians(0.1),
        high=math.pi,
        unit="angle",
        needs=(("damping", "smallest"),),
    )
    largest_change: float = with_default(JacobianOptions, "largest_change", math.radians(45))

    @property
    def damping_law(self) -> DampingRule:
        """Rule that gives each singular direction its damping."""
        laws: dict[str, DampingRule] = {
            "error": ByError(self.gain),
            "smallest": BySmallest(self.longest_step),
            "constant": Constant(self.constant),
        }
        return laws[self.damping]


@dataclass(frozen=True)
class DampedOptions(NearTargets, DampingOptions):
    """Settings of damped least squares."""

    near_targets: bool = setting(
        False,
        "Near Targets",
        "Bring targets closer, which needs less damping: calmer where they jump or leave the reach (Buss 2009,"
        " section 8: DLS')",
        is_usual=True,
    )
    nearest: float = with_default(NearTargets, "nearest", HALF_A_LINK, needs=NEAR)
    largest_turn: float = with_default(NearTargets, "largest_turn", LARGEST_TURN, needs=NEAR)
    largest_change: float = with_default(DampingOptions, "largest_change", math.radians(45))

    @property
    def brings_near(self) -> bool:
        return self.near_targets


@dataclass(frozen=True)
class DampedNearTargets(DampedOptions):
    """Settings of damped least squares under the key `dls_clamped`: targets are always brought closer."""

    near_targets: bool = True
    nearest: float = with_default(NearTargets, "nearest", HALF_A_LINK)
    largest_turn: float = with_default(NearTargets, "largest_turn", LARGEST_TURN)


@dataclass(frozen=True)
class PriorityOptions(DampingOptions):
    """Settings of task priorities."""

    order: tuple[Task, ...] = setting(
        ("position", "aim", "posture"),
        "Order",
        "Priority of the tasks, highest first",
        choices=ORDERS,
        is_usual=True,
    )
    damping: Literal["error", "smallest", "constant"] = with_default(DampingOptions, "damping", "smallest")
    longest_step: float = with_default(DampingOptions, "longest_step", DAMPING.largest_change)
    posture_damping: float = setting(
        SECONDARY_DAMPING.damping,
        "Damping of Posture",
        "Constant damping of the posture's level: undamped, joints with small effect would oscillate",
        low=1e-4,
        high=100.0,
        slider=1.0,
    )

    @property
    def levels(self) -> tuple[Level, ...]:
        """Priority levels, highest first; "posture" stands for the secondary objectives."""
        return tuple(level for task in self.order for level in LEVELS[task])
