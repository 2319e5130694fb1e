"""Tests orders that other programs send repeatedly to a playing character."""

from math import nan, pi, sin

import numpy as np
import pytest
from limber.inputs.words import Order
from limber.player.streams import OrderStreams

CLOCK = 60  # [Hz] ticks of the clock
RATE = 2 * pi * 0.35  # [rad/s] angular frequency of the motion
TARGET = Order("target", "Arm", (0.0, 0.0, 0.5))


def place(seconds: float) -> float:
    return sin(RATE * seconds)


def played(streams: OrderStreams, orders: dict[int, tuple[Order, float]], ticks: int) -> list[Order]:
    """Orders executed at each tick; `orders`: order and sender's time [s] by the tick of arrival."""
    obeyed = [TARGET]
    for tick in range(ticks):
        newest = obeyed[-1]
        if tick in orders and not streams.continues(orders[tick][0], 1, orders[tick][1]):
            newest = orders[tick][0]
            streams.begin(newest, orders[tick][1])
        for order in streams.advance(1 / CLOCK):
            newest = order
        obeyed.append(newest)
    return obeyed[1:]


def test_a_target_that_comes_at_half_the_clocks_rate_moves_at_every_tick():
    sent = {
        tick: (TARGET._replace(numbers=(place(tick / CLOCK), 0.0, 0.5)), nan) for tick in range(0, 200, 2)
    }
    places = np.array([order.numbers[0] for order in played(OrderStreams(), sent, 200)])[60:]
    assert np.abs(np.diff(places)).min() > 0.0
    assert np.abs(np.diff(places, 2)).max() * CLOCK**2 < 1.5 * RATE**2


def test_the_times_that_a_sender_says_count():
    chance = np.random.default_rng(1)
    taken = np.cumsum(chance.uniform(0.7, 1.3, 200)) / 30
    ticks = np.ceil((taken + chance.uniform(0.0, 0.02, 200)) * CLOCK).astype(int)
    sent = {
        int(tick): (TARGET._replace(numbers=(place(time), 0.0, 0.5)), 3.9e9 + time)
        for tick, time in zip(ticks, taken, strict=True)
    }
    places = np.array([order.numbers[0] for order in played(OrderStreams(), sent, 300)])[180:]
    assert np.abs(np.diff(places)).min() > 0.0
    assert np.abs(np.diff(places, 2)).max() * CLOCK**2 < 1.5 * RATE**2


def test_a_rotation_takes_the_shorter_way_whatever_the_signs_of_its_quaternion():
    orders = [
        Order("rotation", "Arm", (1.0, 0.0, 0.0, 0.0)),
        Order("rotation", "Arm", (-0.99, -0.141, 0.0, 0.0)),
    ]
    shown = played(OrderStreams(), {2 * k: (order, nan) for k, order in enumerate(orders)}, 60)
    assert min(order.numbers[0] for order in shown if order.word == "rotation") > 0.9


def test_an_order_without_numbers_and_one_of_another_kind_are_no_stream():
    streams = OrderStreams()
    for order in (Order("event", text="wave"), Order("target", "Arm", text="Ball")):
        streams.begin(order, nan)
        assert not streams.continues(order, 1, nan)


def test_what_somebody_else_directs_is_followed_no_more():
    streams = OrderStreams()
    streams.begin(TARGET, nan)
    assert streams.continues(TARGET._replace(numbers=(1.0, 0.0, 0.5)), 1, nan)
    streams.end(TARGET)
    assert list(streams.advance(1 / CLOCK)) == []
    assert not streams.continues(TARGET, 1, nan)


@pytest.mark.parametrize(("rate", "clock"), [(20, 24), (60, 60)])
@pytest.mark.parametrize("phase", [0.1, 0.5, 0.9])
def test_where_packets_came_between_ticks_counts_from_the_first_on(rate: float, clock: float, phase: float):
    taken = (phase + np.arange(rate)) / rate
    streams, places, received = OrderStreams(), [], 0
    for tick in range(1, clock):
        count = int((taken <= tick / clock).sum())
        order = TARGET._replace(numbers=(place(taken[max(count - 1, 0)]), 0.0, 0.5))
        age = tick - taken[max(count - 1, 0)] * clock
        if count > received and not streams.continues(order, count - received, nan, age):
            streams.begin(order, nan, age)
        places += [advanced.numbers[0] for advanced in streams.advance(1 / clock)]
        received = count
    assert np.abs(np.diff(places)).max() * clock < 1.5 * RATE


def test_a_target_moves_at_present_while_a_program_goes_on_sending_it_and_not_after_a_single_order():
    streams = OrderStreams()
    for tick in range(60):
        assert streams.targets() == []
        if tick == 0:
            streams.begin(TARGET, nan)
        list(streams.advance(1 / CLOCK))
    moved = []
    for tick in range(150):
        order = TARGET._replace(numbers=(place(tick / CLOCK), 0.0, 0.5))
        if tick < 90 and tick % 6 == 0 and not streams.continues(order, 1, nan):
            streams.begin(order, nan)
        list(streams.advance(1 / CLOCK))
        moved.append(streams.targets())
    begun, ended = moved.index(["Arm"]), len(moved) - moved[::-1].index(["Arm"])
    assert 0.4 * CLOCK < begun < 0.75 * CLOCK
    assert 90 < ended < 90 + 0.75 * CLOCK
    assert all(names == ["Arm"] for names in moved[begun:ended])
