"""What hangs on what: what moves an object, and what that means for chains and mechanisms that depend on one another."""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ..blender.errors import RigError
from . import mimic
from .paths import bone_names

_TRANSFORM = re.compile(r"(delta_)?(location|rotation_\w+|scale)\b")  # properties that move an object

Bodies = Mapping[int, Container[str]]  # what shows a mechanism's bodies: objects' session_uids -> bones; "": the object itself


class Carrier(NamedTuple):
    """A bone, or a whole object, that moves an object."""

    how: str  # in words
    rig: object  # the bone's armature object, or the object
    bone: str  # "": the object


def carriers(thing, seen: set | None = None, surely: bool = False) -> Iterator[Carrier]:
    """The bones and objects that move an object, by parent, constraint or driver, also through other objects. `surely`: without those that
    only may: constraints that are off, and drivers of or from anything but places, turns and sizes of whole objects."""
    seen = set() if seen is None else seen
    if thing is None or thing.name_full in seen:
        return
    seen.add(thing.name_full)
    subject = "it" if len(seen) == 1 else f"'{thing.name}', which moves it,"
    parent = thing.parent
    if parent is not None:
        if parent.type == "ARMATURE" and thing.parent_type == "BONE":
            yield Carrier(f"{subject} hangs on bone '{thing.parent_bone}'", parent, thing.parent_bone)
        yield Carrier(f"{subject} hangs on '{parent.name}'", parent, "")
        yield from carriers(parent, seen, surely)
    for constraint in thing.constraints:
        if not constraint.mute and (constraint.influence > 0.0 or not surely):
            how = f"{subject} follows by constraint '{constraint.name}' bone"
            for held in getattr(constraint, "targets", None) or (constraint,):
                yield from _followed(how, getattr(held, "target", None), getattr(held, "subtarget", ""), seen, surely)
    if thing.animation_data:
        for curve in thing.animation_data.drivers:
            if surely and not _TRANSFORM.match(curve.data_path):
                continue
            for variable in curve.driver.variables:
                for held in variable.targets:
                    if not surely or variable.type != "SINGLE_PROP" or _TRANSFORM.match(held.data_path):
                        yield from _followed(f"{subject} follows by a driver bone", held.id, held.bone_target, seen, surely)


def hangs_on_objects_alone(thing) -> bool:
    """Whether an object is moved by nothing but itself and whole objects: by no bone and no one's shape."""
    while thing is not None:
        if thing.parent is not None and thing.parent_type != "OBJECT":
            return False
        if thing.constraints or (thing.animation_data and thing.animation_data.drivers):
            return False
        thing = thing.parent
    return True


def _followed(how: str, thing, bone: str, seen: set, surely: bool) -> Iterator[Carrier]:
    if getattr(thing, "id_type", "") != "OBJECT":
        return
    if thing.type == "ARMATURE" and bone:
        yield Carrier(f"{how} '{bone}'", thing, bone)
    yield Carrier(f"{how.removesuffix(' bone')} '{thing.name}'", thing, "")
    yield from carriers(thing, seen, surely)


def is_moved_by(carrier: Carrier, rig, bones: set[str]) -> bool:
    """Whether turning `bones` of `rig` moves the carrier."""
    return carrier.rig == rig and bool(carrier.bone) and any(name in bones for name in _up_from(carrier))


def is_on(carrier: Carrier, bodies: Bodies) -> bool:
    """Whether the carrier is one of a mechanism's bodies, or a bone on one."""
    names = bodies.get(carrier.rig.session_uid)
    return names is not None and ("" in names or (bool(carrier.bone) and any(name in names for name in _up_from(carrier))))


def _up_from(carrier: Carrier) -> Iterator[str]:
    """Names of a carrier's bone and those above it."""
    bone = carrier.rig.data.bones.get(carrier.bone)
    while bone is not None:
        yield bone.name
        bone = bone.parent


class Mover(NamedTuple):
    """What the joints of a chain, or a mechanism, move."""

    rig: object = None  # the bones' armature object
    bones: Container[str] = frozenset()  # those of the joints, and those that mimic them
    led: frozenset[str] = frozenset()  # the latter
    bodies: Bodies = MappingProxyType({})  # of a mechanism

    def moves(self, carrier: Carrier) -> bool:
        return is_moved_by(carrier, self.rig, self.bones) or is_on(carrier, self.bodies)


class Linkage(NamedTuple):
    """A mechanism among what moves together."""

    pair: tuple  # its owner, and what that keeps of it
    mover: Mover
    leaders: Callable[[bool], list[Carrier]]  # what says where it is and what it does; given True, what surely does


def mover(chain) -> Mover:
    """What the joints of a chain move."""
    led = frozenset(follower.bone for follower in followers(chain))
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
    """The targets of a chain that another, or a mechanism, moves."""
    return [target for target in targets(chain) if is_carried(target, other)]


def with_itself(thing, surely: bool = False) -> Iterator[Carrier]:
    """An object and what moves it."""
    yield Carrier("", thing, "")
    yield from carriers(thing, surely=surely)


def is_carried(thing, other: Mover, surely: bool = False) -> bool:
    """Whether an object is moved as a whole by another, or by a mechanism."""
    return any(map(other.moves, with_itself(thing, surely)))


def moved_part(pair: tuple, other: Mover, surely: bool = False) -> str:
    """What of a (rig, chain) another, or a mechanism, moves: its "base", its "armature", its "target", or ""."""
    rig, chain = pair
    if rig == other.rig and other.led and other.led.intersection(_path(rig, chain)):
        return "base"
    root = rig.data.bones.get(chain.root)
    if root is not None and root.parent is not None and other.moves(Carrier("", rig, root.parent.name)):
        return "base"
    if is_carried(rig, other, surely):
        return "armature"
    return "target" if any(is_carried(target, other, surely) for target in targets(chain)) else ""


def _path(rig, chain) -> list[str]:
    try:
        return bone_names(rig.pose.bones, chain)
    except RigError:  # the chain itself says what is wrong with it
        return []


class Order(NamedTuple):
    """How what moves together is gone through."""

    pairs: list[tuple]  # each after those that move its base, its target or its driven bodies
    circle: frozenset[int] = frozenset()  # places of chains that go in a circle, where one of them must come first nevertheless
    endless: Mapping[int, tuple] = MappingProxyType({})  # places of mechanisms that follow themselves -> the pair through which they do


def in_order(chains: list[tuple], linkages: Sequence[Linkage] = ()) -> Order:
    """The order of (rig, chain) and (owner, mechanism) pairs."""
    pairs = sorted(chains, key=lambda pair: (pair[0].name_full, pair[1].name))  # one order, however they were found
    linkages = sorted(linkages, key=lambda linkage: linkage.pair[0].name_full)
    count, everything = len(pairs), [*pairs, *(linkage.pair for linkage in linkages)]
    if len(everything) < 2 and not linkages:
        return Order(everything)
    movers = [*(mover(chain) for _, chain in pairs), *(linkage.mover for linkage in linkages)]
    needs = _needs(pairs, linkages, movers)
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

    for k in range(len(everything)):
        if k not in begun:
            visit(k)
    ways = [everything[k] for k in ordered]
    if not is_circular:
        return Order(ways)
    of_chains = [[k for k in above if k < count] for above in needs[:count]]
    circle = frozenset(place for place, k in enumerate(ordered) if k < count and _leads_to(of_chains, k, k))
    endless, surely = {}, _needs(pairs, linkages, movers, surely=True) if linkages else []
    for place, k in enumerate(ordered):
        if k >= count and (back := next((above for above in surely[k] if above == k or _leads_to(surely, above, k)), None)) is not None:
            endless[place] = everything[back]
    return Order(ways, circle, endless)


def _needs(pairs: list[tuple], linkages: Sequence[Linkage], movers: list[Mover], surely: bool = False) -> list[list[int]]:
    """What each must come after, by its place among the movers; a mechanism may be said to come after itself."""
    needs = [[k for k, other in enumerate(movers) if k != own and moved_part(pair, other, surely)] for own, pair in enumerate(pairs)]
    for linkage in linkages:
        leaders = linkage.leaders(surely)
        needs.append([k for k, other in enumerate(movers) if any(map(other.moves, leaders))])
    return needs


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
