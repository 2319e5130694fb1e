"""The methods as solvers, for the table of solvers. Knows no Blender."""

from ..kinematics.skeleton import Skeleton
from .clamping import Clamp
from .damping import ByError
from .methods import Damped, Pseudoinverse, SelectivelyDamped, Transpose
from .options import Options, PriorityOptions
from .priorities import Priorities
from .solver import JacobianSolver, Updates

PLAIN, IN_ORDER = Options(), PriorityOptions()


def transpose(skeleton: Skeleton, options: Options = PLAIN) -> JacobianSolver:
    """The Jacobian's transpose, with the optimal step length."""
    return JacobianSolver(skeleton, Transpose(), Updates(objectives=options.objectives))


def pseudoinverse(skeleton: Skeleton, options: Options = PLAIN) -> JacobianSolver:
    """The Jacobian's pseudoinverse."""
    return JacobianSolver(skeleton, Pseudoinverse(), Updates(objectives=options.objectives))


def dls(skeleton: Skeleton, options: Options = PLAIN) -> JacobianSolver:
    """Damped least squares; damping by the error, which handles targets out of reach without a constant for each robot."""
    return JacobianSolver(skeleton, Damped(ByError()), Updates(objectives=options.objectives))


def dls_clamped(skeleton: Skeleton, options: Options = PLAIN) -> JacobianSolver:
    """Buss's DLS': with clamped target distances, so that damping can be less."""
    return JacobianSolver(skeleton, Damped(ByError()), Updates(objectives=options.objectives, clamp=Clamp.for_skeleton(skeleton)))


def sdls(skeleton: Skeleton, options: Options = PLAIN) -> JacobianSolver:
    """Selectively damped least squares, with clamped target distances as Buss & Kim advise."""
    return JacobianSolver(skeleton, SelectivelyDamped(), Updates(objectives=options.objectives, clamp=Clamp.for_skeleton(skeleton)))


def priorities(skeleton: Skeleton, options: PriorityOptions = IN_ORDER) -> JacobianSolver:
    """Task priorities: positions, then aims, then uprightness, then the posture, or in another order."""
    return JacobianSolver(skeleton, Priorities(options.levels), Updates(objectives=options.objectives))
