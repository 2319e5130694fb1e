"""A chain's settings: as they are stored, as the solver's skeleton and options, and which solvers can be used for it.

Settings may be keyed, so they are read at every frame; what is made of them is made anew only where they have changed (`stored`).
"""

from operator import attrgetter

from mathutils import Matrix

from ...solvers.kinematics.skeleton import Skeleton, SkeletonError
from ...solvers.table import SOLVERS, unavailable
from ..blender.errors import RigError
from .goal import ends_of, tool_frame, with_goal
from .joint_tree import Motion, joint_tree
from .options import options_of, stored_options
from .skeleton import ChainReader

_OF_CHAIN = attrgetter(
    "name", "root", "end", "base", "transition", "filter", "sigma", "rho", "beta", "velocity_share", "acceleration_share", "jerk_share"
)
_OF_MOTION = attrgetter(*Motion._fields)  # of a few joints quicker than a foreach_get for each field
_OF_JOINT = attrgetter("bone", "axis", "shape_weight", *Motion._fields)
_OF_END = attrgetter("goal", "target_axis", "forward_axis", "up", "eye", "roll", "weight", "symmetric")


def keyed(rig, chain, depsgraph):
    """The chain to read settings from: its evaluated copy during a render, else the chain itself.

    Blender writes evaluated values (of keyframes, NLA strips, drivers) back to the original data only for what a window shows. During a
    render the original keeps the values of the window's frame.
    """
    if depsgraph.mode != "RENDER":
        return chain
    return next((found for found in rig.evaluated_get(depsgraph).limber.chains if found.uid == chain.uid), chain)


def stored(chain, solver: str) -> tuple:
    """All stored settings on which a chain's model with a solver and its ends' goals depend, as a tuple, to detect changes."""
    ends = [(*_OF_END(end), *end.forward_direction) for end in (chain, *chain.ends)]
    return (
        *_OF_CHAIN(chain),
        *stored_options(chain, solver),
        *ends,
        [(end.bone, end.enabled) for end in chain.ends],
        *map(_OF_JOINT, chain.joints),
    )


def motions(chain) -> list[Motion]:
    """Motion limits of the chain's joints, in the order of its properties."""
    return [Motion(*row) for row in map(_OF_MOTION, chain.joints)]


def tools(chain, reader: ChainReader) -> list[tuple]:
    """Tool frame of each end, the chain's own first: rotation and offset [m] in the end bone's frame.

    Raises:
        RigError: a setting is invalid.
    """
    return [tool_frame(end, length) for end, length in zip(ends_of(chain), reader.end_lengths, strict=True)]


def solver_options(chain, solver: str, reader: ChainReader, rig_in_world: Matrix | None = None) -> object:
    """The user's settings of a solver, as that solver's options object; None if it has none.

    Args:
        chain: The chain.
        solver: Name of the solver.
        reader: The chain's reader.
        rig_in_world: World matrix of the armature object; None: Blender's current one.

    Raises:
        RigError: a stored setting is unknown to this version.
        GazeError: the solver does not accept a setting.
    """
    return options_of(chain, SOLVERS[solver], reader.joint_keys, rig_in_world) if solver in SOLVERS else None


def skeleton_now(rig, chain) -> Skeleton:
    """The chain as a solver's skeleton, in the rig's current pose.

    Raises:
        RigError, SkeletonError: a bone, a setting or a joint is invalid.
    """
    reader = ChainReader(rig, chain)
    return joint_tree(reader, reader.fixed(reader.read(rig.pose.bones)), motions(chain), tools(chain, reader))


def goal_kinds(chain) -> set[type]:
    """Types of the goals that the chain's solver must support.

    Raises:
        RigError: a stored goal is unknown to this version.
    """
    return {end.kind for end in with_goal(chain)}


def why_not_solver(rig, chain, name: str = "") -> str:
    """Why a solver cannot solve the chain, and which solvers can; "" if it can, or if the chain cannot be read. `name`: the solver; "":
    the chain's own.
    """
    name = name or chain.solver
    if name not in SOLVERS:
        return f"Chain '{chain.name}' has a solver that this version does not know: choose its Solver again"
    try:
        return unavailable(name, skeleton_now(rig, chain), goal_kinds(chain))
    except (RigError, SkeletonError):
        return ""
