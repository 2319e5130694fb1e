"""Robots of bus servos in simulated time: the worker's own loop, with a bus instead of the port."""

import math

import pytest
from limber.hardware.device import Device
from limber.hardware.safety import Fault
from limber.hardware.transport import TransportError

from tests.hardware.devices import direct, one_to_one
from tests.hardware.servo_bus import Bus, DynamixelBus, StsBus
from tests.hardware.simulation import LIMITS, Simulation, still

STEPS_PER_RAD = 4096 / math.tau
POSE = still(0.4, -0.3, 0.2)
COUNTED = 30.0  # [s] longer than every timer of a servo: its watchdog, an overload, a motion in progress
BUSES = {"feetech_sts": StsBus, "dynamixel": DynamixelBus}
PLACES = {1: 1800.0, 2: 2048.0, 3: 2300.0}


def bus_device(protocol: str, on_silence: str = "hold", ids=(1, 2, 3)) -> Device:
    """Device with servos whose zero is their middle; positions are in steps."""
    servo = {
        "zero": 2048.0,
        "per_radian": STEPS_PER_RAD,
        "lowest": 1.0,
        "highest": 4095.0,
        "on_silence": on_silence,
    }
    return one_to_one(
        "a port",
        [direct(f"joint {k}", k, LIMITS, **servo) for k in ids],
        baudrate=1_000_000,
        protocol=protocol,
    )


class Wire:
    """A transport to simulated servos, whose faults a test switches on."""

    def __init__(self, simulation: "BusSimulation") -> None:
        self._simulation = simulation
        self._coming = b""
        self.broken = False  # whether no bytes pass
        self.unplugged = False
        self.spoil = lambda data: data  # changes bytes in either direction

    def read(self) -> bytes:
        self._check()
        coming, self._coming = self._coming, b""
        return coming

    def write(self, data: bytes) -> bool:
        self._check()
        if not self.broken:
            self._coming += self.spoil(self._simulation.bus.hear(self.spoil(data), self._simulation.now))
        return True

    def close(self) -> None:
        pass

    def _check(self) -> None:
        if self.unplugged:
            raise TransportError(Fault.UNPLUGGED, "[Errno 5] Input/output error")


class Robot:
    """Interface of a robot that `Simulation` needs: positions of its servos."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    @property
    def positions(self) -> tuple[float, ...]:
        return tuple(servo.position for _, servo in sorted(self._bus.servos.items()))


class BusSimulation(Simulation):
    """Blender, the worker and servos on a bus, on one simulated clock."""

    def __init__(self, device: Device, bus: Bus) -> None:
        self.bus = bus
        super().__init__(device, Robot(bus))
        bus.now = self.now
        for servo in bus.servos.values():
            servo.heard_at = self.now

    def _connect(self, device: Device, now: float) -> Wire:
        self.cable = Wire(self)
        return self.cable

    def sleep(self, seconds: float) -> None:
        """Advances the time. Servos are only simulated for `COUNTED`: without messages nothing happens to
        them afterwards.
        """
        self.pass_time(min(seconds, COUNTED))
        skipped = max(seconds - COUNTED, 0.0)
        self.now += skipped
        self.bus.now += skipped

    def pass_time(self, seconds: float) -> None:
        """Advances the servos' time without any messages."""
        self.now += seconds
        self.bus.hear(b"", self.now)

    def angles(self) -> list[float]:
        return [(position - 2048) / STEPS_PER_RAD for position in self.robot.positions]

    def limp(self) -> list[bool]:
        return [not self.bus.has_torque(number) for number in sorted(self.bus.servos)]


@pytest.fixture
def begin(closing):
    """Function that creates simulations, which are closed at the end of the test."""

    def make(
        protocol: str = "feetech_sts", on_silence: str = "hold", positions=None, ids=(1, 2, 3)
    ) -> BusSimulation:
        return closing(
            BusSimulation(bus_device(protocol, on_silence, ids), BUSES[protocol](dict(positions or PLACES)))
        )

    return make


@pytest.fixture(params=BUSES)
def simulation(request, begin):
    return begin(request.param)
