"""The posture that a chain or mechanism keeps: the authored pose, a stored posture, or a blend of stored
postures.

A mover is given by the settings of a chain or a mechanism. Each posture has a number that is unique in its
list and does not change when it is renamed or moved. The enumeration `posture` stores that number, so its
constant keyframes always mean the same posture. Files of older versions have no numbers; the index in the
list is used until `modernise` converts it.
"""

from collections.abc import Callable

import bpy

from ...character.chain.settings import kept_values
from ...solvers.kinematics.skeleton import Angles
from ..blender import actions
from ..blender.errors import RigError
from ..blender.selection import selected_index
from .chain import stored_value

UNSET = 0  # value of the enumeration before a posture is chosen
LARGEST = 2**31 - 1  # largest integer that a property of Blender stores
# (session_uid of the object, uid of the mover) -> items; Blender itself keeps no reference to the items of a
# dynamic enumeration
_items: dict[tuple[int, str], list[tuple[str, str, str, str, int]]] = {}


def numbers(mover: bpy.types.PropertyGroup) -> list[int]:
    """Numbers of a mover's stored postures, in the list's order."""
    stored = [0] * len(mover.postures)
    mover.postures.foreach_get("number", stored)
    return [known or place for place, known in enumerate(stored, 1)]


def names(mover: bpy.types.PropertyGroup) -> list[str]:
    """Names of a mover's stored postures in files, behaviours and commands, in the list's order: the names of
    their actions, followed by the name of the library file if two actions have the same name. "" if the
    action was deleted.
    """
    stored = [posture.action for posture in mover.postures]
    short = [action.name if action is not None else "" for action in stored]
    return [
        name if short.count(name) == 1 or action is None else action.name_full
        for name, action in zip(short, stored, strict=True)
    ]


def number(mover: bpy.types.PropertyGroup) -> int:
    """The posture's number that the property `posture` stores, even if that posture was removed; `UNSET` if
    none was chosen.
    """
    stored = stored_value(mover, "posture")
    return UNSET if stored is None else stored


def kept_index(
    mover: bpy.types.PropertyGroup, evaluated_settings: bpy.types.PropertyGroup | None = None
) -> int | None:
    """Index of the posture that the mover keeps: the chosen one, or the one selected in the list if none was
    chosen. None if the chosen one was removed or the list is empty.

    Args:
        mover: The mover.
        evaluated_settings: The mover's evaluated settings (see `chain.keyed`), if they differ from its own.
    """
    if not mover.postures:
        return None
    chosen = number(evaluated_settings or mover)
    if chosen == UNSET:
        return selected_index(mover.postures, (evaluated_settings or mover).active_posture)
    known = numbers(mover)
    return known.index(chosen) if chosen in known else None


def active(
    mover: bpy.types.PropertyGroup, evaluated_settings: bpy.types.PropertyGroup | None = None
) -> bpy.types.Action:
    """Pose asset of the posture that the mover keeps.

    Args:
        mover: The mover.
        evaluated_settings: The mover's evaluated settings (see `chain.keyed`), if they differ from its own.

    Raises:
        RigError: the list is empty, the chosen posture was removed from it, or its asset was deleted.
    """
    if not mover.postures:
        raise RigError(none_stored(mover))
    index = kept_index(mover, evaluated_settings)
    if index is None:
        raise RigError(removed(mover))
    posture = mover.postures[index]
    if posture.action is None:
        raise RigError(deleted(mover))
    return posture.action


def kept(
    mover: bpy.types.PropertyGroup,
    evaluated_settings: bpy.types.PropertyGroup,
    authored_values: Angles,
    stored: Callable[[bpy.types.Action], Angles],
) -> Angles:
    """Joint values (n,) [rad; prismatic joints m] of the posture that the mover keeps by its setting Base.

    Args:
        mover: The mover.
        evaluated_settings: The mover's settings as evaluated in this frame (see `chain.keyed`).
        authored_values: Joint values (n,) of the authored pose, used with base "RIG" and for joints of which
            a stored posture has no value.
        stored: Returns the joint values (n,) of a stored posture; NaN for joints without a channel in it.

    Raises:
        RigError: a stored posture is missing, or has no value of the mover's joints.
    """
    weighted: list[tuple[float, Angles]] = []
    if mover.base == "POSTURE":
        weighted = [(1.0, stored(active(mover, evaluated_settings)))]
    elif mover.base == "BLEND":
        weighted = [
            (weight, stored(action)) for weight, action in _weighted_actions(mover, evaluated_settings)
        ]
    return kept_values(mover.base, weighted, authored_values)


def _weighted_actions(
    mover: bpy.types.PropertyGroup, evaluated_settings: bpy.types.PropertyGroup
) -> list[tuple[float, bpy.types.Action]]:
    """Weights and pose assets of the postures of a blend whose weight is above 0.

    Raises:
        RigError: there is no posture, or the asset of one was deleted.
    """
    if not mover.postures:
        raise RigError(none_stored(mover))
    weighted = []
    for posture, weighed in zip(mover.postures, evaluated_settings.postures, strict=True):
        if weighed.weight > 0.0:
            if posture.action is None:
                raise RigError(deleted(mover))
            weighted.append((weighed.weight, posture.action))
    return weighted


def choose(mover: bpy.types.PropertyGroup, index: int) -> None:
    """Chooses the posture at an index of the mover's list, which the mover keeps with base "POSTURE"; without
    postures nothing happens.
    """
    if mover.postures:
        mover.posture = str(numbers(mover)[selected_index(mover.postures, index)])


def enlist(mover: bpy.types.PropertyGroup, posture: bpy.types.PropertyGroup) -> None:
    """Numbers a posture that was just appended to the list, and earlier postures without a number."""
    for index, known in enumerate(numbers(mover)[:-1]):
        mover.postures[index].number = known
    other_numbers = numbers(mover)[:-1]
    last = max([mover.last_posture, *other_numbers])
    posture.number = (
        last + 1 if last < LARGEST else min(set(range(1, len(other_numbers) + 2)) - set(other_numbers))
    )
    mover.last_posture = max(last, posture.number)


def items(
    mover: bpy.types.PropertyGroup, _context: bpy.types.Context
) -> list[tuple[str, str, str, str, int]]:
    """Enumeration items of the mover's postures by their numbers, plus one if no posture was chosen, or if
    the chosen one was removed.
    """
    enum_items = [
        (
            str(posture_number),
            posture.action.name if posture.action else "Deleted",
            "Keep this posture",
            "POSE_HLT" if posture.action else "ERROR",
            posture_number,
        )
        for posture_number, posture in zip(numbers(mover), mover.postures, strict=True)
    ]
    chosen = number(mover)
    # for a value without an item Blender shows an empty menu and warns in the console
    if chosen not in [item[-1] for item in enum_items]:
        name, description = ("None", "The list has no posture")
        if chosen != UNSET:
            name, description = ("Removed", "The chosen posture is no longer in the list")
        elif enum_items:
            name, description = ("As Selected", "Keep the posture that is selected in the list")
        enum_items.append((str(chosen), name, description, "ERROR" if chosen != UNSET else "NONE", chosen))
    key = (mover.id_data.session_uid, mover.uid)
    if _items.get(key) != enum_items:
        _items[key] = enum_items
    return _items[key]


def modernise(rig: bpy.types.Object) -> None:
    """Numbers the postures of chains in a file from an older version, and converts the chosen index and its
    keyframes to numbers.

    An index that a driver or an action of another file controls stays in use.
    """
    for chain in rig.limber.chains:
        if not chain.postures or number(chain) != UNSET or _is_index_bound(rig, chain):
            continue
        for posture, posture_number in zip(chain.postures, numbers(chain), strict=True):
            posture.number = posture_number
        chain.last_posture = max(numbers(chain))
        choose(chain, chain.active_posture)
        _convert_keys(rig, chain)


def _is_index_bound(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> bool:
    """Whether the index is controlled by a driver, or by keys that cannot be converted."""
    path = f"{chain.path_from_id()}.active_posture"
    if rig.animation_data and rig.animation_data.drivers.find(path):
        return True
    return any(
        not action.is_editable and actions.find(actions.fcurves(action, slot), path, 0)
        for action, slot in actions.playing(rig)
    )


def _convert_keys(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> None:
    """Converts keyframes of the old index into constant keyframes of the posture's number."""
    old, new = (f"{chain.path_from_id()}.{name}" for name in ("active_posture", "posture"))
    known = numbers(chain)
    for action, slot in actions.playing(rig):
        curves = actions.fcurves(action, slot)
        curve = actions.find(curves, old, 0)
        if curve is None:
            continue
        keys = [
            (point.co.x, known[selected_index(known, round(point.co.y))]) for point in curve.keyframe_points
        ]
        group = curve.group.name if curve.group else ""
        curves.remove(curve)
        if keys:
            actions.put_constant_keys(curves, new, 0, group, *zip(*keys, strict=True))


def lists_on(owner: bpy.types.Object) -> list:
    """Settings of all movers on an object that have a list of postures."""
    return [*owner.limber.chains, owner.limber.mechanism]


def why_posing_shows_nothing(mover: bpy.types.PropertyGroup) -> str:
    """Why posing by hand has no visible effect while this mover is live, with the remedy; "" if posing has an
    effect, or if nothing is being posed.
    """
    if not mover.live or not mover.is_posed:
        return ""
    if mover.base == "POSTURE" and mover.shown_posture >= 0:
        action = mover.postures[mover.shown_posture].action
        base_text = f"posture '{action.name}'" if action else "a stored posture"
    elif mover.base == "BLEND" and sum(posture.weight for posture in mover.postures) >= 1.0:
        base_text = "a blend of postures"
    else:
        return ""
    return f"Posing {mover.in_sentence} shows nothing: it keeps {base_text}. Use Pose as Base keeps what you pose"


def why_choosing_shows_nothing(mover: bpy.types.PropertyGroup) -> str:
    """Why a click on a stored posture has no visible effect for this mover, with the remedy; "" if the click
    has an effect.
    """
    if mover.base != "RIG" or mover.shown_posture < 0:
        return ""
    return (
        f"A click on a posture shows nothing: {mover.in_sentence} keeps its own pose. Use Posture as Base keeps"
        " the posture"
    )


def none_stored(mover: bpy.types.PropertyGroup) -> str:
    """Error message for a mover without a stored posture."""
    return f"{mover.label} has no stored posture: pose it and press Store Posture, or choose another base"


def removed(mover: bpy.types.PropertyGroup) -> str:
    """Error message for a mover whose chosen posture was removed from its list."""
    return (
        f"{mover.label} is to keep a posture that was removed from its list: choose another Posture, or"
        " delete the key on it"
    )


def deleted(mover: bpy.types.PropertyGroup) -> str:
    """Error message for a mover with a posture whose pose asset was deleted."""
    return (
        f"The pose asset of a posture of {mover.in_sentence} was deleted: remove the posture from the list,"
        " or select another"
    )
