"""Blender, the worker and Reachy Mini's daemon on one simulated clock, and the fixture `begin` that creates
them for a test.
"""

import math

import pytest
from limber.hardware.safety import Fault, State
from limber.hardware.transport import TransportError
from limber.motion import Limits

from tests.hardware.reachy_daemon import SLEEP, ReachyDaemon, reachy_device
from tests.hardware.simulation import Simulation, still

LIMITS = Limits(-3.2, 3.2, math.pi, 5 * math.pi, 50 * math.pi)
# joint values with the URDF's signs: antennas rotate in the other direction
JOINTS = (*SLEEP[:7], *(-angle for angle in SLEEP[7:]))
AWAKE = (0.0, 0.6, -0.6, 0.6, -0.6, 0.6, -0.6, 0.1, -0.1)  # [rad] angles of the daemon's motors
UP = still(0.1, 0.5, -0.55, 0.55, -0.55, 0.5, -0.5, 0.0, 0.0)


def waving(time: float) -> tuple[float, ...]:
    return tuple(angle + 0.2 * math.sin(2.0 * time + k) for k, angle in enumerate(UP(time)))


class Line:
    """A connection to the daemon, whose faults a test switches on."""

    def __init__(self, simulation: "ReachySimulation") -> None:
        self._simulation = simulation
        self._coming = b""
        self.cut = False  # whether no data pass, while the connection stays open
        self.ended = False
        self.full = False

    def read(self) -> bytes:
        if self.ended:
            raise TransportError(Fault.UNPLUGGED, "Connection reset by peer")
        coming, self._coming = self._coming, b""
        if not self.cut:
            coming += self._simulation.daemon.hear(b"", self._simulation.now)
        return coming

    def write(self, data: bytes) -> bool:
        if not (self.cut or self.full):
            self._coming += self._simulation.daemon.hear(data, self._simulation.now)
        return not self.full

    def close(self) -> None:
        pass


class ReachySimulation(Simulation):
    """Blender, the worker and the daemon, on one simulated clock."""

    def __init__(
        self,
        on_silence: str = "hold",
        motors: str = "disabled",
        limits: Limits = LIMITS,
        angles=AWAKE,
        **named,
    ) -> None:
        self.daemon = ReachyDaemon(1000.0, angles, motors)
        super().__init__(reachy_device(limits, on_silence, **named), self)

    @property
    def positions(self) -> tuple[float, ...]:
        return tuple(self.daemon.angles)

    @positions.setter
    def positions(self, _rows: list) -> None:
        """Ignores the history of `Simulation`, which is not needed here."""

    def _connect(self, device, now: float) -> Line:
        self.line = Line(self)
        return self.line

    def run(self, seconds, pose=None, until=None):
        end = self.now + seconds
        while self.now < end - 1e-9:
            self.now += 0.01
            if pose is not None:
                self.send(pose(self.now))
            self.worker.step(self.now)
            report = self.report
            if report.state in (State.ARMING, State.ARMED, State.HOLDING) and report.commanded is not None:
                self.commands.append(report.commanded)
            if report.state is until:
                break
        return self.report

    def joints(self) -> tuple[float, ...]:
        """Values of the robot's joints, with the URDF's signs."""
        return (*self.daemon.angles[:7], *(-angle for angle in self.daemon.angles[7:]))


@pytest.fixture
def begin(closing):
    """Function that creates simulations, which are closed at the end of the test."""
    return lambda *args, **kwargs: closing(ReachySimulation(*args, **kwargs))
