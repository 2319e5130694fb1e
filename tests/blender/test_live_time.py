"""Tests the time of live motion: scene time while frames follow each other, wall-clock time while nothing
plays, and none for a scrub or between frames.
"""

import bpy
import numpy as np
import pytest
from limber.character.fixed_steps import MOST_STEPS, STEP
from limber.rig.events import handlers
from limber.rig.live import live, runtime

from tests.blender.rigs import UPRIGHT, build, keyed, looking_chain, target
from tests.blender.shown import (  # noqa: F401
    as_good_as_unfiltered,
    choose,
    depsgraph,
    farthest,
    go_live,
    missed,
    no_handler_raises,
    pose,
    session,
    settle,
)

pytestmark = pytest.mark.every_blender


def moving_target(chain, frames=(1, 40), end=(-0.7, 0.5, 0.1)):
    """Lets the target move faster than the joints."""
    keyed(chain.target, frames, end=end)
    bpy.context.scene.frame_set(1)


def angles(rig, chain) -> np.ndarray:
    return session(rig, chain).outputs.angles.copy()


def play(rig, chain, frames) -> np.ndarray:
    rows = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        rows.append(angles(rig, chain))
    return np.array(rows)


def slow(chain) -> None:
    for joint in chain.joints:
        joint.velocity, joint.acceleration, joint.jerk = 0.4, 2.0, 20.0


@pytest.fixture
def lagging():
    """A live chain whose target is ahead of it from the first frame on."""
    rig, chain = looking_chain()
    slow(chain)
    moving_target(chain)
    go_live(rig, chain)
    return rig, chain


@pytest.mark.parametrize(
    ("fps", "fps_base", "step"), [(24, 1.0, 1), (30, 1.001, 1), (12, 1.0, 1), (24, 1.0, 3)]
)
def test_a_frame_lasts_as_long_as_the_scene_says(lagging, fps, fps_base, step):
    rig, chain = lagging
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base, scene.frame_step = fps, fps_base, step
    rows = play(rig, chain, range(1, 37, step))
    speeds = np.abs(np.diff(rows, axis=0)) / (step * fps_base / fps)
    assert speeds.max() == pytest.approx(0.4, rel=1e-6), "the limit is reached and kept"


def test_playing_twice_from_the_same_frame_is_the_same_motion(lagging):
    rig, chain = lagging
    first = play(rig, chain, range(1, 41))
    play(rig, chain, [17])
    assert np.array_equal(first, play(rig, chain, range(1, 41)))


def test_a_jump_starts_at_rest_in_the_solution(lagging):
    rig, chain = lagging
    play(rig, chain, range(1, 11))
    assert session(rig, chain).outputs.lag > 0.01
    for frame in (35, 20, 30):  # forward, back, forward
        bpy.context.scene.frame_set(frame)
        now = session(rig, chain).outputs
        assert now.lag == 0.0
        assert now.at_rest
        assert missed(rig, chain) < 0.1


def test_the_same_frame_again_does_not_advance(lagging):
    rig, chain = lagging
    play(rig, chain, range(1, 11))
    before = angles(rig, chain)
    for _ in range(5):
        bpy.context.scene.frame_set(10)
    assert np.array_equal(before, angles(rig, chain))
    rows = play(rig, chain, range(11, 14))
    assert np.array_equal(rows, play(rig, chain, range(1, 14))[10:])


def test_frames_that_are_looked_at_twice_leave_the_plans_of_chains_as_they_are():
    rig = build(UPRIGHT, name="Pair")
    _, body = looking_chain(rig, "base", "middle")
    keyed(body.target, (1, 60), end=(-0.7, 0.9, 0.2))
    looking_chain(rig, "upper", "head", at=body.target)
    bpy.ops.limber.live_all()

    def played(times: int) -> tuple[list, list]:
        rows = []
        for frame in (40, *range(1, 50)):
            for _ in range(times):
                bpy.context.scene.frame_set(frame)
            rows.append(
                [
                    value
                    for chain in rig.limber.chains
                    for value in live.session(rig, chain).outputs.angles.tolist()
                ]
            )
        plans = [live.session(rig, chain).outputs.solution.memory.planning for chain in rig.limber.chains]
        assert all(plan.pool for plan in plans), "both have planned"
        return rows[1:], plans

    assert played(1) == played(2) == played(1)


def test_sub_frames_never_advance_but_show_what_lies_between(lagging):
    rig, chain = lagging
    scene = bpy.context.scene
    plain = play(rig, chain, range(1, 21))
    scene.frame_set(1)
    for frame in range(1, 21):
        scene.frame_set(frame)
        assert np.array_equal(angles(rig, chain), plain[frame - 1])
        here = pose(rig)
        for part in (-0.25, 0.25):  # as motion blur requests
            if frame + part < 1:
                continue
            scene.frame_set(int((frame + part) // 1), subframe=(frame + part) % 1.0)
            assert 1e-6 < farthest(here, pose(rig)) < 0.05 or frame in {1, 2}
        scene.frame_set(frame)
        assert np.array_equal(angles(rig, chain), plain[frame - 1])
        assert farthest(here, pose(rig)) < 1e-6


def test_a_sub_frame_lies_between_its_neighbours(lagging):
    rig, chain = lagging
    scene = bpy.context.scene
    play(rig, chain, range(1, 11))
    ten = pose(rig)
    scene.frame_set(10, subframe=0.5)
    between = pose(rig)
    scene.frame_set(11)
    eleven = pose(rig)
    whole = farthest(ten, eleven)
    assert farthest(ten, between) == pytest.approx(whole / 2, rel=0.1)
    assert farthest(between, eleven) == pytest.approx(whole / 2, rel=0.1)
    scene.frame_set(10, subframe=0.5)  # the shutter opens before its frame
    assert farthest(between, pose(rig)) < 1e-6


def test_a_scrub_to_a_sub_frame_shows_its_solution(lagging):
    rig, chain = lagging
    play(rig, chain, range(1, 5))
    bpy.context.scene.frame_set(30, subframe=0.5)
    assert missed(rig, chain) < 0.1


class FakePlayback:
    """Makes Limber believe that the animation plays, which is impossible in a background Blender."""

    def __init__(self, monkeypatch):
        monkeypatch.setattr(live, "is_playing", lambda: True)


def test_a_playback_that_drops_frames_goes_on(lagging, monkeypatch):
    rig, chain = lagging
    FakePlayback(monkeypatch)
    play(rig, chain, range(1, 5))
    before = angles(rig, chain)
    bpy.context.scene.frame_set(9)
    speed = np.abs(angles(rig, chain) - before).max() / (5 / 24)
    assert 0.05 < speed <= 0.4 + 1e-6
    assert session(rig, chain).outputs.lag > 0.0


def clock(now, scene=None):
    scene = scene or bpy.context.scene
    return live.advance_clock(scene, depsgraph(), now)


def run_clock(now: float, steps: int) -> float:
    for _ in range(steps):
        now += STEP
        clock(now)
    return now


def test_the_clock_follows_a_dragged_target_until_it_rests_there(lagging):
    rig, chain = lagging
    settle()
    assert not clock(5.0), "nothing to do at rest"
    before = pose(rig)
    chain.target.location.z += 0.5
    bpy.context.view_layer.update()
    assert clock(10.0), "the first step"
    now, steps = 10.0, 1
    rows = [angles(rig, chain)]
    while clock(now := now + STEP):
        steps += 1
        rows.append(angles(rig, chain))
        assert steps < 600
    assert np.abs(np.diff(rows, axis=0)).max() <= 0.4 * STEP * (1 + 1e-6)
    assert session(rig, chain).outputs.at_rest
    assert missed(rig, chain) < 0.1
    assert farthest(before, pose(rig)) > 0.01
    bpy.context.view_layer.update()
    assert not clock(now + 1.0), "and it stays at rest"


@pytest.mark.parametrize("cause", ["target", "bone", "armature object", "limits", "roll"])
def test_the_clock_wakes_when_anything_that_counts_has_moved(lagging, cause):
    rig, chain = lagging
    settle()
    bpy.context.view_layer.update()
    assert not live.scene_updated(bpy.context.scene, depsgraph())
    if cause == "target":
        chain.target.location.x -= 0.4
    elif cause == "bone":
        rig.pose.bones["middle"].rotation_euler.x += 0.4
    elif cause == "armature object":
        rig.rotation_euler.z += 0.4
    elif cause == "limits":
        chain.joints[0].lower, chain.joints[0].upper = -0.01, 0.01
        rig.update_tag()
    else:
        choose(chain, roll="UPRIGHT")
    bpy.context.view_layer.update()
    assert clock(50.0)
    settle()


def test_the_clock_does_not_wake_for_what_does_not_concern_it(lagging):
    settle()
    other = target((3, 3, 3), "Other")
    bpy.context.view_layer.update()
    other.location.x = 5
    bpy.context.view_layer.update()
    assert not clock(50.0)


def test_the_clock_stands_still_while_something_plays(lagging, monkeypatch):
    rig, chain = lagging
    play(rig, chain, range(1, 6))
    before = angles(rig, chain)
    monkeypatch.setattr(live, "is_playing", lambda: True)
    run_clock(20.0, 30)
    assert np.array_equal(before, angles(rig, chain))
    monkeypatch.undo()
    run_clock(21.0, 30)
    assert not np.array_equal(before, angles(rig, chain)), (
        "when the playback ends the motion comes to its rest"
    )


def test_the_clock_catches_up_after_a_slow_redraw_but_not_after_a_stall(lagging):
    rig, chain = lagging
    play(rig, chain, range(1, 20))
    for joint in chain.joints:
        joint.velocity = 0.2
    rig.update_tag()
    now = run_clock(30.0, 20)
    before = angles(rig, chain)
    clock(now + 3 * STEP)
    three = np.abs(angles(rig, chain) - before).max()
    assert three == pytest.approx(3 * 0.2 * STEP, rel=1e-3)
    before = angles(rig, chain)
    clock(now + 3 * STEP + 1.0)
    stalled = np.abs(angles(rig, chain) - before).max()
    assert stalled == pytest.approx(MOST_STEPS * 0.2 * STEP, rel=1e-3)
    before = angles(rig, chain)
    clock(now + 3 * STEP + 1.0 + STEP)
    assert np.abs(angles(rig, chain) - before).max() == pytest.approx(0.2 * STEP, rel=1e-3), (
        "and goes on as before"
    )


def test_a_clock_that_is_called_too_early_makes_no_step(lagging):
    rig, chain = lagging
    play(rig, chain, range(1, 20))
    clock(40.0)
    before = angles(rig, chain)
    clock(40.0 + STEP / 3)
    assert np.array_equal(before, angles(rig, chain))


def test_wall_time_and_scene_time_are_the_same_motion(lagging):
    """Compares sixty steps of the clock with sixty frames at 60 fps, toward a target at rest."""
    rig, chain = lagging
    scene = bpy.context.scene
    chain.target.animation_data_clear()
    scene.render.fps, scene.render.fps_base = 60, 1.0
    scene.frame_set(1)
    settle()
    start = tuple(chain.target.location)
    chain.target.location.z += 0.6
    by_frames = play(rig, chain, range(2, 42))
    chain.target.location = start
    scene.frame_set(1)
    settle()
    chain.target.location.z += 0.6
    bpy.context.view_layer.update()
    rows, now = [], 100.0
    for _ in range(40):
        clock(now := now + STEP)
        rows.append(angles(rig, chain))
    assert np.abs(np.array(rows) - by_frames).max() < 1e-9


def test_a_frame_while_playing_leaves_work_for_the_clock_when_the_motion_is_not_at_rest(lagging):
    rig, chain = lagging
    scene = bpy.context.scene
    play(rig, chain, range(1, 6))
    assert live.frame_changed(scene, depsgraph())
    as_good_as_unfiltered(chain)
    scene.frame_set(1)
    assert not live.frame_changed(scene, depsgraph())


def test_the_clock_stops_for_a_chain_that_was_on_its_way_and_begins_anew_where_it_cannot_be_solved(lagging):
    rig, chain = lagging
    play(rig, chain, range(1, 6))
    bpy.context.scene.collection.objects.unlink(chain.target)
    bpy.context.scene.frame_set(30)
    settle()
    assert session(rig, chain).problem


@pytest.mark.parametrize("name", ["default", "nutty"])
@pytest.mark.parametrize("sigma", [0.0, 0.7])
def test_the_clock_stops_whatever_the_character(name, sigma):
    rig, chain = looking_chain()
    chain.filter, chain.sigma = name, sigma
    go_live(rig, chain)
    chain.target.location = (-0.7, 0.5, 0.1)
    settle()
    assert missed(rig, chain) < 0.1


def test_handlers_of_time_are_registered_once():
    assert bpy.app.handlers.frame_change_post.count(handlers._frame_change_post) == 1


def test_a_scene_that_is_renamed_or_stretches_time_goes_on(lagging):
    rig, chain = lagging
    plain = play(rig, chain, range(1, 11))
    bpy.context.scene.name = "Take 2"
    assert np.array_equal(plain, play(rig, chain, range(1, 11)))
    bpy.context.scene.render.frame_map_new = (
        200  # slow motion: the target moves half as fast, while the duration of a frame is unchanged
    )
    first = play(rig, chain, range(1, 6))
    bpy.context.scene.frame_set(5, subframe=0.5)
    assert np.array_equal(first[-1], angles(rig, chain))
    assert not np.array_equal(first, plain[:5])


def test_the_live_movers_of_an_armature_are_listed_once_a_frame(monkeypatch):
    go_live(*looking_chain())
    listed = []
    of_owner = runtime.live_of
    monkeypatch.setattr(runtime, "live_of", lambda owner: listed.append(owner) or of_owner(owner))
    bpy.context.scene.frame_set(bpy.context.scene.frame_current + 1)
    assert len(listed) == 1
