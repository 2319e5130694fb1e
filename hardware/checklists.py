"""Questions for the user after a fault, before the robot is armed again."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .protocols.table import is_on_network
from .safety import Fault

_CABLE = "Is the cable in, at both ends, and whole?"
_POWER = "Do the servos have power, and enough of it?"
_CLEAR = "Is everyone out of the robot's reach?"
_HARM = "Is nothing hot, broken or loose?"
_PROGRAM = "Does no other program use the port?"

CHECKS: Mapping[Fault, tuple[str, ...]] = MappingProxyType(
    {
        Fault.STOPPED: (_CLEAR, _HARM, "Is the cause resolved?"),
        Fault.PORT_MISSING: (
            _CABLE,
            "Is it the right port? They change names when they are plugged in elsewhere",
        ),
        Fault.PORT_BUSY: (_PROGRAM, "Is another Blender connected to the robot?"),
        Fault.PORT_FORBIDDEN: ("Is your user in the group 'dialout'?",),
        Fault.PORT_UNUSABLE: (_CABLE, "Does the port know the baud rate?"),
        Fault.UNPLUGGED: (_CABLE, "Does the cable hold when the robot moves?"),
        Fault.SILENT: (
            _POWER,
            _CABLE,
            "Are protocol and baud rate those of the servos? Find Servos shows them",
            "Is each id there, and only once?",
        ),
        Fault.OTHER_PROTOCOL: ("Is the protocol the robot's own?", "Is the baud rate right?"),
        Fault.OTHER_VERSION: ("Is the firmware of this Limber on the board?",),
        Fault.UNSUITABLE: (
            "Does each servo's number exist on the device?",
            "Are ranges those of the servos?",
        ),
        Fault.DEVICE_RESET: (_POWER, "Does the board get its own supply, apart from the servos?", _CLEAR),
        Fault.DEVICE_WATCHDOG: (_CABLE, "Is the computer very busy?", _CLEAR),
        Fault.DEVICE_REFUSED: (_HARM, _POWER, "Does a joint push against something?"),
        Fault.POSE_UNREAD: (_CABLE, _POWER, "Does the servo that is named answer in Find Servos?"),
        Fault.BLENDER_SILENT: (_CLEAR, "Has Blender finished what it was busy with?"),
        Fault.WORKER_DIED: (_CLEAR, "Does your own file, if you use one, run to its end?"),
        Fault.WORKER_HUNG: (_CLEAR, "Does your own file, if you use one, return at once?", _CABLE),
        Fault.UNREAD: (
            "Is the robot near its wireless network, and does nothing else use that network much?",
            "Does its dashboard say that its computer is busy?",
            _CLEAR,
        ),
        Fault.HELD_UP: (_CLEAR, "Did the computer sleep, or is another program keeping it busy?"),
        Fault.NO_PYSERIAL: ("Was Limber installed from its zip?",),
        Fault.BLOCKED: (
            "What blocks the joint that is named?",
            _HARM,
            "Is the joint's range within what the robot can do?",
            _POWER,
        ),
        Fault.POSE_UNFIT: (
            "Is the zero of the joint that is named right? The panel Calibrate shows it",
            "Has a horn or a gear slipped?",
        ),
        Fault.WRONG_MODE: (
            "Was the servo that is named a wheel, or a motor, before?",
            "Did another program change its mode?",
        ),
        Fault.POSITION_DOUBTFUL: (
            "Is the joint that is named within its range?",
            "Was its servo rotated by hand by more than a revolution?",
            "Is its homing offset 0, or what you set?",
        ),
        Fault.SERVO_FORGOT: (_POWER, _CABLE, _CLEAR),
        Fault.WENT_ON: (_CLEAR, _HARM, "Did another program change the mode of the servo that is named?"),
        Fault.OTHER_CALIBRATION: (
            "Was the robot calibrated with another program, or the servo that is named exchanged?",
        ),
    }
)
"""Questions after each fault; a fault that is missing has no questions."""

_DAEMON = "Is the robot on, and has its daemon started? Its dashboard shows both"
_NETWORK = "Are robot and computer in the same network, and is the address right?"
_ALONE = "Has every other app ended, and does no move play?"

# questions for a robot on a network, which replace those in CHECKS
_NETWORK_CHECKS: Mapping[Fault, tuple[str, ...]] = {
    Fault.PORT_MISSING: (_DAEMON, _NETWORK),
    Fault.PORT_UNUSABLE: (_DAEMON, _NETWORK),
    Fault.UNPLUGGED: (_DAEMON, _NETWORK, _CLEAR),
    Fault.SILENT: (_DAEMON, _NETWORK, _CLEAR),
    Fault.OTHER_PROTOCOL: (_NETWORK,),
    Fault.UNSUITABLE: ("Are the servos' numbers 10 to 18?",),
    Fault.DEVICE_REFUSED: (_ALONE, _HARM, _POWER),
    Fault.POSE_UNREAD: (_DAEMON,),
    Fault.BLOCKED: (_ALONE, "What blocks the joint that is named?", _HARM),
}


def checks(fault: Fault, protocol: str) -> tuple[str, ...]:
    """Questions that the user must answer after a fault, for a robot with this protocol."""
    return (_NETWORK_CHECKS.get(fault) if is_on_network(protocol) else None) or CHECKS.get(fault, ())
