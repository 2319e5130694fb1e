"""Motion files for the tests, made by this project: moves of Reachy Mini, and tables."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace

from limber.hardware.device import Device
from limber.hardware.motion_files import Motion, Named, Recording, Scale, Take, frames_at
from limber.motion import Limits

from tests.hardware.devices import direct, one_to_one

WIDE = Limits(-3.0, 3.0, 100.0, 1e4, 1e6)


def pose(yaw: float, x: float = 0.0, z: float = 0.0) -> list[list[float]]:
    c, s = math.cos(yaw), math.sin(yaw)
    return [[c, -s, 0.0, x], [s, c, 0.0, 0.0], [0.0, 0.0, 1.0, z], [0.0, 0.0, 0.0, 1.0]]


POSES = {
    "head": tuple(tuple(number for line in pose(0.01 * k, z=0.177) for number in line) for k in range(51))
}
REACHY = ("yaw_body", "right_antenna", "left_antenna")


def move(rows: int = 51, rate: float = 50.0) -> dict:
    """A move in which the head nods, the antennas wave and the body rotates."""
    waves = [math.sin(3.0 * k / rate) for k in range(rows)]
    return {
        "description": "a wave",
        "time": [k / rate for k in range(rows)],
        "set_target_data": [
            {
                "head": pose(0.3 * wave, 0.01 * wave, 0.005 * wave),
                "antennas": [0.5 * wave, -0.2 * wave],
                "body_yaw": 0.2 * wave,
                "check_collision": False,
            }
            for wave in waves
        ],
    }


def move_bytes(**changed) -> bytes:
    return json.dumps(move() | changed).encode()


def device(*names: str) -> Device:
    return one_to_one(
        "virtual", [direct(name, k, WIDE, lowest=-9000.0, highest=9000.0) for k, name in enumerate(names)]
    )


def motion(
    names: tuple[str, ...] = ("pan", "tilt"), rate: int = 50, poses=None, rows: int = 51, renamed=()
) -> Motion:
    """Waves on hobby servos, as frames read at `rate`."""
    frames = tuple(tuple(0.4 * math.sin(3.0 * k / rate + n) for n in range(len(names))) for k in range(rows))
    return frames_at(
        Take(device(*names), 1, float(rate), frames, rows, tuple(renamed), poses or {}), rate, "Wave"
    )


def lamp(rows: int = 31, ends: tuple[float, float] | None = (-1.5, 1.2)) -> Motion:
    """Waves of a LeLamp, whose joints have the names of its servos."""
    names = tuple(str(k) for k in range(1, 6))
    return motion(
        names,
        30,
        rows=rows,
        renamed=[Named(name, -1.0, servo=int(name), scale=Scale(ends=ends)) for name in names],
    )


def arm(rows: int = 31) -> Motion:
    """Waves of an SO-101, whose model has other zeros than LeRobot."""
    joints = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper")
    scales = [Scale(0.3 * k, (-1.0) ** k, (-1.0 - k, 1.0 + k)) for k in range(6)]
    named = [
        Named(name, 1.0, servo=k, scale=scale)
        for k, (name, scale) in enumerate(zip(joints, scales, strict=True), 1)
    ]
    return motion(joints, 30, rows=rows, renamed=named)


def in_joint_units(recording: Recording, named: Sequence[Named]) -> Recording:
    """A recording with values in radians, as an import converts them."""
    own = {one.servo: one for one in named} | {one.name: one for one in named}
    columns = []
    for column in recording.columns:
        one = own[column.servo if column.servo >= 0 else column.name]
        is_converted = column.unit in ("rad", "m", "plain")
        values = (
            column.values
            if is_converted
            else tuple(one.scale.joint(value, column.unit) for value in column.values)
        )
        columns.append(replace(column, name=one.name, values=values, unit=one.unit))
    return replace(recording, columns=tuple(columns))
