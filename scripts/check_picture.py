"""Draws Motion Check's picture for the guide: `.venv/bin/python scripts/check_picture.py`.

It checks the lamp that `make demo` has written to build/demo, in a Blender without a window.
"""

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("BLENDER_USER_RESOURCES", tempfile.mkdtemp(prefix="check-picture-"))

import bpy  # noqa: E402 (it makes the modules below importable)

from checkout import load_limber  # noqa: E402

SCENE = ROOT / "build" / "demo" / "lamp.blend"
PICTURE = ROOT / "docs" / "pictures" / "motion_check.svg"


def main() -> None:
    if not SCENE.exists():
        sys.exit("check_picture: there is no build/demo/lamp.blend: run `make demo`")
    load_limber().register()
    bpy.ops.wm.open_mainfile(filepath=str(SCENE))
    lamp = next(each for each in bpy.context.scene.objects if each.type == "ARMATURE")
    bpy.context.view_layer.objects.active = lamp
    lamp.select_set(True)
    bpy.ops.limber.check_motion()
    bpy.ops.limber.save_motion_picture(filepath=str(PICTURE))


if __name__ == "__main__":
    main()
