"""Speed limits of servos that several joints drive: the joints slow down together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...motion import Kinematic
from ...motion.limiter import HEADROOM
from ..device import Device
from ..mixing import Mixing

# largest number of iterations; two usually suffice, as the distance that a joint moves in a step is nearly
# proportional to the step's duration
ROUNDS = 4
TOUCHING = 1e-6  # relative tolerance of a servo's largest speed


@dataclass(frozen=True, slots=True)
class _DrivenServo:
    """A servo whose speed is limited.

    Attributes:
        joints: Indices of all joints that slow down together if the servo would be too fast.
        shares: (index, gear ratio) of each joint that drives the servo: it rotates by the sum of the
            joints' motions times their ratios.
        fastest: Speed [rad/s] above which the joints slow down: the servo's maximum speed, plus the
            limiter's headroom.
    """

    joints: tuple[int, ...]
    shares: tuple[tuple[int, float], ...]
    fastest: float


def held_to_servos(device: Device, mixing: Mixing) -> Device:
    """The device with lower velocity limits: a joint that shares no servo with other joints is limited to the
    speed of its servos, so that its motion is planned within that speed.
    """
    joints = list(device.joints)
    for index, channel in enumerate(device.channels):
        driving, *other_joints = mixing.group_of(mixing.joints_of(index)[0])
        if channel.speed is not None and not other_joints:
            limits = joints[driving].limits
            velocity = min(limits.velocity, channel.speed / abs(channel.shares[0].gear))
            joints[driving] = replace(joints[driving], limits=replace(limits, velocity=velocity))
    return replace(device, joints=tuple(joints))


class ServoSpeedLimiter:
    """Slows joints that share servos equally, so that no servo exceeds its speed and the joints keep their
    path.

    A servo of a differential rotates by the sum of its joints' contributions: each joint may be within its
    limits although the sum is too fast. See `held_to_servos` for joints that share no servo.

    Args:
        device: The robot.
        mixing: The device's conversion between joint values and channels.
    """

    def __init__(self, device: Device, mixing: Mixing) -> None:
        self._servos = []
        for index, channel in enumerate(device.channels):
            driving = mixing.joints_of(index)
            group = mixing.group_of(driving[0])
            if channel.speed is not None and len(group) > 1:
                shares = tuple(
                    (joint, share.gear) for joint, share in zip(driving, channel.shares, strict=True)
                )
                self._servos.append(_DrivenServo(group, shares, (1.0 + HEADROOM) * channel.speed))

    def step(
        self, states: Sequence[Kinematic], dt: float, go: Callable[[int, float], Kinematic]
    ) -> list[Kinematic]:
        """States of the joints (joints,) `dt` [s] after `states`. If a servo would be too fast, its joints
        advance by less than `dt` of their motion. `go(joint, time)` returns a joint's state after `time`
        [s] of its motion.
        """
        after = [go(joint, dt) for joint in range(len(states))]
        times = [dt] * len(states)
        for _ in range(ROUNDS):
            slowed = False
            for servo in self._servos:
                rotation = abs(
                    sum(
                        gear * (after[joint].position - states[joint].position)
                        for joint, gear in servo.shares
                    )
                )
                share = servo.fastest * dt / rotation if rotation > 0.0 else 1.0
                if share < 1.0 - TOUCHING:
                    slowed = True
                    for joint in servo.joints:
                        times[joint] *= share
                        after[joint] = go(joint, times[joint])
            if not slowed:
                break
        return after
