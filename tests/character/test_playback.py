"""Tests a stage that plays the frames of a scene: the next frame, a jump, and times between two frames."""

from dataclasses import dataclass, field, replace

import pytest
from limber.character.playback import Playback, Time

FRAME = 1 / 24  # [s] duration of a frame
SCENE = "scene"


@dataclass
class Counting:
    """A stage that only knows how much time has passed since its last start."""

    seconds: float = 0.0
    starts: int = 0
    playback: Playback = field(default_factory=Playback)


def go_to(stage: Counting, frame: int, fraction: float = 0.0, step: int = 1, plays: bool = False) -> Counting:
    step = stage.playback.go_to(SCENE, Time(frame, fraction, step, FRAME), stage.seconds, plays)
    if not step.is_kept:
        stage = replace(stage, seconds=stage.seconds if step.origin is None else step.origin)
    if step.restarts:
        stage.seconds, stage.starts = 0.0, stage.starts + 1
    stage.seconds += step.dt
    return stage


@pytest.fixture
def stage() -> Counting:
    made = Counting()
    made.playback.begin(SCENE, 1)
    return made


def test_frames_that_follow_each_other_advance_the_motion(stage):
    for frame in range(2, 12):
        go_to(stage, frame)
    assert stage.seconds == pytest.approx(10 * FRAME)
    assert stage.starts == 0


def test_the_same_frame_again_lets_no_time_pass(stage):
    go_to(stage, 2)
    go_to(stage, 2)
    assert stage.seconds == pytest.approx(FRAME)


@pytest.mark.parametrize("frame", [0, 4, 40])
def test_a_jump_begins_anew_at_rest(stage, frame):
    go_to(stage, 2)
    go_to(stage, frame)
    assert stage.seconds == 0.0
    assert stage.starts == 1


def test_a_playback_that_drops_frames_advances_by_all_of_them_unless_it_is_a_scrub(stage):
    go_to(stage, 7, plays=True)
    assert stage.seconds == pytest.approx(6 * FRAME)
    go_to(stage, 7 + 24, plays=True)
    assert stage.starts == 1


def test_a_scene_that_steps_by_several_frames_advances_by_them(stage):
    go_to(stage, 4, step=3)
    assert stage.seconds == pytest.approx(3 * FRAME)


def test_a_sub_frame_shows_what_lies_between_and_is_forgotten(stage):
    go_to(stage, 2)
    between = go_to(stage, 2, 0.5)
    assert between.seconds == pytest.approx(1.5 * FRAME)
    assert stage.seconds == pytest.approx(FRAME)
    earlier = go_to(stage, 1, 0.75)
    assert earlier.seconds == pytest.approx(0.75 * FRAME)
    go_to(stage, 3)
    assert stage.seconds == pytest.approx(2 * FRAME)


def test_a_sub_frame_far_from_the_frame_begins_anew_at_rest(stage):
    go_to(stage, 2)
    assert (go_to(stage, 9, 0.5).starts, stage.starts) == (1, 0)


def test_scenes_have_frames_of_their_own(stage):
    go_to(stage, 2)
    assert stage.playback.frame("another") is None
    assert stage.playback.frame(SCENE) == 2
