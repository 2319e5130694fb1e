"""The firmware in simulated time: bytes at given times go in, pulses and answers come out. Without a clock,
so that every run is the same.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from limber.hardware.protocols import limber

from . import build

PIN_OF_CHANNEL = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14)  # pin 14 is A0
CHANNEL_OF_PIN = {pin: channel for channel, pin in enumerate(PIN_OF_CHANNEL)}


@dataclass(frozen=True, slots=True)
class Pulse:
    """A pulse on a channel's pin: the time of its rise [us, simulated] and its width."""

    channel: int
    rise_us: float
    width_us: float


def pulse_from(words: list[str]) -> Pulse:
    """A pulse from a line "P pin rise width" of either host; raises an error for a pin that belongs to no
    channel.
    """
    return Pulse(CHANNEL_OF_PIN[int(words[1])], float(words[2]), float(words[3]))


@dataclass(frozen=True, slots=True)
class Answer:
    """A frame from the device, and the time at which its last byte was sent [us, simulated]."""

    at_us: float
    sequence: int
    message: limber.Message | limber.Unreadable


@dataclass(frozen=True, slots=True)
class Run:
    """Result of a timeline."""

    pulses: list[Pulse]
    answers: list[Answer]
    high: list[int]  # channels whose pin is still high at the end
    noise: int  # number of bytes sent by the device that belong to no frame

    def pulses_of(self, channel: int, since_us: float = 0.0, until_us: float = float("inf")) -> list[Pulse]:
        return [
            pulse
            for pulse in self.pulses
            if pulse.channel == channel and since_us <= pulse.rise_us < until_us
        ]

    def reports(self) -> list[limber.DeviceReport]:
        return [answer.message for answer in self.answers if isinstance(answer.message, limber.DeviceReport)]

    def answer_to(self, sequence: int) -> limber.Message | limber.Unreadable:
        """The only answer with this sequence number, without reports that the device sends by itself."""
        (message,) = [
            a.message
            for a in self.answers
            if a.sequence == sequence
            and not (isinstance(a.message, limber.DeviceReport) and a.message.answers is None)
        ]
        return message


class Timeline:
    """Events for the device, in order of time; `run` executes them.

    Args:
        firmware: ELF file to use instead of the usual firmware.
        host: Program to use instead of the usual host.
    """

    def __init__(self, firmware: Path | None = None, host: Path | None = None) -> None:
        self._firmware, self._host = firmware, host
        self.now_us = 20_000.0  # the program has started by then
        self._script: list[str] = []
        self._sequence = 0

    def wait(self, microseconds: float) -> None:
        self.now_us += microseconds

    def send(self, *messages: limber.Message) -> int:
        """Sends messages at the current time, each with the next sequence number; returns the last one's
        number.
        """
        for message in messages:
            self._sequence = (self._sequence + 1) % 256
            self.send_bytes(limber.encode(message, self._sequence))
        return self._sequence

    def send_bytes(self, data: bytes) -> None:
        self._script.append(f"{self.now_us:.3f} bytes {data.hex()}")

    def reset(self) -> None:
        """Resets the board, as its button does; the device needs some milliseconds to restart."""
        self._script.append(f"{self.now_us:.3f} reset")

    def open_session(self, channels: list[limber.Configure], session: int = 7) -> None:
        """Sends HELLO, CONFIGURE and ARM, with time for every answer."""
        for message in (limber.Hello(session), *channels, limber.Arm(session)):
            self.send(message)
            self.wait(8_000)

    def play(self) -> list[list[str]]:
        """Executes all events up to now; returns the words of the host's lines."""
        script = "\n".join([*self._script, f"{self.now_us:.3f} end\n"])
        host = [str(self._host or build.host("timeline")), str(self._firmware or build.firmware())]
        played = subprocess.run(
            host, input=script, capture_output=True, text=True, errors="replace", check=True
        )
        return [line.split() for line in played.stdout.splitlines()]

    def run(self) -> Run:
        """Executes all events up to now; returns the result."""
        decoder = limber.FrameDecoder()
        pulses, answers, high = [], [], []
        for words in self.play():
            if words[0] == "P":
                pulses.append(pulse_from(words))
            elif words[0] == "B":
                answers += [
                    Answer(float(words[1]), frame.sequence, frame.message)
                    for frame in decoder.feed(bytes.fromhex(words[2]))
                ]
            elif words[0] == "R":
                decoder.give_up()
            elif words[0] == "H":
                high.append(CHANNEL_OF_PIN[int(words[1])])
        return Run(pulses, answers, high, decoder.noise)
