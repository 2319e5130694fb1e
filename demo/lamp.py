"""The extension's own lamp in a room, with a ray of light that shows where it looks."""

from math import pi, radians

import bpy
import installed
import shapes
import studio
from mathutils import Matrix, Vector

FPS, FRAMES = 24, 240  # frames per second, and number of frames
SWINGS, BOBS = 1.5, 2.5  # number of the ball's oscillations in these frames, sideways and vertically

CHANGES = {"Proud": 1, "Curious": 81, "Sad": 161}  # posture -> frame from which the lamp keeps it
# frames in which each posture is reached
PICTURED = [(name, tuple(start + late for late in (23, 41, 59, 77))) for name, start in CHANGES.items()]


def build() -> tuple[bpy.types.Object, object]:
    """Builds the scene with the lamp; returns the armature object, in Pose Mode, and its chain."""
    lamp = installed.module("rig.authoring.first_lamp.lamp")
    studio.empty_scene(FPS, FRAMES)
    rig = lamp.armature()
    ball = lamp.ball(
        {frame: ball_place(frame) for frame in range(1, FRAMES + 1, 3)} | {FRAMES: ball_place(FRAMES)}
    )
    lamp.body(rig)
    _light(rig, ball)
    studio.backdrop(1.6, 1.5).rotation_euler.z = radians(43)  # faces the camera
    studio.dim_world((0.45, 0.55, 0.7), 0.5)
    studio.area_light("Key", (-0.4, -1.9, 1.9), (0, -0.1, 0.2), 48, 1.0, (1.0, 0.95, 0.88))
    studio.area_light("Rim", (-1.6, 1.1, 1.7), (0, 0, 0.25), 18, 0.6, (0.7, 0.85, 1.0))
    studio.camera((1.42, -1.52, 0.70), (-0.15, -0.22, 0.235), 60)
    studio.use_cycles(480, 360)
    return rig, lamp.make_chain(rig, ball)


def ball_place(frame: int) -> Vector:
    """Position of the ball [m] at a frame."""
    return installed.module("rig.authoring.first_lamp.lamp").ball_position(
        2 * pi * (frame - 1) / FRAMES, SWINGS, BOBS
    )


def select(rig, names: list[str]) -> None:
    """Selects bones in Pose Mode, the last one active."""
    for bone in rig.pose.bones:
        holder = bone if hasattr(bone, "select") else bone.bone
        holder.select = bone.name in names
    rig.data.bones.active = rig.data.bones[names[-1]]


def key_postures(rig, chain, changes: dict[str, int]) -> None:
    """Keys the chain so that it keeps one posture after another.

    Args:
        rig, chain: The chain.
        changes: Name of a posture -> frame from which the chain keeps it.
    """
    names = [posture.action.name for posture in chain.postures]
    for name, frame in changes.items():
        installed.module("rig.chains.kept_posture").choose(chain, names.index(name))
        chain.keyframe_insert("posture", frame=frame)


def _light(rig, ball) -> None:
    """Adds the ray from the bulb to the ball, and the lamp's own light."""
    lamp = installed.module("rig.authoring.first_lamp.lamp")
    studio.gaze_ray(rig, "Shade", Matrix.Translation((0, lamp.BULB, 0)), lamp.BULB + lamp.BALL, ball, 0.008)

    beam = bpy.data.lights.new("Beam", "SPOT")
    beam.energy, beam.color, beam.spot_size, beam.spot_blend, beam.shadow_soft_size = (
        10,
        (1.0, 0.78, 0.48),
        radians(50),
        0.35,
        0.01,
    )
    light = bpy.data.objects.new("Beam", beam)
    bpy.context.scene.collection.objects.link(light)
    shapes.hang(light, rig, "Shade", Matrix.Translation((0, 0.125, 0)) @ Matrix.Rotation(pi / 2, 4, "X"))
