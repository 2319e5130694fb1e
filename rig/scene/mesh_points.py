"""Points of meshes as arrays."""

import bpy
import numpy as np


def coordinates(mesh: bpy.types.Mesh) -> np.ndarray:
    """Positions (n, 3) of a mesh's vertices, in its object's space."""
    numbers = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", numbers)
    return numbers.reshape(-1, 3).astype(float)


def placed(points: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """Points (n, 3), transformed by `frame` (4, 4)."""
    transformed: np.ndarray = points @ frame[:3, :3].T + frame[:3, 3]
    return transformed
