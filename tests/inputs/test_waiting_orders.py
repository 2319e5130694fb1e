"""Tests commands of people that wait until a host executes them."""

import pytest
from limber.inputs import waiting_orders
from limber.inputs.waiting_orders import MOST_WAITING, WaitingOrders


def test_a_stop_voids_what_came_before_it_and_nothing_after_it():
    orders = WaitingOrders()
    orders.put("arm", "typed")
    orders.stop()
    orders.put("clear", "page")
    assert [(waiting.order, waiting.cause) for waiting in orders.take()] == [("clear", "page")]
    assert list(orders.take()) == []


def test_a_stop_while_commands_are_executed_voids_the_rest_and_is_known_of_the_one_before():
    orders = WaitingOrders()
    for word in ("arm", "confirm"):
        orders.put(word)
    executed = []
    for waiting in orders.take():
        executed.append(waiting.order)
        orders.stop()
        assert not orders.is_valid(waiting)
    assert executed == ["arm"]


def test_more_than_can_wait_is_dropped():
    orders = WaitingOrders()
    for _ in range(MOST_WAITING + 10):
        orders.put("play")
    assert len(list(orders.take())) == MOST_WAITING


def test_a_flood_of_other_commands_drops_none_of_a_person_and_ends_with_what_waits():
    orders = WaitingOrders()
    for _ in range(2 * MOST_WAITING):
        orders.put("play")
    orders.put("disarm")
    taken = []
    for waiting in orders.take():
        taken.append(waiting.order)
        orders.put("play")  # more comes while they are executed
    assert taken == ["play"] * MOST_WAITING + ["disarm"]


def test_a_press_is_late_after_a_second(monkeypatch: pytest.MonkeyPatch):
    orders = WaitingOrders()
    orders.put("arm")
    (waiting,) = orders.take()
    for age, is_late in ((0.9, False), (1.1, True)):
        with monkeypatch.context() as at:
            at.setattr(waiting_orders.time, "monotonic", lambda age=age: waiting.arrived_at + age)
            assert waiting.is_late is is_late
