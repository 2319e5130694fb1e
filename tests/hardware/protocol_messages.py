"""Hypothesis strategies for the messages of Limber's own protocol."""

from hypothesis import strategies as st
from limber.hardware.protocols import limber

BYTE = st.integers(0, 0xFF)
WORD = st.integers(0, 0xFFFF)
SESSION = st.integers(1, 0xFFFF)
WIDTH = st.integers(1, 0xFFFF).map(lambda units: units / limber.UNITS_PER_US)
CHANNEL = st.integers(0, limber.MAX_CHANNELS - 1)


def widths(count: int) -> st.SearchStrategy[tuple[float | None, ...]]:
    return st.lists(st.none() | WIDTH, min_size=count, max_size=count).map(tuple)


SOME_WIDTHS = st.integers(0, limber.MAX_CHANNELS).flatmap(widths)
VERSION_PAIR = st.tuples(BYTE, BYTE)
NAME = st.text(st.characters(max_codepoint=0x7F), max_size=24)

FROM_HOST = st.one_of(
    st.builds(limber.Hello, SESSION),
    st.builds(limber.Configure, CHANNEL, WIDTH, WIDTH, WORD, st.sampled_from(limber.OnSilence)),
    st.builds(limber.Arm, SESSION),
    st.builds(limber.Move, SOME_WIDTHS, BYTE),
    st.builds(limber.Disarm, st.booleans()),
    st.builds(limber.Stop),
    st.builds(limber.Poll),
)


@st.composite
def reports(draw: st.DrawFn) -> limber.DeviceReport:
    count = draw(st.integers(0, limber.MAX_CHANNELS))
    return limber.DeviceReport(
        answers=draw(st.none() | st.integers(1, 0xFF)),
        result=draw(BYTE),
        state=draw(st.sampled_from(limber.DeviceState)),
        reasons=draw(BYTE.map(limber.Reason)),
        session=draw(WORD),
        bad_frames=draw(WORD),
        commanded_us=draw(widths(count)),
        measured_us=draw(st.just(()) | widths(count)),
    )


FROM_DEVICE = st.one_of(
    st.builds(
        limber.Welcome,
        SESSION,
        VERSION_PAIR,
        st.integers(0, limber.MAX_CHANNELS),
        BYTE.map(limber.Features),
        WIDTH,
        WIDTH,
        WORD,
        WORD,
        NAME,
    ),
    st.builds(limber.WrongVersion, BYTE, VERSION_PAIR),
    reports(),
)
MESSAGES = FROM_HOST | FROM_DEVICE


def length_trap() -> bytes:
    """A DISARM with a correct CRC, whose length has one flipped bit that only its complement reveals: it was
    sent as another frame.
    """
    sent, read = 3, 1  # lengths that differ by one bit
    body = bytes((read, sent ^ 0xFF, limber.MessageKind.DISARM, 1, 0))
    return bytes((limber.START,)) + body + limber.crc16(body).to_bytes(2, "big")
