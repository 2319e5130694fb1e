"""Random armatures unlike those of users: every rotation order, rolls, gaps, locked axes, bones without
joints, moved and rotated objects.
"""

import random
from math import pi

import bpy
from mathutils import Euler, Quaternion, Vector

from tests.blender.rigs import make_active

ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def vector(dice: random.Random, size: float) -> Vector:
    return Vector([dice.uniform(-size, size) for _ in range(3)])


def random_rig(dice: random.Random, bones: int = 6, above: int = 2):
    """An armature: `above` bones that belong to no chain, then the path of `bones`, then a child of its end.
    Names: a0.., b0.., c0.
    """
    data = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(rig)
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for name in [f"a{k}" for k in range(above)] + [f"b{k}" for k in range(bones)] + ["c0"]:
        bone = data.edit_bones.new(name)
        connected = parent is not None and dice.random() < 0.5
        bone.head = parent.tail if connected else (parent.tail if parent else Vector()) + vector(dice, 0.2)
        bone.tail = bone.head + vector(dice, 1).normalized() * dice.uniform(0.05, 0.4)
        bone.roll = dice.uniform(-pi, pi)
        bone.parent, bone.use_connect = parent, connected
        parent = bone
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        bone.rotation_mode = dice.choice(ORDERS) if dice.random() < 0.8 else "QUATERNION"
        bone.rotation_euler = vector(dice, 1.2)
        bone.rotation_quaternion = Quaternion([dice.gauss(0, 1) for _ in range(4)]).normalized()
        bone.location = vector(dice, 0.1)
    return rig


def move_object(dice: random.Random, rig) -> None:
    """Gives an object a random position, rotation and size."""
    rig.location = vector(dice, 3)
    rig.rotation_euler = Euler(vector(dice, 3))
    rig.scale = [dice.uniform(0.3, 3)] * 3


def random_chain(dice: random.Random, rig, root: str, end: str, limit: float = 3.0):
    """A chain with some of the axes of the Euler bones from root to end; the other axes are locked at their
    angles.
    """
    chain = rig.limber.chains.add()
    chain.uid, chain.name, chain.root, chain.end = (
        f"uid {len(rig.limber.chains)}",
        f"Chain {len(rig.limber.chains)}",
        root,
        end,
    )
    names = [
        name for name in (bone.name for bone in rig.pose.bones) if root[0] == name[0] and root <= name <= end
    ]
    for name in names:
        bone = rig.pose.bones[name]
        if bone.rotation_mode == "QUATERNION":
            bone.lock_rotation = (True, True, True)
            continue
        free = dice.sample("XYZ", dice.randint(1, 3)) if dice.random() < 0.85 else []
        bone.lock_rotation = [axis not in free for axis in "XYZ"]
        for axis in free:
            joint = chain.joints.add()
            joint.name, joint.bone, joint.axis, joint.lower, joint.upper = (
                f"{name} {axis}",
                name,
                axis,
                -limit,
                limit,
            )
    if len(chain.joints) < 2:  # the draw has left only joints at the root
        bone = rig.pose.bones[root]
        bone.rotation_mode, bone.lock_rotation = "XZY", (False, True, False)
        chain.joints.clear()
        for axis in "XZ":
            joint = chain.joints.add()
            joint.name, joint.bone, joint.axis, joint.lower, joint.upper = (
                f"{root} {axis}",
                root,
                axis,
                -limit,
                limit,
            )
    return chain
