"""Data that the tests send to the emulated Uno: a configuration of all its channels, and streams at 100
Hz.
"""

from limber.hardware.protocols.limber import Configure, Move, OnSilence

from tests.hardware.emulator import Timeline

CHANNELS = range(12)
HOLDS = [channel for channel in CHANNELS if channel % 2 == 0]
DETACHES = [channel for channel in CHANNELS if channel % 2 == 1]
FAST = 65535  # [us/s] speed limit: 1310 us from pulse to pulse
SESSION = 7
PERIOD_US = 20_000.0
FRAME_US = 10_000.0  # [us] duration of a frame at 100 Hz
TOLERANCE_US = 1.0  # tolerance of two pulses that must be equal: twice the jitter of an edge


def configuration(speed: int = FAST, lower: float = 500.0, upper: float = 2500.0) -> list[Configure]:
    return [
        Configure(channel, lower, upper, speed, OnSilence.DETACH if channel in DETACHES else OnSilence.HOLD)
        for channel in CHANNELS
    ]


def standing(timeline: Timeline, positions: tuple[float, ...], frames: int) -> None:
    """Sends the same move in every frame."""
    for _ in range(frames):
        timeline.send(Move(positions))
        timeline.wait(FRAME_US)
