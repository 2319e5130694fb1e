"""What hangs on what: the bones that move an object, and what that means for chains that depend on one another."""

from collections.abc import Iterator
from typing import NamedTuple

from . import mimic
from .errors import RigError
from .paths import bone_names


class Carrier(NamedTuple):
    """A bone that moves an object."""

    how: str  # in words
    rig: object  # the bone's armature object
    bone: str


def carriers(thing, seen: set | None = None) -> Iterator[Carrier]:
    """The bones that move an object, by parent, constraint or driver, also through other objects."""
    seen = set() if seen is None else seen
    if thing is None or thing.name_full in seen:
        return
    seen.add(thing.name_full)
    subject = "it" if len(seen) == 1 else f"'{thing.name}', which moves it,"
    parent = thing.parent
    if parent is not None:
        if parent.type == "ARMATURE" and thing.parent_type == "BONE":
            yield Carrier(f"{subject} hangs on bone '{thing.parent_bone}'", parent, thing.parent_bone)
        yield from carriers(parent, seen)
    for constraint in thing.constraints:
        if not constraint.mute:
            how = f"{subject} follows by constraint '{constraint.name}' bone"
            for held in getattr(constraint, "targets", None) or (constraint,):
                yield from _followed(how, getattr(held, "target", None), getattr(held, "subtarget", ""), seen)
    if thing.animation_data:
        for curve in thing.animation_data.drivers:
            for variable in curve.driver.variables:
                for held in variable.targets:
                    yield from _followed(f"{subject} follows by a driver bone", held.id, held.bone_target, seen)


def hangs_on_objects_alone(thing) -> bool:
    """Whether an object is moved by nothing but itself and whole objects: by no bone and no one's shape."""
    while thing is not None:
        if thing.parent is not None and thing.parent_type != "OBJECT":
            return False
        if thing.constraints or (thing.animation_data and thing.animation_data.drivers):
            return False
        thing = thing.parent
    return True


def _followed(how: str, thing, bone: str, seen: set) -> Iterator[Carrier]:
    if getattr(thing, "id_type", "") != "OBJECT":
        return
    if thing.type == "ARMATURE" and bone:
        yield Carrier(f"{how} '{bone}'", thing, bone)
    yield from carriers(thing, seen)


def is_moved_by(carrier: Carrier, rig, bones: set[str]) -> bool:
    """Whether turning `bones` of `rig` moves the carrier."""
    if carrier.rig != rig:
        return False
    bone = rig.data.bones.get(carrier.bone)
    while bone is not None:
        if bone.name in bones:
            return True
        bone = bone.parent
    return False


class Mover(NamedTuple):
    """What the joints of a chain move."""

    rig: object  # the bones' armature object
    bones: set[str]  # those of the joints, and those that mimic them
    led: set[str]  # the latter


def mover(chain) -> Mover:
    """What the joints of a chain move."""
    led = {follower.bone for follower in followers(chain)}
    return Mover(chain.id_data, {joint.bone for joint in chain.joints} | led, led)


def joint_bones(chain) -> set[str]:
    """The bones that a chain moves: those of its joints, and what mimics them."""
    return mover(chain).bones


def followers(chain) -> tuple[mimic.Follower, ...]:
    """The bones of its armature that mimic joints of a chain."""
    return mimic.led(chain.id_data, [(joint.bone, joint.axis) for joint in chain.joints])


def targets(chain) -> list:
    """All targets of a chain's ends, as far as they have any."""
    ends = [chain, *chain.targets, *(end for end in chain.ends if end.enabled)]
    return [end.target for end in ends if end.target is not None]


def moved_targets(chain, other: Mover) -> list:
    """The targets of a chain that the joints of another move."""
    return [target for target in targets(chain) if any(is_moved_by(carrier, other.rig, other.bones) for carrier in carriers(target))]


def moved_part(pair: tuple, other: Mover) -> str:
    """What of a (rig, chain) the joints of another move: its "base", its "armature", its "target", or ""."""
    rig, chain = pair
    if rig == other.rig and other.led and other.led.intersection(_path(rig, chain)):
        return "base"
    root = rig.data.bones.get(chain.root)
    if root is not None and root.parent is not None and is_moved_by(Carrier("", rig, root.parent.name), other.rig, other.bones):
        return "base"
    if any(is_moved_by(carrier, other.rig, other.bones) for carrier in carriers(rig)):
        return "armature"
    return "target" if moved_targets(chain, other) else ""


def _path(rig, chain) -> list[str]:
    try:
        return bone_names(rig.pose.bones, chain)
    except RigError:  # the chain itself says what is wrong with it
        return []


def in_order(pairs: list[tuple]) -> tuple[list[tuple], frozenset[int]]:
    """(rig, chain) pairs so that each comes after those that move its base or its target; and the places of those that go in a circle,
    where one of them must come first nevertheless."""
    pairs = sorted(pairs, key=lambda pair: (pair[0].name_full, pair[1].name))  # one order, however they were found
    if len(pairs) < 2:
        return pairs, frozenset()
    movers = [mover(chain) for _, chain in pairs]
    needs = [[k for k, other in enumerate(movers) if k != own and moved_part(pair, other)] for own, pair in enumerate(pairs)]
    ordered: list[int] = []
    begun: set[int] = set()
    is_circular = False

    def visit(k: int) -> None:
        nonlocal is_circular
        begun.add(k)
        for above in needs[k]:
            if above not in begun:
                visit(above)
            elif above not in ordered:
                is_circular = True
        ordered.append(k)

    for k in range(len(pairs)):
        if k not in begun:
            visit(k)
    circle = (place for place, k in enumerate(ordered) if _leads_to(needs, k, k)) if is_circular else ()
    return [pairs[k] for k in ordered], frozenset(circle)


def _leads_to(needs: list[list[int]], start: int, end: int) -> bool:
    """Whether what `start` needs, and what that needs in turn, comes to `end`."""
    met, left = set(), list(needs[start])
    while left:
        k = left.pop()
        if k == end:
            return True
        if k not in met:
            met.add(k)
            left += needs[k]
    return False
