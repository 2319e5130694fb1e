"""Whoever asks whether the host runs gets an answer, each of them, and it changes nothing."""

import socket
from contextlib import ExitStack

import pytest
from limber.inputs.order_inbox import MOST_ASKERS, PONG
from limber.inputs.packets import Message, messages, packed
from limber.player.osc import PlayerInbox
from limber.player.version import player_version

from tests.blender.osc_sender import bundle, packet, sending_to, words

PATIENCE = 60.0  # [s] for a packet that is sent on this computer


@pytest.fixture
def inbox():
    inbox = PlayerInbox("127.0.0.1", 0, lambda: None)
    yield inbox
    inbox.close()


def test_each_program_that_asks_is_answered(inbox: PlayerInbox):
    with ExitStack() as stack, sending_to(inbox) as send:
        send(packet("/limber/event/wave"))
        askers = [stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(3)]
        for asker, question in zip(
            askers,
            (packet("/limber/ping"), bundle(packet("/limber/ping", 1.0)), words("/limber/ping", "who")),
            strict=True,
        ):
            asker.settimeout(PATIENCE)
            before = inbox.received
            asker.sendto(question, ("127.0.0.1", inbox.port))
            while inbox.received == before:
                inbox._empty_all(0.0)
        (heard,), troubles = inbox.told("Idle")
        assert (heard.order.word, troubles) == ("event", [])
        for asker in askers:
            answer, sender = asker.recvfrom(100)
            assert list(messages(answer)) == [Message(PONG, (player_version(), "Idle"))]
            assert sender[1] == inbox.port, "from the port that was asked"
        inbox.told()
        askers[0].setblocking(False)
        with pytest.raises(BlockingIOError):
            askers[0].recv(100)


def test_one_packet_gets_one_short_answer(inbox: PlayerInbox):
    """Its sender may be forged: then the answers go to somebody who asked nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asker.settimeout(PATIENCE)
        questions = [words("/limber/ping", str(k)) for k in range(20)]
        asker.sendto(bundle(*questions), ("127.0.0.1", inbox.port))
        while not inbox.received:
            inbox._empty_all(0.0)
        inbox.told("x" * 10_000)
        assert len(asker.recv(100_000)) < len(bundle(*questions))
        asker.setblocking(False)
        with pytest.raises(BlockingIOError):
            asker.recv(100)


def test_a_flood_of_questions_is_answered_in_part(inbox: PlayerInbox):
    asked = Message("/limber/ping", sender=("127.0.0.1", 9))
    for _ in range(2 * MOST_ASKERS):
        inbox.take(asked)
    assert len(inbox._askers) == MOST_ASKERS
    assert inbox.answer("1.0.0", "")
    assert not inbox.answer("1.0.0", "")


def test_who_asked_and_cannot_be_reached_stops_nothing(inbox: PlayerInbox):
    inbox.take(Message("/limber/ping", sender=("255.255.255.255", 9)))
    assert inbox.answer("1.0.0", "")


@pytest.mark.parametrize("text", ["", "abc", "abcd", "Gr\u00fc\u00dfe", "a\0b", "\ud800"])
def test_what_is_packed_is_read_equal(text: str):
    sent = text.replace("\0", "").replace("\ud800", "?")
    assert list(messages(packed("/x", text, 0.5, text))) == [Message("/x", (sent, 0.5, sent))]
