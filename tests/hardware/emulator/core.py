"""The firmware's portable core, compiled for this machine: the same C code as on the board, without a
board.
"""

import ctypes
from typing import Self

from limber.hardware.protocols import limber

from . import build

CHANNELS = 12
MAX_FRAME = 71  # [bytes] LIMBER_MAX_FRAME
PERIOD_US = 20_000


def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(build.core_library()))
    device = ctypes.c_void_p
    library.shim_make.argtypes = [ctypes.c_uint16, ctypes.c_uint16]
    library.shim_make.restype = device
    library.shim_free.argtypes = [device]
    library.shim_receive.argtypes = [device, ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint32]
    library.shim_tick.argtypes = [device, ctypes.c_uint32]
    library.shim_next_pulse.argtypes = [device, ctypes.c_uint8, ctypes.c_uint32]
    library.shim_next_pulse.restype = ctypes.c_uint16
    library.shim_next_answer.argtypes = [device, ctypes.c_char_p]
    library.shim_next_answer.restype = ctypes.c_uint8
    library.shim_state.argtypes = [device]
    return library


class Core:
    """A device in its state after a reset, with pulses from `lowest_us` to `highest_us`. Its time only
    advances in `wait`.
    """

    def __init__(self, now_us: int = 0, lowest_us: int = 500, highest_us: int = 2500) -> None:
        self._library = _library()
        self._device = self._library.shim_make(
            lowest_us * limber.UNITS_PER_US, highest_us * limber.UNITS_PER_US
        )
        self._decoder = limber.FrameDecoder()
        self._sequence = 0
        self.now_us = now_us

    def close(self) -> None:
        self._library.shim_free(self._device)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def state(self) -> limber.DeviceState:
        return limber.DeviceState(self._library.shim_state(self._device))

    def receive(self, data: bytes) -> None:
        self._library.shim_receive(self._device, data, len(data), self.now_us)

    def answers(self) -> list[limber.MessageFrame]:
        """Decodes the frames that the device has sent since the last call."""
        buffer = ctypes.create_string_buffer(MAX_FRAME)
        frames = []
        while length := self._library.shim_next_answer(self._device, buffer):
            frames += self._decoder.feed(buffer.raw[:length])
        return frames

    def ask(self, message: limber.Message) -> limber.Message | limber.Unreadable:
        """Sends a message and returns its answer; discards earlier frames of the device."""
        self.answers()
        self._sequence = (self._sequence + 1) % 256
        self.receive(limber.encode(message, self._sequence))
        (frame,) = self.answers()
        assert frame.sequence == self._sequence
        return frame.message

    def open_session(self, channels: list[limber.Configure], session: int = 7) -> None:
        """Sends HELLO, CONFIGURE and ARM."""
        self.ask(limber.Hello(session))
        for channel in channels:
            self.ask(channel)
        report = self.ask(limber.Arm(session))
        assert report.result == limber.DeviceResult.ACCEPTED

    def wait(self, microseconds: int) -> None:
        self.now_us = (self.now_us + microseconds) % 2**32
        self._library.shim_tick(self._device, self.now_us)

    def pulse(self, channel: int) -> float | None:
        """Width [us] of a channel's next pulse; None for no pulse."""
        return self._library.shim_next_pulse(self._device, channel, self.now_us) / limber.UNITS_PER_US or None

    def pulses(self) -> tuple[float | None, ...]:
        """Widths [us] of every channel's next pulse; then the time of one period passes."""
        widths = tuple(self.pulse(channel) for channel in range(CHANNELS))
        self.wait(PERIOD_US)
        return widths
