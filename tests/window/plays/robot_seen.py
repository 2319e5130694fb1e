"""Plays while a head is live and a constraint moves an ear on it, which has a servo; records the sent and the
drawn values.
"""

import importlib.util
import sys
import traceback
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp

from robots import HELD

LAST = 24  # last frame
DRAWN = 30  # number of frames


def play(stage):
    spec = importlib.util.spec_from_file_location("rigs", lamp.RIGS)
    rigs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rigs)
    raised: list[str] = []
    stage.at_end.callback(setattr, sys, "excepthook", sys.excepthook)
    sys.excepthook = lambda *error: raised.append("".join(traceback.format_exception(*error)))
    scene = bpy.context.scene
    with stage.context():
        rig = rigs.build({"base": "X", "head": "X", "ear": "X"})
        rig, chain = rigs.looking_chain(rig, "base", "head", at=rigs.target((0.0, -0.5, 0.6)))
        for frame, place in {1: (0.0, -0.5, 0.3), 12: (0.0, -0.5, 0.9), LAST: (0.0, -0.5, 0.3)}.items():
            chain.target.location = place
            chain.target.keyframe_insert("location", frame=frame)
        rigs.select(rig, "ear")
        bpy.ops.limber.new_chain()
        held = rig.pose.bones["ear"].constraints.new("LOCKED_TRACK")
        held.target, held.track_axis, held.lock_axis = (
            rigs.target((0.0, 0.2, 1.5), "Goal"),
            "TRACK_Z",
            "LOCK_X",
        )
        rig.limber.chains[1].joints[0].servo = 2
        rig.limber.active_chain = 0
        bpy.ops.limber.live()
        bpy.ops.limber.connect()
    scene.frame_start, scene.frame_end = 1, LAST
    sent: dict[int, list[float]] = {}
    drawn: dict[int, list[float]] = {}
    cls = stage.part("hardware.link").WorkerLink
    send = cls.send
    stage.at_end.callback(setattr, cls, "send", send)

    def noting(link, frame, *rest, **more):
        if bpy.context.screen and bpy.context.screen.is_animation_playing:
            sent.setdefault(scene.frame_current, []).append(getattr(frame[-1], "position", frame[-1]))
        send(link, frame, *rest, **more)

    def seen() -> None:
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        bone = shown.pose.bones["ear"]
        local = shown.convert_space(pose_bone=bone, matrix=bone.matrix, from_space="POSE", to_space="LOCAL")
        drawn.setdefault(scene.frame_current, []).append(local.to_euler("XYZ").x)

    cls.send = noting
    handle = bpy.types.SpaceView3D.draw_handler_add(seen, (), "WINDOW", "POST_PIXEL")
    stage.at_end.callback(bpy.types.SpaceView3D.draw_handler_remove, handle, "WINDOW")
    with stage.context():
        bpy.ops.screen.animation_play()
    yield from stage.until(lambda: sum(map(len, drawn.values())) >= DRAWN, HELD)
    with stage.context():
        bpy.ops.screen.animation_play()
    pairs = [
        (last, drawn[frame][-1]) for frame, values in sent.items() if frame in drawn for last in values[-1:]
    ]
    stage.facts.update(raised=raised, pairs=pairs)
    with stage.context():
        bpy.ops.limber.disconnect()
