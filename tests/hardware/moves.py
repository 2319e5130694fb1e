"""Motion files for the tests: moves of Reachy Mini and tables, of this project's own."""

import json
import math

from limber.hardware.device import Device
from limber.hardware.motion_files import Motion, Take, frames_at
from limber.motion import Limits

from tests.hardware.devices import direct, one_to_one

WIDE = Limits(-3.0, 3.0, 100.0, 1e4, 1e6)


def pose(yaw: float, x: float = 0.0, z: float = 0.0) -> list[list[float]]:
    c, s = math.cos(yaw), math.sin(yaw)
    return [[c, -s, 0.0, x], [s, c, 0.0, 0.0], [0.0, 0.0, 1.0, z], [0.0, 0.0, 0.0, 1.0]]


def move(rows: int = 51, rate: float = 50.0) -> dict:
    """A move in which the head nods along, the antennas wave and the body turns."""
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
    return one_to_one("virtual", [direct(name, k, WIDE, lowest=-9000.0, highest=9000.0) for k, name in enumerate(names)])


def motion(names: tuple[str, ...] = ("pan", "tilt"), rate: int = 50, poses=None, rows: int = 51, renamed=()) -> Motion:
    """Waves on hobby servos, as frames that were read at `rate`."""
    frames = tuple(tuple(0.4 * math.sin(3.0 * k / rate + n) for n in range(len(names))) for k in range(rows))
    return frames_at(Take(device(*names), 1, float(rate), frames, rows, tuple(renamed), poses or {}), rate, "Wave")
