"""The start and the result of a mechanism's solve."""

from dataclasses import dataclass
from typing import NamedTuple

from ..kinematics.se3 import Array
from ..least_squares.damping import FIRST_SHARE
from .branches import Branch
from .descent import CurvedStep


@dataclass(frozen=True, eq=False)
class AssemblyState:
    """Configuration of a mechanism, from which its next solve starts: an immutable value. As it
    holds arrays, it equals only itself.
    """

    values: Array  # (v,) coordinates [rad, m], full rotations counted
    balls: Array  # (k, 3, 3) rotations of ball joints
    damping: float = FIRST_SHARE  # damping as a fraction of the squared error
    motion: CurvedStep | None = None  # motion of the last frame; None if unknown
    # assembly mode: a `Branch` of the Python reference, or the kernel's numbers (m,); None if unknown
    branch: Branch | Array | None = None
    regular: "AssemblyState | None" = None  # the last state of this assembly away from singular poses


class SolveReport(NamedTuple):
    """Outcome of one solve: assembly, errors and convergence."""

    assembled: bool  # whether every joint's residual is at most MET
    settled: bool  # whether the solve has converged
    residual: float  # [m or rad] largest residual of a joint
    worst: str  # name of that joint; "" if no joint closes a loop
    goal_error: float  # square root of the remaining weighted sum of squares [sizes, rad]
    at_limits: tuple[str, ...]  # sentences on joints whose position or speed limit keeps goals from being met
    iterations: int  # number of steps
    # whether the assembly mode has changed since the last frame in a way that the motors' movement does not
    # predict
    flipped: bool

    @property
    def converged(self) -> bool:
        """Whether the solution is a pose of the mechanism; the same as `assembled`."""
        return self.assembled


@dataclass(frozen=True, eq=False)
class MechanismSolution:
    """Result of a mechanism's solve for one frame. It equals only itself, since it holds arrays."""

    state: AssemblyState
    poses: Array  # (b, 4, 4) bodies in the world, in the mechanism's order
    report: SolveReport
