"""Saves a file with a moving target, and lets this Blender's own command line bake it, with the installed
package.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp

LIMIT = 120.0  # [s] longest duration


def play(stage):
    _, chain = lamp.build(stage)
    chain.frame_start, chain.frame_end = 1, 5
    bpy.ops.wm.save_userpref()  # so that another Blender has the extension enabled
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lamp.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        yield 0.2
        line = [
            bpy.app.binary_path,
            "--command",
            "limber_bake",
            str(path),
            "--report",
            f"{folder}/report.json",
            "--workers",
            "1",
        ]
        done = subprocess.run(line, capture_output=True, text=True, timeout=LIMIT, check=False)
        stage.facts["code"], stage.facts["output"] = done.returncode, done.stdout + done.stderr
        report = Path(folder) / "report.json"
        stage.facts["report"] = json.loads(report.read_text(encoding="utf-8")) if report.exists() else []
        stage.facts["baked"] = (Path(folder) / "lamp_baked.blend").exists()
