"""The methods as solvers: what the table of solvers makes. Knows no Blender."""

from ..skeleton import Skeleton
from .clamping import Clamp
from .damping import ByError
from .methods import Damped, Pseudoinverse, SelectivelyDamped, Transpose
from .priorities import Priorities
from .solver import JacobianSolver, Updates


def transpose(skeleton: Skeleton) -> JacobianSolver:
    """The Jacobian's transpose, with the length that takes off most of the error."""
    return JacobianSolver(skeleton, Transpose())


def pseudoinverse(skeleton: Skeleton) -> JacobianSolver:
    """The Jacobian's pseudoinverse."""
    return JacobianSolver(skeleton, Pseudoinverse())


def dls(skeleton: Skeleton) -> JacobianSolver:
    """Damped least squares; damping by the error, which bears targets out of reach without a constant made for each robot."""
    return JacobianSolver(skeleton, Damped(ByError()))


def dls_clamped(skeleton: Skeleton) -> JacobianSolver:
    """Buss's DLS': targets brought closer, so that damping can be less."""
    return JacobianSolver(skeleton, Damped(ByError()), Updates(clamp=Clamp.for_skeleton(skeleton)))


def sdls(skeleton: Skeleton) -> JacobianSolver:
    """Selectively damped least squares, with targets brought closer as Buss & Kim advise."""
    return JacobianSolver(skeleton, SelectivelyDamped(), Updates(clamp=Clamp.for_skeleton(skeleton)))


def priorities(skeleton: Skeleton) -> JacobianSolver:
    """Task priorities: places, then aims, then uprightness, then the posture."""
    return JacobianSolver(skeleton, Priorities())
