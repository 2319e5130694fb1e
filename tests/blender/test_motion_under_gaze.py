"""Other people's motion under the gaze: robots of the gallery play a file, live and baked, and look at their target in every frame."""

import json
import math
from math import degrees

import bpy
import numpy as np
import pytest
from limber.hardware.motion_files.lelamp import JOINTS
from limber.rig.live import live
from limber.rig.live.movers import movers_of
from mathutils import Vector

from tests.blender import mechanisms as those
from tests.blender.shown import evaluated, missed
from tests.hardware.moves import arm, move_bytes, pose

ROBOTS = ("lelamp", "so101", "reachy_mini")
FPS = 50
FRAMES = 151
SOLVED = 1e-3  # [deg] of the solver's solution, before the motion filter
LAG = 1.0  # [deg] of what is shown, with a target at rest: the filter follows the gentle motion of these files within its limits
OUT_OF_REACH = 4.0  # [deg] of a head that stops at its motors' limits while the filter still brakes
ROTATION = 0.5  # [deg] that the head's rotation gives way: with as much weight on its position it is 0.9
SLACK = 1.01  # of a speed: the filter's steps are exact, Blender's channels single precision


def wave(k: int, n: int, amplitude: float) -> float:
    """A gentle wave that begins and ends at rest."""
    share = k / (FRAMES - 1)
    return amplitude * math.sin(math.pi * share) ** 2 * math.sin(4.0 * share + n)


def moves(reach: float = 1.0) -> bytes:
    """A move of Reachy Mini; with a `reach` of 10 its head is asked far out of the workspace in between."""
    rows = []
    for k in range(FRAMES):
        away = math.sin(math.pi * k / (FRAMES - 1)) ** 2
        head = pose(wave(k, 0, 0.3), 0.012 * reach * away)
        head[2][3] = 0.006 * reach * away
        rows.append({"head": head, "antennas": [wave(k, 1, 0.5), wave(k, 2, 0.5)], "body_yaw": wave(k, 3, 0.2)})
    return move_bytes(time=[k / FPS for k in range(FRAMES)], set_target_data=rows)


def file_for(robot: str, folder, reach: float = 1.0):
    if robot == "reachy_mini":
        path = folder / "move.json"
        path.write_bytes(moves(reach))
    elif robot == "lelamp":
        path = folder / "move.csv"
        rows = [",".join([str(k), *(str(wave(k, n, 25.0)) for n in range(5))]) for k in range(FRAMES * 30 // FPS)]
        path.write_text("\n".join([f"timestamp,{','.join(f'{name}.pos' for name in JOINTS)}", *rows]))
    else:
        found = arm(3)
        names = [named.name for named in found.named]
        seconds = (divmod(round(k * 1e9 / FPS), 10**9) for k in range(FRAMES))
        points = [
            {"positions": [wave(k, n, 0.4) for n in range(len(names))], "time_from_start": {"sec": whole, "nanosec": rest}}
            for k, (whole, rest) in enumerate(seconds)
        ]
        path = folder / "move.json"
        path.write_text(json.dumps({"joint_names": names, "points": points}))
    return path


def playing(robot: str, folder, reach: float = 1.0, is_still: bool = True):
    """A robot of the gallery with a file's motion as the base of its gaze; its target is still, or swings."""
    bpy.context.scene.render.fps = FPS
    assert bpy.ops.limber.add_robot(robot=robot) == {"FINISHED"}
    rig = bpy.context.active_object
    assert bpy.ops.limber.import_motion(filepath=str(file_for(robot, folder, reach)), frame_start=1) == {"FINISHED"}
    chain = rig.limber.chains[rig.limber.active_chain]
    chain.base = "RIG"
    if is_still:
        chain.target.animation_data_clear()
    return rig, chain


def head_goal(rig, chain):
    return next((goal for goal in rig.limber.mechanism.goals if goal.target_bone == chain.end), None)


def shown_error(rig, chain) -> float:
    """The angle [deg] between where the head, as Blender shows it, looks and the target."""
    goal = head_goal(rig, chain)
    if goal is None:
        return missed(rig, chain)
    control = rig.matrix_world @ evaluated(rig).pose.bones[goal.bone].matrix @ goal.offset.inverted()
    eye = control @ Vector((0.0, rig.data.bones[chain.end].length, 0.0))
    return degrees(control.to_3x3().col[1].angle(evaluated(chain.target).matrix_world.translation - eye))


def turned_away(rig, chain, session) -> float:
    """The angle [deg] between where the head's control looks and where the head of the mechanism's solution does."""
    head = session.solver.poses(session.state.desired)[session.reading.mechanism.body_index["head"]]
    return degrees(Vector(head[:3, 0]).angle(evaluated(rig).pose.bones[chain.end].matrix.to_3x3().col[1]))


def driven(rig) -> list:
    """Movers whose values go to motors: not a control that a mechanism follows."""
    movers = list(movers_of(rig))
    return movers[-1:] if rig.limber.mechanism.motors else movers


def speeds_are_kept(rig, before: dict, now: dict) -> None:
    """Asserts that no motor was faster than it can be."""
    limits = {}
    for mover in driven(rig):
        joints = mover.settings.motors if hasattr(mover.settings, "motors") else mover.settings.joints
        limits |= {(joint.bone, joint.axis): joint.velocity for joint in joints}
    for place, value in now.items():
        assert abs(value - before[place]) * FPS <= SLACK * limits[place], place


def values(rig) -> dict:
    return {place: value for mover in driven(rig) for place, value in live.session(*mover).values().items()}


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
    scene.frame_set(FRAMES + 100)  # comes from afar: the motion starts anew at the first frame
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
        assert turned_away(rig, chain, session) < ROTATION, frame
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
