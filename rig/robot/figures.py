"""The numbers that panels show of a robot (joint values, servos' health), rounded as they are shown."""

from collections.abc import Iterator, Sequence
from math import radians
from time import monotonic

from ...hardware.device import DeviceJoint
from ...hardware.safety import State
from ...hardware.status import Status


class ShownFigures:
    """The rounded numbers of a robot that were shown last.

    Attributes:
        changed_at: Time [s, monotonic clock] of the last change of these numbers.
    """

    def __init__(self) -> None:
        self.changed_at = monotonic()
        self._figures: tuple = ()
        self._source: tuple = ()  # values from which the shown numbers were rounded

    def update(self, status: Status, joints: Sequence[DeviceJoint], read_at: float) -> bool:
        """Updates the numbers from a status that was read at `read_at` [s, monotonic clock]; returns whether
        any has changed.
        """
        if (source := (status.state, status.commanded, status.positions, status.channels)) == self._source:
            return False
        self._source = source
        if (figures := figures_of(status, joints)) == self._figures:
            return False
        self._figures, self.changed_at = figures, read_at
        return True


def figures_of(status: Status, joints: Sequence[DeviceJoint]) -> tuple:
    """Joint values, servos' health, and raw positions while the robot is moved by hand, rounded as panels
    show them; joint values are multiples of the smallest step that is shown.
    """
    # a change too small to be seen must not redraw the panels
    resolutions = [
        radians(0.1) if joint.unit == "rad" else 1e-4 if joint.unit == "m" else 0.01 for joint in joints
    ]
    values = [
        tuple(
            None if value is None else round(value / step)
            for value, step in zip(row or (), resolutions, strict=False)
        )
        for row in (status.commanded, status.positions)
    ]
    health = [
        tuple(
            _rounded((channel.temperature, 0), (channel.voltage, 1), (channel.load, 2), (channel.current, 2))
        )
        for channel in status.channels
    ]
    raw = [
        tuple(_rounded((channel.measured, 0), (channel.commanded, 0)))
        for channel in status.channels
        if status.state is State.LIMP
    ]
    return *values, *health, *raw


def _rounded(*figures: tuple[float | None, int]) -> Iterator[float | None]:
    """Numbers, each rounded to the number of digits after it; None stays None."""
    return (None if value is None else round(value, digits) for value, digits in figures)
