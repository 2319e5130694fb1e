"""Rotational inertia of everything that a bone carries, by parents and constraints. Chains use it as the cost
of rotating a bone.
"""

import bpy
import numpy as np

from ...solvers.bones.inertia import hanging_inertias
from .controls import Controls


def inertias(rig: bpy.types.Object, names: list[str]) -> dict[str, tuple[float, ...]]:
    """Rotational inertia of everything that each bone carries, about the bone's head and in its frame, at
    rest: a 3 x 3 matrix row by row.

    If the last bone carries deforming bones, only deforming bones count: control bones, helpers and shapes
    have no mass.

    Args:
        rig: The armature object.
        names: The bones, root first.
    """
    controls = Controls(rig)
    bones = list(rig.data.bones)
    above = [{bone.name, *controls.upstream(bone.name)} for bone in bones]
    deforming = [k for k, bone in enumerate(bones) if bone.use_deform]
    if any(names[-1] in above[k] for k in deforming):
        bones, above = [bones[k] for k in deforming], [above[k] for k in deforming]
    pivots = [rig.data.bones[name] for name in names]
    tensors = hanging_inertias(
        np.array([bone.head_local for bone in bones]).reshape(-1, 3),
        np.array([bone.tail_local for bone in bones]).reshape(-1, 3),
        np.array([[name in leaders for leaders in above] for name in names]),
        np.array([bone.head_local for bone in pivots]),
    )
    frames = np.array([bone.matrix_local.to_3x3() for bone in pivots])
    in_bones = (frames.swapaxes(1, 2) @ tensors @ frames).reshape(-1, 9)
    return dict(zip(names, map(tuple, in_bones.tolist()), strict=True))
