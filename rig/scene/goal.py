"""Goals of a chain's ends as its settings give them: kinds of goals, targets, and tool frames of the ends."""

from dataclasses import dataclass
from math import hypot, isfinite
from typing import NamedTuple

import bpy

from ...character.chain.inputs import EndInputs
from ...solvers.goals import Direction, Frame, Orientation, Point, Position, PositionAndDirection
from ...solvers.kinematics import rotations
from ..blender.errors import RigError, capitalised
from ..blender.presence import why_absent
from .dependencies import ChainTarget, Dependencies, Dependency, is_moved_by, joint_bones, target_of
from .placement import Placement


class GoalKind(NamedTuple):
    """A kind of goal of an end, with its names in the interface and in the solvers."""

    aim: type  # the solvers' type of goal
    label: str
    description: str
    does: str  # verb for what the end does with its target, in messages


# files store the index in this table, so new goals are added at its end
GOALS = {
    "POINT": GoalKind(Point, "Look at Point", "Look at the position of the target", "looks at"),
    "DIRECTION": GoalKind(
        Direction,
        "Look Along Direction",
        "Look along an axis of the target, wherever the target is",
        "looks along",
    ),
    "ORIENTATION": GoalKind(
        Orientation,
        "Match Orientation",
        "Give the end bone the orientation of the target",
        "takes the orientation of",
    ),
    "POSITION": GoalKind(
        Position,
        "Reach Position",
        "Bring the end to the position of the target, in any orientation",
        "reaches for",
    ),
    "FRAME": GoalKind(
        Frame,
        "Reach and Orient",
        "Bring the end to the position and the orientation of the target",
        "takes the pose of",
    ),
    "AIM": GoalKind(
        PositionAndDirection,
        "Reach and Look Along",
        "Bring the end to the position of the target, and look along an axis of the target",
        "reaches for, and looks along,",
    ),
}


def _with(*aims: type) -> frozenset[str]:
    """Keys of the goals of these types of the solvers, or of types derived from them."""
    return frozenset(key for key, kind in GOALS.items() if issubclass(kind.aim, aims))


LOOKS = _with(Point, Direction)  # goals with a forward axis, and perhaps an up axis
ORIENTS = _with(Orientation, Frame)  # goals with a full orientation
REACHES = _with(Position, Frame)  # goals with a position
# goals for which only the target's rotation counts
TURNED = _with(Direction, Orientation) - _with(Point, Position)
ALONG = _with(Direction)  # goals that use an axis of the target


@dataclass(frozen=True)
class ChainEnd:
    """An end effector of a chain, with the settings of its goal."""

    settings: object  # properties of the end: the chain's own for its main end, else an additional end's
    number: int  # 0: the chain's main end; additional ends count from 1
    bone: str
    what: str  # name of the end within a sentence
    watch: int = 0  # number of the target that the end follows

    @property
    def subject(self) -> str:
        """The end's name at the beginning of a sentence."""
        return capitalised(self.what)

    @property
    def target(self) -> ChainTarget | None:
        """The target that the end follows; None if it has none."""
        return watched(self.settings, self.watch) if self.number == 0 else target_of(self.settings)

    @property
    def kind(self) -> type:
        """The solvers' type of the end's goal.

        Raises:
            RigError: this version of Limber does not know the stored goal.
        """
        if self.settings.goal not in GOALS:
            raise RigError(
                f"{self.subject} has a goal that this version does not know: choose its Goal again"
            )
        return GOALS[self.settings.goal].aim


def watched(chain: bpy.types.PropertyGroup, number: int) -> ChainTarget | None:
    """The target with a number: 0 is that of the chain itself, higher numbers are the additional ones; a
    number that is too large gives the last one. None if the target has no object.
    """
    number = min(number, len(chain.targets)) if number > 0 else 0
    return target_of(chain.targets[number - 1] if number else chain)


def watchable_by(chain: bpy.types.PropertyGroup) -> list[ChainTarget]:
    """The targets that a chain's main end can follow: the target of the chain itself, then the additional
    ones.
    """
    targets = [watched(chain, number) for number in range(1 + len(chain.targets))]
    return [target for target in targets if target is not None]


def followed_target(chain: bpy.types.PropertyGroup) -> ChainTarget | None:
    """The target that the chain currently follows; None if there is none."""
    return watched(chain, chain.watch)


def followed(chain: bpy.types.PropertyGroup) -> bpy.types.Object | None:
    """The object that the chain currently follows, itself or by one of its bones; None without a target."""
    target = followed_target(chain)
    return target.obj if target is not None else None


def ends_of(chain: bpy.types.PropertyGroup, watch: int | None = None) -> list[ChainEnd]:
    """All ends of a chain, the main end first. `watch`: number of the main end's target; None for the number
    in the chain's Watch setting.
    """
    main_end = ChainEnd(chain, 0, chain.end, f"chain '{chain.name}'", chain.watch if watch is None else watch)
    return [
        main_end,
        *(
            ChainEnd(end, k, end.bone, f"end '{end.bone}' of chain '{chain.name}'")
            for k, end in enumerate(chain.ends, 1)
        ),
    ]


def with_goal(chain: bpy.types.PropertyGroup, watch: int | None = None) -> list[ChainEnd]:
    """The main end and the enabled additional ends, which follow their goals; `watch` as for `ends_of`."""
    return [end for end in ends_of(chain, watch) if end.number == 0 or end.settings.enabled]


AXES = tuple(sign + letter for letter in "XYZ" for sign in "+-")  # possible forward axes
CUSTOM = "CUSTOM"  # value of `forward_axis` for a direction chosen freely
SHORTEST = 1e-6  # length up to which a vector counts as having no direction
PARALLEL = 0.999  # cosine of the angle above which two directions count as parallel


def forward_axis(settings: bpy.types.PropertyGroup) -> tuple[float, float, float]:
    """Unit vector of the direction in which an end looks, in its bone's frame; zeros if a freely chosen
    direction has no length.
    """
    if settings.forward_axis != CUSTOM:
        return signed_axis(settings.forward_axis)
    x, y, z = settings.forward_direction
    length = hypot(x, y, z)
    return (x / length, y / length, z / length) if length > SHORTEST and isfinite(length) else (0.0, 0.0, 0.0)


def signed_axis(name: str) -> tuple[float, float, float]:
    """Unit vector of an axis given by name, "+X" to "-Z"."""
    sign = -1.0 if name[0] == "-" else 1.0
    return tuple(sign if axis == name[1] else 0.0 for axis in "XYZ")


def tool_frame(end: ChainEnd, end_length: float) -> tuple[tuple, tuple]:
    """Tool frame of an end in the end bone's frame: rotation (w, x, y, z) and offset [m]. The tool looks
    along its +Y, and its up is its +Z. `end_length`: length [m] of the end's bone.

    Raises:
        RigError: forward and up axis are parallel, or a setting is invalid.
    """
    settings = end.settings
    if not settings.forward_axis or not settings.up:
        raise RigError(
            f"{end.subject} has an axis that this version does not know: choose Forward Axis and Up again"
        )
    if not isfinite(settings.eye):
        raise RigError(
            f"The Eye of {end.what} is not a number: set it between 0, the bone's head, and 1, its tail"
        )
    look, up = forward_axis(settings), signed_axis(settings.up)
    if not any(look):
        raise RigError(
            f"The Forward Direction of {end.what} has no length: press Pick Forward Axis, or choose an axis"
            " of the bone"
        )
    if abs(rotations.dot(look, up)) > PARALLEL:
        raise RigError(
            f"{end.subject} looks along {settings.forward_axis.title()} and has its up there too: choose"
            " another axis for one of them"
        )
    up = rotations.unit(rotations.reject(up, look))
    return rotations.from_axes(rotations.cross(look, up), look, up), (0.0, settings.eye * end_length, 0.0)


def inputs(chain: bpy.types.PropertyGroup) -> tuple[EndInputs, ...]:
    """Inputs of the chain's enabled ends, from the settings alone; the targets' matrices are filled in later.

    Raises:
        RigError: a setting is invalid.
    """
    return tuple(
        EndInputs(
            end.number,
            end.kind,
            axis=signed_axis(end.settings.target_axis) if end.settings.target_axis else None,
            subject=end.subject,
            tool=tool_frame(end, 0.0)[0],
            roll=end.settings.roll,
            weight=end.settings.weight,
            symmetric=end.settings.symmetric,
        )
        for end in with_goal(chain)
    )


def target(
    chain: bpy.types.PropertyGroup,
    number: int,
    watch: int,
    rig: bpy.types.Object,
    placement: Placement,
) -> ChainTarget:
    """The target of an end: for end 0, the main end, the target with number `watch`; for an additional end,
    the target in its settings.

    Raises:
        RigError: there is no target, it is not in the scene, or the chain itself moves it.
    """
    end_target = target_of(chain.ends[number - 1]) if number else watched(chain, watch)
    if end_target is None:
        raise RigError(no_target(ends_of(chain, watch)[number]))
    _check_target(end_target, chain, rig, placement)
    return end_target


def why_no_target(target: ChainTarget, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> str:
    """Why a target is missing, with the remedy; "" if it is present."""
    if why := why_absent(target.obj, "target", scene, view_layer):
        return why
    if target.bone and target.bone not in target.obj.data.bones:
        return (
            f"Target '{target.obj.name}' has no bone '{target.bone}': choose one of its bones as Target Bone,"
            " or clear that"
        )
    return ""


def why_not_movable(target: ChainTarget) -> str:
    """Why a target cannot be moved by hand or by a program, with the remedy; "" if it can be."""
    if target.bone:
        return (
            f"Target '{target.name}' is a bone, which its armature moves: pose it there, or choose an object as"
            " target"
        )
    if not target.obj.is_editable:
        return f"Target '{target.name}' is linked from another file: choose an object of this file"
    return ""


def _check_target(
    target: ChainTarget, chain: bpy.types.PropertyGroup, rig: bpy.types.Object, placement: Placement
) -> None:
    """Raises RigError if a target is not in the scene, or the chain itself moves it."""
    if why := why_no_target(target, placement.depsgraph.scene, placement.depsgraph.view_layer):
        raise RigError(why)
    dependency = moved_by_chain(target, chain, rig, placement.objects)
    if dependency:
        raise RigError(
            f"Chain '{chain.name}' moves its own target '{target.name}' ({dependency}): choose another target"
        )


def no_target(end: ChainEnd) -> str:
    """Error message for an end without a target."""
    if end.number == 0 and end.watch > 0 and end.settings.targets:
        number = min(end.watch, len(end.settings.targets))
        return (
            f"{end.subject} watches target {number}, which has no object: choose one under Attention, or"
            " watch another"
        )
    kind = GOALS.get(end.settings.goal, GOALS["POINT"])
    return f"{end.subject} has no target: choose the object that it {kind.does}"


def moved_by_chain(
    target: ChainTarget,
    chain: bpy.types.PropertyGroup,
    rig: bpy.types.Object,
    objects: Dependencies,
    bone_names: set[str] | None = None,
) -> str:
    """How the chain itself moves a target, as part of a sentence; "" if the target is independent of the
    chain. `objects`: what moves each object; `bone_names`: bones that the chain rotates, None: the bones of
    the chain's joints.
    """
    if target == (rig, ""):
        return "it is the chain's own armature"
    of_bone = [Dependency("it is on a bone that the chain moves", *target)] if target.bone else []
    _, *above = objects.of(target.obj)
    for dependency in (*of_bone, *above):
        if is_moved_by(dependency, rig, bone_names or joint_bones(chain)):
            return dependency.how
    return ""
