"""ROS 2 messages of a motion (trajectory_msgs/JointTrajectory), as YAML and as JSON.

Source: trajectory_msgs/msg/JointTrajectory.msg and builtin_interfaces/msg/Duration.msg.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .joint_trajectory import NAMES, POINTS
from .motion import Motion
from .recording import MotionFileError

DECIMALS = 9  # decimals in files: 1e-9 rad, m, rad/s
MIDDLE = 2  # [frames] span of a central difference: from the row before to the row after


def message(motion: Motion) -> dict[str, Any]:
    """ROS 2 message of a motion: its joints without auxiliary values, at rest in the first and last point, as
    controllers require.

    Raises:
        MotionFileError: The motion has no joints.
    """
    columns = [column for column in motion.recording.columns if column.unit != "plain"]
    if not columns:
        raise MotionFileError("the robot has no joints, only values: export CSV or JSON")
    values = [column.values for column in columns]
    points = []
    for row in range(len(motion.values)):
        nanoseconds = round(row * 1e9 / motion.rate)
        points.append(
            {
                "positions": [_rounded(joint_values[row]) for joint_values in values],
                "velocities": [
                    _rounded(_velocity(joint_values, row, motion.rate)) for joint_values in values
                ],
                "time_from_start": {"sec": nanoseconds // 10**9, "nanosec": nanoseconds % 10**9},
            }
        )
    header = {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""}
    return {"header": header, NAMES: [column.name for column in columns], POINTS: points}


def _velocity(values: Sequence[float], row: int, rate: float) -> float:
    """Slope of the Catmull-Rom curve through the rows [1/s]; 0 at both ends."""
    return (values[row + 1] - values[row - 1]) * rate / MIDDLE if 0 < row < len(values) - 1 else 0.0


def _rounded(number: float) -> float:
    return round(number, DECIMALS) + 0.0  # no -0.0


def write_json(motion: Motion) -> bytes:
    """The ROS 2 message of a motion as JSON; raises MotionFileError as `message`."""
    return json.dumps(message(motion)).encode("utf-8")


def write_yaml(motion: Motion) -> bytes:
    """The ROS 2 message of a motion as YAML, as `ros2 topic pub` reads it; raises MotionFileError as
    `message`.
    """
    trajectory = message(motion)
    lines = ["header:", "  stamp: {sec: 0, nanosec: 0}", "  frame_id: ''", f"{NAMES}:"]
    lines += [f"- {json.dumps(name, ensure_ascii=False)}" for name in trajectory[NAMES]]
    lines.append(f"{POINTS}:")
    for point in trajectory[POINTS]:
        time = point["time_from_start"]
        lines.append(f"- positions: {_list(point['positions'])}")
        lines.append(f"  velocities: {_list(point['velocities'])}")
        lines.append(f"  time_from_start: {{sec: {time['sec']}, nanosec: {time['nanosec']}}}")
    return ("\n".join(lines) + "\n").encode("utf-8")


def _list(values: Sequence[float]) -> str:
    return (  # never 1e-05, which YAML 1.1 takes for a text
        f"[{', '.join(f'{value:.{DECIMALS}f}' for value in values)}]"
    )
