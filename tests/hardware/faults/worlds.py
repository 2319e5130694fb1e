"""Robots in simulated time for the fault table: the worker at one end of a line, at the other a real firmware
or simulated bus servos.

The one place here that makes a `Device` and knows how a robot shows where its joints are.
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
LIMP = 1  # the joint that is set to go limp; the others hold
STEPS_PER_RAD = 4096 / math.tau
PULSE_STEP = 8.5 / (2000.0 / math.pi)  # [rad] the firmware promises a pulse within 8 us
PULSE_SPACING = 0.03  # [s] a pulse every 20 ms, and the difference of two widths
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


@dataclass(frozen=True, slots=True)
class Seen:
    """A joint was driven to, or held at, an angle."""

    time: float  # [s]
    joint: int
    angle: float  # [rad]


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
    """Where pulses put the joints of `device`, at the end of each; it may know only some of the servos that
    have pulses.
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
        line: Between worker and robot.
        seen: Where joints were, as far as they had pulses or torque.
        told: What was commanded, and when [s, rad].
        sent: What of it the port took while the robot could hear.
        step: What a shown angle can be off: a pulse's promise, a servo's step [rad].
        spacing: Two sights of a driven joint come no farther apart [s].
        tells: Whether the robot measures where it is.
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
        """Bytes to the robot; what it answers."""
        raise NotImplementedError

    def look(self) -> list[Seen]:
        """What there is to be seen of the robot since the last look."""
        raise NotImplementedError

    def _connect(self, device: Device, now: float) -> Line:
        if self.missing is not None:
            raise TransportError(self.missing, "as the test wants it")
        return self.line.open()

    def run(self, seconds: float, pose: Pose | None = None, until: State | None = None):
        """As `Simulation.run`, looking at the robot after every turn."""
        end = self.now + seconds
        report = None
        while self.now < end - 1e-9 and (until is None or report is None or report.state is not until):
            report = super().run(PERIOD, pose)
            self._watch(report.commanded if report.state in COMMANDED else None)
        return self.report

    def alone(self, seconds: float) -> None:
        """The robot without the worker: it is dead, or stopped."""
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
        """Connect and arm until the robot follows `pose(time)`."""
        self.run(8.0, pose, until=State.DISARMED)
        self.click("Arm", pose)
        assert self.run(20.0, pose, until=State.ARMED).state is State.ARMED, self.sentence

    def click(self, button: str, pose: Pose) -> list[str]:
        """Press a button; where the robot asks whether it is at the pose, Arm is the button that says so.
        What was pressed.
        """
        if button == "Arm" and self.report.needs_confirmation:
            button = CONFIRM_AND_ARM
        self.command(BUTTONS[button])
        self.run(0.3, pose)
        return [button]

    @property
    def sentence(self) -> str:
        """What Blender says."""
        report = self.report
        return sentence(report.state, report.fault, report.detail, self.device)

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
    """Bus servos with a supply of their own.

    Attributes:
        MODE: Address of the operating mode; 1 is the one in which servos turn on and on.
        POSITION_MODE: The one in which they take positions.
        SPIN: A speed for the former: address, value, bytes.
        LOWEST: A lowest goal above where servo 1 stands: address, value, bytes.
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
        """The servos."""
        return self.bus_kind({1: 1900.0, 2: 2048.0, 3: 2200.0})

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
    """Feetech servos that move an arm with mass, which lies flat: a limp joint of it stays where it is. Needs
    MuJoCo.
    """

    name = "STS with a body"
    step = 0.03

    def made_bus(self) -> Bus:
        from tests.hardware.servo_bus.body import StsOnBody, horns_of, model_of
        from tests.hardware.small_arm import HORNS, LYING

        return StsOnBody(model_of(LYING), horns_of(HORNS), {1: -0.2, 2: 0.0, 3: 0.2})


class BoardWorld(World):
    """A board with hobby servos that says nothing of where they are, and speaks a protocol without a
    session.
    """

    step = PULSE_STEP
    spacing = 0.011
    tells = False
    protocol: str
    unit: int  # of the protocol in a microsecond

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
