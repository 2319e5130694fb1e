"""What hangs on what: the bones that move an object, and what that means for chains that depend on one another."""

from collections.abc import Iterator
from typing import NamedTuple


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


def joint_bones(chain) -> set[str]:
    return {joint.bone for joint in chain.joints}


def in_order(pairs: list[tuple]) -> tuple[list[tuple], bool]:
    """(rig, chain) pairs so that each comes after those that move its base or its target; and whether they go round in a circle, where
    one of them must come first nevertheless."""
    pairs = sorted(pairs, key=lambda pair: (pair[0].name_full, pair[1].name))  # one order, however they were found
    if len(pairs) < 2:
        return pairs, False
    bones = [joint_bones(chain) for _, chain in pairs]
    needs = []
    for k, (rig, chain) in enumerate(pairs):
        held = [*_root(rig, chain), *carriers(rig), *carriers(chain.target)]
        needs.append(
            [
                other
                for other, (its_rig, _) in enumerate(pairs)
                if other != k and any(is_moved_by(carrier, its_rig, bones[other]) for carrier in held)
            ]
        )
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
    return [pairs[k] for k in ordered], is_circular


def _root(rig, chain) -> Iterator[Carrier]:
    root = rig.data.bones.get(chain.root)
    if root is not None and root.parent is not None:
        yield Carrier("its root's parent", rig, root.parent.name)
