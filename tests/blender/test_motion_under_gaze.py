"""Tests motion of other programs under a gaze: robots of the gallery play a file, live and baked, and look at
their target in every frame.
"""

from math import degrees

import bpy
import numpy as np
import pytest
from limber.rig.live import live
from limber.rig.live.movers import movers_of
from mathutils import Vector

from tests.blender import mechanisms as those
from tests.blender.foreign_motion import FPS, FRAMES, ROBOTS, driven, head_goal, playing, shown_error, values
from tests.blender.shown import evaluated

SOLVED = 1e-3  # [degrees] aim error of the solver's solution, before the motion filter
# [degrees] aim error of the shown pose, with a target at rest: the filter follows the smooth motion of these
# files within its limits
LAG = 1.0
# [degrees] aim error of a head that stops at its motors' limits while the filter still brakes
OUT_OF_REACH = 4.0
SLACK = 1.01  # tolerance of a speed: the filter's steps are exact, Blender's channels have single precision


def turned_away(rig, chain, session) -> float:
    """The angle [degrees] between the view of the head's control and that of the head in the mechanism's
    solution.
    """
    head = session.solver.poses(session.state.desired)[session.reading.mechanism.body_index["head"]]
    return degrees(Vector(head[:3, 0]).angle(evaluated(rig).pose.bones[chain.end].matrix.to_3x3().col[1]))


def speeds_are_kept(rig, before: dict, now: dict) -> None:
    """Asserts that no motor exceeded its speed."""
    limits = {}
    for mover in driven(rig):
        joints = mover.settings.motors if hasattr(mover.settings, "motors") else mover.settings.joints
        limits |= {(joint.bone, joint.axis): joint.velocity for joint in joints}
    for place, value in now.items():
        assert abs(value - before[place]) * FPS <= SLACK * limits[place], place


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("is_still", [True, False], ids=["still target", "target that swings"])
def test_live_every_frame_looks_at_the_target_and_the_motion_is_still_there(tmp_path, robot, is_still):
    rig, chain = playing(robot, tmp_path, is_still=is_still)
    bpy.context.scene.frame_set(1)
    bpy.ops.limber.live_all()
    rows, before = [], None
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        outputs = live.session(rig, chain).outputs
        assert degrees(outputs.solution.aim_error) < SOLVED, frame
        assert all(live.session(*mover).problem == "" for mover in movers_of(rig)), frame
        assert not is_still or shown_error(rig, chain) < LAG, frame
        now = values(rig)
        if before is not None:
            speeds_are_kept(rig, before, now)
        before = now
        rows.append(list(now.values()))
    assert np.ptp(np.array(rows), axis=0).max() > 0.2


@pytest.mark.parametrize("robot", ROBOTS)
def test_baked_every_frame_is_the_one_that_live_shows(tmp_path, robot):
    rig, chain = playing(robot, tmp_path)
    scene = bpy.context.scene
    scene.frame_set(1)
    bpy.ops.limber.live_all()
    scene.frame_set(FRAMES + 100)  # a distant frame, so that the motion restarts at the first one
    shown = []
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        shown.append([np.array(bone.matrix) for bone in evaluated(rig).pose.bones])
    chain.frame_start, chain.frame_end = 1, FRAMES
    assert bpy.ops.limber.bake(everything=True) == {"FINISHED"}
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        assert shown_error(rig, chain) < LAG, frame
        for bone, matrix in zip(evaluated(rig).pose.bones, shown[frame - 1], strict=True):
            assert np.abs(np.array(bone.matrix) - matrix).max() < 2e-4, (frame, bone.name)


def test_a_head_that_is_asked_out_of_its_workspace_gives_way_goes_on_looking_and_comes_back(tmp_path):
    rig, chain = playing("reachy_mini", tmp_path, reach=10.0)
    scene, mechanism = bpy.context.scene, list(movers_of(rig))[-1]
    scene.frame_set(1)
    bpy.ops.limber.live_all()
    before, told, rows = None, 0, []
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        session = live.session(*mechanism)
        assert session.problem == "", frame
        assert session.outputs.is_closed, frame
        assert degrees(live.session(rig, chain).outputs.solution.aim_error) < SOLVED, frame
        assert shown_error(rig, chain) < OUT_OF_REACH, frame
        told += "the targets" in session.remark.lower()
        now = values(rig)
        if before is not None:
            speeds_are_kept(rig, before, now)
        before = now
        rows.append(list(now.values()))
    assert told > 20, "it was never out of reach"
    rows = np.array(rows)
    assert (np.ptp(rows, axis=0) > 0.05).sum() >= 7, "a motor stood still"
    those.settle(rig)
    assert live.session(*mechanism).outputs.report.goal_error < 1e-5
    assert shown_error(rig, chain) < 0.05


def test_out_of_reach_the_head_s_position_gives_way_before_where_it_looks(tmp_path):
    """In two variants: with the gallery's goal of the head, and with equal weights of its position and
    rotation.
    """
    farthest = []
    for is_even in (False, True):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        rig, chain = playing("reachy_mini", tmp_path, reach=10.0)
        if is_even:
            goal = head_goal(rig, chain)
            goal.position_weight = goal.rotation_weight
        mechanism = list(movers_of(rig))[-1]
        bpy.context.scene.frame_set(1)
        bpy.ops.limber.live_all()
        turned = []
        for frame in range(1, FRAMES + 1):
            bpy.context.scene.frame_set(frame)
            turned.append(turned_away(rig, chain, live.session(*mechanism)))
        farthest.append(max(turned))
    assert farthest[0] < farthest[1] / 2
