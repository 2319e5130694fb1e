"""Tests addresses of robots, and a connection that never blocks."""

import socket

import pytest
from limber.hardware.address import Address, address_of
from limber.hardware.errors import DeviceError
from limber.hardware.network import MOST_WAITING, NetworkTransport
from limber.hardware.safety import Fault
from limber.hardware.transport import TransportError

from tests.hardware.patience import wait_until


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("reachy-mini.local", Address("reachy-mini.local", 8000)),
        (" 192.168.0.7:18000 ", Address("192.168.0.7", 18000)),
        ("[fe80::1]:9", Address("fe80::1", 9)),
        ("[::1]", Address("::1", 8000)),
    ],
)
def test_an_address_has_a_host_and_perhaps_a_port(text, address):
    assert address_of(text) == address
    assert address_of(address.authority) == address


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            ":8000",
            "host:",
            "host:0",
            "host:65536",
            "host:1e3",
            "http://host:8000",
            "a b",
            "[::1",
            "[::1]8",
            "h\r\nX: y",
        ),
        *("host:0655359999", "[::1]:0655359999", "host:" + "9" * 5000, "host:" + "0" * 5000 + "1"),
    ],
)
def test_what_is_no_address_is_refused_with_an_example(text):
    with pytest.raises(DeviceError, match=r"write host and port, such as reachy-mini\.local:8000"):
        address_of(text)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.10", "::1", "localhost", "LOCALHOST"])
def test_this_computer_is_known_without_a_name_server(host):
    assert Address(host, 1).is_loopback


@pytest.mark.parametrize(
    "host",
    ["0.0.0.0", "192.0.2.1", "localhost.example.org", "127.0.0.1.example.org", "reachy-mini.local", "::"],
)
def test_all_others_count_as_other_computers(host):
    assert not Address(host, 1).is_loopback


def failure(transport: NetworkTransport) -> TransportError:
    found: list[TransportError] = []

    def fails() -> bool:
        try:
            transport.read()
        except TransportError as error:
            found.append(error)
        return bool(found)

    wait_until(fails)
    return found[0]


@pytest.mark.parametrize(
    ("host", "fault"), [("127.0.0.1", Fault.PORT_UNUSABLE), ("no-such-robot.invalid", Fault.PORT_MISSING)]
)
def test_what_cannot_be_connected_to_is_a_fault(host, fault):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]  # a port on which no server listens any more
    transport = NetworkTransport(Address(host, port))
    error = failure(transport)
    assert error.fault is fault
    assert error.detail
    transport.close()


def test_bytes_that_are_written_before_the_connection_is_there_are_sent_and_others_are_read():
    with socket.create_server(("127.0.0.1", 0)) as server:
        transport = NetworkTransport(Address(*server.getsockname()))
        assert transport.write(b"hello")
        peer, _ = server.accept()
        with peer:
            wait_until(
                lambda: transport.read() == b"" and transport._socket is not None and not transport._waiting
            )
            assert peer.recv(100) == b"hello"
            peer.sendall(b"world" * 50_000)
            got = bytearray()
            wait_until(lambda: len(got.extend(transport.read()) or got) == 250_000)
        error = failure(transport)
    assert error.fault is Fault.UNPLUGGED
    transport.close()


def test_a_network_that_takes_nothing_is_told_and_holds_nothing_up():
    with socket.create_server(("127.0.0.1", 0)) as server:
        transport = NetworkTransport(Address(*server.getsockname()))
        peer, _ = server.accept()
        with peer:
            wait_until(lambda: transport.read() == b"" and transport._socket is not None)
            taken = 0
            while transport.write(b"x" * 1000):
                taken += 1000
                assert taken < 1e9
            assert len(transport._waiting) <= MOST_WAITING
            got = 0
            while got < taken:
                got += len(peer.recv(1 << 20))
                transport.read()  # sends the waiting bytes
            assert transport.write(b"y")
    transport.close()
