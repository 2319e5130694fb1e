"""ERIK's hyperparameters (Table 2), with names. Knows no Blender."""

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Hyperparameters:
    """Hyperparameters of ERIK. Values that the paper does not print come from `python -m benchmarks.erik_sweep`."""

    orientation_weight: float = 1.0  # section 4.0.1
    posture_weight: float = 0.2  # section 4.0.1
    threshold: float = 0.04  # on the weighted sum of both errors, section 4.0.1
    aggravation: float = 1.0  # factor by which a deviation counts more one bend nearer to the end (eq. 21)

    # "published": an iteration goes on from the last one's candidate, and the offset trick holds for BWCD and CCD as well (section 3.3,
    # Algorithm 3). "posture": each starts from the warped posture, and BWCD and CCD keep to the target as given, which errs less.
    loop: Literal["published", "posture"] = "posture"
    symmetric_endpoint: bool = True  # the end may be rolled by pi
    avoid_edges: bool = True  # move joints off their exact limits
    non_convergence_offset_trick: bool = True
    non_convergence_ccd_trick: bool = True
    # the paper's input that nothing uses: keep the last frame's solution while it is within the threshold
    use_previous_solution: bool = False

    # The first iteration goes without: AvoidEdges would spoil an answer that is exact. Those that it leaves unsolved need it.
    avoid_edges_from_iteration: int = 2
    disturbance: float = math.radians(1.0)  # [rad] AvoidEdges' offset from a limit, and the offset trick's
    max_iterations: int = 10  # of ERIK; the tricks end nearly all runs by the fourth
    max_bwcd_iterations: int = 10  # sweeps of BWCD over the chain
    max_ccd_iterations: int = 20  # sweeps of CCD over the chain
    ccd_precision: float = 1e-9  # of (1 - cos of the error) / 2, Algorithm 20: 6e-5 rad
    progress: float = 1e-3  # an iteration that lowers the least error by less does not converge
