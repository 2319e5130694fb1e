"""Tests that a packet's time is the one that the system recorded on arrival, not the time of reading."""

import socket
import sys
import time
from math import isnan, nan

import pytest
from limber.inputs import arrival_times
from limber.inputs.inbox import Inbox
from limber.inputs.packets import Message
from limber.player.osc import PlayerInbox

from tests.blender.osc_sender import packet, sending_to

on_systems_with_stamps = pytest.mark.skipif(
    sys.platform not in arrival_times.STAMPS, reason="this system does not stamp what it receives"
)


class Ages(Inbox):
    """Inbox that records the age of each message when it is read."""

    def __init__(self, host: str, port: int) -> None:
        self.ages: list[float] = []
        super().__init__(host, port)

    def take(self, message: Message) -> None:
        self.ages.append(message.age)


def look_ten_seconds_apart(inbox: Inbox) -> None:
    """Simulates that the inbox was last read ten seconds ago, and is read next ten seconds later."""
    begun = time.monotonic()
    inbox._arrivals_known_until, inbox.now = begun - 10.0, lambda: begun + 10.0


@on_systems_with_stamps
def test_a_message_knows_since_when_it_has_come():
    inbox = Ages("127.0.0.1", 0)
    with sending_to(inbox) as send:
        send(packet("/a", 1.0))
        send(packet("/b", 1.0))
        look_ten_seconds_apart(inbox)
        inbox.look()
    inbox.close()
    older, newer = inbox.ages
    assert 0.0 < newer <= older < 0.6


@on_systems_with_stamps
def test_orders_to_the_player_know_it_too():
    inbox = PlayerInbox("127.0.0.1", 0, lambda: None)
    with sending_to(inbox) as send:
        send(packet("/limber/influence/head", 1.0))
        look_ten_seconds_apart(inbox)
        ((heard,), _) = inbox.told()
    inbox.close()
    assert 0.0 < heard.age < 0.6


@on_systems_with_stamps
@pytest.mark.parametrize("seconds", [-3600.0, 3600.0])
def test_a_clock_that_is_set_while_a_packet_waits_leaves_its_time_between_two_looks(monkeypatch, seconds):
    inbox, told = Ages("127.0.0.1", 0), time.time
    with sending_to(inbox) as send:
        monkeypatch.setattr(arrival_times.time, "time", lambda: told() + seconds)
        send(packet("/a", 1.0))
        look_ten_seconds_apart(inbox)
        inbox.look()
    inbox.close()
    assert inbox.ages == [float(seconds > 0.0)]  # of the time between the two readings


def test_where_the_system_does_not_say_it_it_is_not_known(monkeypatch):
    monkeypatch.setattr(arrival_times, "STAMPS", {})
    inbox = Ages("127.0.0.1", 0)
    with sending_to(inbox) as send:
        send(packet("/a", 1.0))
        inbox.look()
    inbox.close()
    (age,) = inbox.ages
    assert isnan(age)


def test_how_long_ago_is_a_share_of_the_time_between_looks_where_the_clock_goes_on():
    assert [arrival_times.share(came, 10.0, 12.0) for came in (12.0, 11.5, 10.0)] == [0.0, 0.25, 1.0]
    assert [arrival_times.share(came, 10.0, 12.0) for came in (13.0, 9.0)] == [0.0, 1.0]
    assert isnan(arrival_times.share(nan, 10.0, 12.0))


@on_systems_with_stamps
def test_a_packet_without_a_stamp_is_received_all_the_same():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.bind(("127.0.0.1", 0))
            sender.sendto(b"abc", receiver.getsockname())
            from_sender = sender.getsockname()
        size, came, address = arrival_times.receive(receiver, memoryview(bytearray(9)))
    assert (size, address) == (3, from_sender)
    assert isnan(came)
