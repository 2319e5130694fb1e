"""Characters with torso, head and eyes for tests in a real Blender, with the names of different programs."""

import bpy
from mathutils import Matrix, Vector

from tests.blender.rigs import make_active

# bone -> parent, head and tail [m]. The character faces -Y, as Blender's characters do.
PLACES = {
    "hips": (None, (0, 0, 0.95), (0, 0, 1.05)),
    "belly": ("hips", (0, 0, 1.05), (0, 0, 1.20)),
    "chest": ("belly", (0, 0, 1.20), (0, 0.02, 1.45)),
    "neck": ("chest", (0, 0.02, 1.45), (0, 0, 1.55)),
    "head": ("neck", (0, 0, 1.55), (0, 0, 1.80)),
    "face": ("head", (0, 0, 1.55), (0, 0, 1.60)),
    "eye_left": ("face", (0.03, -0.08, 1.67), (0.03, -0.11, 1.67)),
    "eye_right": ("face", (-0.03, -0.08, 1.67), (-0.03, -0.11, 1.67)),
    "arm_left": ("chest", (0.2, 0, 1.4), (0.5, 0, 1.4)),
    "arm_right": ("chest", (-0.2, 0, 1.4), (-0.5, 0, 1.4)),
}
WORDS = {
    "Rigify": "spine spine.001 spine.003 spine.004 spine.006 face eye.L eye.R upper_arm.L upper_arm.R",
    "Mixamo": "Hips Spine Spine1 Neck Head Face LeftEye RightEye LeftArm RightArm",
    "mannequin": "pelvis spine_01 spine_02 neck_01 head face eye_l eye_r upperarm_l upperarm_r",
    "own": "pelvis.x abdomen torso neck head face Eyeball.L Eyeball.R shoulder.L shoulder.R",
}
RIGIFY_MORE = {  # further bones of Rigify's metarig, which has seven from hips to head
    "spine.002": ("spine.001", (0, 0, 1.10), (0, 0, 1.20)),
    "spine.005": ("spine.004", (0, 0, 1.50), (0, 0, 1.55)),
}


def character(names: str = "own", mode: str = "XYZ", turned: Matrix | None = None):
    """An armature object in Object Mode, active, with bones as in PLACES and names as in WORDS.

    Args:
        names: Key of WORDS.
        mode: Rotation mode of the bones.
        turned: Factor of its bones, by whose inverse the object is multiplied: files of other programs have
            another up direction.
    """
    called = dict(zip(PLACES, WORDS[names].split(), strict=True))
    places = {called[bone]: (called.get(parent), *ends) for bone, (parent, *ends) in PLACES.items()}
    if names == "Rigify":
        places = _with_more(places)
    data = bpy.data.armatures.new("Character")
    rig = bpy.data.objects.new("Character", data)
    bpy.context.scene.collection.objects.link(rig)
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    turn = turned or Matrix()
    for name, (parent, head, tail) in places.items():
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = turn @ Vector(head), turn @ Vector(tail)
        bone.parent = data.edit_bones.get(parent or "")
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.matrix_world = turn.inverted()
    for bone in rig.pose.bones:
        bone.rotation_mode = mode
    bpy.context.view_layer.update()
    return rig


def _with_more(places: dict) -> dict:
    """The positions with the metarig's further bones, each between a bone and its parent."""
    whole = {}
    for name, place in places.items():
        before = f"spine.{int(name[-3:]) - 1:03d}" if name[-3:].isdigit() else ""
        if before in RIGIFY_MORE:
            whole[before] = RIGIFY_MORE[before]
            place = (before, *place[1:])
        whole[name] = place
    return whole
