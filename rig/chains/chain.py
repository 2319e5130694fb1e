"""Reads a chain's settings as stored values, as the solver's skeleton and options, and as effects on its
posture; finds usable solvers, and the motion filter that *Automatic* chooses (one for robots, none for other
characters).

Settings may be keyed, so they are read in every frame; skeleton and options are rebuilt only if the settings
have changed (`stored`).
"""

from collections import Counter
from collections.abc import Iterable, MutableMapping
from functools import lru_cache
from operator import attrgetter

import bpy
import numpy as np
from mathutils import Matrix

from ...motion import FILTERS, NO_FILTER
from ...solvers.bones.model import NO_LIMITS
from ...solvers.expressive.options import ExpressiveOptions
from ...solvers.kinematics.skeleton import Skeleton, SkeletonError
from ...solvers.settings import Setting, settings_of
from ...solvers.table import SOLVERS, unavailable
from ..blender.errors import RigError
from ..bones import imported_robot
from ..bones.axes import JointKey, is_prismatic
from ..bones.joint_bones import MotionLimits
from ..scene.goal import ends_of, tool_frame, with_goal
from . import turntable
from .joint_tree import joint_tree
from .measure import is_of_bones
from .skeleton import ChainReader

AUTOMATIC = "automatic"  # value of a chain's `filter` with which Limber chooses the filter
OF_ROBOTS = "default"  # key of the filter that Automatic chooses for chains of robots
UNLIMITED = 1e4  # [rad] limit of a joint that has none, since solvers and filters need finite numbers

_OF_CHAIN = attrgetter(
    "name",
    "root",
    "end",
    "base",
    "transition",
    "filter",
    "sigma",
    "rho",
    "beta",
    "velocity_share",
    "acceleration_share",
    "jerk_share",
)
_OF_JOINT = attrgetter(
    "bone", "axis", "shape_weight", "own_style", "sigma", "rho", "beta", *MotionLimits._fields
)
_OF_END = attrgetter("goal", "target_axis", "forward_axis", "up", "eye", "roll", "weight", "symmetric")


def storage_of(group: bpy.types.bpy_struct) -> MutableMapping[str, object] | None:
    """Name -> stored value of a property group, or of an ID's or bone's extension properties; None if nothing
    is stored.
    """
    return group if bpy.app.version < (5, 0, 0) else group.bl_system_properties_get()


def stored_value(group: bpy.types.bpy_struct, name: str) -> object:
    """Stored value of a property in a property group; None if the property has its default."""
    storage = storage_of(group)
    return None if storage is None else storage.get(name)


def keyed(
    rig: bpy.types.Object, chain: bpy.types.PropertyGroup, depsgraph: bpy.types.Depsgraph
) -> bpy.types.PropertyGroup:
    """The chain to read settings from: its evaluated copy during a render, else the chain itself.

    Blender writes evaluated values (of keyframes, NLA strips, drivers) back to the original data only for
    what a window shows. During a render the original keeps the values of the window's frame.
    """
    if depsgraph.mode != "RENDER":
        return chain
    return next((c for c in rig.evaluated_get(depsgraph).limber.chains if c.uid == chain.uid), chain)


def stored(chain: bpy.types.PropertyGroup, solver: str) -> tuple:
    """All stored settings that affect a chain's model with this solver, or the goals of its ends, as a tuple
    for detecting changes.
    """
    ends = [(*_OF_END(end), *end.forward_direction) for end in (chain, *chain.ends)]
    return (
        *_OF_CHAIN(chain),
        *_stored_options(chain, solver),
        *ends,
        [(end.bone, end.enabled) for end in chain.ends],
        *map(_OF_JOINT, chain.joints),
    )


def _stored_options(chain: bpy.types.PropertyGroup, solver: str) -> tuple:
    """All stored settings from which `solver_options` makes the solver's options, except the joints' weights;
    () for an unknown solver.
    """
    if solver not in SOLVERS:
        return ()
    group = getattr(chain.options, solver)
    return (
        chain.options.body,
        chain.options.measure,
        *[getattr(group, name) for name in settings_of(SOLVERS[solver].options)],
    )


def motions(chain: bpy.types.PropertyGroup, solver: str) -> list[MotionLimits]:
    """Motion limits of the chain's joints, in the order of its properties, as a solver uses them.

    If the solver keeps the rotations of bones, a range of a full revolution or more counts as unlimited,
    since a clip may rotate a bone farther.
    """
    joint_limits = [MotionLimits.of(joint) for joint in chain.joints]
    if not is_of_bones(chain, solver):
        return joint_limits
    return [
        motion if has_limits(joint) else motion._replace(lower=-UNLIMITED, upper=UNLIMITED)
        for joint, motion in zip(chain.joints, joint_limits, strict=True)
    ]


def has_limits(joint: bpy.types.PropertyGroup) -> bool:
    """Whether a joint has limits; a revolute joint whose range is a full revolution or more counts as having
    none.
    """
    return is_prismatic(joint.axis) or joint.upper - joint.lower < NO_LIMITS


def tools(chain: bpy.types.PropertyGroup, reader: ChainReader) -> list[tuple]:
    """Tool frame of each end, the main end's first: rotation and offset [m] in the end bone's frame.

    Raises:
        RigError: a setting is invalid.
    """
    return [tool_frame(end, length) for end, length in zip(ends_of(chain), reader.end_lengths, strict=True)]


def solver_options(
    chain: bpy.types.PropertyGroup, solver: str, reader: ChainReader, rig_in_world: Matrix | None = None
) -> object:
    """The user's settings of a solver, as that solver's options object; None if the solver is not known
    or has no options.

    Args:
        chain: The chain.
        solver: Name of the solver.
        reader: The chain's reader, with inertias.
        rig_in_world: World matrix of the armature object; None: Blender's current one.

    Raises:
        RigError: this version of Limber does not know a stored setting.
        GazeError: an animated setting has a value that the solver does not accept.
    """
    info = SOLVERS.get(solver)
    if info is None or info.options is None:
        return None
    group = getattr(chain.options, info.name)
    values = {
        name: _value(setting, getattr(group, name)) for name, setting in settings_of(info.options).items()
    }
    if None in values.values():
        raise RigError(
            f"An option of {info.label} in chain '{chain.name}' is not one that this version knows: choose it"
            " again"
        )
    # the Expressive solver's options also depend on the chain: on its joints' weights, the axis of its first
    # joint and the inertias of its bones
    if info.options is ExpressiveOptions:
        weights = {joint.bone: joint.shape_weight for joint in weighed(chain)}
        values["link_weights"] = (
            tuple(weights[bone] for bone, _ in reader.joint_keys) if set(weights.values()) != {1.0} else ()
        )
        values["hold_body"] = turntable.is_held(chain, reader.joint_keys, rig_in_world)
        if is_of_bones(chain, solver):
            values["measure"] = "bones"
            values["inertias"] = tuple(
                number for bone, _ in reader.joint_keys for number in reader.inertias[bone]
            )
    return info.options(**values)


def _value(setting: Setting, stored: object) -> object:
    """The value of a setting from the stored property; None for a choice that this version does not know."""
    if setting.choices:
        chosen = [
            value
            for value, key in setting.key_of.items()
            if (key in stored if setting.several else key == stored)
        ]
        return tuple(chosen) if setting.several else next(iter(chosen), None)
    if isinstance(stored, float):
        # Blender stores 32 bits: a value that equals the default or a bound is replaced by the exact number
        exact_values = setting.default, setting.low, setting.high
        return next((exact for exact in exact_values if float(np.float32(exact)) == stored), stored)
    return stored


def weighed(chain: bpy.types.PropertyGroup) -> list:
    """The joints of the chain that store the weight of their bone: the first joint of each bone."""
    return list({joint.bone: joint for joint in reversed(chain.joints)}.values())[::-1]


def skeleton_now(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> Skeleton:
    """The chain as a solver's skeleton; parts of the pose that no joint moves are taken from the rig's
    current pose.

    Raises:
        RigError, SkeletonError: a bone, a setting or a joint is invalid.
    """
    reader = ChainReader(rig, chain)
    return joint_tree(
        reader, reader.fixed(reader.read(rig.pose.bones)), motions(chain, chain.solver), tools(chain, reader)
    )


def goal_kinds(chain: bpy.types.PropertyGroup) -> set[type]:
    """Types of the goals that the chain's solver must support.

    Raises:
        RigError: this version of Limber does not know a stored goal.
    """
    return {end.kind for end in with_goal(chain)}


def why_not_solver(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, name: str = "") -> str:
    """Why a solver cannot solve the chain, and which solvers can; "" if it can or the chain is unreadable.
    `name`: the solver; "": the chain's own.
    """
    name = name or chain.solver
    if name not in SOLVERS:
        return f"Chain '{chain.name}' has a solver that this version does not know: choose its Solver again"
    try:
        options = ExpressiveOptions(measure="bones") if is_of_bones(chain, name) else None
        return unavailable(name, skeleton_now(rig, chain), goal_kinds(chain), options)
    except (RigError, SkeletonError):
        return ""


def filter_in_use(
    rig: bpy.types.Object, settings: bpy.types.PropertyGroup, joint_keys: Iterable[JointKey] | None = None
) -> str:
    """Name of the motion filter in use for a chain, body or mechanism; `NO_FILTER` for none.

    Args:
        rig: The object that has the chain, body or mechanism.
        settings: Its settings.
        joint_keys: (bone, axis) of a chain's joints, if the caller has them.
    """
    if settings.filter != AUTOMATIC:
        return settings.filter
    keys = [joint.key for joint in settings.joints] if joint_keys is None else joint_keys
    return OF_ROBOTS if _why_robot(rig, keys) else NO_FILTER


def filter_sentence(settings: bpy.types.PropertyGroup) -> str:
    """The filter that Automatic has chosen for a mover with these settings, and why, as a sentence; "" if a
    filter is chosen by hand.
    """
    if settings.filter != AUTOMATIC:
        return ""
    why = _why_robot(settings.id_data, [joint.key for joint in settings.joints])
    return f"{FILTERS[OF_ROBOTS].label} filter: {why}" if why else "No filter: a character without a robot"


def _why_robot(rig: bpy.types.Object, joint_keys: Iterable[JointKey]) -> str:
    """Why a chain with these joints is treated as a robot's, as part of a sentence; "" if it is treated as a
    character's.
    """
    if rig.limber.device.was_connected:
        return f"'{rig.name}' has been connected to a robot"
    if imported_robot.is_robot(rig):
        return f"'{rig.name}' is an imported robot"
    bone = _single_axis_bone(tuple(joint_keys))
    return f"bone '{bone}' has one axis, as a robot's joint" if bone else ""


@lru_cache(maxsize=256)
def _single_axis_bone(joint_keys: tuple[JointKey, ...]) -> str:
    """The first bone with exactly one joint; "" if there is no such bone."""
    return next((bone for bone, count in Counter(bone for bone, _ in joint_keys).items() if count == 1), "")
