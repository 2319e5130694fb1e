"""LeRobot's calibration of a rig's robot: import, export, and conversion of LeRobot's values to joint
values.
"""

from collections.abc import Mapping, Sequence
from math import ceil, degrees, floor, isfinite

import bpy

from ...hardware.lerobot.calibration import (
    FEETECH,
    GRIPPER,
    LAST_STEP,
    STEPS_PER_RADIAN,
    Family,
    LeRobotMotor,
    arms_of,
)
from ...hardware.motion_files import Scale
from ...robots.lerobot_zeros import KNOWN, ZEROS, Zero
from ..blender.errors import RigError
from ..bones import imported_robot
from ..bones.file_joints import FileJoint
from . import device as robot_device
from . import links
from .lerobot_servos import LerobotServo, servo_at, servo_of

BAUDRATE = 1_000_000  # [bit/s] baud rate that LeRobot uses with both makers' servos
# item instead of a model's name: the joints are at 0 in the middle of the recorded range, as in LeRobot
MIDDLE = "middle"
# [rad] a larger loss of a joint's range in an exported file is reported; about 0.5 degrees
LEAST_LOSS = 0.01


def model_name(rig: bpy.types.Object) -> str:
    """Name of the robot model that was imported as this rig, if Limber knows the model's zeros; else ""."""
    name = str(rig.data.get(imported_robot.KEY, "")) if rig.data is not None else ""
    return name if name in KNOWN else ""


def give(
    rig: bpy.types.Object,
    motors: Mapping[str, LeRobotMotor],
    model: str,
    prefix: str = "",
    family: Family = FEETECH,
) -> list[str]:
    """Applies LeRobot's calibration to the rig's servos: ids, zeros, ranges and homing offsets. If it raises
    an error, nothing has changed.

    Args:
        rig: The armature object, or the object with the mechanism.
        motors: LeRobot's motors by name.
        model: Name of the model whose zeros apply, of `KNOWN`, or MIDDLE.
        prefix: Beginning of the motors' names of the arm to import, if the file has several arms.
        family: Family of servos for which the file was written.

    Returns:
        Sentences on parts of the file that do not fit.

    Raises:
        RigError: no motor has a joint; two motors have the same id or joint; a motor's name or drive mode
            leaves its zero or direction open; no arm has the prefix, or without one there are several arms;
            or a joint whose zero is not known has no range.
    """
    zeros, known, arms = _named(motors, model)
    arm = _arm(arms, prefix)
    servos = {
        name: servo
        for name, file_name in arm.items()
        if (servo := servo_of(rig, name, motors[file_name].id, zeros.get(name)))
    }

    # nothing is written before all checks have passed
    _refuse_unknown_motors(rig, motors, arms, arm, known)
    if not servos:
        raise RigError(
            f"'{rig.name}' has no joint for the motors {', '.join(motors)}: give its joints these names, or"
            " the servos' numbers"
        )
    arm_motors = {name: motors[arm[name]] for name in servos}
    _refuse_two_ids({arm[name]: motor for name, motor in arm_motors.items()})
    _refuse_two_motors(servos, arm)
    _refuse_drive_modes(servos, {name: motor for name, motor in arm_motors.items() if name in zeros}, arm)
    _refuse_without_range(servos, zeros)

    _write(rig, servos, arm_motors, zeros, family)
    directions = (
        "each joint's 0 is the middle of its range, as LeRobot's: where a joint runs the wrong way, toggle"
        " Reverse"
    )
    taken = {arm[name] for name in servos}
    return [
        *([directions] if model == MIDDLE else ()),
        *(
            f"motor '{name}' (id {motor.id}) has no joint here"
            for name, motor in motors.items()
            if name not in taken
        ),
        *_joints_without_motor(rig, arm_motors),
    ]


def _named(
    motors: Mapping[str, LeRobotMotor], model: str
) -> tuple[Mapping[str, Zero], list[str], Mapping[str, Mapping[str, str]]]:
    """(zeros of a model's motors, the model's names of motors, the file's arms); each arm, under its prefix,
    has the file's name of each motor.
    """
    if model == MIDDLE:
        zeros = {name: Zero() for name in motors if name != GRIPPER}
        return zeros, list(motors), {"": {name: name for name in motors}}
    known = _motor_names(model)
    return KNOWN[model], known, arms_of(motors, known)


def _write(
    rig: bpy.types.Object,
    servos: Mapping[str, LerobotServo],
    motors: Mapping[str, LeRobotMotor],
    zeros: Mapping[str, Zero],
    family: Family,
) -> None:
    """Writes the motors of an arm to their servos, and common settings to the device."""
    device = rig.limber.device
    device.protocol, device.baudrate = family.protocol, BAUDRATE
    device.multi_turn = any(motor.range_min < 0 or motor.range_max > LAST_STEP for motor in motors.values())
    # all servo numbers are set first, since a servo that takes the number of another servo takes its settings
    # too
    for name, servo in servos.items():
        if servo.settings.servo != motors[name].id:
            robot_device.give_servo(rig, servo.settings, motors[name].id)
    for name, servo in servos.items():
        _calibrate_servo(servo, motors[name], zeros.get(name))


def _joints_without_motor(rig: bpy.types.Object, motors: Mapping[str, LeRobotMotor]) -> list[str]:
    """Sentences on joints with servos for which the file has no motor."""
    ids = {motor.id for motor in motors.values()}
    joints = [joint for _, joint in robot_device.joints(rig) if joint.servo >= 0 and joint.servo not in ids]
    return [f"joint {joint.label} is not in the file" for joint in joints]


def _motor_names(model: str) -> list[str]:
    """Names of a model's motors in LeRobot."""
    return [*KNOWN[model], GRIPPER] if model in ZEROS else list(KNOWN[model])


def _arm(arms: Mapping[str, Mapping[str, str]], prefix: str) -> Mapping[str, str]:
    """The arm with a prefix; without a prefix, the arm of the motors with plain names, else the file's only
    arm; empty if the file has none. Raises RigError if no arm has the prefix, or if there are several arms
    and no prefix.
    """
    if prefix and prefix not in arms:
        raise RigError(
            f"No motor of the file is an arm's and begins with '{prefix}': its arms' begin with"
            f" {', '.join(arms) or 'nothing'}"
        )
    if prefix or "" in arms:
        return arms[prefix]
    if len(arms) > 1:
        names = " and ".join(f"'{arm_prefix}'" for arm_prefix in arms)
        raise RigError(
            f"The file has {len(arms)} arms, whose motors' names begin with {names}: write one of these into"
            " Prefix in the file browser"
        )
    return next(iter(arms.values()), {})


def _refuse_unknown_motors(
    rig: bpy.types.Object,
    motors: Mapping[str, LeRobotMotor],
    arms: Mapping[str, Mapping[str, str]],
    arm: Mapping[str, str],
    known: Sequence[str],
) -> None:
    """Raises RigError if a joint of the rig has a motor that belongs to no arm, since the model has no motor
    of that name: its zero and direction are unknown. `arms` are the file's, and `arm` is that to import:
    a motor's name in LeRobot -> its name in the file.
    """
    of_arms = {*arm.values(), *(motor for names in arms.values() for motor in names.values())}
    for name, motor in motors.items():
        servo = servo_of(rig, name, motor.id, None) if name not in of_arms else None
        if servo is not None:
            raise RigError(
                f"Motor '{name}' (id {motor.id}) would be that of {servo.name}, and its name is none of this"
                f" robot's ({', '.join(known)}), so its zero and direction are not known: give it the right"
                " name in the file"
            )


def _refuse_two_motors(servos: Mapping[str, LerobotServo], arm: Mapping[str, str]) -> None:
    """Raises RigError if two motors have the same joint."""
    names = list(servos)
    for index, name in enumerate(names):
        first = next(
            (other for other in names[:index] if servos[other].settings == servos[name].settings), None
        )
        if first is not None:
            raise RigError(
                f"Motors '{arm[first]}' and '{arm[name]}' would both be that of {servos[name].name}: give"
                " each its own joint, by its name or servo number"
            )


def _refuse_two_ids(motors: Mapping[str, LeRobotMotor]) -> None:
    """Raises RigError if two of the motors to import have the same id, as is possible for arms at separate
    ports.
    """
    owners: dict[int, str] = {}
    for name, motor in motors.items():
        first = owners.setdefault(motor.id, name)
        if first != name:
            raise RigError(
                f"Motors '{first}' and '{name}' have the same id, {motor.id}, and a robot has one port here:"
                " keep only one arm's motors in the file"
            )


def _refuse_drive_modes(
    servos: Mapping[str, LerobotServo], motors: Mapping[str, LeRobotMotor], arm: Mapping[str, str]
) -> None:
    """Raises RigError for a motor in degrees with drive mode 1: LeRobot applies the drive mode to shares of
    the range, but not to degrees.
    """
    for name, motor in motors.items():
        if motor.drive_mode:
            raise RigError(
                f"Motor '{arm[name]}' (id {motor.id}) has drive_mode 1, which reverses it in some of"
                f" LeRobot's modes and not in others, so the direction of {servos[name].name} is not known:"
                " write 0 into the file, and if the joint then runs the wrong way toggle Reverse"
            )


def collect(rig: bpy.types.Object, model: str) -> tuple[dict[str, LeRobotMotor], list[str]]:
    """LeRobot's motors for a rig by name, and sentences on ranges that they cannot express.

    LeRobot's zero is the middle of the range, so a range that is not symmetric about the joint's zero is
    narrowed until it is.

    Raises:
        RigError: a joint of the model has no servo; or a servo's homing offset is not known, it rotates
            against LeRobot's sense, or LeRobot's zero is outside of its range.
    """
    motors, remarks, zeros = {}, [], KNOWN[model]
    for name in _motor_names(model):
        servo = servo_of(rig, name, -1, zeros.get(name))
        if servo is None or servo.settings.servo < 0:
            raise RigError(f"'{rig.name}' has no servo for '{name}': give that joint one")
        motors[name], lost = _motor(rig, servo, zeros.get(name))
        if lost:
            remarks.append(f"{servo.name}: {lost}")
    return motors, remarks


def scale_of(rig: bpy.types.Object, joint: FileJoint) -> Scale:
    """Conversion between a joint's values and LeRobot's. Zero and sense are the model's if Limber knows them,
    else 0 and 1. The range is the joint's own for a gripper, else the servo's (until its homing offset is
    known, that of the maker's calibration, if the model has one); none without a servo.
    """
    zeros = KNOWN.get(model_name(rig), {})
    name, zero = next(
        ((name, z) for name, z in zeros.items() if joint.name == (z.of or name)), (joint.name, None)
    )
    zero_value, sense = (zero.value, zero.sense) if zero is not None else (0.0, 1)
    # a gripper's range goes from closed to open in either direction of the servo
    if name == GRIPPER and isfinite(joint.upper - joint.lower):
        return Scale(zero_value, sense, tuple(sorted((joint.sign * joint.lower, joint.sign * joint.upper))))
    servo = servo_at(rig, joint)
    if servo is None:
        return Scale(zero_value, sense)
    if zero is not None and zero.swing is not None and servo.settings.recorded_offset is None:
        return Scale(zero_value, sense, (zero.joint(-zero.swing), zero.joint(zero.swing)))
    return Scale(zero_value, sense, tuple(servo.sign * end for end in servo.settings.value_at_ends))


def is_calibrated(rig: bpy.types.Object, joint: FileJoint) -> bool:
    """Whether the homing offset of a joint's servo is known, from a calibration of LeRobot or read from the
    servo.
    """
    servo = servo_at(rig, joint)
    return servo is not None and servo.settings.recorded_offset is not None


def _refuse_without_range(servos: Mapping[str, LerobotServo], zeros: Mapping[str, Zero]) -> None:
    """Raises RigError for a motor without a known zero whose joint has no finite range, from which the zero
    could be computed.
    """
    for name, servo in servos.items():
        lower, upper = servo.limits
        if name not in zeros and not (lower < upper and isfinite(upper - lower)):
            raise RigError(
                f"{servo.name} has no range from closed to open, which LeRobot's motor '{name}' needs: set"
                " its Min below its Max, or give the motor's servo to another joint"
            )


def _calibrate_servo(servo: LerobotServo, motor: LeRobotMotor, zero: Zero | None) -> None:
    """Writes a motor's range, homing offset and, by its `zero`, the servo's zero and direction to the
    settings of its servo. A motor without a known zero is a gripper: its zero follows from the joint's range.
    """
    settings = servo.settings
    settings.recorded_offset = motor.homing_offset
    if not servo.settings.has_zero:
        _calibrate_value(servo, motor, zero)
        return
    settings.gear, settings.min_us, settings.max_us = 1.0, motor.range_min, motor.range_max
    if zero is None:  # the gripper is closed at its lower limit and open at its upper limit
        settings.us_per_radian = (motor.range_max - motor.range_min) / (servo.limits[1] - servo.limits[0])
        settings.reverse = (servo.sign < 0) != bool(motor.drive_mode)
        closed = servo.limits[0] if servo.sign > 0 else servo.limits[1]
        at_closed = motor.position(0.0, "range_0_100")
        settings.zero_us = at_closed - settings.sense * settings.us_per_radian * closed
        return
    settings.us_per_radian = STEPS_PER_RADIAN
    settings.reverse = servo.sign * zero.sense < 0
    settings.zero_us = motor.middle - settings.sense * STEPS_PER_RADIAN * servo.sign * zero.value


def _calibrate_value(servo: LerobotServo, motor: LeRobotMotor, zero: Zero | None) -> None:
    """As `_calibrate_servo`, for an auxiliary value: its range, and the servo's positions at both ends."""
    value, ends = servo.settings, (motor.range_min, motor.range_max)
    if zero is None:  # the gripper is closed at the joint's lower limit
        value.low, value.high = servo.limits
        rises = (servo.sign > 0) != bool(motor.drive_mode)
    else:
        rises = servo.sign * zero.sense > 0
        value.low, value.high = sorted(
            servo.sign * zero.joint((end - motor.middle) / STEPS_PER_RADIAN) for end in ends
        )
    value.at_low, value.at_high = ends if rises else ends[::-1]


def _motor(rig: bpy.types.Object, servo: LerobotServo, zero: Zero | None) -> tuple[LeRobotMotor, str]:
    """LeRobot's motor of a servo, and a text about the part of its range that LeRobot cannot express; "" if
    there is none.

    Raises:
        RigError: the servo's direction, zero or homing offset cannot be expressed, or is not known.
    """
    settings = servo.settings
    offset = _stored_offset(rig, settings)
    if not servo.settings.has_zero:
        low, high = sorted((round(settings.at_low), round(settings.at_high)))
        is_inverted = (settings.at_low > settings.at_high) != (servo.sign < 0)
        return LeRobotMotor(settings.servo, int(is_inverted), offset, low, high), ""
    low, high = max(ceil(settings.min_us), 0), min(floor(settings.max_us), LAST_STEP)
    if zero is None:
        return LeRobotMotor(settings.servo, int(settings.sense != servo.sign), offset, low, high), ""
    if settings.sense != servo.sign * zero.sense:
        raise RigError(
            f"{servo.name} rotates against LeRobot's sense, which its file cannot express: toggle Reverse"
        )
    per_radian = settings.us_per_radian * abs(settings.gear)
    middle = round(2 * (settings.zero_us + settings.sense * per_radian * servo.sign * zero.value)) / 2
    half = min(middle - low, high - middle)
    if half <= 0:
        raise RigError(
            f"{servo.name}: LeRobot's zero, position {middle:.0f}, is outside of its range {low} to {high}:"
            " set its zero again"
        )
    begin = ceil(middle - half)
    end = round(2 * middle) - begin
    lost = (high - low - (end - begin)) / per_radian
    return LeRobotMotor(settings.servo, 0, offset, begin, end), (
        f"{degrees(lost):.1f} degrees of its range are left out" if lost > LEAST_LOSS else ""
    )


def _stored_offset(rig: bpy.types.Object, settings: bpy.types.PropertyGroup) -> int:
    """Homing offset [raw units] that a servo reports, else that of its calibration; raises RigError if
    neither is known.
    """
    link, status = links.link(rig), links.status(rig)
    index = None if link is None else robot_device.channel_of_servo(link.device, settings.servo)
    reported = None if status is None or index is None else status.channels[index].homing_offset
    known = settings.recorded_offset if reported is None else round(reported)
    if known is None:
        raise RigError(
            f"The homing offset of servo {settings.servo} is not known, and LeRobot would overwrite it: press"
            " Connect, then export again"
        )
    return known
