"""Measures Limber's processor time per frame with many live movers, in a real Blender: `python -m
benchmarks.full_frame CLIP.bvh ROBOT.urdf`.

The scenes are a character whose torso, head and eyes look at one target; ten characters of eight joints, each
with its own target; and a whole body that follows a clip, with a head that looks, beside a mechanism. The
figure is the processor time of Limber's handler at each frame, and of computing the lines of the overlays
over chains; the time to draw them is not included. The exit status is 1 if a bound is exceeded.
"""

import argparse
import os
import sys
import time
from math import cos, sin
from pathlib import Path

import bpy
import limber
import numpy as np
from limber.rig.authoring.chains import new_chain
from limber.rig.live import live
from limber.rig.showing import chain_lines

from .retarget import SKIPPED, follower
from .tick import build, look

CHAINS_MS, TEN_MS, FULL_MS = 8.0, 6.0, 16.0  # [ms] largest 99th percentiles of the three scenes
CHARACTERS, JOINTS = 10, 8  # numbers of characters and of their joints in the second scene
BONES = (  # name, parent, head and tail [m] of each bone; the character faces -Y
    ("hips", "", (0, 0, 1.0), (0, 0, 1.1)),
    ("spine", "hips", (0, 0, 1.1), (0, 0, 1.25)),
    ("chest", "spine", (0, 0, 1.25), (0, 0, 1.45)),
    ("neck", "chest", (0, 0, 1.45), (0, 0, 1.55)),
    ("head", "neck", (0, 0, 1.55), (0, 0, 1.75)),
    ("eyes", "head", (0, -0.08, 1.65), (0, -0.11, 1.65)),
)


def target(middle: tuple[float, float, float], size: float, frames: int):
    """Adds an empty that circles, and moves up and down, over a number of frames."""
    empty = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(empty)
    for frame in range(1, frames + 11, 10):
        x, y, z = middle
        empty.location = (
            x + size * cos(frame / 40),
            y + 0.3 * size * sin(frame / 31),
            z + size * sin(frame / 25),
        )
        empty.keyframe_insert("location", frame=frame)
    return empty


def character(frames: int) -> None:
    """A new file with a character whose torso, head and eyes are live."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    data = bpy.data.armatures.new("Character")
    rig = bpy.data.objects.new("Character", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, parent, head, tail in BONES:
        bone = data.edit_bones.new(name)
        bone.head, bone.tail, bone.parent = head, tail, data.edit_bones.get(parent)
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
    bpy.ops.limber.eyes_head_torso()
    looked_at = target((0.0, -1.5, 1.6), 1.0, frames)
    for chain in rig.limber.chains:
        chain.target = looked_at
    bpy.ops.limber.live_all()


def ten_characters(frames: int) -> None:
    """A new file with characters in a row, each with one live chain that looks at its own target."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for k in range(CHARACTERS):
        rig = build(JOINTS, JOINTS, keyed_locks=False)
        rig.location.x = 2.0 * k
        look(rig, [bone.name for bone in rig.pose.bones], target((2.0 * k, 0.0, 0.8), 1.0 + 0.05 * k, frames))
        bpy.ops.limber.live()
        bpy.ops.object.mode_set(mode="OBJECT")


def everything(clip: Path, robot: Path, root: str, end: str, frames: int) -> None:
    """A new file with a body that follows the clip, its head's chain, and a neck on push rods, all live."""
    rig = follower(clip, robot)
    chain = new_chain(rig, [root, end])
    chain.target = target((2.0, 0.0, 1.5), 1.0, frames)
    bpy.ops.limber.live()
    bpy.context.scene.cursor.location = (3.0, 0.0, 0.0)
    bpy.ops.limber.add_mechanism(kind="neck")
    owner = bpy.context.active_object
    moved = owner.limber.mechanism.goals[0].target
    for frame in range(1, frames + 11, 10):
        moved.rotation_euler = (0.2 * cos(frame / 30), 0.1 * sin(frame / 17), 0.2 * sin(frame / 23))
        moved.keyframe_insert("rotation_euler", frame=frame)
    bpy.ops.limber.live()


def overlays() -> None:
    """Computes the lines that the overlays over live chains draw."""
    for rig, chain in live.live_chains(bpy.context.scene):
        session = live.session(rig, chain)
        chain_lines.late(rig, session)
        for lines in (chain_lines.rays(rig, chain), chain_lines.arcs(rig, session)):
            list(lines)


def played(frames: int) -> np.ndarray:
    """Processor times (f,) [ms] of Limber's part of each of these frames, without the first `SKIPPED`."""
    taken: list[float] = []

    def timed(function):
        def call(*args) -> bool:
            began = time.thread_time()
            try:
                return function(*args)
            finally:
                taken[-1] += time.thread_time() - began

        return call

    frame_changed = live.frame_changed
    live.frame_changed = timed(frame_changed)
    for frame in range(2, frames + 1):
        taken.append(0.0)
        bpy.context.scene.frame_set(frame)
        timed(overlays)()
    live.frame_changed = frame_changed
    return 1e3 * np.array(taken[SKIPPED:])


def told(name: str, milliseconds: np.ndarray, bar: float) -> bool:
    """Prints the times (f,) of a scene's frames; returns whether their 99th percentile is at most `bar`."""
    late = float(np.percentile(milliseconds, 99))
    print(
        f"{name:39} {np.median(milliseconds):6.2f} ms median, {late:6.2f} 99th percentile,"
        f" {milliseconds.max():6.2f} largest; bar {bar:g}"
    )
    return late <= bar


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("clip", type=Path)
    ask.add_argument("robot", type=Path)
    ask.add_argument("--frames", type=int, default=500)
    ask.add_argument("--root", default="L5_f1", help="first bone of the robot's chain")
    ask.add_argument("--end", default="Head", help="its last")
    options = ask.parse_args()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.preferences.addons.new().module = limber.__package__
    limber.register()
    character(options.frames)
    print(f"Blender {bpy.app.version_string}, {options.frames} frames")
    reached = told("torso, head and eyes", played(options.frames), CHAINS_MS)
    ten_characters(options.frames)
    reached &= told("ten characters of eight joints", played(options.frames), TEN_MS)
    everything(options.clip.resolve(), options.robot.resolve(), options.root, options.end, options.frames)
    reached &= told("whole body, head that looks, mechanism", played(options.frames), FULL_MS)
    sys.stdout.flush()
    os._exit(0 if reached else 1)  # a Blender module may hang while the interpreter ends


if __name__ == "__main__":
    main()
