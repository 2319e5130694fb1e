"""Tests a stage that plays the frames of a scene: the next frame, a jump, and times between two frames."""

from dataclasses import dataclass, field

import pytest
from limber.character.playback import Playback, Time
from limber.character.stage import Stage

FRAME = 1 / 24  # [s] duration of a frame
SCENE = "scene"


@dataclass
class Counting(Stage):
    """A stage that only records the time since its last start."""

    seconds: float = 0.0
    starts: int = 0
    sessions: dict = field(default_factory=dict)
    cyclic = frozenset()

    def snapshot(self):
        return {"seconds": self.seconds}

    def copy(self, snapshot=None):
        return Counting((snapshot or self.snapshot())["seconds"])

    def restart(self) -> None:
        self.seconds, self.starts = 0.0, self.starts + 1

    def advance(self, dt: float) -> None:
        self.seconds += dt


def go_to(
    playback: Playback, frame: int, fraction: float = 0.0, step: int = 1, plays: bool = False
) -> Counting:
    time = Time(frame, fraction, step, FRAME)
    return playback.go_to(
        SCENE, time, lambda stage, dt: stage.advance(dt), playback.stage.restart, lambda: plays
    )


@pytest.fixture
def playback() -> Playback:
    made = Playback(Counting())
    made.begin(SCENE, 1)
    return made


def test_frames_that_follow_each_other_advance_the_motion(playback):
    for frame in range(2, 12):
        go_to(playback, frame)
    assert playback.stage.seconds == pytest.approx(10 * FRAME)
    assert playback.stage.starts == 0


def test_the_same_frame_again_lets_no_time_pass(playback):
    go_to(playback, 2)
    go_to(playback, 2)
    assert playback.stage.seconds == pytest.approx(FRAME)


@pytest.mark.parametrize("frame", [0, 4, 40])
def test_a_jump_begins_anew_at_rest(playback, frame):
    go_to(playback, 2)
    go_to(playback, frame)
    assert playback.stage.seconds == 0.0
    assert playback.stage.starts == 1


def test_a_playback_that_drops_frames_advances_by_all_of_them_unless_it_is_a_scrub(playback):
    go_to(playback, 7, plays=True)
    assert playback.stage.seconds == pytest.approx(6 * FRAME)
    go_to(playback, 7 + 24, plays=True)
    assert playback.stage.starts == 1


def test_a_scene_that_steps_by_several_frames_advances_by_them(playback):
    go_to(playback, 4, step=3)
    assert playback.stage.seconds == pytest.approx(3 * FRAME)


def test_a_sub_frame_shows_what_lies_between_and_is_forgotten(playback):
    go_to(playback, 2)
    between = go_to(playback, 2, 0.5)
    assert between.seconds == pytest.approx(1.5 * FRAME)
    assert playback.stage.seconds == pytest.approx(FRAME)
    earlier = go_to(playback, 1, 0.75)
    assert earlier.seconds == pytest.approx(0.75 * FRAME)
    go_to(playback, 3)
    assert playback.stage.seconds == pytest.approx(2 * FRAME)


def test_scenes_have_frames_of_their_own(playback):
    go_to(playback, 2)
    assert playback.frame("another") is None
    assert playback.frame(SCENE) == 2
