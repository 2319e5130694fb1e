"""The motion filter that is on for a chain, and why: *Automatic* filters robots' motion, and leaves other
characters' as it is.
"""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

import bpy

from ...motion import FILTERS, NO_FILTER
from ..bones import imported_robot
from ..bones.axes import JointKey
from ..properties.motion_style import AUTOMATIC

OF_ROBOTS = "default"  # filter that Automatic uses


def in_use(
    rig: bpy.types.Object, settings: bpy.types.PropertyGroup, joint_keys: Iterable[JointKey] | None = None
) -> str:
    """Name of the filter that is on for a chain or mechanism; `NO_FILTER`: none.

    Args:
        rig: The object that has it.
        settings: Its settings.
        joint_keys: (bone, axis) of a chain's joints, if the caller has them.
    """
    if settings.filter != AUTOMATIC:
        return settings.filter
    keys = [joint.key for joint in settings.joints] if joint_keys is None else joint_keys
    return OF_ROBOTS if _why_robot(rig, keys) else NO_FILTER


def sentence(settings: bpy.types.PropertyGroup) -> str:
    """Which filter Automatic has chosen for a chain, and why; "" where a filter is chosen by hand."""
    if settings.filter != AUTOMATIC:
        return ""
    why = _why_robot(settings.id_data, [joint.key for joint in settings.joints])
    return f"{FILTERS[OF_ROBOTS].label} filter: {why}" if why else "No filter: a character without a robot"


def _why_robot(rig: bpy.types.Object, joint_keys: Iterable[JointKey]) -> str:
    """Why a chain counts as a robot's, as part of a sentence; "" if it does not."""
    if rig.limber.device.was_connected:
        return f"'{rig.name}' has been connected to a robot"
    if imported_robot.is_robot(rig):
        return f"'{rig.name}' is an imported robot"
    bone = _of_one_axis(tuple(joint_keys))
    return f"bone '{bone}' has one axis, as a robot's joint" if bone else ""


@lru_cache(maxsize=256)
def _of_one_axis(joint_keys: tuple[JointKey, ...]) -> str:
    """The first bone that has one joint; "" if none has."""
    return next((bone for bone, count in Counter(bone for bone, _ in joint_keys).items() if count == 1), "")
