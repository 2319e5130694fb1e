"""Tests which frames reach the worker where a host has more than it reads."""

import pytest
from limber.hardware.frame_thinning import READ_EVERY, FrameThinning
from limber.hardware.worker.core import PERIOD


def sent(times: list[float], due: float) -> list[tuple[float, float]]:
    """(time, announced time to the next) of the frames that are selected."""
    thinning = FrameThinning()
    return [(time, next_in) for time in times if (next_in := thinning.take(time, due)) is not None]


def test_it_knows_how_often_the_worker_reads():
    assert READ_EVERY == PERIOD


@pytest.mark.parametrize("rate", [1, 24, 60, 100])
def test_frames_that_the_worker_can_read_are_all_sent(rate):
    times = [k / rate for k in range(20)]
    assert sent(times, 1 / rate) == [(time, 1 / rate) for time in times]


@pytest.mark.parametrize(("rate", "count"), [(101, 2), (144, 2), (240, 3), (1000, 13)])
def test_of_faster_ones_each_nth_is_sent_and_announces_the_next_that_is(rate, count):
    times = [k / rate for k in range(60)]
    assert sent(times, 1 / rate) == [(time, pytest.approx(count / rate)) for time in times[::count]]


def test_frames_that_come_later_than_announced_are_sent():
    times = [0.1 * k for k in range(10)]
    assert [time for time, _ in sent(times, 1 / 240)] == times


def test_the_frame_that_ends_a_fast_motion_is_sent():
    thinning = FrameThinning()
    assert thinning.take(0.0, 1 / 144) == pytest.approx(2 / 144)
    assert thinning.take(1 / 144, 0.0) == 0.0
