"""Tests orientations over UDP as OSC: bytes, lost packets, and a body that follows them."""

import random
import socket
import struct
import sys
import time
from math import cos, degrees, radians, sin

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.character.body import streamed_links
from limber.inputs import arrival_times
from limber.inputs import inbox as inboxes
from limber.inputs.inbox import BUDGET, Inbox
from limber.inputs.packets import Message, has_address, messages
from limber.rig.bodies import receiver
from limber.rig.live import live

from tests.blender.figures import XSENS, figure
from tests.blender.osc_figure import osc_figure
from tests.blender.osc_sender import Ticking, bundle, packet, padded, sending_to, words


def test_the_specifications_own_example_is_read():
    data = bytes.fromhex("2f6f7363696c6c61746f722f342f6672657175656e637900 2c66000043dc0000".replace(" ", ""))
    assert list(messages(data)) == [Message("/oscillator/4/frequency", (440.0,))]


def test_bundles_are_read_message_by_message_also_in_bundles():
    inner = bundle(packet("/b", 2.0), packet("/c"))
    assert [message.address for message in messages(bundle(packet("/a", 1.0), inner))] == ["/a", "/b", "/c"]


def test_numbers_of_all_types_are_numbers():
    data = padded("/x") + padded(",fdihTFIN") + struct.pack(">fdiq", 0.5, 0.25, -3, 7)
    assert list(messages(data)) == [Message("/x", (0.5, 0.25, -3.0, 7.0, 1.0, 0.0, 1.0, 0.0))]


def test_strings_are_read_and_other_arguments_read_past():
    tags = padded("/x") + padded(",sbf[fs]tmrcSi")
    data = (
        padded("name")
        + struct.pack(">i", 3)
        + b"abc\x00"
        + struct.pack(">f", 0.5)
        + struct.pack(">f", 9.0)
        + padded("inside")
    )
    data += bytes(8) + bytes(4) + bytes(4) + bytes(4) + padded("Symbol") + struct.pack(">i", 7)
    (message,) = messages(tags + data)
    assert message == Message("/x", ("name", 0.5, "Symbol", 7.0))
    assert (message.strings, message.numbers) == (("name", "Symbol"), (0.5, 7.0))


def test_what_is_in_a_bundle_was_taken_at_its_time():
    inner, untimed = bundle(packet("/b", 2.0), time=3.9e9 + 0.25), bundle(packet("/c", 2.0))
    data = bundle(packet("/a", 1.0), inner, untimed, time=3.9e9)
    times = {message.address: message.time for message in messages(data)}
    assert times == {"/a": 3.9e9, "/b": 3.9e9 + 0.25, "/c": 3.9e9}


@pytest.mark.parametrize("tag", [bytes(8), bytes(7) + b"\x01"])
def test_a_bundle_for_immediately_says_no_time(tag: bytes):
    data = bundle(packet("/a", 1.0))
    (message,) = messages(data[:8] + tag + data[16:])
    assert np.isnan(message.time)


def test_what_was_overtaken_on_its_way_does_not_come_back():
    heard = receiver.Receiver("127.0.0.1", 0)
    with sending_to(heard) as send:
        for time, w in ((50.0, 1.0), (50.1, 0.0), (50.05, 1.0)):
            send(bundle(packet("/limber/link/Head", w, 1.0 - w, 0.0, 0.0), time=time))
            heard.look()
    heard.close()
    assert heard.poses.rotations["Head"][1, 1] == pytest.approx(-1.0), "that of 50.1 s"
    assert heard.poses.samples(["Head"]).times[0] == pytest.approx(50.1)


def test_a_sender_that_begins_anew_counts_though_its_clock_is_behind():
    heard = receiver.Receiver("127.0.0.1", 0)
    with sending_to(heard) as send:
        for time, w in ((50.0, 1.0), (2.0, 0.0)):
            send(bundle(packet("/limber/link/Head", w, 1.0 - w, 0.0, 0.0), time=time))
            heard.look()
    heard.close()
    assert heard.poses.rotations["Head"][1, 1] == pytest.approx(-1.0)


def test_old_senders_leave_out_the_types_of_nothing():
    assert list(messages(padded("/x"))) == [Message("/x")]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "does not end"),
        (padded("x") + padded(","), "begins with /"),
        (padded("/x") + padded("ff"), "begin with a comma"),
        (padded("/x") + padded(",f") + b"\x00", "ends after"),
        (padded("/x") + padded(",x") + padded("no"), "type 'x'"),
        (padded("/x") + padded(",s") + b"no", "does not end"),
        (padded("/x") + padded(",b") + struct.pack(">i", 5) + b"blob", "ends after"),
        (padded("/x") + padded(",b") + struct.pack(">i", -4), "claims to have -4 bytes"),
        (padded("/x") + padded(",t") + b"time", "ends after"),
        (padded("/x") + padded(",[f") + bytes(4), "does not end"),
        (padded("/x") + padded(",]"), "has not begun"),
        (padded("/" + 2000 * "x") + padded(","), "at most 1024 bytes"),
        (padded("/x") + padded("," + 2000 * "T"), "at most 1024 arguments"),
        (b"#bundle\x00" + bytes(8) + struct.pack(">i", 99), "claims to have 99 bytes"),
        (b"/\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_what_is_no_packet_says_what_was_expected(data: bytes, said: str):
    (message,) = messages(data)
    assert said in message.trouble
    assert message.numbers == ()


def test_what_cannot_be_read_spoils_nothing_beside_it():
    unknown = padded("/words") + padded(",x") + padded("no")
    read = list(messages(bundle(packet("/a", 1.0), unknown, b"\xff\xff\xff\xff", packet("/b", 2.0))))
    assert [(message.address, bool(message.trouble)) for message in read] == [
        ("/a", False),
        ("/words", True),
        ("", True),
        ("/b", False),
    ]


@given(st.binary(max_size=200))
def test_any_bytes_are_messages_or_say_what_is_wrong(data: bytes):
    assert all(
        message.address.startswith("/") or message.trouble or data.startswith(b"#bundle")
        for message in messages(data)
    )


@pytest.mark.parametrize("seed", range(4))
def test_damaged_packets_of_all_types_are_messages_or_say_what_is_wrong(seed: int):
    chance = random.Random(seed)
    sound = (
        padded("/x")
        + padded(",sbf[fs]tmrcSi")
        + padded("name")
        + struct.pack(">i", 3)
        + bytes(8)
        + padded("in")
        + bytes(24)
    )
    for _ in range(5000):
        data = bytearray(bundle(sound, bundle(packet("/a", 1.0), sound), sound))
        for _ in range(chance.randrange(1, 6)):
            data[chance.randrange(len(data))] = chance.choice(
                (0, 0x2C, 0x5B, 0x5D, 0x62, 0x73, 0xFC, 0xFF, chance.randrange(256))
            )
        data = data[: chance.randrange(len(data))] if chance.random() < 0.3 else data
        assert len(list(messages(bytes(data)))) < 100


def test_an_address_is_found_in_bytes_only_where_a_message_has_it():
    stop = b"/limber/stop"
    there = [
        padded("/limber/stop"),
        bundle(packet("/a"), bundle(packet("/limber/stop", 1.0))),
        packet("/limber/stop", 0.0),
    ]
    elsewhere = [
        packet("/other/limber/stop"),
        packet("/limber/stops"),
        words("/a", "/limber/stop"),
        bundle(packet("/other/limber/stop"), words("/b", "/limber/stop", "/limber/stop")),
    ]
    assert all(has_address(data, stop) for data in there)
    assert not any(has_address(data, stop) for data in elsewhere)


def test_what_there_is_no_time_to_read_is_read_later_and_never_after_what_is_newer():
    class Noting(Inbox):
        def take(self, message: Message) -> None:
            taken.append((message.address, *message.numbers))

    taken: list[tuple] = []
    inbox = Noting("127.0.0.1", 0, Ticking(BUDGET / 50))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:

        def put(value: float, count: int) -> None:
            data = bundle(*(packet(f"/{k}", value) for k in range(count)))
            sender.sendto(data, ("127.0.0.1", inbox.port))

        for value, count in ((1.0, 300), (2.0, 200), (3.0, 100)):
            put(value, count)
        inbox.look()
        first = list(taken)
        put(4.0, 10)
        for _ in range(100):
            inbox.look()
    inbox.close()
    assert 0 < len(first) < 100
    assert {value for _, value in first} == {3.0}, "the newest first"
    newest = dict(taken)
    assert newest == {
        f"/{k}": 4.0 if k < 10 else 3.0 if k < 100 else 2.0 if k < 200 else 1.0 for k in range(300)
    }
    assert len(taken) == 310, "nothing twice but what came anew"
    assert inbox.problem == ""


def test_more_than_can_be_read_is_left_out_from_the_oldest_on_and_said(monkeypatch):
    class Noting(Inbox):
        def take(self, message: Message) -> None:
            taken.append(message.numbers[0])

    taken: list[float] = []
    monkeypatch.setattr(inboxes, "WAITING", 4000)
    inbox = Noting("127.0.0.1", 0, Ticking(BUDGET / 1000))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for value in range(20):
            sender.sendto(packet(f"/{value}", value), ("127.0.0.1", inbox.port))
        inbox.look()
    inbox.close()
    assert taken == sorted(taken)
    assert taken[-1] == 19.0
    assert 0.0 not in taken
    assert "older messages are left out" in inbox.problem


def test_a_stop_at_the_end_of_a_burst_is_heard_though_nobody_reads_meanwhile():
    class Stopping(Inbox):
        urgent = b"/stop"

        def take(self, message: Message) -> None:
            pass

        def alarm(self) -> None:
            stops.append(True)

    stops: list[bool] = []
    inbox = Stopping("127.0.0.1", 0)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        largest = sender.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)  # as given by the system
        with inbox._lock:
            for _ in range(largest // 2048):  # [bytes] that a small packet occupies at most
                sender.sendto(packet("/other", 1.0), ("127.0.0.1", inbox.port))
            sender.sendto(packet("/stop", 1.0), ("127.0.0.1", inbox.port))
        inbox.look()
        while not inbox.is_read:
            inbox.look()
    inbox.close()
    assert stops == [True]


@pytest.fixture
def heard():
    """A receiver on a free port of this computer, and a function that sends to it."""
    found = receiver.Receiver("127.0.0.1", 0)
    with sending_to(found) as send:
        yield found, send
    found.close()


def test_the_newest_orientation_counts_and_a_link_that_never_came_is_lost(heard):
    found, send = heard
    send(packet("/limber/link/Head", 1.0, 0.0, 0.0, 0.0))
    send(packet("/limber/link/Head", cos(0.3), 0.0, 0.0, sin(0.3)))
    send(packet("/other/thing", 1.0))
    found.look()
    turns, places = found.poses.posed(["Head", "Tail"])
    assert turns[0] == pytest.approx(
        np.array([[cos(0.6), -sin(0.6), 0.0], [sin(0.6), cos(0.6), 0.0], [0.0, 0.0, 1.0]]), abs=1e-6
    )
    assert np.isnan(turns[1]).all()
    assert np.isnan(places).all()


@pytest.mark.parametrize("lost", [(0.0, 0.0, 0.0, 0.0), (float("nan"), 0.0, 0.0, 1.0), (9.0, 0.0, 0.0, 0.0)])
def test_a_tracker_that_has_lost_its_link_leaves_it_free(heard, lost):
    found, send = heard
    send(packet("/limber/link/Head", *lost))
    found.look()
    assert np.isnan(found.poses.posed(["Head"])[0]).all()


@pytest.mark.every_blender
def test_what_cannot_be_used_is_said_and_what_comes_after_it_counts(heard):
    found, send = heard
    send(b"garbage")
    send(packet("/limber/link/Head", 1.0))
    send(packet("/limber/position/Pelvis", 1.0, 2.0, 3.0))
    found.look()
    assert found.problem == "'/limber/link/Head' has 1 number, and 4 were expected"
    assert found.poses.posed(["Pelvis"])[1].tolist() == [[1.0, 2.0, 3.0]]


def test_ever_new_names_do_not_fill_the_memory(heard, monkeypatch):
    found, send = heard
    monkeypatch.setattr(streamed_links, "MOST_LINKS", 3)
    for number in range(9):
        send(packet(f"/limber/link/{number}", 1.0, 0.0, 0.0, 0.0))
    found.look()
    assert len(found.poses.rotations) == 3


@pytest.fixture
def body():
    """A figure that follows data received over UDP, and a function that sends to it."""
    with osc_figure() as (rig, send):
        yield rig, send


def turned(rig, bone: str) -> float:
    """Angle [degrees] of a bone from its rest pose, as shown."""
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[bone].matrix.to_quaternion()
    rest = rig.data.bones[bone].matrix_local.to_quaternion()
    return degrees(2 * np.arccos(min(1.0, abs(shown.dot(rest)))))


def test_a_body_follows_what_is_sent_and_stands_where_nothing_comes(body):
    rig, send = body
    half = radians(20)
    for name in ("Pelvis", "T8", "Head", "LeftUpperArm"):
        send(packet(f"/limber/link/{name}", 1.0, 0.0, 0.0, 0.0))
    bpy.ops.limber.pair_bones()
    assert {pair.target for pair in rig.limber.retarget.pairs} == {"Pelvis", "T8", "Head", "LeftUpperArm"}
    bpy.ops.limber.live()
    assert max(turned(rig, name) for name in ("Pelvis", "Head", "LeftUpperArm")) < 0.1, "sent as it rests"
    send(packet("/limber/link/LeftUpperArm", cos(half), sin(half), 0.0, 0.0))
    live.advance_clock(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), 100.0)
    for step in range(1, 6):
        live.advance_clock(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), 100.0 + 0.05 * step)
    assert turned(rig, "LeftUpperArm") == pytest.approx(40.0, abs=0.2)
    assert turned(rig, "Head") < 0.2
    assert live.session(rig, rig.limber.retarget).problem == ""


def test_nothing_listens_before_it_is_asked_for_nor_after_a_file_was_opened(body, reopen):
    rig, _ = body
    retarget = rig.limber.retarget
    assert receiver.find(retarget.host, retarget.port) is not None
    reopen()
    retarget = bpy.data.objects["Body"].limber.retarget
    assert receiver.find(retarget.host, retarget.port) is None
    with pytest.raises(RuntimeError, match="Nothing listens: press Listen"):
        bpy.ops.limber.pair_bones()


def test_other_computers_are_heard_only_where_blender_may_go_online(body):
    rig, _ = body
    bpy.ops.limber.end_listen()
    rig.limber.retarget.host = "0.0.0.0"
    if bpy.app.online_access:
        pytest.skip("this Blender may go online")
    with pytest.raises(RuntimeError, match="Allow Online Access"):
        bpy.ops.limber.listen()


def test_a_port_that_is_taken_and_an_address_that_is_none_are_named():
    rig = figure(XSENS, "Body")
    retarget = rig.limber.retarget
    retarget.input = "OSC"
    retarget.host = "nowhere"
    with pytest.raises(RuntimeError, match=r"'nowhere' is no address to listen on: 127\.0\.0\.1"):
        bpy.ops.limber.listen()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        retarget.host, retarget.port = "127.0.0.1", other.getsockname()[1]
        with pytest.raises(RuntimeError, match=f"Port {retarget.port} of 127.0.0.1 cannot be listened on"):
            bpy.ops.limber.listen()


@pytest.mark.every_blender
def test_a_stream_is_calibrated_from_a_pose_only_with_what_has_come_and_lost_links_are_told(body):
    rig, send = body
    retarget = rig.limber.retarget
    for name in ("Pelvis", "Head"):
        send(packet(f"/limber/link/{name}", 1.0, 0.0, 0.0, 0.0))
    bpy.ops.limber.pair_bones()
    retarget.pairs[-1].source = "Nobody"
    retarget.calibrate_from = "POSE"
    with pytest.raises(
        RuntimeError,
        match="Nothing has come for 'Nobody' yet: send it while you calibrate, or switch its pair off",
    ):
        bpy.ops.limber.calibrate_pairs()
    retarget.calibrate_from = "REST"
    bpy.ops.limber.calibrate_pairs()
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(bpy.context.scene.frame_current + 1)
    lost = (
        f"'{retarget.pairs[-1].target}' have no target in this frame and move freely: nothing comes for their"
        " sources"
    )
    assert lost in live.session(rig, retarget).problem
    with pytest.raises(RuntimeError, match="It listens already: press End Listening to leave"):
        bpy.ops.limber.listen()


@pytest.mark.skipif(
    sys.platform not in arrival_times.STAMPS, reason="this system does not stamp what it receives"
)
def test_a_links_sample_knows_since_when_it_has_come():
    heard = receiver.Receiver("127.0.0.1", 0)
    with sending_to(heard) as send:
        send(packet("/limber/link/Chest", 1.0, 0.0, 0.0, 0.0))
        send(
            padded("/VMC/Ext/Bone/Pos")
            + padded(",sfffffff")
            + padded("Head")
            + struct.pack(">7f", *(0.0,) * 6, 1.0)
        )
        begun = time.monotonic()
        heard._arrivals_known_until, heard.now = begun - 10.0, lambda: begun + 10.0
        heard.look()
    heard.close()
    chest, head, unknown, *positions = heard.poses.samples(["Chest", "Head", "Nobody"]).ages
    assert 0.0 < head <= chest < 0.6
    assert positions[1] == head
    assert np.isnan([unknown, positions[0], positions[2]]).all()
