"""Finds the heads of imported robots. The head is a link that motors move: if no motor moves the link called
head, the link that looks is one of those below it.
"""

import itertools

import bpy

from ..blender.errors import RigError
from ..bodies.part_names import BodyPart, is_axis_alone, read
from ..bones import imported_robot
from ..bones.joint_axes import joint_axes

OF_HEAD = (BodyPart("", "head"), BodyPart("", "neck"))


def first_link(rig: bpy.types.Object, name: str) -> str:
    """Name of the first link, from the root, of the links called head or neck that lead without interruption
    to the robot's head `name`; the head itself if none does.
    """
    return _links_of_head(rig, name)[-1]


def _links_of_head(rig: bpy.types.Object, name: str) -> list[str]:
    """Names of a robot's head link, and of the links above it, upward as long as they are called head or
    neck.
    """
    above = (bone.name for bone in rig.data.bones[name].parent_recursive)
    return [name, *itertools.takewhile(lambda link: read(link).part in OF_HEAD, above)]


def looking(rig: bpy.types.Object, head: str) -> str:
    """Name of the link that looks: the head, if a motor moves it or one of the links called head or neck that
    lead to it. Else the last link below it that a motor moves and that is called head or neck, or only by an
    axis ("pan_link"); the head if there is none, or if these links are not all on one path.
    """
    if any(joint_axes(rig.pose.bones[name]) for name in _links_of_head(rig, head)):
        return head
    hinges = [bone for bone in rig.data.bones[head].children_recursive if _is_hinge_of_head(rig, bone.name)]
    last = max(hinges, key=lambda bone: len(bone.parent_recursive), default=None)
    return last.name if last and all(bone in [last, *last.parent_recursive] for bone in hinges) else head


def _is_hinge_of_head(rig: bpy.types.Object, name: str) -> bool:
    is_called_so = read(name).part in OF_HEAD or is_axis_alone(name)
    return is_called_so and bool(joint_axes(rig.pose.bones[name]))


def is_of_limb(name: str) -> bool:
    """Whether a link's name is that of a body part with a side, such as a left hand: so it is no head."""
    part = read(name).part
    return part is not None and part.side != ""


def refuse_unmoved(rig: bpy.types.Object, path: list[str]) -> None:
    """Raises RigError if no motor moves any link of the `path`, whose last link is an imported robot's
    head.
    """
    if imported_robot.is_robot(rig) and not any(joint_axes(rig.pose.bones[name]) for name in path):
        raise RigError(
            f"No motor moves '{path[-1]}', which would be the head: select the link that is to look, and press"
            " New Chain"
        )
