"""Saves the preferences and starts Blender again without a window, to check that the extension is enabled
there.
"""

import subprocess

import bpy

LOOK = "import bpy; assert hasattr(bpy.types, 'LIMBER_OT_live') and hasattr(bpy.types.Object, 'limber')"


def play(stage):
    yield 0.1
    bpy.ops.wm.save_userpref()
    command = [bpy.app.binary_path, "--background", "--python-exit-code", "1", "--python-expr", LOOK]
    stage.facts["enabled_after_restart"] = subprocess.run(command, check=False).returncode == 0
