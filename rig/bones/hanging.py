"""What hangs on a bone, by parents and constraints, and its rotational inertia: from it a chain knows which
bones are cheap to rotate.
"""

import bpy
import numpy as np

from ...solvers.bones.inertia import hanging_inertias
from .controls import Controls


def inertias(rig: bpy.types.Object, names: list[str]) -> dict[str, tuple[float, ...]]:
    """Rotational inertia (9) of all that hangs on each bone, about the bone's head and in its frame, at rest,
    row by row.

    Where any deform bones hang on the last bone, they alone count: control bones, helpers and shapes have no
    mass.

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
