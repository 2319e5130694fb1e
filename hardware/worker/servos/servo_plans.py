"""Sequences of queries and commands that connect, arm and disarm servos. Independent of ports and clocks.

A plan yields exchanges, and continues when all of them are answered; the answers are then in `ServoPositions`
and `ArmChecks`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ...protocols.interface import Codec, Exchange, Quantity
from ...protocols.servo_state import VolatileSettings
from .arm_checks import ArmChecks
from .servo_channels import ServoChannels
from .servo_goals import ServoGoals

Plan = Iterator[tuple[Exchange, ...]]

# [s] timeout of servos' own watchdog, as in Limber's firmware: several steps, and too short for harm
WATCHDOG = 0.25
CREEP = 1e-6  # [units/s] lowest commanded speed; it is rounded up to the lowest one that a servo can take


class ServoPlans:
    """The plans (sequences of exchanges with servos) of one connection.

    Args:
        codec: Codec of the device's protocol.
        channels: The device's channels.
        checks: Checks of the servos.
        goals: Goals sent to the servos.
    """

    def __init__(self, codec: Codec, channels: ServoChannels, checks: ArmChecks, goals: ServoGoals) -> None:
        self._codec = codec
        self._can = codec.capabilities
        self._channels = channels
        self._checks = checks
        self._goals = goals
        # raw positions without torque by id, until they are compared with those with torque
        self._uncompared: dict[int, int] = {}

    def read_positions(self) -> tuple[Exchange, ...]:
        """Queries for the positions of all servos."""
        return self._codec.read([Quantity.POSITION], self._channels.servos)

    def watch(self) -> tuple[Exchange, ...]:
        """Queries sent together with goals; see `Codec.watch`."""
        return self._codec.watch(self._channels.servos)

    def volatile_settings(self, servos: Collection[int]) -> dict[int, VolatileSettings]:
        """Volatile settings that servos must hold while they follow goals, by id."""
        watchdog = None if self._can.watchdog is None else WATCHDOG
        return {servo: VolatileSettings(True, self._channels.speeds.get(servo), watchdog) for servo in servos}

    def connecting(self) -> Plan:
        """Plan that identifies all servos and reads their stored settings. Nothing is written. It raises
        PlanFailed if a setting is missing or unsuitable.
        """
        yield self._codec.identify(self._channels.servos)
        yield from self._read_settings(self._channels.servos)

    def arming(self, servos: Sequence[int], time: float) -> Plan:
        """Plan that switches torque on at the current positions, which are read at `time` [s] or later.

        Torque is switched on at the slowest speed. The normal speed limit is set only after a check that the
        reported position has not changed: some servos reset their count of revolutions when they get torque,
        and would then rotate a whole revolution to their goal. The plan raises PlanFailed if a check fails.
        Servos that measure no positions only get their speed limits: their first goals arm them.
        """
        yield from self._read_settings(servos)
        self._checks.check_calibration()
        if not self._can.measures:
            yield self._channels.limits(servos)
            return  # the first move contains the first goal
        yield self.read_positions()
        present_goals = self._checks.goals_at_present_position(servos, time)
        has_watchdog = self._can.watchdog is not None
        if has_watchdog:
            yield self._codec.watchdog(servos, None)
        yield from self._limit(servos, CREEP)
        self._goals.sent.update(present_goals)
        self._uncompared = present_goals
        yield self._codec.arm(present_goals) + self.read_positions()
        self._compare()
        yield from self._limit(servos)
        if has_watchdog:  # the watchdog is set last, since arming many servos takes longer than its timeout
            yield self._codec.watchdog(servos, WATCHDOG)
        yield self.read_positions()

    def ending(self, limp: Collection[int]) -> Plan:
        """Plan that switches off the torque of the servos `limp`, and waits for their answers. If arming was
        interrupted before servos with torque were checked, they are checked now.
        """
        yield self._codec.disarm(limp)
        if self._uncompared:
            yield self.read_positions()
            self._compare()

    def _read_settings(self, servos: Sequence[int]) -> Plan:
        """Read the settings that servos store, and check them."""
        for servo in servos:
            self._checks.settings.pop(servo, None)
        queries = self._codec.settings(servos)
        yield queries
        (self._checks.check_settings if queries else self._checks.check_modes)(servos)

    def _limit(self, servos: Sequence[int], speed: float | None = None) -> Plan:
        """Write speed limits (`speed` [units/s], or each servo's own), read them back and check them."""
        yield self._channels.limits(servos, speed)
        speeds = self._channels.speeds
        self._checks.lost_settings.clear()
        limited = [servo for servo in servos if servo in speeds]
        yield self._codec.verify(
            {servo: VolatileSettings(speed=speeds[servo] if speed is None else speed) for servo in limited}
        )
        self._checks.check_limits_kept()

    def _compare(self) -> None:
        """Check that servos have not moved since they got torque."""
        before, self._uncompared = self._uncompared, {}
        self._checks.check_unmoved(before)
