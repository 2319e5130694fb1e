"""A chain's settings as the solver's skeleton, and which solvers can be used for it."""

from ..solvers.skeleton import Skeleton, SkeletonError
from ..solvers.table import SOLVERS, unavailable
from .errors import RigError
from .goal import kind, tool_frame
from .skeleton import ChainReader, Motion


def motions(chain) -> list[Motion]:
    """Limits of the chain's joints, in the order of its properties."""
    return [Motion(joint.lower, joint.upper, joint.velocity, joint.acceleration, joint.jerk) for joint in chain.joints]


def skeleton(chain, reader: ChainReader, fixed: tuple) -> Skeleton:
    """The chain as solvers see it, with the given fixed parts (from `reader.fixed`).

    Raises:
        RigError, SkeletonError: a setting or a joint that cannot be.
    """
    return reader.skeleton(fixed, motions(chain), *tool_frame(chain, reader.end_length))


def skeleton_now(rig, chain) -> Skeleton:
    """The chain as the rig stands; raises as `skeleton` does, and where the chain cannot be read."""
    reader = ChainReader(rig, chain)
    return skeleton(chain, reader, reader.fixed(reader.read(rig.pose.bones)))


def goal_kinds(chain) -> set[type]:
    """The kinds of goals that the chain asks of its solver.

    Raises:
        RigError: one that this version does not know.
    """
    return {kind(chain)}


def why_not_solver(rig, chain, name: str = "") -> str:
    """Why a solver (the chain's own, where none is named) cannot be used for the chain and its goal, and which can; "" where it can, and
    where the chain cannot be read at all."""
    name = name or chain.solver
    if name not in SOLVERS:
        return f"Chain '{chain.name}' has a solver that this version does not know: choose its Solver anew"
    try:
        return unavailable(name, skeleton_now(rig, chain), goal_kinds(chain))
    except (RigError, SkeletonError):
        return ""
