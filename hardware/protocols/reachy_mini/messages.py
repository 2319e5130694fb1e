"""Messages of Reachy Mini's daemon (1.13), each a JSON object with a `type`.

The daemon does not answer commands. It sends the motors' positions 50 times a second, and its state once a
second.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

ENABLED = "enabled"  # mode in which the motors hold positions
DISABLED = "disabled"  # mode in which the motors have no torque
RUNNING = "running"  # state of a daemon that drives its robot
HEAD_JOINTS, ANTENNA_JOINTS = 7, 2
FARTHEST = 100.0  # [rad] largest angle of a motor, sixteen revolutions; messages with larger ones are ignored


@dataclass(frozen=True, slots=True)
class JointPositions:
    """Measured angles [rad]: of the body and the six motors of the head, and of the right and the left
    antenna.
    """

    head: tuple[float, ...]
    antennas: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class DaemonStatus:
    """State of the daemon (`RUNNING` or another), of its motors (`ENABLED`, `DISABLED`, ...), and its error,
    which may be empty.
    """

    state: str
    motors: str
    error: str


@dataclass(frozen=True, slots=True)
class MovePlayed:
    """A move that a program has loaded into the daemon has started (`runs` True) or ended."""

    runs: bool


DaemonMessage = JointPositions | DaemonStatus | MovePlayed


def decode(text: str) -> DaemonMessage | None:
    """The message in a text from the daemon; None if Limber does not need it, or the text is damaged."""
    try:
        # an integer of 400 digits becomes infinite, and is then refused
        fields = json.loads(text, parse_int=float)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    match fields.get("type"):
        case "joint_positions":
            head, antennas = (
                _angles(fields, "head_joint_positions", HEAD_JOINTS),
                _angles(fields, "antennas_joint_positions", ANTENNA_JOINTS),
            )
            return JointPositions(head, antennas) if head and antennas else None
        case "daemon_status":
            backend = fields.get("backend_status")
            motors = backend.get("motor_control_mode") if isinstance(backend, dict) else ""
            return DaemonStatus(_text(fields.get("state")), _text(motors), _text(fields.get("error")))
        case "play_uploaded_move":
            return MovePlayed(fields.get("started") is True)
    return None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _angles(fields: dict[str, Any], name: str, count: int) -> tuple[float, ...]:
    """`count` possible motor angles [rad]; empty if the message contains anything else."""
    values = fields.get(name)
    if not isinstance(values, list) or len(values) != count:
        return ()
    is_valid = all(isinstance(value, float) and abs(value) <= FARTHEST for value in values)
    return tuple(values) if is_valid else ()


def head_joints(angles: Sequence[float]) -> str:
    """JSON command with angles of the body and the six motors of the head (7,) [rad]; the daemon's inverse
    kinematics is not used.

    Raises:
        ValueError: An angle is not a finite number.
    """
    return _command("set_head_joints", joints=list(angles))


def antennas(angles: Sequence[float]) -> str:
    """JSON command with angles of the right and the left antenna (2,) [rad].

    Raises:
        ValueError: An angle is not a finite number; the daemon would rotate the antenna to -180 degrees.
    """
    return _command("set_antennas", antennas=list(angles))


def motor_mode(mode: str) -> str:
    """JSON command that sets the mode of all motors: `ENABLED` (torque on, at the present position) or
    `DISABLED`.
    """
    return _command("set_motor_mode", mode=mode)


def torque_off(names: Sequence[str]) -> str:
    """JSON command that switches off the torque of the named motors."""
    return _command("set_torque", on=False, ids=list(names))


def no_automatic_body_yaw() -> str:
    """JSON command that prevents the daemon from rotating the body on its own."""
    return _command("set_automatic_body_yaw", enabled=False)


def stop_move() -> str:
    """JSON command that stops a playing move at its current pose. While a move plays, the daemon ignores all
    targets.
    """
    return _command("stop_move")


def _command(kind: str, **fields: Any) -> str:
    return json.dumps({"type": kind, **fields}, allow_nan=False)
