"""Tests the guards: they lower Limber's rate if its own time endangers the interface, report this, and raise
it again.
"""

from itertools import accumulate

import limber  # noqa: F401
import pytest
from limber.character.fixed_steps import STEP
from limber.rig.live.budget import REMEMBERED, Guard, Playing


def after(guard: Guard, seconds: float, times: int = REMEMBERED) -> Guard:
    for _ in range(times):
        guard.note(seconds)
    return guard


def test_cheap_steps_come_sixty_times_a_second_and_nothing_is_said():
    guard = after(Guard(), 0.004)
    assert guard.interval == pytest.approx(1 / 60)
    assert guard.sentence == ""


def test_where_steps_are_dear_the_rate_is_the_highest_that_leaves_the_interface_half_of_the_time():
    for seconds, rate in ((0.012, 30), (0.02, 20), (0.04, 10), (0.4, 10)):
        guard = after(Guard(), seconds)
        assert 1 / guard.interval == pytest.approx(rate)
        assert guard.sentence.startswith(f"Slow: {rate} of 60 steps a second, to keep Blender responsive.")
        assert f"Limber takes {1e3 * seconds:.0f} ms a step" in guard.sentence


def test_a_hiccup_changes_nothing():
    guard = after(Guard(), 0.004)
    after(guard, 0.5, times=5)
    assert guard.steps == 1


def test_the_rate_comes_back_once_there_is_time_enough_and_does_not_go_up_and_down():
    guard = after(Guard(), 0.012)
    assert guard.steps == 2
    after(guard, 0.9 * 0.5 * STEP)
    assert guard.steps == 2, "just enough is not enough"
    after(guard, 0.3 * STEP)
    assert guard.steps == 1


def test_another_file_begins_anew():
    guard = after(Guard(), 0.04)
    guard.forget()
    assert guard.steps == 1
    assert guard.meter.seconds == 0.0


def begun(guard: Guard, *gaps: float) -> Guard:
    """The guard after steps at these intervals [s]."""
    for time in accumulate(gaps, initial=1000.0):
        guard.begin(time)
    return guard


def test_a_step_is_expected_when_the_clock_says_so_unless_they_came_later_lately():
    assert Guard().due == begun(Guard(), *[1.2 * STEP] * 20).due == STEP
    assert begun(Guard(), *[0.11] * 20).due == pytest.approx(0.11)
    assert begun(Guard(), *[STEP] * 20, 0.5, STEP).due == STEP, "a hiccup changes nothing"


def test_the_time_for_which_the_clock_stood_still_is_no_gap_between_steps():
    guard = Guard()
    for time in range(20):
        guard.begin(1000.0 + time)
        guard.stop()
    assert guard.due == STEP


FRAME = 1 / 24  # [s] duration of a frame


def played(guard: Playing, motion: float, overlays: float, times: int = REMEMBERED) -> Playing:
    for _ in range(times):
        guard.overlays.note(overlays)
        guard.note(motion, FRAME)
    return guard


def test_overlays_follow_every_frame_of_a_playback_that_has_the_time():
    guard = played(Playing(), 0.008, 0.004)
    assert guard.is_due(since=guard.count - 1)
    assert guard.sentence == ""


def test_overlays_follow_as_often_as_leaves_the_interface_half_of_a_frame():
    for motion, overlays, frames in ((0.008, 0.02, 2), (0.018, 0.008, 3), (0.018, 0.016, 6), (0.1, 0.001, 6)):
        guard = played(Playing(), motion, overlays)
        assert guard.frames == frames
        assert [guard.is_due(since=guard.count - ago) for ago in (frames - 1, frames)] == [False, True]
        assert (
            f"of 42 ms a frame: overlays follow every {frames} frames. No frame of the motion is"
            " left out" in guard.sentence
        )


def test_a_motion_that_is_too_dear_is_told_where_there_are_no_overlays_to_save_on():
    guard = Playing()
    for _ in range(REMEMBERED):
        guard.note(0.06, FRAME)
    assert guard.sentence.startswith(
        "Slow: Limber takes 60 of 42 ms a frame. No frame of the motion is left out"
    )


def test_overlays_come_back_once_a_playback_has_time_enough_and_do_not_come_and_go():
    guard = played(Playing(), 0.018, 0.008)
    played(guard, 0.5 * FRAME - 0.0041, 0.008)
    assert guard.frames == 3, "just enough is not enough"
    played(guard, 0.004, 0.008)
    assert guard.frames == 1


def test_a_hiccup_of_a_playback_changes_nothing_and_another_file_begins_anew():
    guard = played(Playing(), 0.008, 0.004)
    assert played(guard, 0.5, 0.5, times=5).frames == 1
    played(guard, 0.5, 0.5)
    guard.forget()
    assert not guard.is_short
    assert played(guard, 0.5, 0.5, times=5).frames == 1
