"""What an address of remote control does to an armature or a mechanism: targets, influence, weights.
docs/remote.md has the addresses.
"""

from collections.abc import Callable, Iterable, Sequence

import bpy
from mathutils import Quaternion, Vector

from ..blender.errors import RigError, capitalised
from ..blender.transforms import move_to, rotate_to
from ..live.mover import Mover
from ..live.movers import movers_of
from ..scene.goal import ends_of, followed, no_target

ROOT = "/limber/"
VELOCITY = "velocity"
AXES = "xyz"
WITHOUT_LENGTH = f"'{ROOT}rotation/{{}}' has a quaternion without length: send w x y z of length 1"
SHORTEST = 0.1  # length of a quaternion below which it is no orientation


def _move_target(rig: bpy.types.Object, names: str, numbers: Sequence[float]) -> None:
    move_to(target_of(rig, names), Vector(numbers))


def _rotate_target(rig: bpy.types.Object, names: str, numbers: Sequence[float]) -> None:
    orientation = Quaternion(numbers)
    if orientation.magnitude < SHORTEST:
        raise RigError(WITHOUT_LENGTH.format(names))
    rotate_to(target_of(rig, names), orientation.normalized())


def _move_along_axis(rig: bpy.types.Object, names: str, numbers: Sequence[float]) -> None:
    of, _, axis = names.rpartition("/")
    if axis not in AXES or not axis:
        raise RigError(f"'{ROOT}axis/{names}' ends with no axis: end it with /x, /y or /z")
    target = target_of(rig, of)
    position = target.matrix_world.translation.copy()
    position[AXES.index(axis)] = numbers[0]
    move_to(target, position)


def _no_order(rig: bpy.types.Object, names: str, numbers: Sequence[float]) -> None:
    """A velocity belongs to the numbers that come with it."""


def _set_influence(rig: bpy.types.Object, names: str, numbers: Sequence[float]) -> None:
    movers = _movers_with(rig, "influence")
    _named(
        movers, names, f"'{rig.name}' has no chain", lambda mover: mover.given_name
    ).settings.influence = numbers[0]


def _set_weight(rig: bpy.types.Object, names: str, numbers: Sequence[float]) -> None:
    mover, posture = _mover_and_rest(rig, _movers_with(rig, "postures"), names)
    lacks = f"{mover.label} has no posture"
    _named(
        stored_postures(mover.settings), posture, lacks, lambda stored: stored.action.name
    ).weight = numbers[0]


def target_of(rig: bpy.types.Object, names: str) -> bpy.types.Object:
    """The target that an address names: of a chain, or of one of a mover's goals.

    Raises:
        RigError: there is none, or it cannot be moved.
    """
    mover, name = _mover_and_rest(rig, _movers_with(rig, "target", "goals"), names)
    if name or not hasattr(mover.settings, "target"):
        goal = _named(goals_of(mover.settings), name, f"{mover.label} has no goal", lambda goal: goal.name)
        target, lacks = (
            goal.target,
            f"Goal '{goal.name}' of {mover.in_sentence} has no target: choose an object to follow",
        )
    else:
        target, lacks = followed(mover.settings), capitalised(no_target(ends_of(mover.settings)[0]))
    if target is None:
        raise RigError(lacks)
    if not target.is_editable:
        raise RigError(f"Target '{target.name}' is linked from another file: choose an object of this file")
    return target


def goals_of(settings: bpy.types.PropertyGroup) -> list:
    """Goals that addresses can name: all of a mechanism, the additional ones of a chain."""
    return [*getattr(settings, "goals", ()), *getattr(settings, "ends", ())]


def stored_postures(settings: bpy.types.PropertyGroup) -> list:
    """Stored postures of a mover whose pose assets exist."""
    return [posture for posture in getattr(settings, "postures", ()) if posture.action]


def _movers_with(rig: bpy.types.Object, *settings: str) -> list[Mover]:
    """The movers of an object whose settings have one of these properties."""
    return [mover for mover in movers_of(rig) if any(hasattr(mover.settings, name) for name in settings)]


def _mover_and_rest(rig: bpy.types.Object, movers: Sequence[Mover], names: str) -> tuple[Mover, str]:
    """The mover whose name an address begins with, and the rest of the address. Names may contain slashes."""
    begun = [
        (len(name), mover)
        for mover in movers
        for name in _spellings(mover.given_name)
        if f"{names}/".startswith(f"{name}/")
    ]
    if not begun:
        raise RigError(
            _lacking(
                f"'{rig.name}' has no chain or mechanism",
                names.partition("/")[0],
                [mover.given_name for mover in movers],
            )
        )
    length, mover = max(begun, key=lambda found: found[0])
    return mover, names[length + 1 :]


def _named(
    items: Iterable[bpy.types.PropertyGroup], given: str, lacks: str, name: Callable
) -> bpy.types.PropertyGroup:
    """The item whose name is `given`, with spaces or underscores; raises RigError, whose message begins with
    `lacks`, if there is none.
    """
    for item in items:
        if given in _spellings(name(item)):
            return item
    raise RigError(_lacking(lacks, given, map(name, items)))


def _lacking(lacks: str, given: str, known: Iterable[str]) -> str:
    return f"{lacks} '{given}': it has {', '.join(map(repr, known)) or 'none'}"


def _spellings(name: str) -> set[str]:
    return {name, name.replace(" ", "_")}


# Kind of an address -> how many numbers it has, and what it does.
ORDERS: dict[str, tuple[tuple[int, ...], Callable]] = {
    "target": ((3,), _move_target),
    "rotation": ((4,), _rotate_target),
    "axis": ((1,), _move_along_axis),
    VELOCITY: ((3, 6), _no_order),
    "influence": ((1,), _set_influence),
    "weight": ((1,), _set_weight),
}
