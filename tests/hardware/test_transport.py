"""Tests serial ports: faults are distinguished, and no call blocks."""

import errno
import os
import tty

import pytest
import serial
from limber.hardware.errors import HardwareError
from limber.hardware.safety import Fault
from limber.hardware.transport import WRITE_TIMEOUT, SerialTransport, TransportError, why_not_open

from tests.hardware.patience import wait_until


@pytest.fixture
def line():
    """Both ends of a pty."""
    master, slave = os.openpty()
    tty.setraw(slave)
    yield master, os.ttyname(slave)
    for end in (master, slave):
        try:
            os.close(end)
        except OSError:  # the test has disconnected it
            continue


def test_bytes_go_both_ways_and_reading_never_waits(line):
    master, port = line
    transport = SerialTransport(serial, port, 115200)
    assert transport.read() == b""
    os.write(master, b"from the robot")
    heard = bytearray()

    def all_heard() -> bool:
        heard.extend(transport.read())
        return heard == b"from the robot"

    wait_until(all_heard)
    assert transport.write(b"to the robot")
    assert os.read(master, 100) == b"to the robot"
    transport.close()


def test_a_port_that_takes_no_more_bytes_is_given_up_and_not_waited_for(line):
    _, port = line
    transport = SerialTransport(serial, port, 115200)
    took = [transport.write(b"x" * 1024) for _ in range(64)]
    assert took[0]
    assert not took[-1]
    assert WRITE_TIMEOUT < 0.25  # one write must not take as long as the device's watchdog
    transport.close()


def test_a_pulled_cable_is_told_on_reading_and_on_writing(line):
    master, port = line
    transport = SerialTransport(serial, port, 115200)
    os.close(master)
    for act in (transport.read, lambda: transport.write(b"x")):
        with pytest.raises(TransportError) as raised:
            act()
        assert raised.value.fault is Fault.UNPLUGGED
    transport.close()


def test_a_port_is_for_one_program_alone(line):
    _, port = line
    first = SerialTransport(serial, port, 115200)
    with pytest.raises(TransportError) as raised:
        SerialTransport(serial, port, 115200)
    assert raised.value.fault is Fault.PORT_BUSY
    assert isinstance(raised.value, HardwareError)
    first.close()
    SerialTransport(serial, port, 115200).close()


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (serial.SerialException(errno.ENOENT, "No such file or directory"), Fault.PORT_MISSING),
        (serial.SerialException(errno.ENXIO, "Device not configured"), Fault.PORT_MISSING),
        (serial.SerialException(errno.EBUSY, "Device or resource busy"), Fault.PORT_BUSY),
        (serial.SerialException(errno.EAGAIN, "Could not exclusively lock port"), Fault.PORT_BUSY),
        (serial.SerialException(errno.EACCES, "Permission denied"), Fault.PORT_FORBIDDEN),
        (
            serial.SerialException(
                "could not open port 'COM9': FileNotFoundError(2, 'The system cannot find the file')"
            ),
            Fault.PORT_MISSING,
        ),
        (
            serial.SerialException("could not configure port: (25, 'Inappropriate ioctl for device')"),
            Fault.PORT_UNUSABLE,
        ),
        (ValueError("Invalid baud rate: 7"), Fault.PORT_UNUSABLE),
    ],
)
def test_every_reason_why_a_port_does_not_open_is_told_apart(error, fault):
    assert why_not_open(error, "linux") is fault


def test_windows_denies_access_to_a_port_in_use():
    error = serial.SerialException(
        "could not open port 'COM3': PermissionError(13, 'Access is denied.', None, 5)"
    )
    assert why_not_open(error, "win32") is Fault.PORT_BUSY
