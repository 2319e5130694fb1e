"""Motion from other programs on robots of the gallery, for tests in a real Blender and for the benchmark."""

import json
import math
from math import degrees

import bpy
from limber.hardware.motion_files.lelamp import JOINTS
from limber.rig.live import live
from limber.rig.live.movers import movers_of
from mathutils import Vector

from tests.blender.shown import evaluated, missed
from tests.hardware.moves import arm, move_bytes, pose

ROBOTS = ("lelamp", "so101", "reachy_mini")
FPS = 50
FRAMES = 151


def wave(k: int, n: int, amplitude: float) -> float:
    """A smooth wave that begins and ends at rest."""
    share = k / (FRAMES - 1)
    return amplitude * math.sin(math.pi * share) ** 2 * math.sin(4.0 * share + n)


def moves(reach: float = 1.0) -> bytes:
    """A move of Reachy Mini; with a `reach` of 10, the target pose of its head is far out of the workspace in
    between.
    """
    rows = []
    for k in range(FRAMES):
        away = math.sin(math.pi * k / (FRAMES - 1)) ** 2
        head = pose(wave(k, 0, 0.3), 0.012 * reach * away)
        head[2][3] = 0.006 * reach * away
        rows.append(
            {"head": head, "antennas": [wave(k, 1, 0.5), wave(k, 2, 0.5)], "body_yaw": wave(k, 3, 0.2)}
        )
    return move_bytes(time=[k / FPS for k in range(FRAMES)], set_target_data=rows)


def file_for(robot: str, folder, reach: float = 1.0):
    if robot == "reachy_mini":
        path = folder / "move.json"
        path.write_bytes(moves(reach))
    elif robot == "lelamp":
        path = folder / "move.csv"
        rows = [
            ",".join([str(k), *(str(wave(k, n, 25.0)) for n in range(5))]) for k in range(FRAMES * 30 // FPS)
        ]
        path.write_text("\n".join([f"timestamp,{','.join(f'{name}.pos' for name in JOINTS)}", *rows]))
    else:
        found = arm(3)
        names = [named.name for named in found.named]
        seconds = (divmod(round(k * 1e9 / FPS), 10**9) for k in range(FRAMES))
        points = [
            {
                "positions": [wave(k, n, 0.4) for n in range(len(names))],
                "time_from_start": {"sec": whole, "nanosec": rest},
            }
            for k, (whole, rest) in enumerate(seconds)
        ]
        path = folder / "move.json"
        path.write_text(json.dumps({"joint_names": names, "points": points}))
    return path


def playing(robot: str, folder, reach: float = 1.0, is_still: bool = True):
    """A robot of the gallery with a file's motion as the base of its gaze; its target is at rest, or
    swings.
    """
    bpy.context.scene.render.fps = FPS
    assert bpy.ops.limber.add_robot(robot=robot) == {"FINISHED"}
    rig = bpy.context.active_object
    assert bpy.ops.limber.import_motion(filepath=str(file_for(robot, folder, reach)), frame_start=1) == {
        "FINISHED"
    }
    chain = rig.limber.chains[rig.limber.active_chain]
    chain.base = "RIG"
    if is_still:
        chain.target.animation_data_clear()
    return rig, chain


def head_goal(rig, chain):
    return next((goal for goal in rig.limber.mechanism.goals if goal.target_bone == chain.end), None)


def shown_error(rig, chain) -> float:
    """The angle [degrees] between the shown direction of the head's view and the direction to the target."""
    goal = head_goal(rig, chain)
    if goal is None:
        return missed(rig, chain)
    control = rig.matrix_world @ evaluated(rig).pose.bones[goal.bone].matrix @ goal.offset.inverted()
    eye = control @ Vector((0.0, rig.data.bones[chain.end].length, 0.0))
    return degrees(control.to_3x3().col[1].angle(evaluated(chain.target).matrix_world.translation - eye))


def driven(rig) -> list:
    """Movers whose values go to motors, without controls that a mechanism follows."""
    movers = list(movers_of(rig))
    return movers[-1:] if rig.limber.mechanism.motors else movers


def values(rig) -> dict:
    return {place: value for mover in driven(rig) for place, value in live.session(*mover).values().items()}
