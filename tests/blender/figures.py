"""Human figures as armatures, with the names of several conventions, in several rest poses."""

from math import asin, cos, pi, radians, sin

import bpy
from mathutils import Euler, Matrix, Vector

from tests.blender.rigs import make_active

PLACES = {  # part -> parent, position of its head [m]; arms hang down. The figure faces -Y, its left is +X
    "hips": (None, (0.0, 0.0, 1.0)),
    "spine": ("hips", (0.0, 0.0, 1.1)),
    "chest": ("spine", (0.0, 0.0, 1.3)),
    "neck": ("chest", (0.0, 0.0, 1.5)),
    "head": ("neck", (0.0, 0.0, 1.6)),
}
SIDE = {
    "collar": ("chest", (0.05, 0.0, 1.45)),
    "upper_arm": ("collar", (0.2, 0.0, 1.45)),
    "forearm": ("upper_arm", (0.2, 0.0, 1.15)),
    "hand": ("forearm", (0.2, 0.0, 0.9)),
    "thigh": ("hips", (0.1, 0.0, 0.95)),
    "shin": ("thigh", (0.1, 0.0, 0.5)),
    "foot": ("shin", (0.1, 0.0, 0.1)),
    "toe": ("foot", (0.1, -0.15, 0.03)),
}
TIPS = {"head": (0.0, 0.0, 0.15), "hand": (0.0, 0.0, -0.1), "toe": (0.0, -0.08, 0.0)}
PARTS = (*PLACES, *SIDE)
CMU_WORDS = "Hips Chest Chest2 Neck Head Collar Shoulder Elbow Wrist Hip Knee Ankle Toe"
XSENS_WORDS = "Pelvis L5 T8 Neck Head Shoulder UpperArm ForeArm Hand UpperLeg LowerLeg Foot Toe"
CMU, XSENS = (dict(zip(PARTS, words.split(), strict=True)) for words in (CMU_WORDS, XSENS_WORDS))
STRAIGHT = (
    "upper_arm",
    "forearm",
    "thigh",
    "shin",
)  # limbs whose direction to the next bone shows their rotation


def figure(
    words: dict[str, str],
    name: str,
    size: float = 1.0,
    arms_out: bool = False,
    mode: str = "XYZ",
    knee: float = SIDE["shin"][1][2],
):
    """A figure in Pose Mode, active, all of whose bones can rotate freely.

    Args:
        words: Name of each part, to which the side is prefixed.
        name: Name of the object.
        size: Factor of all positions.
        arms_out: Whether it rests with its arms to the sides.
        mode: Rotation mode of its bones.
        knee: Height of its knees [m].
    """
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    places = all_places(arms_out)
    for side in ("left", "right"):
        above, (x, y, _) = places[f"{side} shin"]
        places[f"{side} shin"] = (above, (x, y, knee))
    for part, (parent, place) in places.items():
        bone = data.edit_bones.new(called(words, part))
        below = [spot for above, spot in places.values() if above == part]
        tip = Vector(place) + Vector(TIPS.get(part.split()[-1], (0.0, 0.0, 0.1)))
        bone.head, bone.tail = Vector(place) * size, (Vector(below[0]) if len(below) == 1 else tip) * size
        if parent:
            bone.parent = data.edit_bones[called(words, parent)]
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        bone.rotation_mode = mode
    return rig


def all_places(arms_out: bool) -> dict[str, tuple]:
    """Every part, such as "left hand": its parent, and the position of its head [m]."""
    found: dict[str, tuple] = dict(PLACES)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for part, (parent, (x, y, z)) in SIDE.items():
            if arms_out and part in ("forearm", "hand"):
                x, z = 0.2 + (1.45 - z), 1.45
            found[f"{side} {part}"] = (f"{side} {parent}" if parent in SIDE else parent, (sign * x, y, z))
    return found


def called(words: dict[str, str], part: str) -> str:
    side, _, plain = part.rpartition(" ")
    return side.title() + words[plain]


def bend(rig, words: dict[str, str], **turns: tuple[float, float, float]) -> None:
    """Rotates bones by Euler angles [degrees]; parts as "left_shin"."""
    for part, angles in turns.items():
        plain = part.replace("left_", "left ").replace("right_", "right ")
        bone = rig.pose.bones[called(words, plain)]
        turn = Euler([radians(angle) for angle in angles], "XYZ")
        if bone.rotation_mode == "QUATERNION":
            bone.rotation_quaternion = turn.to_quaternion()
        else:
            bone.rotation_euler = turn
    bpy.context.view_layer.update()


def way(rig, words: dict[str, str], part: str, below: str) -> Vector:
    """Shown direction, in the world, from one part to the next."""
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    first, last = (shown.pose.bones[called(words, each)].matrix.translation for each in (part, below))
    return (shown.matrix_world.to_3x3() @ (last - first)).normalized()


def walk(rig, words: dict[str, str], frames: int = 24) -> None:
    """Adds keyframes of a step forward: arms and legs swing, the trunk rotates, the hips move."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    for k, frame in enumerate((1, frames // 2, frames)):
        sign = (1, -1, 1)[k]
        swing = 25 * sign
        bend(
            rig,
            words,
            left_upper_arm=(swing, 0, 5 * k),
            right_upper_arm=(-swing, 10 * k, 0),
            left_forearm=(20 + 10 * k, 0, 0),
            left_thigh=(-swing, 0, 0),
            right_thigh=(swing, 0, 0),
            right_shin=(15 * k, 0, 0),
            chest=(5, 10 * sign, 0),
            neck=(0, -20 * sign, 0),
        )
        hips = rig.pose.bones[called(words, "hips")]
        hips.location = rig.data.bones[hips.name].matrix_local.to_3x3().inverted() @ Vector(
            (0.0, -0.3 * k, 0.02 * sign)
        )
        hips.keyframe_insert("location", frame=frame)
        for bone in rig.pose.bones:
            bone.keyframe_insert(
                "rotation_quaternion" if bone.rotation_mode == "QUATERNION" else "rotation_euler", frame=frame
            )
    scene.frame_set(1)


def crouch(rig, words: dict[str, str], frames: int = 24, raised: float = 0.0) -> None:
    """Adds keyframes of a figure that crouches and rises while its feet stand, `raised` [m] above its
    origin.
    """
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    (_, hip), (_, knee), (_, ankle) = (SIDE[part] for part in ("thigh", "shin", "foot"))
    thigh, shin = hip[2] - knee[2], knee[2] - ankle[2]
    for frame in range(1, frames + 1):
        lean = radians(40) * sin(pi * (frame - 1) / (frames - 1))
        back = asin(thigh * sin(lean) / shin)  # so that the ankles stay below the hips
        turns = {"thigh": -lean, "shin": lean + back, "foot": -back}
        for side in ("left", "right"):
            for part, angle in turns.items():
                bone = rig.pose.bones[called(words, f"{side} {part}")]
                rest = rig.data.bones[bone.name].matrix_local.to_3x3()
                bone.rotation_euler = (rest.inverted() @ Matrix.Rotation(angle, 3, "X") @ rest).to_euler(
                    "XYZ", bone.rotation_euler
                )
                bone.keyframe_insert("rotation_euler", frame=frame)
        hips = rig.pose.bones[called(words, "hips")]
        drop = thigh + shin - thigh * cos(lean) - shin * cos(back)
        hips.location = rig.data.bones[hips.name].matrix_local.to_3x3().inverted() @ Vector(
            (0.0, 0.0, raised - drop)
        )
        hips.keyframe_insert("location", frame=frame)
    scene.frame_set(1)
