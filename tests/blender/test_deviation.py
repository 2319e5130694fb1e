"""Tests posture deviation: angles of bones relative to their parents, drawn without changing the file."""

from math import degrees

import bpy
import pytest
from limber.panels.live import deviation as panel
from limber.rig.showing.deviation import deviations, segments

from tests.blender.posing import LEAN, pose
from tests.blender.rigs import looking_chain
from tests.blender.shown import (
    choose,
    depsgraph,
    evaluated,
    go_live,
    no_handler_raises,  # noqa: F401
    session,
    shown_basis,
)


@pytest.fixture
def leaning():
    rig, chain = looking_chain()
    pose(rig, LEAN)
    return rig, chain


def test_a_bones_figure_is_what_is_seen_of_its_own_turn(leaning):
    rig, chain = leaning
    found = {one.bone: one.angle for one in deviations(go_live(rig, chain))}
    assert list(found) == list(LEAN)
    for name, angle in found.items():
        authored = rig.pose.bones[name].matrix_basis.to_quaternion()
        seen = degrees(shown_basis(rig, name).rotation_difference(authored).angle)
        assert degrees(angle) == pytest.approx(min(seen, 360 - seen), abs=0.05)
    assert max(found.values()) > 0.2


def test_nothing_gives_way_without_influence(leaning):
    rig, chain = leaning
    choose(chain, influence=0.0)
    go_live(rig, chain)
    assert all(one.angle < 1e-3 for one in deviations(session(rig, chain)))


@pytest.mark.every_blender
def test_lines_are_where_the_bones_are_seen(leaning):
    rig, chain = leaning
    rig.location, rig.rotation_euler = (1, 2, 3), (0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    lines = segments(rig, go_live(rig, chain), depsgraph())
    shown = evaluated(rig)
    for ((head, tail), _), bone in zip(lines, shown.pose.bones, strict=True):
        assert head == pytest.approx(tuple(shown.matrix_world @ bone.head), abs=1e-6)
        assert tail == pytest.approx(tuple(shown.matrix_world @ bone.tail), abs=1e-6)


def test_a_chain_that_was_never_live_has_no_figures(leaning):
    assert deviations(session(*leaning)) == []


@pytest.mark.every_blender
def test_colours_go_from_the_first_to_the_last_and_stay_there():
    assert panel.colour(0.0)[:3] == pytest.approx(panel.COLOURS[0])
    assert panel.colour(panel.FULL_SCALE / 2)[:3] == pytest.approx(panel.COLOURS[1])
    assert panel.colour(panel.FULL_SCALE)[:3] == panel.colour(3.0)[:3] == pytest.approx(panel.COLOURS[2])


def test_the_switch_is_in_no_file(leaning, reopen):
    bpy.context.window_manager.limber_view.deviation = True
    reopen()
    assert not bpy.context.window_manager.limber_view.deviation
