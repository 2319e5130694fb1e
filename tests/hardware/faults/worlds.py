"""Robots in simulated time for the fault table: the worker at one end of a line, the real firmware or
simulated bus servos at the other.

Only this module creates a `Device` and knows how a robot's joint angles are observed.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from limber.hardware.device import Device
from limber.hardware.mixing import Mixing, rotation_of_raw
from limber.hardware.safety import Command, State
from limber.hardware.sentences import sentence
from limber.hardware.transport import TransportError
from limber.hardware.worker.core import PERIOD

from tests.hardware.boards import Board, MaestroBoard, ServoAnimationBoard
from tests.hardware.devices import direct, one_to_one
from tests.hardware.emulator import Pulse
from tests.hardware.emulator.stepped import SteppedUno
from tests.hardware.faults.line import Line
from tests.hardware.servo_bus import Bus, DynamixelBus, StsBus
from tests.hardware.simulation import COMMANDED, LIMITS, Simulation

JOINTS = 3
LIMP = 1  # index of the joint that is set to go limp; the others hold
STEPS_PER_RAD = 4096 / math.tau
PULSE_STEP = 8.5 / (2000.0 / math.pi)  # [rad] the firmware's pulses are accurate to 8 us
PULSE_SPACING = 0.03  # [s] a pulse every 20 ms, and the difference of two widths
LED_WITHIN = 0.8  # [s] time in which a robot is led from where it stands into a motion
ANY_PORT = "/dev/ttyUSB0"

CONFIRM_AND_ARM = "Confirm Pose and Arm"
BUTTONS = {
    "Clear Fault": Command.CLEAR_FAULT,
    "Arm": Command.ARM,
    CONFIRM_AND_ARM: Command.ARM_CONFIRMED,
    "Disarm": Command.DISARM,
    "Confirm Pose": Command.CONFIRM_POSE,
}

Pose = Callable[[float], Sequence[float]]


def smooth(share: float) -> float:
    """From 0 to 1 with a speed that begins and ends with zero."""
    return share**2 * (3.0 - 2.0 * share)


@dataclass(frozen=True, slots=True)
class Seen:
    """Observation of a joint that was driven to, or held at, an angle."""

    time: float  # [s] time of the observation
    joint: int
    angle: float  # [rad] the joint's angle


def uno_device(limits=LIMITS) -> Device:
    return one_to_one(
        ANY_PORT, [direct(f"joint {k}", k, limits, on_silence=_on_silence(k)) for k in range(JOINTS)]
    )


def bus_device(protocol: str, limits=LIMITS) -> Device:
    servo = {"zero": 2048.0, "per_radian": STEPS_PER_RAD, "lowest": 1.0, "highest": 4095.0}
    pairs = [direct(f"joint {k}", k + 1, limits, on_silence=_on_silence(k), **servo) for k in range(JOINTS)]
    return one_to_one(ANY_PORT, pairs, baudrate=1_000_000, protocol=protocol)


def with_limits(device: Device, **changes: float) -> Device:
    """The description with other limits."""
    return replace(
        device,
        joints=tuple(replace(joint, limits=replace(joint.limits, **changes)) for joint in device.joints),
    )


def _on_silence(joint: int) -> str:
    return "detach" if joint == LIMP else "hold"


def seen_in(device: Device, pulses: Iterable[Pulse]) -> list[Seen]:
    """Angles to which pulses drive the joints of `device`, at the end of each pulse; the device may know only
    some of the servos with pulses.
    """
    channels = {channel.servo: (joint, channel) for joint, channel in enumerate(device.channels)}
    seen = []
    for pulse in pulses:
        if pulse.channel not in channels:
            continue
        joint, channel = channels[pulse.channel]
        seen.append(
            Seen((pulse.rise_us + pulse.width_us) / 1e6, joint, rotation_of_raw(channel, pulse.width_us))
        )
    return seen


class World(Simulation):
    """Blender's side, the worker, a line and a robot on one simulated clock.

    Attributes:
        line: The line between worker and robot.
        seen: Observations of joints with pulses or torque.
        told: Times and values of the commands [s, rad].
        sent: Those that the port accepted while the robot could receive them.
        step: Accuracy of an observed angle [rad]: that of a pulse, or a servo's step.
        spacing: Longest interval [s] between two observations of a driven joint.
        tells: Whether the robot measures its joint angles.
    """

    step: float
    spacing: float
    tells: bool

    def __init__(self, device: Device, robot: "World | None" = None) -> None:
        self.now = 1000.0
        self.seen: list[Seen] = []
        self.told: list[tuple[float, tuple[float, ...]]] = []
        self.sent: list[tuple[float, tuple[float, ...]]] = []
        self.line = Line(self.hear, lambda: self.now)
        super().__init__(device, self)  # type: ignore[arg-type]  # of a robot it asks no more than `places`

    positions = ()  # type: ignore[assignment]  # `seen` has them

    def hear(self, data: bytes, now: float) -> bytes:
        """Passes bytes to the robot; returns its answer."""
        raise NotImplementedError

    def look(self) -> list[Seen]:
        """Observations of the robot since the last call."""
        raise NotImplementedError

    def _connect(self, device: Device, now: float) -> Line:
        if self.missing is not None:
            raise TransportError(self.missing, "as the test wants it")
        return self.line.open()

    def run(self, seconds: float, pose: Pose | None = None, until: State | None = None):
        """Runs as `Simulation.run` does, and observes the robot after every cycle."""
        end = self.now + seconds
        report = None
        while self.now < end - 1e-9 and (until is None or report is None or report.state is not until):
            report = super().run(PERIOD, pose)
            self._watch(report.commanded if report.state in COMMANDED else None)
        return self.report

    def alone(self, seconds: float) -> None:
        """Advances the robot's time without the worker, as if it were dead or stopped."""
        end = self.now + seconds
        while self.now < end - 1e-9:
            self.now += PERIOD
            self._watch(None)

    def _watch(self, commanded: tuple[float, ...] | None) -> None:
        self.line.pass_time()
        if commanded is not None:
            self.told.append((self.now, commanded))
            if self.line.taken_at == self.now:
                self.sent.append(self.told[-1])
        self.seen += self.look()

    def arm(self, pose: Pose) -> None:
        """Connects and arms until the robot follows `pose(time)`: it is armed in the pose in which it stands,
        and led from there, which takes a third of the time of `arm_in_motion`.
        """
        start = self.standing()
        self.arm_in_motion(lambda time: start)
        began = self.now

        def led(time: float) -> Sequence[float]:
            share = smooth(max(time - began, 0.0) / LED_WITHIN)
            return [a + share * (b - a) for a, b in zip(start, pose(time), strict=True)]

        self.run(LED_WITHIN, led)

    def arm_in_motion(self, pose: Pose) -> None:
        """Connects and arms while Blender shows `pose(time)`, until the robot follows it."""
        self.run(8.0, pose, until=State.DISARMED)
        self.click("Arm", pose)
        assert self.run(20.0, pose, until=State.ARMED).state is State.ARMED, self.sentence

    def standing(self) -> tuple[float, ...]:
        """Angles [rad] of the joints before the robot is armed; any angles if it does not measure them."""
        return (0.0,) * len(self.device.joints)

    def click(self, button: str, pose: Pose) -> list[str]:
        """Presses a button; if the robot asks whether it is in the pose, confirms with Arm. Returns the
        pressed buttons.
        """
        if button == "Arm" and self.report.needs_confirmation:
            button = CONFIRM_AND_ARM
        self.command(BUTTONS[button])
        self.run(0.3, pose)
        return [button]

    @property
    def sentence(self) -> str:
        """The sentence that Blender shows."""
        report = self.report
        return sentence(report.state, report.fault, report.detail, self.device, is_reached=report.is_reached)

    def ranges(self) -> list[tuple[float, float]]:
        """Lowest and highest angle of each joint [rad]."""
        return list(Mixing(self.device).ranges)


class UnoWorld(World):
    """The reference firmware on an emulated Uno, with hobby servos, powered by its cable. It restarts when
    its port is opened.
    """

    name = "Uno"
    step = PULSE_STEP
    spacing = PULSE_SPACING
    tells = False

    def __init__(self, device: Device | None = None) -> None:
        self.uno = SteppedUno(1000.0)
        super().__init__(device or uno_device())

    def close(self) -> None:
        self.uno.close()
        super().close()

    def _connect(self, device: Device, now: float) -> Line:
        line = super()._connect(device, now)
        self.uno.reset()
        return line

    def hear(self, data: bytes, now: float) -> bytes:
        return self.uno.hear(data, now)

    def look(self) -> list[Seen]:
        return seen_in(self.device, self.uno.new_pulses())

    def pull_cable(self) -> None:
        self.line.unplugged = True
        self.uno.power_off()

    def plug_in(self) -> None:
        self.line.unplugged = False
        self.uno.power_on()


class BusWorld(World):
    """Bus servos with their own supply.

    Attributes:
        MODE: Address of the operating mode; 1 is continuous rotation.
        POSITION_MODE: The mode in which servos take positions.
        SPIN: A speed of continuous rotation: address, value, number of bytes.
        LOWEST: A lowest goal above the position of servo 1: address, value, number of bytes.
    """

    MODE: int
    POSITION_MODE: int
    SPIN: tuple[int, int, int]
    LOWEST: tuple[int, int, int]

    step = 1.5 / STEPS_PER_RAD
    spacing = 0.011
    tells = True
    protocol: str
    bus_kind: type[Bus]

    def __init__(self, device: Device | None = None) -> None:
        self.bus = self.made_bus()
        self.bus.forgets_after = 0.03
        self.bus.now = 1000.0
        for servo in self.bus.servos.values():
            servo.heard_at = 1000.0
        super().__init__(device or bus_device(self.protocol))

    def made_bus(self) -> Bus:
        """A new bus with servos."""
        return self.bus_kind({1: 1900.0, 2: 2048.0, 3: 2200.0})

    def standing(self) -> tuple[float, ...]:
        return tuple(
            rotation_of_raw(channel, self.bus.servos[channel.servo].position)
            for channel in self.device.channels
        )

    def hear(self, data: bytes, now: float) -> bytes:
        return self.bus.hear(data, now)

    def look(self) -> list[Seen]:
        return [
            Seen(self.now, joint, rotation_of_raw(channel, self.bus.servos[channel.servo].position))
            for joint, channel in enumerate(self.device.channels)
            if self.bus.has_torque(channel.servo)
        ]

    def pull_cable(self) -> None:
        self.line.unplugged = True

    def plug_in(self) -> None:
        self.line.unplugged = False


class StsWorld(BusWorld):
    name = "STS"
    protocol = "feetech_sts"
    bus_kind = StsBus
    MODE, POSITION_MODE, SPIN, LOWEST = 33, 0, (46, 1000, 2), (9, 2000, 2)


class DynamixelWorld(BusWorld):
    name = "Dynamixel"
    protocol = "dynamixel"
    bus_kind = DynamixelBus
    MODE, POSITION_MODE, SPIN, LOWEST = 11, 3, (104, 60, 4), (52, 2000, 4)


class StsBodyWorld(StsWorld):
    """Feetech servos that move a horizontal arm with mass: a limp joint of it keeps its angle. Needs
    MuJoCo.
    """

    name = "STS with a body"
    step = 0.03

    def made_bus(self) -> Bus:
        from tests.hardware.servo_bus.body import StsOnBody, horns_of, model_of
        from tests.hardware.small_arm import HORNS, LYING

        return StsOnBody(model_of(LYING), horns_of(HORNS), {1: -0.2, 2: 0.0, 3: 0.2})


class BoardWorld(World):
    """A board with hobby servos that reports no positions, with a protocol without sessions."""

    step = PULSE_STEP
    spacing = 0.011
    tells = False
    protocol: str
    unit: int  # the protocol's units per microsecond

    def __init__(self, board: Board) -> None:
        self.board = board
        pairs = [direct(f"joint {k}", k, LIMITS, on_silence=_on_silence(k)) for k in range(JOINTS)]
        super().__init__(one_to_one(ANY_PORT, pairs, protocol=self.protocol))

    def hear(self, data: bytes, now: float) -> bytes:
        return self.board.hear(data, now)

    def look(self) -> list[Seen]:
        return [
            Seen(self.now, joint, rotation_of_raw(channel, pulse / self.unit))
            for joint, channel in enumerate(self.device.channels)
            if (pulse := self.board.pulses.get(channel.servo, 0))
        ]


class MaestroWorld(BoardWorld):
    name = "Maestro"
    protocol = "maestro"
    unit = 4

    def __init__(self) -> None:
        super().__init__(MaestroBoard())


class ServoAnimationWorld(BoardWorld):
    name = "servo_animation"
    protocol = "servo_animation"
    unit = 1

    def __init__(self) -> None:
        super().__init__(ServoAnimationBoard())


BOARDS: dict[str, type[World]] = {kind.name: kind for kind in (MaestroWorld, ServoAnimationWorld)}
"""These are stopped in every way (stops.py); the fault table is played with the robots of WORLDS."""

BODIES: dict[str, type[World]] = {StsBodyWorld.name: StsBodyWorld}
"""The rows of bus servos are tried with these too; docs/faults.md has what their makers promise."""

WORLDS: dict[str, type[World]] = {kind.name: kind for kind in (UnoWorld, StsWorld, DynamixelWorld)}
