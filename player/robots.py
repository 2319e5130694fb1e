"""The robots of a character in the player: their devices, and the values sent to them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

from ..character.file.contents import CharacterFile, RobotEntry
from ..character.filtered_value import FilteredValue
from ..hardware import calibration_file
from ..hardware.device import VIRTUAL_HOBBY_PORT, VIRTUAL_PORT, Device, DeviceJoint, Unit, on_virtual_robot
from ..hardware.errors import HardwareError
from ..hardware.protocols.table import FILE
from ..hardware.safety import Fault
from ..hardware.sentences import HostWords
from ..motion import Kinematic
from .errors import PlayerError
from .performance import Performance

# button in Blender -> command that a person types instead
ORDERS = {
    "Arm": "arm",
    "Disarm": "disarm",
    "Confirm Pose": "confirm",
    "Confirm Pose and Arm": "confirm",
    "Clear Fault": "clear",
    "Release All": "release",
    "Connect": "connect",
}
# faults of an absent robot, which may return and then stays disarmed
AWAY = frozenset({Fault.PORT_MISSING, Fault.PORT_BUSY, Fault.PORT_UNUSABLE, Fault.UNPLUGGED, Fault.SILENT})
HOST = HostWords("Limber", ORDERS, retried=AWAY, confirms_joints=False)
NO_ORDERS = "start limber play in a terminal, or with --page,"
# suffix of a calibration file's name; beside a character file, it replaces the calibration in that file
CALIBRATION = ".calibration.json"
# units of joints in character files, which are those of devices
UNITS: Mapping[str, Unit] = {unit: unit for unit in get_args(Unit)}


def device_of(robot: RobotEntry, character: Path, port: str = "") -> Device:
    """The device of a robot.

    Args:
        robot: The robot.
        character: Path of the character file; a calibration file of the same name beside it replaces the one
            in it.
        port: Port to use; "": the port in the file.

    Raises:
        PlayerError: The calibration cannot be read or does not fit, or its protocol is a program.
    """
    beside = calibration_beside(character)
    joints = [DeviceJoint(joint.name, joint.limits, UNITS[joint.unit]) for joint in robot.joints]
    try:
        calibration = (
            calibration_file.load(beside)
            if beside.exists()
            else calibration_file.from_text(robot.calibration, f"The calibration of '{robot.name}'")
        )
        if calibration.protocol.startswith(FILE):
            raise PlayerError(
                f"The robot of '{robot.name}' is driven by a program, and none is run for a character file:"
                " choose a protocol that Limber has"
            )
        device = calibration.device(port or robot.port, joints)
    except HardwareError as error:
        raise PlayerError(str(error)) from error
    return on_virtual_robot(device) if device.port in (VIRTUAL_PORT, VIRTUAL_HOBBY_PORT) else device


def protocol_of(robot: RobotEntry) -> str:
    """Key of the protocol of a robot, as its calibration gives it. Raises PlayerError for a damaged
    calibration.
    """
    try:
        return calibration_file.from_text(robot.calibration, f"The calibration of '{robot.name}'").protocol
    except HardwareError as error:
        raise PlayerError(str(error)) from error


def calibration_beside(character: Path) -> Path:
    """Path at which a calibration file may lie beside a character file; if it exists, it replaces the
    calibration in the character file.
    """
    return character.with_name(character.stem + CALIBRATION)


def check_origin(robot: RobotEntry, device: Device, character: Path, port: str, count: int) -> None:
    """Raises PlayerError for choices that a character file alone must not make: to connect to a robot over
    the network, and to which of `count` robots a calibration beside it belongs. `port` is the one given by a
    person.
    """
    if device.address is not None and not port:
        raise PlayerError(
            f"The robot of '{robot.name}' is on the network, at {device.port}: give --port {device.port} if"
            " that is yours, or --no-robot"
        )
    beside = calibration_beside(character)
    if count > 1 and beside.exists():
        raise PlayerError(
            f"{beside.name} does not say to which of the {count} robots it belongs: calibrate them in Blender,"
            " export again, and move that file away"
        )


class FollowedValues:
    """Values sent to the joints of a robot, tick after tick.

    Args:
        robot: The robot.
        character: Its character.
    """

    def __init__(self, robot: RobotEntry, character: CharacterFile) -> None:
        self._robot = robot
        self._indices = {value.name: k for k, value in enumerate(character.values)}
        self._filters = {value.name: value.filter for value in character.values if value.filter is not None}
        self._filtered: dict[str, FilteredValue] = {}

    def at(self, performance: Performance, dt: float) -> list[Kinematic]:
        """Values of the joints with their velocities and accelerations, per second; 0 for a joint that was
        not solved.

        Args:
            performance: The performance, after its tick.
            dt: Time since the last call [s].
        """
        motion, values = performance.motion(), performance.values()
        followed = []
        for joint in self._robot.joints:
            if joint.joint:
                followed.append(motion.get(joint.joint, Kinematic(0.0)))
            elif joint.track is not None:
                followed.append(Kinematic(float(joint.track.at(performance.frame))))
            else:
                followed.append(self._value(joint.value, values[self._indices[joint.value]], dt))
        return followed

    def _value(self, name: str, number: float, dt: float) -> Kinematic:
        """A value after its motion filter, if there is one."""
        settings = self._filters.get(name)
        if settings is None:
            return Kinematic(number)
        if name not in self._filtered:
            self._filtered[name] = FilteredValue.at(settings, number)
        filtered = self._filtered[name]
        filtered.step(number, dt)
        return filtered.motion


def per_unit(motion: Sequence[Kinematic], unit: float) -> list[Kinematic]:
    """Positions, velocities and accelerations with `unit` [s] as the unit of time, as the robot link needs
    them.
    """
    return [
        Kinematic(each.position, unit * each.velocity, unit * unit * each.acceleration) for each in motion
    ]
