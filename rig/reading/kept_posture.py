"""Which stored posture a chain keeps.

Each posture has a number that is unique in its chain and does not change when it is renamed or moved. The enumeration `chain.posture`
stores that number, so its constant keyframes always mean the same posture. Files of older versions have no numbers: there the index in the
list counts, until `modernise` converts it.
"""

from ..blender import actions
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
        now: Its evaluated settings (see `keyed`), if they differ from its own.
    """
    if not chain.postures:
        return None
    chosen = number(now or chain)
    if chosen == UNSET:
        return selected_index(chain.postures, (now or chain).active_posture)
    known = numbers(chain)
    return known.index(chosen) if chosen in known else None


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
