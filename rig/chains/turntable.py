"""Whether a chain may rotate as a whole about its base. On an upright turntable that is useful; about other
axes the body would lean.
"""

from math import cos, radians

import bpy
from mathutils import Matrix, Vector

from ..bones import axes

BODIES = [
    (
        "FREE",
        "Free",
        (
            "Let the body rotate as a whole about the axis of its first joint: the shape is measured after"
            " that rotation"
        ),
    ),
    (
        "HELD",
        "Held",
        (
            "Do not rotate the body as a whole: the direction in which the root faces counts for the shape as"
            " well"
        ),
    ),
    (
        "AUTOMATIC",
        "Automatic",
        (
            "Free if the first joint's axis at rest is within 15 degrees of the world's Z, and its bone has no"
            " other joint (with Shape at Directions of Links it may have others); else Held"
        ),
    ),
]
# cosine of the largest angle between the first joint's axis and the vertical at which it counts as a
# turntable's; a rotation about any other axis would lean the body
UPRIGHT = cos(radians(15))


def is_held(
    chain: bpy.types.PropertyGroup, joint_keys: list[tuple[str, str]], rig_in_world: Matrix | None = None
) -> bool:
    """Whether the solver may not rotate the chain as a whole about its base.

    Args:
        chain: The chain.
        joint_keys: (bone, axis) of its joints, in the skeleton's order.
        rig_in_world: World matrix of the armature object; None: Blender's current one.
    """
    if chain.options.body != "AUTOMATIC":
        return chain.options.body == "HELD"
    rig = chain.id_data
    bone, axis = joint_keys[0]
    has_several_joints = sum(key[0] == bone for key in joint_keys) > 1
    # a spine is no turntable, although its first axis may be upright by chance
    if has_several_joints and chain.options.measure != "LINKS":
        return True
    in_rig = rig.data.bones[bone].matrix_local.to_3x3() @ Vector(axes.UNIT[axes.letter(axis)])
    in_world = (rig.matrix_world if rig_in_world is None else rig_in_world).to_3x3() @ in_rig
    return abs(in_world.z) < UPRIGHT * in_world.length
