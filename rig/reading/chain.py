"""A chain's settings as the solver's skeleton, and which solvers can be used for it."""

from mathutils import Matrix

from ...solvers.skeleton import Skeleton, SkeletonError
from ...solvers.table import SOLVERS, unavailable
from ..blender.errors import RigError
from .goal import asked, ends_of, tool_frame
from .joint_tree import Motion, joint_tree
from .options import options_of, settings
from .skeleton import ChainReader


def motions(chain) -> list[Motion]:
    """Limits of the chain's joints, in the order of its properties."""
    return [Motion(*row) for row in zip(*stored_motions(chain), strict=True)]


def stored_motions(chain) -> list[list[float]]:
    """What `motions` are made of: for each field the values of all joints."""
    joints = chain.joints
    columns = [[0.0] * len(joints) for _ in Motion._fields]
    for name, column in zip(Motion._fields, columns, strict=True):
        joints.foreach_get(name, column)
    return columns


def tools(chain, reader: ChainReader) -> list[tuple]:
    """Of each end, the chain's own first: the tool's rotation and offset [m] in the end bone's frame.

    Raises:
        RigError: a setting that cannot be.
    """
    return [tool_frame(end, length) for end, length in zip(ends_of(chain), reader.end_lengths, strict=True)]


def solver_settings(chain, solver: str, reader: ChainReader, rig_in_world: Matrix | None = None) -> tuple:
    """What `solver_options` depends on."""
    return settings(chain, SOLVERS[solver], reader.places, rig_in_world) if solver in SOLVERS else ()


def solver_options(chain, solver: str, reader: ChainReader, rig_in_world: Matrix | None = None) -> object:
    """What the user has set of a solver, as its own options; None where it has none. `rig_in_world` is where the armature object stands;
    None: as Blender has it now.

    Raises:
        RigError: a setting that this version does not know.
        GazeError: one that the solver cannot work with.
    """
    return options_of(chain, SOLVERS[solver], reader.places, rig_in_world) if solver in SOLVERS else None


def skeleton_now(rig, chain) -> Skeleton:
    """The chain as solvers see it, as the rig stands.

    Raises:
        RigError, SkeletonError: a bone, a setting or a joint that cannot be.
    """
    reader = ChainReader(rig, chain)
    return joint_tree(reader, reader.fixed(reader.read(rig.pose.bones)), motions(chain), tools(chain, reader))


def goal_kinds(chain) -> set[type]:
    """The kinds of goals that the chain asks of its solver.

    Raises:
        RigError: one that this version does not know.
    """
    return {end.kind for end in asked(chain)}


def why_not_solver(rig, chain, name: str = "") -> str:
    """Why a solver (the chain's own, where none is named) cannot be used for the chain and its goal, and which can; "" where it can, and
    where the chain cannot be read at all."""
    name = name or chain.solver
    if name not in SOLVERS:
        return f"Chain '{chain.name}' has a solver that this version does not know: choose its Solver again"
    try:
        return unavailable(name, skeleton_now(rig, chain), goal_kinds(chain))
    except (RigError, SkeletonError):
        return ""
