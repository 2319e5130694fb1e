"""A desk lamp with five joints, three postures that read differently, and a ball that flies around it."""

from math import cos, pi, radians, sin

import bpy
import installed
import shapes
import studio
from mathutils import Matrix, Vector

FPS, FRAMES = 24, 240

# Bones from the foot up, all pointing up at rest, so that a positive bend leans toward the front (-Y):
# name, length [m], the axis that has a motor, its range [degrees], the servo's own range [degrees].
BONES = (
    ("Turntable", 0.045, "Y", (-150, 150), 300),
    ("Lower Arm", 0.200, "X", (-60, 70), 180),
    ("Upper Arm", 0.180, "X", (-5, 150), 300),
    ("Neck", 0.035, "Y", (-100, 100), 270),
    ("Shade", 0.105, "X", (-35, 125), 270),
)
FOOT_HEIGHT = 0.022
BALL = 0.042  # [m] radius of what it looks at
BULB = 0.088  # [m] middle of the bulb, along the shade
ELBOW = 0.017  # [m] radius of the hinges

# What the body says, in the order of the bones [degrees].
POSTURES = {
    "Proud": (0, -16, 14, 0, 84),
    "Curious": (-14, 44, 18, 24, 36),
    "Sad": (6, -48, 128, -10, 62),
}
CHANGES = {"Proud": 1, "Curious": 81, "Sad": 161}  # frames from which the lamp keeps each posture
PICTURED = [(name, tuple(start + late for late in (23, 41, 59, 77))) for name, start in CHANGES.items()]  # each once it is there


def build() -> tuple[bpy.types.Object, bpy.types.Object]:
    """The scene with the lamp in it; returns the armature object, in Pose Mode, and the ball."""
    studio.empty_scene(FPS, FRAMES)
    rig = _armature()
    ball = studio.target_ball(BALL, {frame: ball_place(frame) for frame in range(1, FRAMES + 1, 3)} | {FRAMES: ball_place(FRAMES)})
    _body(rig, ball)
    studio.backdrop(1.6, 1.5).rotation_euler.z = radians(43)  # toward the camera
    studio.dim_world((0.45, 0.55, 0.7), 0.5)
    studio.area_light("Key", (-0.4, -1.9, 1.9), (0, -0.1, 0.2), 48, 1.0, (1.0, 0.95, 0.88))
    studio.area_light("Rim", (-1.6, 1.1, 1.7), (0, 0, 0.25), 18, 0.6, (0.7, 0.85, 1.0))
    studio.camera((1.42, -1.52, 0.70), (-0.15, -0.22, 0.235), 60)
    studio.use_cycles(480, 360)
    return rig, ball


def ball_place(frame: int) -> Vector:
    """The ball swings from side to side in front of the lamp, over its head and down to the table."""
    turn = 2 * pi * (frame - 1) / FRAMES
    return studio.degrees_to(52 * sin(1.5 * turn + 0.6) - 26, 0.72 + 0.05 * cos(turn), 0.32 + 0.22 * sin(2.5 * turn + 0.3))


def select(rig, names: list[str]) -> None:
    """Selects bones in Pose Mode, the last one active."""
    for bone in rig.pose.bones:
        holder = bone if hasattr(bone, "select") else bone.bone
        holder.select = bone.name in names
    rig.data.bones.active = rig.data.bones[names[-1]]


def pose(rig, posture: str) -> None:
    """Poses the lamp by hand, so to speak: as a user does before Store Posture."""
    for (name, _, axis, _, _), angle in zip(BONES, POSTURES[posture], strict=True):
        rig.pose.bones[name].rotation_euler["XYZ".index(axis)] = radians(angle)


def set_servos(chain) -> None:
    """Which servo turns which joint: motors of 180 to 300 degrees over 500 to 2500 us."""
    for number, (joint, (_, _, _, limits, span)) in enumerate(zip(chain.joints, BONES, strict=True)):
        joint.servo = number
        joint.us_per_radian = 2000 / radians(span)
        joint.zero_us = 1500 - joint.us_per_radian * radians(sum(limits) / 2)


def key_postures(rig, chain, changes: dict[str, int]) -> None:
    """The chain keeps one posture after the other: the selection in its list is keyed.

    Args:
        rig, chain: The chain.
        changes: Name of a posture -> the frame from which on it counts.
    """
    names = [posture.action.name for posture in chain.postures]
    for name, frame in changes.items():
        chain.active_posture = names.index(name)
        chain.keyframe_insert("active_posture", frame=frame)
    curves = installed.module("rig.actions").fcurves(rig.animation_data.action, getattr(rig.animation_data, "action_slot", None))
    for curve in curves:
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT"


def _armature() -> bpy.types.Object:
    data = bpy.data.armatures.new("Lamp")
    rig = bpy.data.objects.new("Lamp", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    height, parent = FOOT_HEIGHT, None
    for name, length, *_ in BONES:
        bone = data.edit_bones.new(name)
        bone.head, bone.tail, bone.roll = (0, 0, height), (0, 0, height + length), 0.0
        bone.parent, bone.use_connect = parent, parent is not None
        height, parent = height + length, bone
    bpy.ops.object.mode_set(mode="POSE")
    data.display_type = "STICK"
    for name, _, axis, (lower, upper), _ in BONES:
        bone = rig.pose.bones[name]
        bone.rotation_mode = "XYZ"
        bone.lock_location = (True, True, True)
        bone.lock_rotation = [letter != axis for letter in "XYZ"]
        limit = bone.constraints.new("LIMIT_ROTATION")
        limit.owner_space = "LOCAL"
        letter = axis.lower()
        setattr(limit, f"use_limit_{letter}", True)
        setattr(limit, f"min_{letter}", radians(lower))
        setattr(limit, f"max_{letter}", radians(upper))
    return rig


def _body(rig, ball) -> None:
    paint = shapes.material("Red Paint", (0.62, 0.035, 0.02), roughness=0.28)
    metal = shapes.material("Brushed Metal", (0.72, 0.74, 0.77), roughness=0.3, metallic=1.0)
    dark = shapes.material("Dark Metal", (0.03, 0.032, 0.036), roughness=0.4, metallic=0.6)
    white = shapes.material("White Enamel", (0.9, 0.88, 0.82), roughness=0.5)
    glass = shapes.material("Bulb", (1.0, 0.74, 0.38), roughness=0.3, glow=5.0)

    foot = shapes.lathe([(0, 0), (0.098, 0), (0.1, 0.004), (0.097, 0.010), (0.075, 0.017), (0.042, FOOT_HEIGHT), (0, FOOT_HEIGHT)])
    foot = shapes.thing("Foot", shapes.moved(foot, Matrix.Rotation(pi / 2, 4, "X")), paint)
    foot.parent = rig

    length = {name: size for name, size, *_ in BONES}
    shoulder = length["Turntable"]
    plate = shapes.lathe([(0, 0), (0.036, 0), (0.036, 0.008), (0.026, 0.016), (0, 0.016)])
    cheeks = [
        shapes.joined(
            [
                shapes.across(shapes.drum(0.019, x - 0.0035, x + 0.0035), (0, shoulder, 0)),
                shapes.moved(shapes.drum(0.012, 0.008, shoulder), Matrix.Translation((x, 0, 0)) @ Matrix.Diagonal((0.3, 1, 1, 1))),
            ]
        )
        for x in (-0.026, 0.026)
    ]
    shapes.hang(shapes.thing("Turntable", shapes.joined([plate, *cheeks]), dark), rig, "Turntable")

    for name in ("Lower Arm", "Upper Arm"):
        size = length[name]
        rods = [shapes.moved(shapes.drum(0.0055, 0.0, size, 0.001), Matrix.Translation((x, 0, 0))) for x in (-0.014, 0.014)]
        shapes.hang(shapes.thing(f"{name} Rods", shapes.joined(rods), metal), rig, name)
        hinge = shapes.across(shapes.drum(ELBOW, -0.021, 0.021))
        collar = shapes.across(shapes.drum(0.0075, -0.019, 0.019), (0, 0.72 * size, 0))
        shapes.hang(shapes.thing(f"{name} Hinge", shapes.joined([hinge, collar]), paint), rig, name)
        shapes.hang(shapes.thing(f"{name} Spring", shapes.spring(0.0055, 0.022, 0.72 * size, 22, 0.0013), dark), rig, name)
    shapes.hang(shapes.thing("Wrist Hinge", shapes.across(shapes.drum(ELBOW, -0.021, 0.021)), paint), rig, "Neck")
    shapes.hang(shapes.thing("Neck", shapes.drum(0.010, 0.0, length["Neck"]), metal), rig, "Neck")

    socket = [(0, -0.030), (0.014, -0.030), (0.023, -0.025), (0.026, -0.016), (0.026, 0.030)]
    outside = [(0.034, 0.040), (0.052, 0.062), (0.068, 0.088), (0.079, 0.118), (0.082, 0.128)]
    inside = [(radius - 0.003, y) for radius, y in reversed(outside)]
    shade = shapes.thing("Shade", shapes.lathe([*socket, *outside, (0.0805, 0.130)]), paint)
    shapes.hang(shade, rig, "Shade")
    shapes.hang(shapes.thing("Shade Inside", shapes.lathe([(0.0805, 0.130), *inside, (0.0, 0.036)]), white), rig, "Shade")
    bulb = shapes.lathe([(0, 0.034), (0.013, 0.036), (0.014, 0.054), *[(0.030 * sin(a), BULB - 0.030 * cos(a)) for a in _arc(0.62, pi)]])
    bulb = shapes.thing("Bulb", bulb, glass)
    shapes.hang(bulb, rig, "Shade")

    studio.gaze_ray(rig, "Shade", Matrix.Translation((0, BULB, 0)), BULB + BALL, ball, 0.008)

    beam = bpy.data.lights.new("Beam", "SPOT")
    beam.energy, beam.color, beam.spot_size, beam.spot_blend, beam.shadow_soft_size = 10, (1.0, 0.78, 0.48), radians(50), 0.35, 0.01
    light = bpy.data.objects.new("Beam", beam)
    bpy.context.scene.collection.objects.link(light)
    shapes.hang(light, rig, "Shade", Matrix.Translation((0, 0.125, 0)) @ Matrix.Rotation(pi / 2, 4, "X"))


def _arc(start: float, end: float, steps: int = 14) -> list[float]:
    return [start + (end - start) * k / steps for k in range(steps + 1)]
