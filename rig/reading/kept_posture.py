"""The posture that a chain keeps: the rig's own pose, a stored posture, or a blend of stored postures.

Each posture has a number that is unique in its chain and does not change when it is renamed or moved. The enumeration `chain.posture`
stores that number, so its constant keyframes always mean the same posture. Files of older versions have no numbers: there the index in the
list counts, until `modernise` converts it.
"""

from collections.abc import Callable

import bpy

from ...character.chain.inputs import blend, filled
from ...solvers.kinematics.skeleton import Angles
from ..blender import actions
from ..blender.errors import RigError
from ..blender.selection import selected_index

UNSET = 0  # value of the enumeration where no posture was chosen
_items: dict[tuple[int, str], list[tuple[str, str, str, str, int]]] = {}  # Blender keeps no reference to the items of a dynamic enumeration


def numbers(chain) -> list[int]:
    """Numbers of the postures, in the list's order."""
    return [posture.number or index + 1 for index, posture in enumerate(chain.postures)]


def number(chain) -> int:
    """The number stored in `chain.posture`, even if no posture has it any more (Python returns only names of existing items)."""
    chains = chain.id_data.limber.chains
    found = [UNSET] * len(chains)
    chains.foreach_get("posture", found)
    return next(value for value, other in zip(found, chains, strict=True) if other == chain)


def place(chain, now=None) -> int | None:
    """Index of the posture that the chain keeps; None if it was removed or the list is empty.

    Args:
        chain: The chain.
        now: Its evaluated settings (see `chain.keyed`), where they differ from its own.
    """
    if not chain.postures:
        return None
    chosen = number(now or chain)
    if chosen == UNSET:
        return selected_index(chain.postures, (now or chain).active_posture)
    known = numbers(chain)
    return known.index(chosen) if chosen in known else None


def active(chain, now=None) -> bpy.types.Action:
    """Pose asset of the posture that the chain keeps.

    Args:
        chain: The chain.
        now: Its evaluated settings (see `chain.keyed`), where they differ from its own.

    Raises:
        RigError: there is none, it was removed from the list, or its asset was deleted.
    """
    if not chain.postures:
        raise RigError(none_stored(chain))
    index = place(chain, now)
    if index is None:
        raise RigError(removed(chain))
    posture = chain.postures[index]
    if posture.action is None:
        raise RigError(deleted(chain))
    return posture.action


def kept(chain, now, own: Angles, stored: Callable[[bpy.types.Action], Angles]) -> Angles:
    """Joint values (n,) [rad; prismatic joints m] of the posture that the chain keeps, chosen by its Base setting.

    Args:
        chain: The chain.
        now: Its settings as evaluated in this frame (see `chain.keyed`).
        own: The rig's own pose (n,); used for joints that a stored posture has no value for.
        stored: Joint values (n,) of a stored posture; NaN for joints that it has no channel of.

    Raises:
        RigError: a stored posture is missing, or has no channel of the chain.
    """
    if chain.base == "POSTURE":
        return filled(stored(active(chain, now)), own)
    return _blended(chain, now, own, stored) if chain.base == "BLEND" else own


def _blended(chain, now, own: Angles, stored: Callable[[bpy.types.Action], Angles]) -> Angles:
    if not chain.postures:
        raise RigError(none_stored(chain))
    weighted = []
    for posture, weighed in zip(chain.postures, now.postures, strict=True):
        if weighed.weight > 0.0:
            if posture.action is None:
                raise RigError(deleted(chain))
            weighted.append((weighed.weight, stored(posture.action)))
    return blend(weighted, own)


def choose(chain, index: int) -> None:
    """Makes the chain keep the posture at that index."""
    if chain.postures:
        chain.posture = str(numbers(chain)[selected_index(chain.postures, index)])


def enlist(chain, posture) -> None:
    """Numbers a posture that was just appended to the list, and earlier ones without a number."""
    for index, known in enumerate(numbers(chain)[:-1]):
        chain.postures[index].number = known
    chain.last_posture = max([chain.last_posture, *numbers(chain)[:-1]]) + 1
    posture.number = chain.last_posture


def items(chain, _context) -> list[tuple[str, str, str, str, int]]:
    """Enumeration items of the chain's postures by their numbers, plus one for a chosen number that no posture has."""
    found = [
        (
            str(own),
            posture.action.name if posture.action else "Deleted",
            "Keep this posture",
            "POSE_HLT" if posture.action else "ERROR",
            own,
        )
        for own, posture in zip(numbers(chain), chain.postures, strict=True)
    ]
    chosen = number(chain)
    if chosen not in [item[-1] for item in found]:
        name = "Removed" if chosen != UNSET else "As Selected" if found else "None"
        found.append((str(chosen), name, "No posture of the list", "ERROR" if chosen != UNSET else "NONE", chosen))
    key = (chain.id_data.session_uid, chain.uid)
    if _items.get(key) != found:
        _items[key] = found
    return _items[key]


def modernise(rig) -> None:
    """Numbers the postures of a file from an older version, and converts the chosen index and its keyframes to numbers.

    An index that a driver or an action of another file controls stays in use.
    """
    for chain in rig.limber.chains:
        if not chain.postures or number(chain) != UNSET or _is_index_bound(rig, chain):
            continue
        for posture, own in zip(chain.postures, numbers(chain), strict=True):
            posture.number = own
        chain.last_posture = max(numbers(chain))
        choose(chain, chain.active_posture)
        _convert_keys(rig, chain)


def _is_index_bound(rig, chain) -> bool:
    """Whether the index is controlled by a driver, or by keys that cannot be changed."""
    path = f"{chain.path_from_id()}.active_posture"
    if rig.animation_data and rig.animation_data.drivers.find(path):
        return True
    return any(not action.is_editable and actions.find(actions.fcurves(action, slot), path, 0) for action, slot in actions.playing(rig))


def _convert_keys(rig, chain) -> None:
    """Converts keyframes of the old index into constant keyframes of the posture's number."""
    old, new = (f"{chain.path_from_id()}.{name}" for name in ("active_posture", "posture"))
    known = numbers(chain)
    for action, slot in actions.playing(rig):
        curves = actions.fcurves(action, slot)
        curve = actions.find(curves, old, 0)
        if curve is None:
            continue
        keys = [(point.co.x, known[selected_index(known, round(point.co.y))]) for point in curve.keyframe_points]
        group = curve.group.name if curve.group else ""
        curves.remove(curve)
        if keys:
            actions.put_constant_keys(curves, new, 0, group, *zip(*keys, strict=True))


def why_posing_shows_nothing(rig, chain) -> str:
    """Why posing the chain's bones has no visible effect, and the remedy; "" if it has one, or the rig is not in Pose Mode."""
    if rig.mode != "POSE" or not chain.live:
        return ""
    if chain.base == "POSTURE" and chain.shown_posture >= 0:
        action = chain.postures[chain.shown_posture].action
        what = f"posture '{action.name}'" if action else "a stored posture"
    elif chain.base == "BLEND" and sum(posture.weight for posture in chain.postures) >= 1.0:
        what = "a blend of postures"
    else:
        return ""
    return f"Posing '{chain.name}' shows nothing: it keeps {what}. Use Pose as Base keeps what you pose"


def none_stored(chain) -> str:
    return f"Chain '{chain.name}' has no stored posture: pose the rig and press Store Posture, or choose another base"


def removed(chain) -> str:
    return f"Chain '{chain.name}' is to keep a posture that was removed from its list: choose another Posture, or delete the key on it"


def deleted(chain) -> str:
    return f"The pose asset of a posture of chain '{chain.name}' was deleted: remove the posture from the list, or select another"
