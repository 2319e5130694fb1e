"""Tests the memory map: the newest message is read, and no reader ever reads half a message."""

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.hardware.device import from_plain, to_plain
from limber.hardware.errors import WorkerError
from limber.hardware.memory import Mailbox, SharedMemory
from limber.hardware.message_codecs import DETAIL_BYTES, WARNING_BYTES, OrdersCodec, ReportCodec, RequestCodec
from limber.hardware.messages import Orders, Report, Request
from limber.hardware.safety import Command, Fault, State
from limber.hardware.status import ChannelStatus
from limber.motion import Kinematic

from tests.hardware.simulation import make_device

SIZE = 64
ROOT = Path(__file__).resolve().parents[2]
counts = st.integers(0, 2**64 - 1)
words = st.integers(0, 2**32 - 1)
numbers = st.floats(allow_nan=False)
triples = st.tuples(numbers, numbers, numbers)
motions = st.tuples(*[st.builds(Kinematic, numbers, numbers, numbers)] * 3)
known = st.none() | numbers
requests = st.builds(
    Request,
    command=st.sampled_from(Command),
    target=st.integers(-(2**31), 2**31 - 1),
    amount=numbers,
    span=st.tuples(numbers, numbers),
    free=st.booleans(),
    channels=st.frozensets(st.integers(0, 63)),
    values=triples,
    stops=words,
)


def make_mailbox(fill: int = 0) -> tuple[bytearray, Mailbox, Mailbox]:
    """Memory with the writer's and the reader's end."""
    memory = bytearray([fill]) * Mailbox.length(SIZE)
    return memory, Mailbox(memoryview(memory), 0, SIZE), Mailbox(memoryview(memory), 0, SIZE)


def test_an_empty_mailbox_has_no_message():
    _, _, reader = make_mailbox()
    assert reader.read() is None


@settings(derandomize=True)
@given(st.lists(st.one_of(st.binary(min_size=SIZE, max_size=SIZE), st.none()), max_size=20))
def test_the_newest_message_is_read_however_often_and_seldom_one_looks(actions):
    _, writer, reader = make_mailbox()
    newest = None
    for message in actions:
        if message is None:
            assert reader.read() == newest
        else:
            writer.write(message)
            newest = message
    assert reader.read() == newest


@settings(derandomize=True, max_examples=300)
@given(st.data())
def test_bytes_changed_under_the_reader_never_make_a_message(data):
    memory, writer, reader = make_mailbox()
    first, second = b"a" * SIZE, b"b" * SIZE
    writer.write(first)
    if data.draw(st.booleans()):
        reader.read()
    writer.write(second)
    for _ in range(data.draw(st.integers(1, 4))):
        memory[data.draw(st.integers(0, len(memory) - 1))] = data.draw(st.integers(0, 255))
    assert reader.read() in (None, first, second)


def test_a_mailbox_full_of_noise_has_no_message():
    for fill in (1, 0x7F, 0xFF):
        _, _, reader = make_mailbox(fill)
        assert reader.read() is None


def test_a_reader_survives_a_writer_that_never_pauses():
    """Another process writes messages of one repeated byte as fast as it can; every message read consists of
    one byte, and the messages change.
    """
    memory = SharedMemory.create(make_device(8))
    writing = (
        "import sys, mmap\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "from checkout import load_limber\n"
        "load_limber()\n"
        "from limber.hardware.memory import Mailbox\n"
        "with open(sys.argv[1], 'r+b') as file:\n"
        "    mapped = mmap.mmap(file.fileno(), 0)\n"
        f"box = Mailbox(memoryview(mapped), 1024, {SIZE})\n"
        "number = 0\n"
        "while True:\n"
        "    number += 1\n"
        f"    box.write(bytes([number & 0xFF]) * {SIZE})\n"
        "    if number == 1000:\n"
        "        print('writing', flush=True)\n"
    )
    with (
        memory,
        subprocess.Popen([sys.executable, "-c", writing, str(memory.path)], stdout=subprocess.PIPE) as writer,
    ):
        writer.stdout.readline()
        reader = Mailbox(memory._memory, 1024, SIZE)
        seen = set()
        until = time.perf_counter() + 20.0
        while len(seen) < 100:
            assert time.perf_counter() < until
            for _ in range(1000):
                message = reader.read()
                assert message is None or len(set(message)) == 1
                seen.add(message)
        writer.kill()


@settings(derandomize=True)
@given(st.builds(Orders, counts, counts, numbers, st.booleans(), numbers, numbers, motions))
def test_orders_arrive_as_they_were_sent(orders):
    codec = OrdersCodec(3)
    assert codec.unpack(codec.pack(orders)) == orders


@settings(derandomize=True)
@given(requests)
def test_requests_arrive_as_they_were_sent(request):
    codec = RequestCodec(3)
    assert codec.unpack(codec.pack(request)) == request


@settings(derandomize=True)
@given(
    st.builds(
        Report,
        beat=counts,
        state=st.sampled_from(State),
        fault=st.sampled_from(Fault),
        detail=st.text(max_size=40),
        sent=counts,
        acknowledged=counts,
        lost=counts,
        refused=counts,
        clamped=counts,
        late_ms_p50=numbers,
        late_ms_p99=numbers,
        ack_ms_p50=numbers,
        commanded=st.none() | triples,
        positions=st.tuples(known, known, known),
        is_reached=st.booleans(),
        needs_confirmation=st.booleans(),
        confirmed=st.tuples(st.booleans(), st.booleans(), st.booleans()),
        channels=st.tuples(*[st.builds(ChannelStatus, known, known, known, known, known, known, known)] * 2),
        warnings=st.lists(
            st.text(st.characters(exclude_characters="\n", codec="utf-8"), min_size=1, max_size=20),
            max_size=4,
        ).map(tuple),
    )
)
def test_reports_arrive_as_they_were_sent(report):
    codec = ReportCodec(3, 2)
    assert codec.unpack(codec.pack(report)) == report


def test_a_long_detail_is_cut_and_not_garbled():
    codec = ReportCodec(1, 1)
    told = {"detail": "é" * DETAIL_BYTES, "warnings": ("x" + "é" * WARNING_BYTES,)}
    counted = dict.fromkeys(("sent", "acknowledged", "lost", "refused", "clamped"), 0)
    timed = dict.fromkeys(("late_ms_p50", "late_ms_p99", "ack_ms_p50"), 0.0)
    channels = (ChannelStatus(),)
    nothing = {"commanded": None, "positions": (None,), "confirmed": (False,)}
    nothing |= {"is_reached": False, "needs_confirmation": False}
    report = Report(1, State.FAULT, Fault.SILENT, **told, **counted, **timed, **nothing, channels=channels)
    arrived = codec.unpack(codec.pack(report))
    assert set(arrived.detail) == {"é"}
    assert set("".join(arrived.warnings)) == {"x", "é"}


def test_both_processes_see_the_same_device_and_the_file_goes_with_the_last():
    device = make_device(5, on_silence="detach")
    memory = SharedMemory.create(device)
    with SharedMemory.attach(memory.path) as other:
        assert other.device == device
        memory.press_stop(3)
        assert other.stops == 3
        path = memory.path
        memory.close()
    assert not path.exists()


def test_a_device_survives_json():
    device = make_device(2, direction=-1)
    assert from_plain(to_plain(device)) == device


def test_a_file_that_is_no_map_is_refused(tmp_path):
    path = tmp_path / "other.map"
    path.write_bytes(b"x" * 100)
    with pytest.raises(WorkerError, match="start it again"):
        SharedMemory.attach(path)


def test_a_message_that_does_not_fit_its_mailbox_is_refused_with_both_sizes():
    _, writer, _ = make_mailbox()
    with pytest.raises(ValueError, match=f"a message of 3 bytes in a mailbox for {SIZE}"):
        writer.write(b"abc")


def test_of_two_reports_that_differ_in_counts_alone_the_rest_is_decoded_once():
    codec = ReportCodec(2, 1)
    counted = dict.fromkeys(("sent", "acknowledged", "lost", "refused", "clamped"), 0)
    timed = dict.fromkeys(("late_ms_p50", "late_ms_p99", "ack_ms_p50"), 0.0)
    known = {
        "commanded": (0.1, 0.2),
        "positions": (0.1, None),
        "confirmed": (True, False),
        "is_reached": True,
        "needs_confirmation": False,
    }
    report = Report(
        1,
        State.ARMED,
        Fault.NONE,
        "",
        **counted,
        **timed,
        **known,
        channels=(ChannelStatus(5.0),),
        warnings=("hot",),
    )
    later = replace(report, beat=2, state=State.HOLDING, sent=8, late_ms_p99=0.5)
    moved = replace(later, positions=(0.5, None))
    first, second, third = (codec.unpack(codec.pack(each)) for each in (report, later, moved))
    assert (first, second, third) == (report, later, moved)
    assert second.positions is first.positions
    assert second.channels is first.channels
