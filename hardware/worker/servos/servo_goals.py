"""The goal last sent to each servo, and the servos that lose torque when the robot is disarmed or stopped."""

from __future__ import annotations

from collections.abc import Collection

from .servo_channels import ServoChannels


class ServoGoals:
    """Goals of one connection's servos.

    Args:
        channels: The device's channels.
        releases: Whether the protocol can switch a servo's torque off.

    Attributes:
        sent: The last goal of each servo that still holds one, by id.
    """

    def __init__(self, channels: ServoChannels, releases: bool) -> None:
        self.sent: dict[int, int] = {}
        self._channels = channels
        self._releases = releases
        # ids of servos to release regardless of their channels' settings
        self._must_release: set[int] = set()

    @property
    def held(self) -> dict[int, int]:
        """Goals by id of servos that keep their torque while disarmed."""
        return {
            servo: goal
            for servo, goal in self.sent.items()
            if not self._releases or servo not in self._channels.limp
        }

    def to_release(self, unsuitable: Collection[int]) -> list[int]:
        """Ids of servos that lose torque when the robot is disarmed or stopped, including those in
        `unsuitable`.
        """
        return sorted({*self._channels.limp, *self._must_release, *unsuitable})

    def forget(self, servos: Collection[int]) -> None:
        """Record that these servos no longer hold a goal."""
        for servo in servos:
            self.sent.pop(servo, None)

    def release(self, servos: Collection[int]) -> None:
        """Record that these servos are released, and stay so until they are armed, regardless of their
        channels' `on_silence`.
        """
        self._must_release.update(servos)
        self.forget(servos)

    def armed(self, servos: Collection[int]) -> None:
        """Record that these servos were armed again, so that their channels' settings apply."""
        self._must_release.difference_update(servos)
