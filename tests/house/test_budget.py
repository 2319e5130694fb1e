"""The guard lowers Limber's rate where its own time threatens the interface, says so, and raises it again."""

import limber  # noqa: F401
import pytest
from limber.rig.budget import REMEMBERED, Guard
from limber.rig.clock import STEP


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
        assert f"{1e3 * seconds:.0f} ms a step: it follows {rate} times a second instead of 60" in guard.sentence


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
