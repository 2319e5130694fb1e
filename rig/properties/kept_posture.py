"""Which of its stored postures a chain keeps.

Each posture has a number of its own in its chain, which it keeps when it is renamed or moved and which no later one gets. The enumeration
`chain.posture` holds that number, so its keys, which Blender makes constant, mean the same posture for ever. Files before it have no
numbers: there the place in the list counts, which `modernise` turns into a number.
"""

from ..blender import actions
from ..blender.selection import selected_index

UNSET = 0  # the enumeration's number where no posture was chosen
_items: dict[tuple[int, str], list[tuple[str, str, str, str, int]]] = {}  # Blender keeps no reference to what a function gives as items


def numbers(chain) -> list[int]:
    """The postures' numbers, in the list's order."""
    return [posture.number or place + 1 for place, posture in enumerate(chain.postures)]


def number(chain) -> int:
    """The number in `chain.posture`, which no posture may have any more. Python has only names of an enumeration's items."""
    chains = chain.id_data.limber.chains
    found = [UNSET] * len(chains)
    chains.foreach_get("posture", found)
    return next(value for value, other in zip(found, chains, strict=True) if other == chain)


def place(chain, now=None) -> int | None:
    """Place in the list of the posture that the chain keeps; None where that one was removed, or the list is empty.

    Args:
        chain: The chain.
        now: Its settings at this moment (see `keyed`), where they are not its own.
    """
    if not chain.postures:
        return None
    chosen = number(now or chain)
    if chosen == UNSET:
        return selected_index(chain.postures, (now or chain).active_posture)
    known = numbers(chain)
    return known.index(chosen) if chosen in known else None


def choose(chain, index: int) -> None:
    """The chain keeps the posture at that place of the list."""
    if chain.postures:
        chain.posture = str(numbers(chain)[selected_index(chain.postures, index)])


def enlist(chain, posture) -> None:
    """Gives a posture that was just put at the end of the list its number, and the others theirs where they have none yet."""
    for place_, known in enumerate(numbers(chain)[:-1]):
        chain.postures[place_].number = known
    chain.last_posture = max([chain.last_posture, *numbers(chain)[:-1]]) + 1
    posture.number = chain.last_posture


def items(chain, _context) -> list[tuple[str, str, str, str, int]]:
    """The chain's postures to choose from, by their numbers; beside them what is chosen and is none of them."""
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
    """Gives postures of an older file their numbers: of what was chosen, and of the keys on the place in the list.

    Where a driver or an action of another file moves the place, which stays as it is, the place goes on counting.
    """
    for chain in rig.limber.chains:
        if not chain.postures or number(chain) != UNSET or _is_place_bound(rig, chain):
            continue
        for posture, own in zip(chain.postures, numbers(chain), strict=True):
            posture.number = own
        chain.last_posture = max(numbers(chain))
        choose(chain, chain.active_posture)
        _convert_keys(rig, chain)


def _is_place_bound(rig, chain) -> bool:
    """Whether a driver, or keys that cannot be changed, move the place in the list."""
    path = f"{chain.path_from_id()}.active_posture"
    if rig.animation_data and rig.animation_data.drivers.find(path):
        return True
    return any(not action.is_editable and actions.find(actions.fcurves(action, slot), path, 0) for action, slot in actions.playing(rig))


def _convert_keys(rig, chain) -> None:
    """Keys on the place in the list become constant keys on the number."""
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
