"""Live motion, baked motion, and the data that a bake must leave unchanged, for tests in a real Blender."""

import bpy
import numpy as np

from tests.blender.modal import Window, step_by_step
from tests.blender.rigs import keyed, looking_chain, make_active

IN_KEYS = 1e-6  # [rad] tolerance: keyframes have single precision


def moving_chain():
    """A chain to be baked from frame 5 to 25, whose target moves all the time."""
    chain = looking_chain()[1]
    keyed(chain.target, (1, 30))
    chain.frame_start, chain.frame_end = 5, 25
    return chain


def begin(*chains):
    """Starts a bake of these chains over the first one's range."""
    from limber.rig.output.bake import Bake

    return Bake(
        bpy.context.scene,
        [(chain.id_data, chain) for chain in chains],
        chains[0].frame_start,
        chains[0].frame_end,
    )


def bake_window(monkeypatch) -> Window:
    """Runs the Bake operator as a window does, one frame at a time."""
    from limber.operators.output.bake import LIMBER_OT_bake

    return step_by_step(monkeypatch, LIMBER_OT_bake, everything=False)


def positions(handed) -> list[float]:
    """Positions handed to a robot's link, without velocities and accelerations."""
    return [getattr(value, "position", value) for value in handed]


def drop_keys(rig) -> None:
    """Resets the rig to rest, without an action."""
    rig.animation_data.action = None
    for bone in rig.pose.bones:
        bone.rotation_euler = (0, 0, 0)


def live_motion(rig, chains, frames) -> dict[int, list[float]]:
    """Positions after the filter while live plays these frames, one chain after the other."""
    from limber.rig.live import live

    make_active(rig)
    for index, chain in enumerate(rig.limber.chains):
        if chain in chains:
            rig.limber.active_chain = index
            bpy.ops.limber.live()
    # a distant frame, so that the motion restarts at the first one
    bpy.context.scene.frame_set(frames[0] + 100)
    motion = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        motion[frame] = [angle for chain in chains for angle in live.session(rig, chain).outputs.angles]
    return motion


def places(rig, chain):
    from limber.rig.chains.skeleton import ChainReader

    return ChainReader(rig, chain).joint_keys


def played(rig, chains, frames) -> dict[int, list[float]]:
    """Values of the channels as played from the keyframes."""
    joints = [place for chain in chains for place in places(rig, chain)]
    motion = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        motion[frame] = [rig.pose.bones[bone].rotation_euler["XYZ".index(axis)] for bone, axis in joints]
    return motion


def apart(first, second) -> float:
    return max(np.abs(np.array(first[frame]) - np.array(second[frame])).max() for frame in first)


def curves(rig):
    from limber.rig.blender import actions

    return actions.fcurves(*actions.playing(rig)[0])


def state(rig) -> tuple:
    """All data that a cancelled bake must leave unchanged."""
    animation = rig.animation_data
    return (
        sorted((action.name, action.use_fake_user, action.users) for action in bpy.data.actions),
        animation.action.name if animation and animation.action else None,
        [(driver.data_path, driver.mute) for driver in animation.drivers] if animation else [],
        [chain.live for chain in rig.limber.chains],
        bpy.context.scene.frame_current_final,
        [tuple(bone.rotation_euler) for bone in rig.pose.bones],
    )


def walk(rig, *frames):
    """Adds keyframes to a joint, to a bone outside the chain and to the object."""
    for frame in frames or (1, 30):
        rig.pose.bones["middle"].rotation_euler.x = 0.02 * frame
        rig.pose.bones["middle"].keyframe_insert("rotation_euler", frame=frame, group="middle")
        rig.pose.bones["middle"].location.x = 0.001 * frame
        rig.pose.bones["middle"].keyframe_insert("location", frame=frame, group="middle")
        rig.location.y = 0.1 * frame
        rig.keyframe_insert("location", frame=frame)
    rig.animation_data.action.name = "Walk"
    return rig.animation_data.action
