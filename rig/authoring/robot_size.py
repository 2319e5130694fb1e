"""Warnings about an imported robot whose file, or whose meshes, seem to be in millimetres: robots' files are
in metres.
"""

from collections.abc import Mapping
from math import hypot

import bpy
import numpy as np

from ...robots.model import Robot
from ..blender.counting import counted

# [m] distance between joints, or size of a mesh, above which a file counts as one in millimetres, with a
# warning
LARGEST = 10.0


def of_joints(robot: Robot) -> list[str]:
    """List with a warning if a joint is too far from its parent link's frame, else empty."""
    far = [(hypot(*joint.origin.offset), joint.name) for joint in robot.joints]
    distance, name = max(far, default=(0.0, ""))
    if distance <= LARGEST:
        return []
    return [
        f"joint '{name}' is {distance:.0f} m from its parent link's origin: if the file is in millimetres,"
        " export it again in metres"
    ]


def of_meshes(sizes: Mapping[str, float]) -> list[str]:
    """List with a warning if meshes are too large, else empty. `sizes`: largest dimension [m] of each file's
    mesh, scaled as the robot's file says.
    """
    large = sorted((size, name) for name, size in sizes.items() if size > LARGEST)
    if not large:
        return []
    size, name = large[-1]
    more = (
        f", and {counted(len(large) - 1, 'more mesh is', 'more meshes are')} too large"
        if len(large) > 1
        else ""
    )
    return [
        f"mesh '{name}' is {size:.0f} m large{more}: if it is in millimetres, write scale=\"0.001 0.001"
        ' 0.001" into its <mesh>'
    ]


def size_of(mesh: bpy.types.Mesh, scale: tuple[float, float, float]) -> float:
    """Largest dimension [m] of a mesh, scaled along its axes."""
    corners = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", corners)
    return float(np.max(np.ptp(corners.reshape(-1, 3), axis=0) * np.abs(scale)))
