"""Slows joints down together where they command a servo faster than it can rotate. Knows no Blender.

A servo of a differential rotates by the sum of its joints' contributions: each joint may be within its limits, and the sum too fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...motion import Kinematic
from ...motion.limiter import HEADROOM
from ..device import Device
from ..mixing import Mixing

ROUNDS = 4  # the distance of a joint is nearly proportional to its time: two would do
TOUCHING = 1e-6  # share of a servo's speed: numbers that differ by less are equal


@dataclass(frozen=True, slots=True)
class _Servo:
    """A servo with a known speed, the joints that slow down for it, and the gear ratios of those that drive it."""

    joints: tuple[int, ...]
    shares: tuple[tuple[int, float], ...]  # (joint, gear)
    fastest: float  # [rad/s]


class ServoSpeedLimiter:
    """Keeps servos within their speeds: time passes more slowly for all joints of a group, so that these keep their path.

    Args:
        device: The robot.
        mixing: The device's conversion between joint values and channels.
    """

    def __init__(self, device: Device, mixing: Mixing) -> None:
        index = {joint.name: k for k, joint in enumerate(device.joints)}
        self._servos = [
            _Servo(
                mixing.group_of(index[channel.shares[0].joint]),
                tuple((index[share.joint], share.gear) for share in channel.shares),
                (1.0 + HEADROOM) * channel.speed,
            )
            for channel in device.channels
            if channel.speed is not None
        ]

    def step(self, states: Sequence[Kinematic], dt: float, go: Callable[[int, float], Kinematic]) -> list[Kinematic]:
        """States of the joints (joints,) `dt` [s] later; `go(joint, time)` is a joint's state after a time of its own."""
        after = [go(joint, dt) for joint in range(len(states))]
        times = [dt] * len(states)
        for _ in range(ROUNDS):
            slowed = False
            for servo in self._servos:
                turned = abs(sum(gear * (after[joint].position - states[joint].position) for joint, gear in servo.shares))
                share = servo.fastest * dt / turned if turned > 0.0 else 1.0
                if share < 1.0 - TOUCHING:
                    slowed = True
                    for joint in servo.joints:
                        times[joint] *= share
                        after[joint] = go(joint, times[joint])
            if not slowed:
                break
        return after
