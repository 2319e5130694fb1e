"""Tests that the virtual robot and the firmware's core give a host the same answers to the same messages."""

from hypothesis import given, settings
from hypothesis import strategies as st
from limber.hardware.protocols import limber
from limber.hardware.protocols.limber import (
    Arm,
    Configure,
    DeviceReport,
    Disarm,
    Hello,
    Move,
    OnSilence,
    Poll,
    Reason,
    Stop,
)
from limber.hardware.virtual_robot import HIGHEST_US, LOWEST_US, VirtualRobot

from tests.hardware.emulator import Core, require_emulator
from tests.hardware.emulator.core import CHANNELS

require_emulator()

SESSION = 7
# [s] time within which the fastest channel arrives anywhere, shorter than that of the watchdog
SETTLED_S = 0.1
WIDTH_US = st.integers(int(LOWEST_US) * 8 - 80, int(HIGHEST_US) * 8 + 80).map(
    lambda units: units / limber.UNITS_PER_US
)
LIKELY = st.one_of(
    st.builds(Move, st.lists(st.none() | WIDTH_US, max_size=3).map(tuple)),
    st.builds(
        Configure,
        st.integers(0, 2),
        st.sampled_from([LOWEST_US, 800.0]),
        st.sampled_from([1500.0, HIGHEST_US]),
        st.just(65535),
        st.sampled_from(OnSilence),
    ),
    st.sampled_from(
        [
            Hello(SESSION),
            Hello(SESSION, version=2),
            Hello(0),
            Arm(SESSION),
            Disarm(),
            Disarm(release=True),
            Stop(),
            Poll(),
        ]
    ),
)
WAIT_S = st.sampled_from(
    [0.0, SETTLED_S, SETTLED_S, 0.3]
)  # not near the watchdog's time, where a difference of a millisecond would matter


def seen_by_host(frames: list[limber.MessageFrame]) -> list[object]:
    """The parts of the answers that must be equal: without the device's name, the hardware's range, and
    positions during a motion at the speed limit.
    """
    seen: list[object] = []
    for frame in frames:
        match frame.message:
            case DeviceReport(answers, result, state, reasons, session, _, commanded):
                seen.append(
                    (
                        frame.sequence,
                        answers,
                        result,
                        state,
                        reasons & ~Reason.SLOWED,
                        session,
                        tuple(width is None for width in commanded),
                    )
                )
            case message:
                seen.append((frame.sequence, type(message)))
    return seen


@settings(max_examples=100)
@given(st.lists(st.tuples(LIKELY, WAIT_S), min_size=25, max_size=50), st.booleans())
def test_the_same_talk_gets_the_same_answers_and_ends_at_the_same_pulses(talk, begun):
    robot = VirtualRobot([1500.0] * CHANNELS, feedback=False, time=0.0)
    decoder = limber.FrameDecoder()
    now = 0.0
    opening = [
        Hello(SESSION),
        *(Configure(k, 500.0, 2500.0, 65535, OnSilence(k % 2)) for k in range(3)),
        Arm(SESSION),
    ]
    with Core(lowest_us=int(LOWEST_US), highest_us=int(HIGHEST_US)) as core:
        for sequence, (message, wait_s) in enumerate([(message, 0.0) for message in opening if begun] + talk):
            wire = limber.encode(message, sequence)
            core.receive(wire)
            answers = core.answers()
            said = robot.hear(wire, now)
            for _ in range(round(wait_s / 0.02)):
                core.pulses()
            now += wait_s
            said += robot.hear(b"", now)
            assert seen_by_host(answers + core.answers()) == seen_by_host(decoder.feed(said)), message
            if wait_s == SETTLED_S:
                for channel, width in enumerate(robot.pulses):
                    assert core.pulse(channel) == width
