"""Tests a chain of free bones that looks at a target that circles around it within its reach, and
behind it.
"""

from itertools import pairwise
from math import acos, cos, degrees, pi, sin

import bpy
import numpy as np
import pytest
from mathutils import Quaternion, Vector

from tests.blender.rigs import build, select, target
from tests.blender.shown import go_live, no_handler_raises, session  # noqa: F401

PLACES = {  # [m] positions of the heads of a lamp's bones
    "base": (0.0, 0.0, 0.02),
    "lower": (0.0, 0.0, 0.08),
    "upper": (0.0, 0.15, 0.4),
    "shade": (0.0, -0.1, 0.65),
    "": (0.0, -0.3, 0.6),
}
ROUND = 144  # number of frames of a circle: 6 s
FRAMES = range(1, 2 * ROUND)
FASTEST = 20.0  # [degrees] largest rotation of a head per frame at 24 frames per second


@pytest.fixture
def lamp():
    """A lamp of free bones, and a target with keyframes that circles around its shade."""
    rig = build(dict.fromkeys(list(PLACES)[:-1]), mode="QUATERNION")
    bpy.ops.object.mode_set(mode="EDIT")
    for (name, head), tail in zip(PLACES.items(), list(PLACES.values())[1:], strict=False):
        rig.data.edit_bones[name].head, rig.data.edit_bones[name].tail = head, tail
    bpy.ops.object.mode_set(mode="POSE")
    ball, scene = target(), bpy.context.scene
    for frame in range(FRAMES.start, FRAMES.stop):
        angle = 2 * pi * frame / ROUND
        ball.location = Vector(PLACES["shade"]) + 0.5 * Vector((sin(angle), -cos(angle), 0.0))
        ball.keyframe_insert("location", frame=frame)
    select(rig, "shade")
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[0]
    chain.target, scene.render.fps = ball, 24
    chain.frame_start, chain.frame_end = FRAMES[0], FRAMES[-1]
    scene.frame_set(1)
    return rig, chain


def shade(rig) -> Quaternion:
    """The shown rotation of the shade."""
    return rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["shade"].matrix.to_quaternion()


def test_the_head_turns_slowly_round_a_near_target_and_a_bake_is_what_was_played(lamp, monkeypatch):
    from limber.rig.output.bake import Bake

    rig, chain = lamp
    go_live(rig, chain)
    # a distant frame, so that the motion restarts at the first one
    bpy.context.scene.frame_set(2 * FRAMES.stop)
    played, heads, ways = [], [], []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        played.append(session(rig, chain).outputs.angles)
        heads.append(shade(rig))
        ways.append(session(rig, chain).outputs.solution.is_on_its_way)
    assert max(degrees(2 * acos(min(1.0, abs(a.dot(b))))) for a, b in pairwise(heads)) < FASTEST
    assert sum(after and not before for before, after in pairwise(ways)) == 2
    baked, step = [], Bake.step

    def noted(self):
        more = step(self)
        baked.append(self.stage.session(rig, chain).outputs.angles)
        return more

    monkeypatch.setattr(Bake, "step", noted)
    select(rig)
    assert bpy.ops.limber.bake() == {"FINISHED"}
    assert np.abs(np.array(baked) - np.array(played)).max() < 1e-9
