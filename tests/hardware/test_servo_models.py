"""Tests the simulated bus servos against their makers' manuals: modes, offsets, limits, and losses with
power.
"""

import pytest

from tests.hardware.servo_bus import TOP_SPEED, Bus, DynamixelBus, StsBus
from tests.hardware.servo_bus.dynamixel_line import frame_of, stuffed


def sts(instruction: int, *parameters: int, number: int = 1) -> bytes:
    body = bytes((number, len(parameters) + 2, instruction, *parameters))
    return b"\xff\xff" + body + bytes((255 - sum(body) % 256,))


def dxl(address: int, value: int, size: int, number: int = 1) -> bytes:
    data = b"\x03" + address.to_bytes(2, "little") + value.to_bytes(size, "little", signed=value < 0)
    return frame_of(number, stuffed(data))


def word(value: int) -> tuple[int, int]:
    return value & 0xFF, value >> 8


def moved(bus: Bus, seconds: float = 0.1) -> float:
    """Rotation of servo 1 [steps] without commands."""
    before = bus.servos[1].position
    bus.hear(b"", bus.now + seconds)
    return bus.servos[1].position - before


def test_an_sts_in_wheel_mode_turns_as_its_speed_register_says_until_it_has_no_torque():
    bus = StsBus({1: 1000.0})
    bus.servos[1].table[33], bus.servos[1].table[40] = 1, 1
    assert moved(bus) == 0.0
    bus.hear(sts(3, 46, *word(1000)), bus.now)
    assert moved(bus) == pytest.approx(100.0)
    bus.hear(sts(3, 42, *word(1000)), bus.now)
    assert moved(bus) == pytest.approx(100.0), "goals are nothing to it"
    bus.hear(sts(3, 46, *word(0x8000 | 500)), bus.now)
    assert moved(bus) == pytest.approx(-50.0)
    bus.hear(sts(3, 40, 0), bus.now)
    assert moved(bus) == 0.0


def test_an_sts_in_step_mode_goes_on_by_its_goal_when_its_speed_is_written():
    bus = StsBus({1: 1000.0})
    servo = bus.servos[1]
    servo.table[33], servo.table[40], servo.table[42:44] = 3, 1, bytes(word(300))
    assert moved(bus) == 0.0
    bus.hear(sts(3, 46, *word(1000)), bus.now)
    assert moved(bus, 1.0) == pytest.approx(300.0)


def test_an_sts_subtracts_its_offset_and_with_full_angle_feedback_reads_beyond_a_turn():
    bus = StsBus({1: 100.0})
    servo = bus.servos[1]
    servo.table[31:33] = bytes(word(300))
    assert bus.reading(servo) == 3896.0
    servo.table[31:33] = bytes(word(0x800 | 300))
    assert bus.reading(servo) == 400.0
    servo.table[18] |= 0x10
    servo.position = 4000.0
    assert bus.reading(servo) == 4300.0


def test_goals_of_an_sts_end_at_its_angle_limits():
    bus = StsBus({1: 1000.0})
    servo = bus.servos[1]
    servo.table[9:13] = bytes((*word(500), *word(1500)))
    servo.table[40], servo.table[42:44] = 1, bytes(word(4000))
    moved(bus, 2.0)
    assert servo.position == pytest.approx(1500.0)


def test_what_is_written_to_a_locked_eeprom_of_an_sts_is_forgotten_with_its_power():
    bus = StsBus({1: 1000.0})
    bus.hear(sts(3, 33, 1), 0.0)
    assert bus.servos[1].table[33] == 1
    bus.restart(1)
    assert bus.servos[1].table[33] == 0
    bus.hear(sts(3, 55, 0) + sts(3, 33, 1) + sts(3, 55, 1), 0.0)
    bus.restart(1)
    assert bus.servos[1].table[33] == 1


@pytest.mark.parametrize("kind", [StsBus, DynamixelBus])
def test_a_servo_whose_power_failed_has_no_torque_and_no_limits_and_its_goal_is_where_it_is(kind):
    bus = kind({1: 1234.0})
    servo = bus.servos[1]
    servo.table[bus.EEPROM :] = bytes((1,)) * (256 - bus.EEPROM)
    bus.restart(1)
    assert not bus.has_torque(1)
    assert bus.goal(servo) == 1234
    servo.table[bus.TORQUE] = 1
    bus.put(servo, 42 if kind is StsBus else 116, 3000, 2 if kind is StsBus else 4)
    assert moved(bus) == pytest.approx(TOP_SPEED * 0.1)


def test_every_servo_answers_a_broadcast_ping():
    assert (
        StsBus({1: 0.0, 7: 0.0}).hear(sts(1, number=0xFE), 0.0)
        == b"\xff\xff\x01\x02\x00\xfc\xff\xff\x07\x02\x00\xf6"
    )


def test_servos_tell_how_fast_they_turn_and_how_hard_they_push():
    bus = StsBus({1: 1000.0})
    servo = bus.servos[1]
    servo.table[40], servo.table[42:44], servo.table[46:48] = 1, bytes(word(0)), bytes(word(400))
    bus.hear(b"", 0.1)
    bus.refresh(servo)
    assert bus.number(servo, 58) == 0x8000 | 400
    assert bus.number(servo, 60) == 0x400 | 1000
    other = DynamixelBus({1: 1000.0})
    other.servos[1].table[64] = 1
    other.put(other.servos[1], 116, 1000, 4)
    other.put(other.servos[1], 112, 100, 4)
    other.hear(dxl(116, 3000, 4), 0.0)
    other.hear(b"", 0.1)
    other.refresh(other.servos[1])
    assert other.number(other.servos[1], 128, 4) == pytest.approx(100, abs=1)


@pytest.mark.parametrize(
    ("mode", "address", "value", "size"), [(1, 104, 100, 4), (16, 100, 300, 2), (0, 102, 500, 2)]
)
def test_a_dynamixel_that_takes_no_positions_turns_on_and_on(mode, address, value, size):
    bus = DynamixelBus({1: 1000.0})
    bus.hear(dxl(102, 0, 2) + dxl(100, 0, 2) + dxl(11, mode, 1) + dxl(64, 1, 1), 0.0)
    assert moved(bus) == 0.0
    bus.hear(dxl(address, value, size), bus.now)
    assert moved(bus) > 50.0
    assert moved(bus) > 50.0


def test_a_dynamixel_counts_from_one_turn_again_when_it_gets_torque_in_position_mode():
    bus = DynamixelBus({1: 1000.0})
    servo = bus.servos[1]
    servo.position = 4196.0  # rotated by hand
    assert bus.reading(servo) == 4196
    bus.hear(dxl(64, 1, 1), 0.0)
    assert bus.reading(servo) == 100
    bus = DynamixelBus({1: 4196.0})
    bus.hear(dxl(11, 4, 1) + dxl(64, 1, 1), 0.0)
    assert bus.reading(bus.servos[1]) == 4196


def test_a_dynamixel_s_offset_counts_up_to_a_quarter_turn_in_position_mode():
    bus = DynamixelBus({1: 1000.0})
    for offset, reading in ((-512, 488), (1024, 2024), (1025, 1000)):
        bus.hear(dxl(20, offset, 4), 0.0)
        assert bus.reading(bus.servos[1]) == reading


def test_a_dynamixel_refuses_goals_beyond_its_limits_and_eeprom_writes_with_torque():
    bus = DynamixelBus({1: 1000.0})
    bus.hear(dxl(52, 500, 4) + dxl(48, 1500, 4), 0.0)
    errors = [
        bus.hear(frame, 0.0)[8]
        for frame in (dxl(116, 499, 4), dxl(116, 1501, 4), dxl(116, 1500, 4), dxl(64, 1, 1), dxl(11, 4, 1))
    ]
    assert errors == [6, 6, 0, 0, 7]


def test_a_dynamixel_whose_watchdog_tripped_refuses_goals_and_has_no_limits_any_more():
    bus = DynamixelBus({1: 1000.0})
    bus.hear(dxl(112, 50, 4) + dxl(64, 1, 1) + dxl(98, 5, 1), 0.0)
    moved(bus, 0.2)
    assert bus.servos[1].table[98] == 0xFF
    assert bus.number(bus.servos[1], 112, 4) == 0
    assert bus.hear(dxl(116, 1100, 4), bus.now)[8] == 4
