"""Tests that simulated servos in a separate process answer, however busy the requesting program is."""

import ctypes
import os
import select
import tty

import pytest

from tests.hardware.patience import PATIENCE, wait_until
from tests.hardware.served_bus import ServedBus

SERVO = 3


@pytest.fixture
def bus():
    bus = ServedBus({SERVO: 2048.0})
    yield bus
    bus.close()


@pytest.fixture
def line(bus):
    line = os.open(bus.port, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(line)
    yield line
    os.close(line)


class Poll(ctypes.Structure):
    """C's `struct pollfd`."""

    _fields_ = (("fd", ctypes.c_int), ("events", ctypes.c_short), ("revents", ctypes.c_short))


def frame(*body: int) -> bytes:
    """Frame of the protocol: servo, length, instruction or error, data, checksum."""
    return bytes((0xFF, 0xFF, *body, 255 - sum(body) % 256))


def test_servos_answer_while_no_thread_of_this_process_can_run_python(line):
    os.write(line, frame(SERVO, 2, 1))  # a ping
    held = ctypes.PyDLL(None)  # holds Python's interpreter while it waits, as Blender may while it draws
    assert held.poll(ctypes.byref(Poll(line, select.POLLIN)), 1, int(1000 * PATIENCE)) == 1, "no answer came"
    assert os.read(line, 64) == frame(SERVO, 2, 0)


def test_servos_are_where_a_hand_puts_them(bus, line):
    bus.put(SERVO, 1700.0)

    def is_there() -> bool:
        os.write(line, frame(SERVO, 4, 2, 56, 2))  # read of the position
        return os.read(line, 64) == frame(SERVO, 4, 0, 1700 & 0xFF, 1700 >> 8)

    wait_until(is_there)
