"""The methods as solvers: what the table of solvers makes. Knows no Blender."""

from ..skeleton import Skeleton
from .clamping import Clamp
from .damping import Constant
from .methods import Damped, Pseudoinverse, SelectivelyDamped, Transpose
from .priorities import Priorities
from .solver import JacobianSolver, Updates


def transpose(skeleton: Skeleton) -> JacobianSolver:
    return JacobianSolver(skeleton, Transpose())


def pseudoinverse(skeleton: Skeleton) -> JacobianSolver:
    return JacobianSolver(skeleton, Pseudoinverse())


def dls(skeleton: Skeleton) -> JacobianSolver:
    return JacobianSolver(skeleton, Damped(Constant(0.03)))


def dls_clamped(skeleton: Skeleton) -> JacobianSolver:
    return JacobianSolver(skeleton, Damped(Constant(0.03)), Updates(clamp=Clamp.for_skeleton(skeleton)))


def sdls(skeleton: Skeleton) -> JacobianSolver:
    return JacobianSolver(skeleton, SelectivelyDamped(), Updates(clamp=Clamp.for_skeleton(skeleton)))


def priorities(skeleton: Skeleton) -> JacobianSolver:
    return JacobianSolver(skeleton, Priorities())
