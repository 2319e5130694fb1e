"""The table of solvers by name. Solvers are made from it, and choices of solvers listed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from .ccd import Ccd, CcdOptions
from .erik.exact import ErikExact, erik
from .erik.parameters import ExactHyperparameters, Hyperparameters
from .expressive.measures import expressive, why_too_long
from .expressive.options import ExpressiveOptions
from .expressive.prediction import WHOLE_TURN
from .gaze import GazeSolver
from .goals import Aim, GazeError, Kinds, any_aim, looks
from .jacobian import family
from .jacobian.options import (
    DampedNearTargets,
    DampedOptions,
    JacobianOptions,
    PriorityOptions,
    SelectiveOptions,
)
from .kinematics.skeleton import Skeleton


class UnknownSolverError(GazeError):
    """No solver has that name; the message lists the known ones."""


class UnavailableSolverError(GazeError):
    """The solver does not support this skeleton with these options."""


@dataclass(frozen=True)
class SolverInfo:
    """A solver's name, abilities and constructor."""

    name: str
    label: str
    description: str
    make: Callable[..., GazeSolver]  # constructor from a skeleton and, if the solver has some, options
    supports: Kinds = any_aim  # function that tells which kinds of aims the solver supports
    trees: bool = True  # whether the solver supports trees
    prismatic_only: bool = True  # whether it supports skeletons without a revolute joint
    # options that a user can set, a frozen dataclass with defaults; None if there are none
    options: type | None = None
    # name of the solver that this one is a variant of, with a name of its own; "" if none
    option_of: str = ""
    # [s] time up to which `solve` uses future goals, its argument `ahead`; 0: it has neither `ahead` nor
    # `mutual`
    looks_ahead: float = 0.0
    # function that tells from the number of joints and the options why a chain is too long; "" if it is not
    why_too_long: Callable[[int, object], str] = lambda _joints, _options: ""


ERIK = SolverInfo(
    "erik",
    "ERIK",
    "Orientation and posture within one threshold (Ribeiro & Paiva 2019); its option As Published is"
    " the loop as printed",
    erik,
    looks,
    False,
    False,
    options=Hyperparameters,
)
DAMPED = SolverInfo(
    "dls",
    "Damped least squares",
    "A step that reduces the error, shortened near singular poses (Buss 2009)",
    family.dls,
    options=DampedOptions,
)
SOLVERS: dict[str, SolverInfo] = {
    info.name: info
    for info in (
        SolverInfo(
            "expressive",
            "Expressive",
            "Exact aim, the shape nearest the authored one, no jumps",
            expressive,
            options=ExpressiveOptions,
            looks_ahead=WHOLE_TURN,
            why_too_long=why_too_long,
        ),
        ERIK,
        replace(
            ERIK,
            name="erik_exact",
            label="ERIK (exact aim)",
            description="ERIK with its option Exact Aim",
            make=ErikExact,
            options=ExactHyperparameters,
            option_of="erik",
        ),
        SolverInfo(
            "ccd",
            "CCD",
            "Joint after joint points the chain's end at the target; the posture is only the start (Zalo)",
            Ccd,
            options=CcdOptions,
        ),
        DAMPED,
        replace(
            DAMPED,
            name="dls_clamped",
            label="Near-target damped least squares",
            description="Damped least squares with its option Near Targets",
            options=DampedNearTargets,
            option_of="dls",
        ),
        SolverInfo(
            "sdls",
            "Selectively damped",
            "Limits each singular direction by how far its joints move the ends (Buss & Kim 2005)",
            family.sdls,
            options=SelectiveOptions,
        ),
        SolverInfo(
            "priorities",
            "Task priorities",
            "Tasks in order, such as position, aim, posture: none disturbs one before it",
            family.priorities,
            options=PriorityOptions,
        ),
        SolverInfo(
            "pseudoinverse",
            "Pseudoinverse",
            "The least step that meets the goal; wild near singular poses",
            family.pseudoinverse,
            options=JacobianOptions,
        ),
        SolverInfo(
            "transpose",
            "Jacobian transpose",
            "Steps down the error's gradient: simple, slow close to the goal",
            family.transpose,
            options=JacobianOptions,
        ),
    )
}


def unavailable(name: str, skeleton: Skeleton, aims: Iterable[type[Aim]] = (), options: object = None) -> str:
    """Why a solver does not support a skeleton or kinds of aims with these options, and which solver does; ""
    if it supports them.

    Raises:
        UnknownSolverError: there is no solver of that name; the message lists those that exist.
    """
    if name not in SOLVERS:
        raise UnknownSolverError(f"no solver is called '{name}': choose one of {', '.join(SOLVERS)}")
    info = SOLVERS[name]
    kinds = frozenset(aims)
    why = _why(info, skeleton, kinds, options)
    if not why:
        return ""
    others = [
        other.label
        for other in SOLVERS.values()
        if not other.option_of and not _why(other, skeleton, kinds, None)
    ]
    return (
        f"{info.label} {why}: choose {_either(others)}"
        if others
        else f"{info.label} {why}, and no other solver can"
    )


def _why(info: SolverInfo, skeleton: Skeleton, aims: frozenset[type[Aim]], options: object) -> str:
    """Why a solver does not support a skeleton or kinds of aims, as the rest of a sentence; "" if it does."""
    if not info.trees and not skeleton.is_chain:
        return "moves chains with one end, no trees"
    if not info.prismatic_only and all(joint.kind == "prismatic" for joint in skeleton.branch().joints):
        return "needs a revolute joint"
    if too_long := info.why_too_long(len(skeleton), options):
        return too_long
    unknown = sorted(kind.words for kind in aims if not info.supports(kind))
    return f"cannot {' or '.join(unknown)}" if unknown else ""


def _either(labels: list[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} or {labels[-1]}"


def make_solver(name: str, skeleton: Skeleton, options: object = None) -> GazeSolver:
    """The solver of that name for `skeleton`; `options` is an instance of the solver's options class; None:
    its defaults.

    Raises:
        UnknownSolverError: there is no solver of that name; the message lists those that exist.
        UnavailableSolverError: the solver does not support this skeleton with these options; the message says
            why, and which solver does.
    """
    trouble = unavailable(name, skeleton, options=options)
    if trouble:
        raise UnavailableSolverError(trouble)
    info = SOLVERS[name]
    if options is None and info.options is not None:
        options = info.options()
    return info.make(skeleton) if options is None else info.make(skeleton, options)
