"""Clips of motion capture as BVH files: a walking person whose feet stand exactly, with optional faults."""

from dataclasses import dataclass, field, replace
from math import acos, atan2, cos, degrees, hypot, pi, sin
from pathlib import Path

import numpy as np

THIGH, SHIN, HIP, ANKLE = (
    0.42,
    0.40,
    0.1,
    0.08,
)  # [m] lengths, half the hips' width, height of a standing ankle
# joint -> parent, offset [m]; Y is up, Z is forward, X is to the left
JOINTS = {
    "Hips": ("", (0.0, 0.0, 0.0)),
    "LeftHip": ("Hips", (HIP, -0.05, 0.0)),
    "LeftKnee": ("LeftHip", (0.0, -THIGH, 0.0)),
    "LeftAnkle": ("LeftKnee", (0.0, -SHIN, 0.0)),
    "LeftToe": ("LeftAnkle", (0.0, -0.05, 0.15)),
    "RightHip": ("Hips", (-HIP, -0.05, 0.0)),
    "RightKnee": ("RightHip", (0.0, -THIGH, 0.0)),
    "RightAnkle": ("RightKnee", (0.0, -SHIN, 0.0)),
    "RightToe": ("RightAnkle", (0.0, -0.05, 0.15)),
    "Chest": ("Hips", (0.0, 0.15, 0.0)),
    "Chest2": ("Chest", (0.0, 0.2, 0.0)),
    "LeftCollar": ("Chest2", (0.04, 0.12, 0.0)),
    "LeftShoulder": ("LeftCollar", (0.14, 0.0, 0.0)),
    "LeftElbow": ("LeftShoulder", (0.28, 0.0, 0.0)),
    "LeftWrist": ("LeftElbow", (0.25, 0.0, 0.0)),
    "RightCollar": ("Chest2", (-0.04, 0.12, 0.0)),
    "RightShoulder": ("RightCollar", (-0.14, 0.0, 0.0)),
    "RightElbow": ("RightShoulder", (-0.28, 0.0, 0.0)),
    "RightWrist": ("RightElbow", (-0.25, 0.0, 0.0)),
    "Neck": ("Chest2", (0.0, 0.18, 0.0)),
    "Head": ("Neck", (0.0, 0.1, 0.0)),
}
Angles = tuple[float, float, float]  # [degrees] about Z, X and Y, in this order


@dataclass
class Clip:
    """A clip: the hips' position [m] and the angles of each bent joint in each frame.

    Attributes:
        rate: Frames per second.
        names: Other names of joints, in the file.
        joints: The joints in the file; those below a missing one are missing too.
    """

    rate: int
    places: list[list[float]] = field(default_factory=list)
    angles: list[dict[str, Angles]] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    joints: tuple[str, ...] = tuple(JOINTS)

    def copy(self) -> "Clip":
        """The same clip with frames of its own: ten times as fast as `copy.deepcopy`."""
        return replace(
            self, places=[list(place) for place in self.places], angles=[dict(each) for each in self.angles]
        )

    def turn(self, frames, joint: str, axis: int, angle: float) -> None:
        """Adds an angle [degrees] to a joint in some frames."""
        for frame in frames:
            angles = list(self.angles[frame].get(joint, (0.0, 0.0, 0.0)))
            angles[axis] += angle
            self.angles[frame][joint] = tuple(angles)

    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        """World rotations (t, k, 3, 3) and positions (t, k, 3) of all joints, with Z up, as Blender imports
        them.
        """
        rotations: dict[str, np.ndarray] = {}
        positions: dict[str, np.ndarray] = {}
        for name in _depth_first("Hips"):
            angles = np.radians([joints.get(name, (0.0, 0.0, 0.0)) for joints in self.angles])
            own = _about(2, angles[:, 0]) @ _about(0, angles[:, 1]) @ _about(1, angles[:, 2])
            parent, offset = JOINTS[name]
            if parent:
                rotations[name] = rotations[parent] @ own
                positions[name] = positions[parent] + rotations[parent] @ np.array(offset)
            else:
                rotations[name], positions[name] = own, np.array(self.places)
        z_up = np.array([(1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)])
        return (
            z_up @ np.stack(list(rotations.values()), axis=1),
            np.stack(list(positions.values()), axis=1) @ z_up.T,
        )

    def text(self) -> str:
        lines = ["HIERARCHY", *self._joint(self.joints[0], 0), "MOTION"]
        lines += [f"Frames: {len(self.places)}", f"Frame Time: {1 / self.rate:.6f}"]
        order = [name for name in _depth_first(self.joints[0]) if name in self.joints]
        for place, angles in zip(self.places, self.angles, strict=True):
            numbers = [*place, *(value for name in order for value in angles.get(name, (0.0, 0.0, 0.0)))]
            lines.append(" ".join(f"{number:.6f}" for number in numbers))
        return "\n".join(lines) + "\n"

    def write(self, path: Path) -> Path:
        path.write_text(self.text())
        return path

    def _joint(self, name: str, depth: int) -> list[str]:
        below = [joint for joint in self.joints if JOINTS[joint][0] == name]
        x, y, z = JOINTS[name][1]
        channels = "3 Zrotation Xrotation Yrotation"
        if depth == 0:
            channels = "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
        lines = [f"{'JOINT' if depth else 'ROOT'} {self.names.get(name, name)}", "{"]
        lines += [f"OFFSET {x} {y} {z}", f"CHANNELS {channels}"]
        for joint in below:
            lines += self._joint(joint, depth + 1)
        if not below:
            tip = 0.1 if x >= 0.0 else -0.1
            lines += ["End Site", "{", f"OFFSET {tip if name.endswith('Wrist') else 0.0} 0.05 0.0", "}"]
        return [*lines, "}"]


def _about(axis: int, angles: np.ndarray) -> np.ndarray:
    """Rotations (t, 3, 3) about an axis (0: X) by angles (t,) [rad]."""
    matrices = np.zeros((len(angles), 3, 3))
    j, k = (axis + 1) % 3, (axis + 2) % 3
    matrices[:, axis, axis] = 1.0
    matrices[:, j, j] = matrices[:, k, k] = np.cos(angles)
    matrices[:, k, j] = np.sin(angles)
    matrices[:, j, k] = -matrices[:, k, j]
    return matrices


def _depth_first(name: str) -> list[str]:
    below = [joint for joint, (parent, _) in JOINTS.items() if parent == name]
    return [name, *(joint for each in below for joint in _depth_first(each))]


def walk(
    frames: int = 40,
    rate: int = 30,
    stride: float = 0.5,
    period: float = 1.2,
    swing: float = 25.0,
    shift=None,
) -> Clip:
    """A person who walks forward, and swings the arms.

    Args:
        frames, rate: Number of frames, and frames per second.
        stride: Length [m] of two steps; 0: stepping in one place.
        period: Time [s] of two steps.
        swing: Angle [degrees] to which arms swing.
        shift: Function from the time [s] to a distance [m] by which the left foot is shifted forward.
    """
    clip = Clip(rate)
    for frame in range(frames):
        time = frame / rate
        ahead = stride * time / period
        height = 0.05 + ANKLE + 0.97 * (THIGH + SHIN) - stride**2 / 4
        clip.places.append([0.0, height, ahead])
        angles: dict[str, Angles] = {}
        for side, offset in (("Left", 0.0), ("Right", 0.5)):
            foot, lift = _step(time / period + offset, stride, offset)
            foot += shift(time) if shift is not None and side == "Left" else 0.0
            angles |= _leg(side, foot - ahead, height - 0.05 - ANKLE - lift)
            wave = swing * sin(2 * pi * (time / period + offset))
            sign = -1 if side == "Left" else 1
            angles[f"{side}Shoulder"] = (sign * 70.0, 0.0, sign * wave)
            angles[f"{side}Elbow"] = (0.0, 0.0, sign * (20.0 + 0.3 * wave))
        angles["Chest"] = (0.0, 3.0, 4.0 * sin(2 * pi * time / period))
        angles["Head"] = (0.0, 5.0 * sin(pi * time / period), 15.0 * sin(1.3 * pi * time / period))
        clip.angles.append(angles)
    return clip


def _step(phase: float, stride: float, offset: float) -> tuple[float, float]:
    """Distance [m] of a foot ahead of the hips, and its height [m]; it stands for six tenths of a period."""
    count, share = divmod(phase, 1.0)
    start = stride * (count - offset + 0.3)
    if share < 0.6:
        return start, 0.0
    swung = (share - 0.6) / 0.4
    return start + stride * (1.0 - cos(pi * swung)) / 2.0, 0.1 * sin(pi * swung) ** 2


def _leg(side: str, ahead: float, below: float) -> dict[str, Angles]:
    """Angles of a leg whose ankle is `ahead` of and `below` its hip [m], with the foot level."""
    reach = min(hypot(ahead, below), 0.9999 * (THIGH + SHIN))
    knee = acos((THIGH**2 + SHIN**2 - reach**2) / (2 * THIGH * SHIN))
    hip = atan2(ahead, below) + acos((THIGH**2 + reach**2 - SHIN**2) / (2 * THIGH * reach))
    bend = pi - knee
    return {
        f"{side}Hip": (0.0, -degrees(hip), 0.0),
        f"{side}Knee": (0.0, degrees(bend), 0.0),
        f"{side}Ankle": (0.0, degrees(hip - bend), 0.0),
    }
