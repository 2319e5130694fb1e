"""Tests the default behaviour on the robots of the gallery: one click adds it, and it runs in both hosts."""

from math import degrees

import bpy
import numpy as np
import pytest

from tests.blender.test_behaviour import END, played, rehearsed
from tests.robots.test_gallery import ROBOTS


@pytest.mark.parametrize("ready_set", ["ATTENTIVE", "CALM"])
@pytest.mark.parametrize("folder", ROBOTS, ids=lambda folder: folder.name)
def test_one_click_of_a_ready_set_works_on_every_robot_of_the_gallery(folder, ready_set: str, tmp_path):
    from limber.rig.behaviour.authored import findings
    from limber.rig.live import live, rehearsal

    assert bpy.ops.limber.add_robot(robot=folder.name) == {"FINISHED"}
    rig = bpy.context.active_object
    chain = rig.limber.chains[rig.limber.active_chain]
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, END
    assert bpy.ops.limber.add_ready_set(name=ready_set) == {"FINISHED"}
    assert findings(scene) == []
    path, events = tmp_path / "Robot.limber", {3: "arrive"}
    assert bpy.ops.limber.export_character(filepath=str(path)) == {"FINISHED"}
    rows = rehearsed(rig, chain, events)
    assert rehearsal.state(scene) == "Attending"
    recording = played(path, events, scene.limber_behaviour.seed)
    assert recording["state"].tolist()[-1] == "Attending"
    names = [f"{rig.name}/{joint.name}" for joint in live.session(rig, chain).model.skeleton.joints]
    columns = [recording["joint_names"].tolist().index(name) for name in names]
    assert np.abs(recording["commanded"][:, columns] - rows).max() <= 1e-9
    scene.frame_set(END + 1)
    assert degrees(live.session(rig, chain).outputs.solution.aim_error) < 0.05
