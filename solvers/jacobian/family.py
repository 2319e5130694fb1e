"""The methods of the Jacobian family as solvers, for the table of solvers."""

from ..kinematics.skeleton import Skeleton
from .clamping import Clamp
from .damping import Constant
from .methods import Damped, Method, Pseudoinverse, SelectivelyDamped, Transpose
from .options import DampedOptions, JacobianOptions, NearTargets, PriorityOptions, SelectiveOptions
from .priorities import Priorities
from .solver import JacobianSolver, Updates

PLAIN, DAMPED, SELECTIVE, IN_ORDER = (
    JacobianOptions(),
    DampedOptions(),
    SelectiveOptions(),
    PriorityOptions(),
)


def transpose(skeleton: Skeleton, options: JacobianOptions = PLAIN) -> JacobianSolver:
    """Solver by the Jacobian's transpose, with the optimal step length."""
    return _solver(skeleton, Transpose(options.largest_change), options)


def pseudoinverse(skeleton: Skeleton, options: JacobianOptions = PLAIN) -> JacobianSolver:
    """Solver by the Jacobian's pseudoinverse."""
    return _solver(skeleton, Pseudoinverse(options.largest_change), options)


def dls(skeleton: Skeleton, options: DampedOptions = DAMPED) -> JacobianSolver:
    """Solver by damped least squares; by default with damping by the error, so that targets out of reach need
    no constant for each robot. With the option Near Targets it clamps target distances, which needs less
    damping (Buss's DLS').
    """
    return _solver(skeleton, Damped(options.damping_law, options.largest_change), options)


def sdls(skeleton: Skeleton, options: SelectiveOptions = SELECTIVE) -> JacobianSolver:
    """Solver by selectively damped least squares, with clamped target distances as Buss & Kim advise."""
    return _solver(skeleton, SelectivelyDamped(options.largest_change), options)


def priorities(skeleton: Skeleton, options: PriorityOptions = IN_ORDER) -> JacobianSolver:
    """Solver by task priorities: positions, aims, uprightness, then the posture, or in another order by
    option.
    """
    method = Priorities(
        options.levels, options.damping_law, options.largest_change, Constant(options.posture_damping)
    )
    return _solver(skeleton, method, options)


def _solver(skeleton: Skeleton, method: Method, options: JacobianOptions) -> JacobianSolver:
    """Solver of a method whose updates are as the options say."""
    clamp = (
        Clamp.for_skeleton(skeleton, options.nearest, options.largest_turn)
        if isinstance(options, NearTargets) and options.brings_near
        else None
    )
    return JacobianSolver(
        skeleton,
        method,
        Updates(
            in_frame=options.in_frame,
            at_most=options.at_most,
            shakes=options.shakes,
            at_targets=options.at_targets,
            objectives=options.objectives,
            clamp=clamp,
        ),
    )
