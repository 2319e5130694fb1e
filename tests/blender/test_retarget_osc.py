"""Orientations over UDP as OSC: bytes, what is lost, and a body that follows them."""

import socket
import struct
from math import cos, degrees, radians, sin

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.rig import live
from limber.rig.osc.packets import Message, messages
from limber.rig.retarget import receiver

from tests.blender.figures import XSENS, figure
from tests.blender.osc_sender import bundle, free_port, packet, padded


def test_the_specifications_own_example_is_read():
    data = bytes.fromhex("2f6f7363696c6c61746f722f342f6672657175656e637900 2c66000043dc0000".replace(" ", ""))
    assert list(messages(data)) == [Message("/oscillator/4/frequency", (440.0,))]


def test_bundles_are_read_message_by_message_also_in_bundles():
    inner = bundle(packet("/b", 2.0), packet("/c"))
    assert [message.address for message in messages(bundle(packet("/a", 1.0), inner))] == ["/a", "/b", "/c"]


def test_numbers_of_all_types_are_numbers():
    data = padded("/x") + padded(",fdihTFIN") + struct.pack(">fdiq", 0.5, 0.25, -3, 7)
    assert list(messages(data)) == [Message("/x", (0.5, 0.25, -3.0, 7.0, 1.0, 0.0, 1.0, 0.0))]


def test_old_senders_leave_out_the_types_of_nothing():
    assert list(messages(padded("/x"))) == [Message("/x")]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "does not end"),
        (padded("x") + padded(","), "begins with /"),
        (padded("/x") + padded("ff"), "begin with a comma"),
        (padded("/x") + padded(",f") + b"\x00", "ends after"),
        (padded("/x") + padded(",s") + padded("no"), "type 's'"),
        (b"#bundle\x00" + bytes(8) + struct.pack(">i", 99), "says it has 99 bytes"),
        (b"/\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_what_is_no_packet_says_what_was_expected(data: bytes, said: str):
    (message,) = messages(data)
    assert said in message.trouble
    assert message.numbers == ()


def test_what_cannot_be_read_spoils_nothing_beside_it():
    words = padded("/words") + padded(",s") + padded("no")
    read = list(messages(bundle(packet("/a", 1.0), words, b"\xff\xff\xff\xff", packet("/b", 2.0))))
    assert [(message.address, bool(message.trouble)) for message in read] == [("/a", False), ("/words", True), ("", True), ("/b", False)]


@given(st.binary(max_size=200))
def test_any_bytes_are_messages_or_say_what_is_wrong(data: bytes):
    assert all(message.address.startswith("/") or message.trouble for message in messages(data))


@pytest.fixture
def heard():
    """A receiver on a free port of this computer, and a way to send to it."""
    found = receiver.Receiver("127.0.0.1", 0)
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    yield found, lambda data: sender.sendto(data, ("127.0.0.1", found.port))
    found.close()
    sender.close()


def test_the_newest_orientation_counts_and_a_link_that_never_came_is_lost(heard):
    found, send = heard
    send(packet("/limber/link/Head", 1.0, 0.0, 0.0, 0.0))
    send(packet("/limber/link/Head", cos(0.3), 0.0, 0.0, sin(0.3)))
    send(packet("/other/thing", 1.0))
    found.look()
    turns, places = found.posed(["Head", "Tail"])
    assert turns[0] == pytest.approx(np.array([[cos(0.6), -sin(0.6), 0.0], [sin(0.6), cos(0.6), 0.0], [0.0, 0.0, 1.0]]), abs=1e-6)
    assert np.isnan(turns[1]).all()
    assert np.isnan(places).all()


@pytest.mark.parametrize("lost", [(0.0, 0.0, 0.0, 0.0), (float("nan"), 0.0, 0.0, 1.0), (9.0, 0.0, 0.0, 0.0)])
def test_a_tracker_that_has_lost_its_link_leaves_it_free(heard, lost):
    found, send = heard
    send(packet("/limber/link/Head", *lost))
    found.look()
    assert np.isnan(found.posed(["Head"])[0]).all()


def test_what_cannot_be_used_is_said_and_what_comes_after_it_counts(heard):
    found, send = heard
    send(b"garbage")
    send(packet("/limber/link/Head", 1.0))
    send(packet("/limber/place/Pelvis", 1.0, 2.0, 3.0))
    found.look()
    assert found.problem == "'/limber/link/Head' has 1 numbers, and 4 were expected"
    assert found.posed(["Pelvis"])[1].tolist() == [[1.0, 2.0, 3.0]]


def test_ever_new_names_do_not_fill_the_memory(heard, monkeypatch):
    found, send = heard
    monkeypatch.setattr(receiver, "MOST", 3)
    for number in range(9):
        send(packet(f"/limber/link/{number}", 1.0, 0.0, 0.0, 0.0))
    found.look()
    assert len(found.turns) == 3


@pytest.fixture
def body():
    """A figure that follows what comes over UDP, and a way to send to it."""
    rig = figure(XSENS, "Body")
    retarget = rig.limber.retarget
    retarget.input, retarget.port = "OSC", free_port()
    bpy.ops.limber.listen()
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    yield rig, lambda data: sender.sendto(data, ("127.0.0.1", retarget.port))
    sender.close()


def turned(rig, bone: str) -> float:
    """By how much [degrees] a bone is turned from its rest as it is shown."""
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
    bpy.ops.limber.follow()
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


def test_a_stream_is_calibrated_from_a_pose_only_with_what_has_come_and_lost_links_are_told(body):
    rig, send = body
    retarget = rig.limber.retarget
    for name in ("Pelvis", "Head"):
        send(packet(f"/limber/link/{name}", 1.0, 0.0, 0.0, 0.0))
    bpy.ops.limber.pair_bones()
    retarget.pairs[-1].source = "Nobody"
    retarget.calibrate_from = "POSE"
    with pytest.raises(RuntimeError, match="Nothing has come for 'Nobody' yet: send it while you calibrate, or switch its pair off"):
        bpy.ops.limber.calibrate_pairs()
    retarget.calibrate_from = "REST"
    bpy.ops.limber.calibrate_pairs()
    bpy.ops.limber.follow()
    bpy.context.scene.frame_set(bpy.context.scene.frame_current + 1)
    lost = f"'{retarget.pairs[-1].target}' have no target in this frame and move freely: nothing comes for their sources"
    assert lost in live.session(rig, retarget).problem
    with pytest.raises(RuntimeError, match="It listens already: press End Listening to leave"):
        bpy.ops.limber.listen()
