"""Tests a file of version 0.1.0 whose chain changes solvers by keyframes, some with their own settings and
one with a driven setting: it opens and is solved as by that version.
"""

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.blender.shown import go_live, no_handler_raises, settle

__all__ = ["no_handler_raises"]

pytestmark = pytest.mark.every_blender

FOLDER = Path(__file__).parent / "versions"
# [rad] tolerance: NumPy's versions differ by a third of it along the degrees of freedom that a goal leaves
SAME = 1e-4


def test_each_solver_of_an_older_file_is_there_under_its_key_and_gives_the_same_angles():
    bpy.ops.wm.open_mainfile(filepath=str(FOLDER / "solvers-0.1.0.blend"))
    recorded = json.loads((FOLDER / "solvers-0.1.0-angles.json").read_text())
    rig = bpy.data.objects["Rig"]
    chain = rig.limber.chains[0]
    bpy.context.scene.frame_set(1)
    live = go_live(rig, chain)
    for frame, (solver, angles) in enumerate(recorded.items(), 1):
        bpy.context.scene.frame_set(frame)
        assert chain.solver == solver
        live.record.restart()
        settle()
        assert live.problem == ""
        assert np.abs(live.outputs.desired - angles).max() < SAME, solver
