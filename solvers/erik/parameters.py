"""ERIK's hyperparameters (Ribeiro & Paiva 2019, Table 2)."""

import math
from dataclasses import dataclass, replace
from typing import Literal

from ..settings import Choice, SolverOptions, setting
from ..virtual_chain.posture_error import AGGRAVATION, POSTURE_WEIGHT

# [rad] not given in the paper: with this value the orientation errors and iterations come nearest to the
# paper's (docs/erik.md)
PAPERS_CCD_ERROR = 0.1
NOT_PUBLISHED = (("as_published", False),)
LOOPS = (
    Choice(
        "published",
        "From Last Candidate",
        "Go on from the last iteration's candidate; the aim is as exact as CCD Precision, and the offset"
        " trick holds for BWCD and CCD",
    ),
    Choice(
        "posture",
        "From Posture",
        "Start from the warped posture; BWCD and CCD keep to the target as given. Its errors are smaller",
    ),
)
COUNT = {"low": 1, "high": 1000, "slider": 100}  # bounds of a number of iterations


@dataclass(frozen=True)
class Hyperparameters(SolverOptions):
    """Hyperparameters of ERIK. Values that the paper does not give come from `python -m
    benchmarks.erik_sweep`.

    By default a few differ from the paper, since ERIK's errors are smaller with them; `as_published` restores
    the paper's values.
    """

    as_published: bool = setting(
        False,
        "As Published",
        "ERIK as its paper prints it, to compare with: iterations start from the last candidate, the end's"
        " basis stays the posture's, edges are avoided from the first iteration on, and BWCD is as rough as"
        " the paper's figures show. Off: Limber's loop, which errs less",
        is_usual=True,
    )
    exact_aim: bool = setting(
        False,
        "Exact Aim",
        "End with the least change of joints that makes the aim exact",
        is_usual=True,
    )
    # an input of the paper that its algorithm never uses: keep the last frame's solution while its error is
    # within the threshold
    use_previous_solution: bool = setting(
        False,
        "Stay with Last Frame",
        "Start from the last frame's solution and keep it while its error is within Threshold",
        is_usual=True,
        needs=NOT_PUBLISHED,
    )
    loop: Literal["published", "posture"] = setting(
        "posture",
        "Iterations",
        "What an iteration starts from (ERIK paper, section 3.3, Algorithm 3)",
        choices=LOOPS,
        needs=NOT_PUBLISHED,
    )
    orientation_weight: float = setting(
        1.0,
        "Orientation Weight",
        "Weight of the orientation error in the sum of errors (ERIK paper, section 4.0.1)",
        slider=10.0,
    )
    posture_weight: float = setting(
        POSTURE_WEIGHT,
        "Posture Weight",
        "Weight of the posture error in the sum of errors (ERIK paper, section 4.0.1)",
        slider=10.0,
    )
    threshold: float = setting(
        0.04,
        "Threshold",
        "Weighted sum of orientation and posture error up to which a solution is accepted: .04 of orientation"
        " error are 6.5 degrees (ERIK paper, section 4.0.1)",
        slider=1.0,
    )
    aggravation: float = setting(
        AGGRAVATION,
        "Error Aggravation",
        "Factor by which a deviation from the posture counts more one bend nearer to the end (ERIK paper, eq."
        " 21, 22: alpha)",
        slider=10.0,
    )
    # whether the end is equally good when rolled by pi; users set this by the goal's own `symmetric`
    symmetric_endpoint: bool = True
    avoid_edges: bool = setting(
        True, "Avoid Edges", "Move joints off their exact limits (ERIK paper, AvoidEdges)"
    )
    # The first iteration does without AvoidEdges, which would spoil an exact solution; it is needed after an
    # iteration that has left the goal unsolved.
    avoid_edges_from_iteration: int = setting(
        2,
        "Avoid Edges from Iteration",
        "First iteration that moves joints off their limits",
        needs=(("avoid_edges", True), *NOT_PUBLISHED),
        **COUNT,
    )
    disturbance: float = setting(
        math.radians(1.0),
        "Disturbance",
        "Angle by which Avoid Edges moves joints off their limits, and the Offset Trick the target (ERIK"
        " paper, Algorithm 3)",
        high=math.radians(45.0),
        unit="angle",
    )
    non_convergence_offset_trick: bool = setting(
        True,
        "Offset Trick",
        "Where iterations do not converge, rotate the target slightly (ERIK paper, section 7.1)",
    )
    non_convergence_ccd_trick: bool = setting(
        True,
        "CCD Trick",
        "Where iterations do not converge, even after the Offset Trick if it is on, end with CCD (ERIK paper,"
        " Algorithm 3)",
    )
    progress: float = setting(
        1e-3,
        "Progress",
        "Decrease of the least error below which an iteration counts as not converging",
        slider=0.1,
    )
    max_iterations: int = setting(  # the tricks end nearly all runs by the fourth iteration
        10, "Iterations at Most", "Largest number of ERIK's iterations (ERIK paper, Table 2)", **COUNT
    )
    max_bwcd_iterations: int = setting(
        10,
        "BWCD Sweeps",
        "Largest number of passes over the chain, joint by joint, in search of the aim (ERIK paper, Table 2)",
        **COUNT,
    )
    max_ccd_iterations: int = setting(
        20, "CCD Sweeps", "Largest number of sweeps of CCD over the chain (ERIK paper, Table 2)", **COUNT
    )
    ccd_error: float = setting(
        6.4e-5,
        "CCD Precision",
        "Error of the end's direction below which BWCD and CCD stop (ERIK paper, Algorithm 20)",
        high=0.1,
        unit="angle",
        needs=NOT_PUBLISHED,
    )

    @property
    def in_force(self) -> "Hyperparameters":
        """The hyperparameters in use. With `as_published`, the four settings that need `NOT_PUBLISHED` are as
        in the published algorithm (`ccd_error` is estimated from the paper's figures); others stay as set.
        """
        if not self.as_published:
            return self
        return replace(
            self,
            use_previous_solution=False,
            loop="published",
            avoid_edges_from_iteration=1,
            ccd_error=PAPERS_CCD_ERROR,
        )

    @property
    def ccd_precision(self) -> float:
        """CCD's precision as (1 - cos of the error) / 2, the form that Algorithm 20 compares."""
        return math.sin(0.5 * self.ccd_error) ** 2


@dataclass(frozen=True)
class ExactHyperparameters(Hyperparameters):
    """Hyperparameters of ERIK under the key `erik_exact`: the aim is always exact."""

    exact_aim: bool = True
