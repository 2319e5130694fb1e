"""Tests the log of commands in shared memory: each is read once, in order, or missed ones are detected."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.hardware.message_log import LOGGED, MessageLog

SIZE = 12


def make_log(fill: int = 0) -> tuple[bytearray, MessageLog, MessageLog]:
    """Memory with the writer's and the reader's end."""
    memory = bytearray([fill]) * MessageLog.length(SIZE)
    return memory, MessageLog(memoryview(memory), 0, SIZE), MessageLog(memoryview(memory), 0, SIZE)


def message(number: int) -> bytes:
    return number.to_bytes(SIZE, "little")


@settings(derandomize=True)
@given(st.lists(st.integers(0, 2 * LOGGED), max_size=12))
def test_each_message_is_read_once_and_in_order_or_the_reader_knows_of_the_loss(bursts):
    _, writer, reader = make_log()
    written = 0
    for count in bursts:
        burst = [message(written + k) for k in range(count)]
        written += count
        for each in burst:
            writer.write(each)
        assert reader.read() == (burst if count <= LOGGED else None)
        assert reader.read() == []


@settings(derandomize=True, max_examples=300)
@given(st.data())
def test_bytes_changed_under_the_reader_never_make_a_message(data):
    memory, writer, reader = make_log()
    burst = [message(k) for k in range(data.draw(st.integers(1, LOGGED)))]
    for each in burst:
        writer.write(each)
    for _ in range(data.draw(st.integers(1, 4))):
        memory[data.draw(st.integers(0, len(memory) - 1))] ^= data.draw(st.integers(1, 255))
    found = reader.read()
    assert found is None or found == burst[: len(found)]


def test_a_log_full_of_noise_has_no_message():
    for fill in (1, 0x7F, 0xFF):
        _, _, reader = make_log(fill)
        assert reader.read() == []


def test_a_message_that_does_not_fit_is_refused_with_both_sizes():
    _, writer, _ = make_log()
    with pytest.raises(ValueError, match=f"a message of 3 bytes in a log for {SIZE}"):
        writer.write(b"abc")
