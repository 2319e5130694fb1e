"""What the tests of the emulated Uno send it: a configuration for all its channels, and streams at 100 Hz."""

from limber.hardware.protocols.limber import Configure, Move, OnSilence

from tests.hardware.emulator import Timeline

CHANNELS = range(12)
HOLDS = [channel for channel in CHANNELS if channel % 2 == 0]
DETACHES = [channel for channel in CHANNELS if channel % 2 == 1]
FAST = 65535  # [us/s]: 1310 us from pulse to pulse
SESSION = 7
PERIOD_US = 20_000.0
FRAME_US = 10_000.0  # 100 Hz
TOLERANCE_US = 1.0  # for one pulse against another that must be the same: the edges' own jitter, twice


def configuration(speed: int = FAST, lower: float = 500.0, upper: float = 2500.0) -> list[Configure]:
    return [
        Configure(channel, lower, upper, speed, OnSilence.DETACH if channel in DETACHES else OnSilence.HOLD)
        for channel in CHANNELS
    ]


def standing(timeline: Timeline, positions: tuple[float, ...], frames: int) -> None:
    """A stream of one and the same move."""
    for _ in range(frames):
        timeline.send(Move(positions))
        timeline.wait(FRAME_US)
