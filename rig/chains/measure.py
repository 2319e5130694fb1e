"""Measures by which the Expressive solver of a chain keeps a posture: directions of links, or rotations of
bones.
"""

from collections import Counter

import bpy

from ..bones import axes

MEASURES = [
    (
        "LINKS",
        "Directions of Links",
        (
            "Keep the directions of links: for robots, whose joints rotate about one axis each. The twist of"
            " a bone does not count"
        ),
    ),
    (
        "BONES",
        "Rotations of Bones",
        "Keep the rotations of bones, roll included, and share a look among them: for character rigs",
    ),
    (
        "AUTOMATIC",
        "Automatic",
        "Rotations of Bones if a bone of the chain rotates about three axes, else Directions of Links",
    ),
]


def is_of_bones(chain: bpy.types.PropertyGroup, solver: str) -> bool:
    """Whether the chain's solver keeps the rotations of bones."""
    if solver != "expressive":
        return False
    chosen = chain.options.measure
    return has_balls(chain) if chosen == "AUTOMATIC" else chosen == "BONES"


def has_balls(chain: bpy.types.PropertyGroup) -> bool:
    """Whether a bone of the chain rotates about all three axes: only such a bone can point in any direction
    and also twist.
    """
    revolute_counts = Counter(joint.bone for joint in chain.joints if not axes.is_prismatic(joint.axis))
    return max(revolute_counts.values(), default=0) == len(axes.REVOLUTE)


def counts(setting: str, is_of_bones: bool) -> bool:
    """Whether a setting of the Expressive solver has an effect if it measures rotations of bones
    (`is_of_bones`), or else directions of links.
    """
    return setting not in (("transition_speed", "roll") if is_of_bones else ("look_from",))
