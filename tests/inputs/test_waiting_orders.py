"""Tests commands of people that wait until a host executes them."""

import pytest
from limber.inputs import waiting_orders
from limber.inputs.waiting_orders import DISARM_ROOM, MOST_WAITING, ROOM, WaitingOrders
from limber.inputs.words import Order


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


def waiting(orders: WaitingOrders) -> list[str]:
    """Lines of the commands that wait."""
    return [each.order.line for each in orders.take()]


def test_a_flood_of_connect_drops_no_disarm_behind_it():
    orders = WaitingOrders()
    for number in range(MOST_WAITING + ROOM):
        orders.put(Order("connect", "", (number + 1.0,)), "page")
    orders.put(Order("disarm"), "page")
    assert waiting(orders) == ["connect 1100", "disarm"]


def test_a_flood_of_connect_for_robots_that_are_not_there_drops_no_disarm_behind_it():
    orders = WaitingOrders()
    for number in range(2 * MOST_WAITING):
        orders.put(Order("connect", f"Robot {number}"), "page")
    for robot in ("Arm", "", "Arm"):
        orders.put(Order("disarm", robot), "page")
    assert waiting(orders)[MOST_WAITING + ROOM :] == ["disarm", "disarm Arm"]


def test_more_robots_to_disarm_than_can_wait_count_as_all():
    orders = WaitingOrders()
    for number in range(2 * MOST_WAITING):
        orders.put(Order("disarm", f"Robot {number}"), "page")
    orders.put("disarm 'Left Arm'", "typed")
    taken = list(orders.take())
    assert len(taken) == MOST_WAITING + ROOM + DISARM_ROOM + 2
    assert [(each.order, each.cause) for each in taken[-2:]] == [
        (Order("disarm"), "page"),
        (Order("disarm"), "typed"),
    ]


@pytest.mark.parametrize("line", ["disarm\tArm", '"disarm" Arm', "  disarm Arm"])
def test_a_typed_disarm_has_room_however_it_is_written(line):
    orders = WaitingOrders()
    for number in range(2 * MOST_WAITING):
        orders.put(Order("connect", f"Robot {number}"), "page")
    orders.put(line, "typed")
    assert [each.order for each in orders.take()][-1] == line


def test_a_button_to_disarm_that_is_let_go_disarms_nothing_else():
    orders = WaitingOrders()
    for number in range(2 * MOST_WAITING):
        orders.put(Order("disarm", f"Robot {number}", (0.0,)), "page")
    assert Order("disarm") not in [each.order for each in orders.take()]


def test_the_same_press_of_a_person_waits_once_as_the_last():
    orders = WaitingOrders()
    for word in ("disarm", "clear", "arm", "disarm", "arm", "disarm"):
        orders.put(Order(word), "page")
    assert waiting(orders) == ["clear", "arm", "arm", "disarm"]


def test_a_button_that_is_let_go_and_another_source_replace_no_press():
    orders = WaitingOrders()
    for number, cause in ((1.0, "page"), (0.0, "page"), (1.0, "typed")):
        orders.put(Order("disarm", "", (number,)), cause)
    assert waiting(orders) == ["disarm 1", "disarm 0", "disarm 1"]


def test_a_press_after_a_stop_replaces_the_one_that_the_stop_has_voided():
    orders = WaitingOrders()
    orders.put(Order("connect"))
    orders.stop()
    orders.put(Order("connect"))
    assert waiting(orders) == ["connect"]


def test_what_a_command_that_fails_has_interrupted_is_executed_next_and_before_what_came_since():
    orders = WaitingOrders()
    for word in ("connect", "disarm", "clear"):
        orders.put(Order(word))
    assert next(orders.take()).order.word == "connect"
    orders.put(Order("disarm"))
    assert waiting(orders) == ["clear", "disarm"]


def test_a_press_that_waits_is_replaced_also_where_there_is_no_room_for_another():
    orders = WaitingOrders()
    orders.put(Order("clear"), "page")
    for number in range(2 * MOST_WAITING):
        orders.put(Order("disarm", f"Robot {number}"), "page")
    orders.put(Order("clear"), "page")
    assert waiting(orders)[-1] == "clear"
