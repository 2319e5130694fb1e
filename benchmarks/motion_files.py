"""Measures the errors of round trips of motion files, and the aim of robots of the gallery that look at their
target while they play a motion from another program.

    python -m benchmarks.motion_files [--round-trips 200] [--gaze]

--round-trips  Random motions of each format's robot are written and read again: the largest difference of an
               angle [rad] or position [m].
--gaze         Three robots play 3 s of such a motion in Blender, live, 50 frames per second: aim error
               [degrees] in all frames, of the solution and of the pose that Blender shows after the motion
               filter, with a target at rest and with one that swings.

tests/makers/test_motion_files.py tests how the makers' own programs read the files. The exit status is 1 if
the error of a round trip exceeds 1e-6, or a solution does not look at its target.
"""

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from math import cos, degrees, sin
from pathlib import Path

import bpy
import limber
import numpy as np
from limber.hardware.motion_files import FORMATS, Named, Scale, Settings, Take, frames_at, read, write
from limber.rig.live import live

from tests.blender.foreign_motion import FRAMES, ROBOTS, playing, shown_error
from tests.hardware.moves import device, in_joint_units

BAR = 1e-6  # [rad, m] largest permitted error of a round trip
SOLVED = 1e-3  # [degrees] largest permitted aim error of a solution
SEED, ROWS = 1, 100  # seed of the random motions, and their number of rows
JOINTS = {
    "reachy_mini": [Named("yaw_body"), Named("right_antenna", -1.0), Named("left_antenna", -1.0)],
    "lelamp": [Named(str(k), -1.0, servo=k, scale=Scale(ends=(-2.9, 2.9))) for k in range(1, 6)],
    "lerobot": [
        Named("shoulder_pan", -1.0, servo=1, scale=Scale(-0.7)),
        Named("elbow_flex", servo=3, scale=Scale(1.57, -1.0)),
        Named("gripper", servo=6, scale=Scale(ends=(-2.9, 2.9))),
    ],
}
OTHERS = [Named("pan"), Named("tilt")]


def lost(name: str, count: int) -> float:
    """Largest difference of joint values [rad], and of entries of links' poses, after `count` round trips of
    random motions in a format.
    """
    form, named, draw, worst = FORMATS[name], JOINTS.get(name, OTHERS), random.Random(SEED), 0.0
    rate = form.usual_rate or 50
    for _ in range(count):
        frames = tuple(tuple(draw.uniform(-2.3, 2.3) for _ in named) for _ in range(ROWS))
        poses = {link: tuple(_pose(draw) for _ in frames) for link in form.poses}
        motion = frames_at(
            Take(device(*(first.name for first in named)), 1, float(rate), frames, ROWS, tuple(named), poses),
            rate,
            "Random",
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"motion{form.suffix}"
            write(path, form.make(motion, Settings()))
            read_back = in_joint_units(read(path), motion.named)
        columns = {column.name: column.values for column in read_back.columns}
        pairs = [(columns[column.name], column.values) for column in motion.recording.columns]
        pairs += [(read_back.poses[link], expected) for link, expected in motion.recording.poses.items()]
        worst = max(
            worst, *(float(np.abs(np.array(first) - np.array(second)).max()) for first, second in pairs)
        )
    return worst


def _pose(draw: random.Random) -> tuple[float, ...]:
    yaw, pitch, x, y, z = (draw.uniform(-1.0, 1.0) for _ in range(5))
    c, s, p, q = cos(yaw), sin(yaw), cos(pitch), sin(pitch)
    return (c * p, -s, c * q, x, s * p, c, s * q, y, -q, 0.0, p, z, 0.0, 0.0, 0.0, 1.0)


def errors(robot: str, reach: float, is_still: bool) -> Iterator[tuple[float, float]]:
    """Yields the aim error [degrees] of the solution and of the shown pose in each frame."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with tempfile.TemporaryDirectory() as folder:
        rig, chain = playing(robot, Path(folder), reach, is_still)
    bpy.context.scene.frame_set(1)
    bpy.ops.limber.live_all()
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        yield degrees(live.session(rig, chain).outputs.solution.aim_error), shown_error(rig, chain)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--round-trips", type=int, default=200)
    ask.add_argument("--gaze", action="store_true")
    options = ask.parse_args()
    reached = True
    print(f"| format | largest difference in {options.round_trips} round trips [rad, m] |\n|---|---|")
    for name in (name for key, form in FORMATS.items() for name in form.variants or (key,)):
        if FORMATS[name].read is not None:
            far = lost(name, options.round_trips)
            reached &= far <= BAR
            print(f"| {name} | {far:.1e} |", flush=True)
    if options.gaze:
        bpy.context.preferences.addons.new().module = limber.__package__
        limber.register()
        print(
            "\n| robot | target | solution, largest | shown: median | 95% | largest"
            " |\n|---|---|---|---|---|---|"
        )
        for robot, reach in (*((robot, 1.0) for robot in ROBOTS), ("reachy_mini", 10.0)):
            for is_still in (True, False):
                solved, shown = np.array(list(errors(robot, reach, is_still))).T
                reached &= bool(solved.max() < SOLVED)
                what = (
                    f"{robot}{', 0.12 m out of reach' if reach > 1.0 else ''} |"
                    f" {'at rest' if is_still else 'swings'}"
                )
                figures = " | ".join(
                    f"{value:.2f}" for value in (np.median(shown), np.percentile(shown, 95), shown.max())
                )
                print(f"| {what} | {solved.max():.1e} | {figures} |", flush=True)
    sys.stdout.flush()
    os._exit(0 if reached else 1)  # without ending the interpreter, in which a Blender module may hang


if __name__ == "__main__":
    main()
