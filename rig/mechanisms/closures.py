"""Closures between bones: their connection points, their gap at rest, and pairs of bones named as closures by
exporters.

Exporters write a loop that a URDF file cannot close as two extra links, closing_NAME_1 and closing_NAME_2,
with coincident frames (onshape-to-robot does; Reachy Mini's file has five). Their origins are the bones'
heads.
"""

from collections.abc import Iterator
from itertools import product

import bpy
import numpy as np

from ...robots.marks import closing_pairs
from ...solvers.amounts import rounded
from ...solvers.kinematics.se3 import Array
from ..blender.errors import Finding, RigError
from .poses import object_scale
from .precise_rest import Rest, rest_of

POINTS = [
    ("TAIL", "Tail", "Connect the bone at its tail"),
    ("HEAD", "Head", "Connect the bone at its head, where its joint is"),
    ("ORIGIN", "Link Origin", "Connect the bone at the origin of its link in the imported robot's file"),
]
WORDS = {name: title.lower() for name, title, _ in POINTS}
# distance between a closure's two points above which its gap is reported, as a share of the armature's size
APART = 1e-4
ALIKE = 1e-6  # difference up to which two distances count as equal, as a share of the armature's size


def point(rig: bpy.types.Object, rest: Rest, bone: str, which: str) -> Array:
    """Position (3,) [m] of a connection point of a bone at rest, in the frame of `rest`.

    Raises:
        RigError: the point is a link's origin, and the bone is no link of an imported robot.
        KeyError: there is no such bone.
    """
    if which == "ORIGIN":
        if bone not in rest.links:
            raise RigError(
                f"Bone '{bone}' is no link of an imported robot, or was moved since: choose its head or its"
                " tail"
            )
        return rest.links[bone][:3, 3]
    frame = rest.bones[bone]
    if which == "HEAD":
        return frame[:3, 3]
    tail: Array = np.multiply(rest.scale, rig.data.bones[bone].tail_local)
    return tail


def nearest(rig: bpy.types.Object, rest: Rest, first: str, second: str) -> tuple[str, str, float]:
    """(point of the first bone, point of the second bone, distance [m]) of the connection points of two bones
    that are nearest to each other at rest. Among equal distances the first in `POINTS` is taken.
    """
    best: tuple[str, str, float] | None = None
    for first_point, second_point in product(WORDS, WORDS):
        if all(
            which != "ORIGIN" or bone in rest.links
            for bone, which in ((first, first_point), (second, second_point))
        ):
            distance = float(
                np.linalg.norm(point(rig, rest, first, first_point) - point(rig, rest, second, second_point))
            )
            if best is None or distance < best[2] - ALIKE * rest.size:
                best = first_point, second_point, distance
    assert best is not None
    return best


def add(
    rig: bpy.types.Object, rest: Rest, first: str, second: str, name: str = ""
) -> tuple[bpy.types.PropertyGroup, float]:
    """Adds a closure at the points where two bones are nearest to each other, and selects it; returns the
    closure and the gap [m] at rest. `name`: "" for one made of the bones' names.
    """
    settings = rig.limber.mechanism
    first_point, second_point, distance = nearest(rig, rest, first, second)
    closure = settings.closures.add()
    closure.first, closure.second = first, second
    closure.first_point, closure.second_point = first_point, second_point
    closure.name = name or f"{first} = {second}"
    settings.active_closure = len(settings.closures) - 1
    return closure, distance


def named_pairs(rig: bpy.types.Object) -> list[tuple[str, str, str]]:
    """(NAME, bone, bone) for each pair of bones named closing_NAME_1 and closing_NAME_2 that has no closure
    yet.
    """
    closed = {frozenset((closure.first, closure.second)) for closure in rig.limber.mechanism.closures}
    return [pair for pair in closing_pairs(rig.data.bones.keys()) if frozenset(pair[1:]) not in closed]


def of_closures(rig: bpy.types.Object) -> Iterator[Finding]:
    """Findings about closures with a gap at rest; none if bodies are not bones or a robot's file has the
    closures.
    """
    settings = rig.limber.mechanism
    if rig.type != "ARMATURE" or not settings.use_bones or settings.closures_file:
        return
    try:
        rest = rest_of(rig, object_scale(rig))
    except RigError:  # reported when the mechanism is read
        return
    for closure in settings.closures:
        try:
            distance = gap(rig, rest, closure)
        except (KeyError, RigError):  # reported when the mechanism is read
            continue
        if is_apart(rest, distance):
            yield Finding(gap_sentence(rig, rest, closure, distance))


def gap(rig: bpy.types.Object, rest: Rest, closure: bpy.types.PropertyGroup) -> float:
    """Distance [m] between a closure's two points at rest. Raises RigError or KeyError as `point`."""
    first = point(rig, rest, closure.first, closure.first_point)
    second = point(rig, rest, closure.second, closure.second_point)
    return float(np.linalg.norm(first - second))


def is_apart(rest: Rest, distance: float) -> bool:
    """Whether a gap `distance` [m] is large enough to be reported."""
    return distance > APART * rest.size


def gap_sentence(rig: bpy.types.Object, rest: Rest, closure: bpy.types.PropertyGroup, distance: float) -> str:
    """Sentence about a closure's gap `distance` [m], with the remedy."""
    first_point, second_point, least_distance = nearest(rig, rest, closure.first, closure.second)
    beginning = (
        f"Closure '{closure.name}': the {WORDS[closure.first_point]} of '{closure.first}' and the"
        f" {WORDS[closure.second_point]} of '{closure.second}' are {rounded(1e3 * distance, 3)} mm apart at rest"
    )
    if not is_apart(rest, least_distance):
        return (
            f"{beginning}, but the {WORDS[first_point]} of the one and the {WORDS[second_point]} of the other"
            " coincide: choose these points"
        )
    return (
        f"{beginning}, so Live moves the bones until they meet: move a bone in Edit Mode if they should meet"
        " at rest"
    )
