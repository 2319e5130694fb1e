"""Tests life on top of a posture: a function of the frame, with a seed and keyframes; the aim stays exact,
and a bake equals live motion.
"""

import math

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.character.life import DART, Life
from limber.rig.live import live

from tests.blender.baking import apart, begin, live_motion, played
from tests.blender.posing import LEAN, pose
from tests.blender.rigs import looking_chain
from tests.blender.shown import (
    as_good_as_unfiltered,
    depsgraph,
    go_live,
    no_handler_raises,  # noqa: F401
    session,
)
from tests.blender.test_tick_posture import BENT, UPRIGHT, lamp

UP = (0.0, 1.0, 0.0)  # the lamp of the tick's tests stands along +Y
FRAMES = range(1, 49)
WHOLE = Life(breathing=0.05, sway=0.04, glances=0.1, seed=3)
TIMES = st.floats(-100.0, 10000.0)


@given(TIMES, st.integers(0, 50), st.sampled_from([UPRIGHT, BENT]))
def test_it_stays_within_its_angles_and_the_joints_limits(seconds, seed, posture):
    added = Life(0.05, 0.04, 0.1, seed).offsets(lamp(), np.array(posture), UP, seconds)
    assert np.abs(added).max() <= 0.05 + 0.04 + 0.1 + 1e-12
    at_limit = np.full(5, 2.5)
    assert (at_limit + WHOLE.offsets(lamp(), at_limit, UP, seconds)).max() <= 2.5


@given(TIMES)
def test_it_moves_smoothly(seconds):
    one, other = (WHOLE.offsets(lamp(), np.array(BENT), UP, seconds + dt) for dt in (0.0, 0.01))
    assert np.abs(other - one).max() < 0.01 * (0.05 * 4.0 + 0.04 * 2.0 + 2 * 0.1 * 1.9 / DART)


@pytest.mark.parametrize("kind", ["breathing", "sway", "glances"])
def test_each_part_moves_something_and_another_seed_is_another_life(kind):
    def film(seed):
        return np.array(
            [
                Life(**{kind: 0.1}, seed=seed).offsets(lamp(), np.array(BENT), UP, t)
                for t in np.arange(0.0, 20.0, 0.05)
            ]
        )

    first = film(0)
    assert np.abs(first).max() > 0.05
    assert np.abs(first - film(1)).max() > 0.02
    assert (first == film(0)).all()


def test_breathing_in_lifts_the_end():
    skeleton, posture = lamp(), np.array(BENT)
    heights, breaths = [], []
    for seconds in np.arange(0.0, 4.0, 0.05):
        added = Life(breathing=0.03).offsets(skeleton, posture, UP, seconds)
        heights.append(skeleton.forward((posture + added).tolist()).tool_position[1])
        breaths.append(added[np.abs(added).argmax()])
    assert max(heights) - min(heights) > 0.01
    assert abs(np.corrcoef(heights, np.abs(breaths) * np.sign(breaths))[0, 1]) > 0.5


@pytest.fixture
def alive():
    rig, chain = looking_chain()
    pose(rig, LEAN)
    chain.life.amount = 1.0
    as_good_as_unfiltered(chain)
    return rig, chain


def test_the_body_lives_and_the_aim_stays(alive):
    rig, chain = alive
    rows = []
    live_motion(rig, [chain], [1])
    for frame in range(2, 60):
        bpy.context.scene.frame_set(frame)
        rows.append(session(rig, chain).outputs.angles)
        assert math.degrees(session(rig, chain).outputs.filtered_aim_error) < 0.1, frame
    assert np.ptp(np.array(rows), axis=0).max() > math.radians(1)


def test_a_frame_is_the_same_from_wherever_one_comes(alive):
    rig, chain = alive
    go_live(rig, chain)
    lives = []
    for frame in (20, 3, 40, 20, 19, 20):
        bpy.context.scene.frame_set(frame)
        lives.append(session(rig, chain).posture_offsets)
    assert np.array_equal(lives[0], lives[3])
    assert np.array_equal(lives[0], lives[5])
    assert not np.array_equal(lives[0], lives[1])


def test_keyed_life_is_baked_as_live_shows_it(alive):
    rig, chain = alive
    for frame, amount in ((1, 0.0), (30, 1.0)):
        chain.life.amount = amount
        chain.life.keyframe_insert("amount", frame=frame)
    chain.influence = 0.5
    chain.frame_start, chain.frame_end = FRAMES[0], FRAMES[-1]
    motion = live_motion(rig, [chain], FRAMES)
    assert session(rig, chain).posture_offsets is not None
    bpy.context.scene.frame_set(1)
    assert session(rig, chain).posture_offsets is None
    work = begin(chain)
    while work.step():
        pass
    work.finish()
    assert apart(motion, played(rig, [chain], FRAMES)) < 1e-6


def test_while_nothing_plays_the_clock_comes_to_rest(alive):
    rig, chain = alive
    go_live(rig, chain)
    bpy.context.view_layer.update()
    assert not live.scene_updated(bpy.context.scene, depsgraph())


def test_it_comes_back_with_undo_and_the_file(alive, reopen):
    _, chain = alive
    chain.life.seed = 7
    bpy.ops.ed.undo_push(message="alive")
    chain.life.amount = 0.0
    bpy.ops.ed.undo_push(message="not")
    bpy.ops.ed.undo()
    reopen()
    life = bpy.data.objects["Rig"].limber.chains[0].life
    assert (life.amount, life.seed) == (1.0, 7)
