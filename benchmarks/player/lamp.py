"""The demo lamp as a character file with all layers: `python -m benchmarks.player.lamp FILE` exports it.

Its layers are a base from stored postures, a clip, a gesture, idle motion, an exact gaze, the motion filter
and the limits; it also has the behaviour *Attentive*; and the virtual robot.
"""

import argparse
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from limber.character.behaviour.data import Gesture
from limber.character.behaviour.ready import READY
from limber.character.file import reading
from limber.character.file.contents import CharacterFile

ROOT = Path(__file__).resolve().parents[2]
NOD = 0.15  # [rad] amplitude of the last joint


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """Parser of the command line of a benchmark that plays a character file, `file`: by default the
    lamp's.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, nargs="?", default=ROOT / "build" / "bench" / "lamp.limber")
    return parser


def exported(path: Path) -> Path:
    """Path of the lamp's character file; exports it in a separate Blender if it does not exist yet."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", __name__, str(path)], check=True, cwd=ROOT, stdout=2)
    return path


def layered(character: CharacterFile) -> CharacterFile:
    """The character with the behaviour *Attentive*, and with a nod of its first chain at event "nod"."""
    chain = character.chains[0]
    rows = np.full((13, len(chain.skeleton)), np.nan)
    rows[:, -1] = NOD * np.sin(np.linspace(0.0, np.pi, 13))
    names = [posture.name for each in character.chains for posture in each.postures]
    behaviour = replace(READY["ATTENTIVE"](names), gestures=(Gesture("Nod", chain.name, "nod", rows, 24.0),))
    return replace(character, behaviour=behaviour)


def _export(path: Path) -> None:
    import bpy
    import limber

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.preferences.addons.new().module = limber.__package__
    limber.register()
    bpy.ops.limber.add_demo_lamp()
    rig = bpy.context.active_object
    rig.limber.chains[0].life.amount = 1.0
    bpy.ops.limber.live()
    bpy.ops.limber.export_character(filepath=str(path), behaviour="ATTENTIVE")
    print([posture.name for posture in reading.read(path).chains[0].postures])


if __name__ == "__main__":
    _export(Path(sys.argv[1]).resolve())
