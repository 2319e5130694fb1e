"""Armatures, targets and selections for tests in a real Blender."""

import bpy

LENGTH = 0.1  # [m] length of each bone

UPRIGHT = {  # an arm of five bones: bone -> its free axes
    "base": "Y",
    "lower": "X",
    "middle": "X",
    "upper": "X",
    "head": "XY",
}


def build(
    bones: dict[str, str | None], name: str = "Rig", mode: str = "XYZ", parents: dict[str, str] | None = None
):
    """An armature in Pose Mode, active, with its bones one after the other along +Z.

    Args:
        bones: Name -> letters of its free axes; None: locks stay as Blender has them (all free).
        name: Name of the object and its data.
        mode: Rotation mode of the bones.
        parents: Parents other than the previous bone: name -> parent.
    """
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    before = None
    for bone_name in bones:
        bone = data.edit_bones.new(bone_name)
        parent = data.edit_bones.get((parents or {}).get(bone_name, before or ""))
        bone.head = parent.tail if parent else (0, 0, 0)
        bone.tail = bone.head.x, bone.head.y, bone.head.z + LENGTH
        bone.parent, bone.use_connect = parent, parent is not None
        before = bone_name
    bpy.ops.object.mode_set(mode="POSE")
    for bone_name, free in bones.items():
        bone = rig.pose.bones[bone_name]
        bone.rotation_mode = mode
        if free is not None:
            bone.lock_rotation = [axis not in free for axis in "XYZ"]
    return rig


def make_active(thing) -> None:
    """Leaves the current mode and makes an object the active and only selected one."""
    if bpy.context.object and bpy.context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for other in bpy.context.view_layer.objects:
        other.select_set(False)
    bpy.context.view_layer.objects.active = thing
    thing.select_set(True)


def select(rig, *names: str) -> None:
    """Selects only these bones of a rig in Pose Mode."""
    make_active(rig)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        holder = bone if hasattr(bone, "select") else bone.bone  # 5.0 moved it
        holder.select = bone.name in names


def target(place=(0.5, -0.6, 0.4), name: str = "Target"):
    """An empty as a target."""
    thing = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(thing)
    thing.location = place
    bpy.context.view_layer.update()
    return thing


def looking_chain(rig=None, *names: str, at=None):
    """A chain that looks at a target, made from the rig's selected bones (its last one by default); returns
    rig and chain.
    """
    rig = rig or build(UPRIGHT)
    select(rig, *(names or (rig.pose.bones[-1].name,)))
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[-1]
    chain.target = at or target()
    return rig, chain


def keyed(thing, frames, path: str = "location", end=(-0.5, -0.6, 0.3)):
    """Adds linear keyframes from an object's current value to another one, at the first and last frame."""
    thing.keyframe_insert(path, frame=frames[0])
    setattr(thing, path, end)
    thing.keyframe_insert(path, frame=frames[-1])
    return thing


def matrices(rig, names, frame: float) -> list:
    """Shown pose matrices of bones at a frame."""
    bpy.context.scene.frame_set(int(frame // 1), subframe=frame % 1.0)
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [shown.pose.bones[name].matrix.copy() for name in names]


def apart(first, second) -> float:
    """Largest difference between the entries of two lists of matrices."""
    return max(
        abs(a - b)
        for one, other in zip(first, second, strict=True)
        for p, q in zip(one, other, strict=True)
        for a, b in zip(p, q, strict=True)
    )


def angles_at(rig, chain, frames) -> dict[int, list[float]]:
    """The posed angles of the chain's joints at these frames of the scene."""
    found = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found[frame] = [
            rig.pose.bones[joint.bone].rotation_euler["XYZ".index(joint.axis)] for joint in chain.joints
        ]
    return found
