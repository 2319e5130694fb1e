"""The lamp without Blender: it is exported, and played by the command `limber`, which is installed from its
wheel in a separate environment. A visitor comes, moves, is lost and returns.
"""

import json
import os
import subprocess
import sys
import venv
from math import degrees
from pathlib import Path

import bpy
import numpy as np
import studio
from folder import prepare

ROOT = Path(__file__).resolve().parents[1]
CHARACTER, SCRIPT, MOTION, PLAYER = "lamp.limber", "visitor.json", "motion.npz", "player"
SECONDS, RATE = 20, 24  # length of the play [s], and its ticks per second
# [s] times at which the visitor comes, has been listened to, leaves and returns
COMES, LISTENED, LEAVES, RETURNS = 2.0, 6.0, 10.0, 15.0
# time [s] -> position of the visitor's face [m]; the visitor is out of sight between 11.5 and 14 s
FACE = {
    0.0: (0.5, -0.6, 0.45),
    4.0: (0.3, -0.7, 0.4),
    7.0: (-0.2, -0.75, 0.4),
    10.0: (-0.45, -0.6, 0.5),
    11.5: (-1.5, 0.3, 1.1),
    14.0: (-1.5, 0.3, 1.1),
    15.5: (-0.3, -0.7, 0.45),
    20.0: (0.1, -0.7, 0.4),
}
# title of a row -> times of its pictures [s]
PICTURED = {"comes and talks": (1.0, 5.0, 8.5, 10.0), "is lost, and returns": (11.5, 14.0, 16.5, 19.5)}


def export(folder: Path, rig, chain) -> None:
    """Writes the lamp with the behaviour *Attentive* to a character file."""
    prepare(folder, CHARACTER, SCRIPT, MOTION)
    bpy.context.view_layer.objects.active = rig
    chain.frame_start, chain.frame_end = bpy.context.scene.frame_start, bpy.context.scene.frame_end
    bpy.ops.limber.export_character(filepath=str(folder / CHARACTER), behaviour="ATTENTIVE")


def show(folder: Path, rig, chain, say, quietly, draw) -> list[str]:
    """Plays the exported lamp for 20 s, and writes its pictures and plot; returns the shortcomings as
    sentences.
    """
    limber = _install(folder / PLAYER)
    if limber is None:
        say("pip reaches no package index: the lamp was exported, and not played without Blender")
        return []
    (folder / SCRIPT).write_text(json.dumps(_script(chain.target.name), indent=2) + "\n", encoding="utf-8")
    checked = _run(limber, "check", folder / CHARACTER)
    say(checked.stdout.strip().splitlines()[-1] if checked.stdout.strip() else checked.stderr.strip())
    played = _run(limber, "play", folder / CHARACTER, "--script", folder / SCRIPT, "--out", folder / MOTION)
    failed = [run.stderr.strip() for run in (checked, played) if run.returncode]
    if failed:
        return [f"The lamp does not play without Blender: {sentence}" for sentence in failed]
    with np.load(folder / MOTION) as motion:
        _picture(folder, rig, chain, motion, say, quietly)
        np.savez_compressed(
            folder / "take.npz",
            motors=[name.split("/", 1)[1] for name in motion["joint_names"]],
            time=motion["time"],
            wanted=motion["desired"],
            filtered=motion["commanded"],
            limits=np.array([motion[name] for name in ("lower", "upper", "velocity")]),
        )
    draw(folder)
    say(f"played without Blender: {folder / 'contact_sheet.png'}")
    return []


def _run(*command: object) -> subprocess.CompletedProcess:
    """Runs a command without PYTHONPATH, which could make it import this checkout's modules."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, env=environment
    )


def _install(folder: Path) -> Path | None:
    """Builds the wheels, installs them in a new environment, and returns the path of the command; None if
    they cannot be built, or pip cannot install them, as without a package index.
    """
    if _run(sys.executable, ROOT / "scripts" / "wheel.py").returncode:
        return None
    venv.create(folder, clear=True, with_pip=True)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    pip = (programs / "python", "-m", "pip", "install", "--quiet")
    wheel = max((ROOT / "build").glob("limber-*.whl"), key=lambda path: path.stat().st_mtime)
    if _run(*pip, wheel).returncode:
        return None
    # If no compiled kernel fits this computer, the player works without it.
    _run(*pip, "--no-index", "--find-links", ROOT / "build", "limber_kernel")
    return programs / "limber"


def _script(target: str) -> dict:
    events = {COMES: "arrive", LISTENED: "listen", LEAVES: "leave", RETURNS: "arrive"}
    path = {"times": list(FACE), "positions": list(FACE.values())}
    return {
        "seconds": SECONDS,
        "rate": RATE,
        "seed": 1,
        "targets": {target: path},
        "events": [{"at": time, "event": name} for time, name in events.items()],
    }


def _picture(folder: Path, rig, chain, motion, say, quietly) -> None:
    """Renders the recorded poses, each labelled with its state and aim error."""
    channels = {
        f"{rig.name}/{joint.bone} {joint.axis}": (joint.bone, "XYZ".index(joint.axis))
        for joint in chain.joints
    }
    chain.live = False
    rig.animation_data.action = None
    chain.target.animation_data_clear()
    rows = []
    for label, times in PICTURED.items():
        cells = []
        for time in times:
            row = round(time * RATE)
            for name, angle in zip(motion["joint_names"].tolist(), motion["commanded"][row], strict=True):
                bone, axis = channels[name]
                rig.pose.bones[bone].rotation_euler[axis] = angle
            chain.target.location = motion["target_position"][row, 0]
            picture = folder / "frames" / f"alone_{row:04d}.png"
            with quietly():
                studio.render(1, picture)
            aim = f"aim {degrees(motion['aim_error'][row, 0]):.1f} degrees off"
            is_alone = time < COMES or LEAVES < time < RETURNS
            caption = f"{time:g} s: {motion['state'][row]}, {'nobody is there' if is_alone else aim}"
            cells.append({"picture": f"frames/{picture.name}", "caption": caption})
        rows.append({"label": label, "cells": cells})
        say(f"pictures of a visitor who {label}")
    subtitle = f"Exported with the behaviour Attentive, played for {SECONDS} s from the wheel"
    sheet = {"title": "The same lamp without Blender: a visitor", "subtitle": subtitle, "rows": rows}
    (folder / "contact_sheet.json").write_text(json.dumps(sheet, indent=2) + "\n", encoding="utf-8")
