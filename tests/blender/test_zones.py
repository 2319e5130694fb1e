"""Tests the operators of no-go zones and their findings: the list of findings, marks, files, the view,
undo.
"""

from xml.etree import ElementTree

import bpy
import numpy as np
import pytest

from tests.blender.rigs import looking_chain
from tests.blender.zones import checked, empty, entered, forbid, standing_arm


@pytest.fixture
def chain():
    return standing_arm()


@pytest.mark.every_blender
def test_list_marks_csv_and_picture_tell_of_zones(rig, chain, tmp_path):
    forbid(rig, empty("Table", (0.06, 0, 0.25)))
    checked(rig)
    from limber.rig.output.motion_check import view

    shown = bpy.context.window_manager.limber_motion_check
    assert "1-3  In zone: middle in Table" in [view.label(line) for line in shown.findings]
    bpy.ops.limber.mark_findings()
    assert any("middle in Table" in marker.name for marker in bpy.context.scene.timeline_markers)
    bpy.ops.limber.save_findings(filepath=str(tmp_path / "motion"))
    lines = (tmp_path / "motion.csv").read_text(encoding="utf-8").splitlines()
    assert any(line.startswith("zone,head,middle,1,3,") and ",Table," in line for line in lines)
    bpy.ops.limber.save_motion_picture(filepath=str(tmp_path / "motion.svg"))
    image = ElementTree.parse(tmp_path / "motion.svg").getroot()
    assert int(image.get("height")) > 94 * (2 + len(chain.joints))
    assert "head: in zones" in image.itertext()


def test_the_view_names_bone_and_zone_at_the_frames_where_it_is_so(rig, chain):
    from limber.rig.output.motion_check.check import entered as told

    forbid(rig, empty("Table", (0.06, 0, 0.25)))
    assert told(2, [rig]) == []
    checked(rig)
    found = {one.words: one.line for one in told(2, [rig])}
    assert found["middle in Table: 10 mm"] == pytest.approx(np.array([[0, 0, 0.2], [0, 0, 0.3]]), abs=1e-4)
    assert told(4, [rig]) == []


def test_without_zones_nothing_is_looked_at(rig, chain):
    assert checked(rig).takes[0].inside == []


def test_add_takes_what_is_selected_and_can_be_undone(undo_step):
    rig, _ = looking_chain()
    first, second = empty("One", (1, 0, 0)), empty("Two", (2, 0, 0))
    undo_step("set up")
    forbid(rig, first, second)
    undo_step("Add No-Go Zone")
    assert [zone.name for zone in rig.limber.zones] == ["One", "Two"]
    bpy.ops.ed.undo()
    assert len(bpy.data.objects["Rig"].limber.zones) == 0


def test_zones_come_back_with_the_file(rig, chain, reopen):
    forbid(rig, empty("Table", (0.06, 0, 0.25)))
    reopen()
    rig = bpy.data.objects["Rig"]
    assert ("middle", "Table") in entered(rig)
