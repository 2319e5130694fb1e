"""Several chains at once: live and played frame by frame, and the results of a bake's own stage for the same
frames.
"""

import bpy
import numpy as np
from limber.rig.live import live
from limber.rig.live.stage import SceneStage

from tests.blender.rigs import select
from tests.blender.shown import depsgraph, go_live, session, traces

FRAMES = range(1, 25)  # frames that are played


def go_live_all(*pairs) -> None:
    """Makes rigs with their chains live in this order, and restarts at frame 1."""
    for rig, chain in pairs:
        select(rig)
        go_live(rig, chain, settled=False)
    bpy.context.scene.frame_set(100)
    bpy.context.scene.frame_set(1)


def play(pairs, frames=FRAMES) -> np.ndarray:
    """The angles (frames, joints of all chains) [rad] shown live."""
    rows = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        rows.append(np.concatenate([session(rig, chain).outputs.angles for rig, chain in pairs]))
    return np.array(rows)


def as_a_bake_does(pairs, frames=FRAMES) -> np.ndarray:
    """The same angles from a bake's own stage, whether live motion is on or off."""
    stage, rows, scene = SceneStage(), [], bpy.context.scene
    live.suspend(True)
    for frame in frames:
        scene.frame_set(frame)
        stage.advance(pairs, depsgraph(), scene.render.fps_base / scene.render.fps if rows else 0.0)
        rows.append(np.concatenate([stage.session(rig, chain).outputs.angles for rig, chain in pairs]))
    live.suspend(False)
    return np.array(rows)


def assert_live_is_what_is_baked(*pairs) -> None:
    go_live_all(*pairs)
    played = play(pairs)
    assert np.abs(as_a_bake_does(pairs) - played).max() < 1e-9, "baked while live"
    for rig, chain in pairs:
        live.stop(rig, chain)
    assert traces() == []
    assert np.abs(as_a_bake_does(pairs) - played).max() < 1e-9, "baked while nothing is live"
