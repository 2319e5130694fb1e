"""A humanoid received by the VMC protocol: local rotations and positions of bones with Unity's names.

    /VMC/Ext/Root/Pos  "root" px py pz qx qy qz qw ...   the whole figure in the world [m]
    /VMC/Ext/Bone/Pos  NAME px py pz qx qy qz qw         a bone in its parent's space [m]
    /VMC/Ext/T         seconds                           time of these values, by the sender's clock

Source: sh-akira, "Virtual Motion Capture Protocol", https://protocol.vmc.info. Unity's world is left-handed,
Y is up and figures look along +Z. Values are converted to right-handed, Z up, figures looking along -Y.
Children of a bone that is not sent, or has never had a rotation, are attached to its nearest ancestor. Names
can be in any letter case, since VRM's begin with a small letter. Where a sender gives rotations alone, with
positions of 0, bones have the positions of an adult.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...files.plain import shown
from ...solvers.kinematics import rotations
from ...solvers.kinematics.rotations import Quaternion, Vector
from ...solvers.kinematics.se3 import Array
from ..sample_times import is_outdated

PREFIX = "/VMC/"
ROOT, BONE, TIME = "/VMC/Ext/Root/Pos", "/VMC/Ext/Bone/Pos", "/VMC/Ext/T"
PORT = 39539  # UDP port to which VMC performers send
# largest deviation of a quaternion's length from 1; beyond, tracking of the bone counts as lost
UNIT = 0.1
# smallest count of numbers in a message: 3 of a position and 4 of a quaternion; a root's message can end with
# scale and offset for mixed reality, which are ignored
NUMBERS = 7
FINGERS = ("Index", "Middle", "Ring", "Little")
JOINTS = ("Proximal", "Intermediate", "Distal")
LOST: Quaternion = (np.nan, np.nan, np.nan, np.nan)
ORIGIN: Vector = (0.0, 0.0, 0.0)


def _tree() -> dict[str, str | None]:
    """Bone -> its parent, parents first, for Unity's HumanBodyBones and the bones of VRM 1. These differ in
    the thumbs: metacarpal, proximal and distal in VRM; proximal, intermediate and distal in Unity.
    """
    tree: dict[str, str | None] = {
        "Hips": None,
        "Spine": "Hips",
        "Chest": "Spine",
        "UpperChest": "Chest",
        "Neck": "UpperChest",
    }
    tree |= {"Head": "Neck", "Jaw": "Head"}
    for side in ("Left", "Right"):
        lines = [("Head", "Eye"), ("Hips", "UpperLeg", "LowerLeg", "Foot", "Toes")]
        lines += [("UpperChest", "Shoulder", "UpperArm", "LowerArm", "Hand")]
        lines += [("Hand", "ThumbMetacarpal", *(f"Thumb{joint}" for joint in JOINTS))]
        lines += [("Hand", *(f"{finger}{joint}" for joint in JOINTS)) for finger in FINGERS]
        for first, *descendants in lines:
            above = side + first if first == "Hand" else first
            for name in descendants:
                tree[side + name] = above
                above = side + name
    return tree


PARENTS = _tree()
BONES = {name.lower(): name for name in PARENTS}
# positions [m] of the bones of an adult in T-pose, in the parent's space and in this module's axes, for
# senders that omit them
USUAL: dict[str, Vector] = {
    "Hips": (0.0, 0.0, 0.95),
    "Spine": (0.0, 0.0, 0.1),
    "Chest": (0.0, 0.0, 0.12),
    "UpperChest": (0.0, 0.0, 0.12),
    "Neck": (0.0, 0.0, 0.15),
    "Head": (0.0, 0.0, 0.1),
}
USUAL_LEFT: dict[str, Vector] = {
    "UpperLeg": (0.09, 0.0, -0.05),
    "LowerLeg": (0.0, 0.0, -0.4),
    "Foot": (0.0, 0.0, -0.4),
    "Toes": (0.0, -0.13, -0.06),
    "Shoulder": (0.03, 0.0, 0.1),
    "UpperArm": (0.12, 0.0, 0.0),
    "LowerArm": (0.28, 0.0, 0.0),
    "Hand": (0.25, 0.0, 0.0),
}
for _name, (_x, _y, _z) in USUAL_LEFT.items():
    USUAL["Left" + _name], USUAL["Right" + _name] = (_x, _y, _z), (-_x, _y, _z)


class LinkMessage(NamedTuple):
    """A message about a link, by OSC.

    Attributes:
        address, names, numbers: Address and arguments of the message.
        repeats: Number of messages of the same address since the last handled one, itself included.
        look: Serial number of the reading of the network port in which it came.
        time: Time [s] at which its values were taken, by the sender's clock; NaN if not given.
        age: Time since its arrival, as a share of the time since the previous such reading; NaN if unknown.
    """

    address: str
    names: tuple[str, ...]
    numbers: tuple[float, ...]
    repeats: int = 1
    look: int = 0
    time: float = np.nan
    age: float = np.nan


class Humanoid:
    """A humanoid received by VMC: the newest pose of each bone."""

    def __init__(self) -> None:
        self._root: tuple[Vector, Quaternion] = ORIGIN, rotations.IDENTITY
        self._has_positions = False  # whether any bone had a position other than 0
        self._local: dict[str, tuple[Vector, Quaternion]] = {}
        self._counts: Counter[str] = Counter()  # bone -> number of its messages
        self._times: dict[str, float] = {}  # bone -> time [s] of its newest message, by the sender's clock
        # bone -> time from the arrival of its newest message to the reading of it, as in `LinkMessage.age`
        self._ages: dict[str, float] = {}
        # bone -> its world pose; cleared when a message arrives
        self._posed: dict[str, tuple[Vector, Quaternion]] = {}

    @property
    def bones(self) -> list[str]:
        """Names of the bones received so far, parents first."""
        return [name for name in PARENTS if name in self._local]

    def take(self, message: LinkMessage) -> str:
        """Takes a message of the protocol; returns why it is invalid, or "" if it is used or ignored. Ignored
        are other addresses, values that newer ones have overtaken, and bones without a rotation so far; other
        names too, once a bone is known.
        """
        names, numbers = message.names, message.numbers
        if message.address not in (ROOT, BONE):
            return ""
        name = BONES.get(names[0].lower(), "") if names else ""
        if is_outdated(message.time, self.time(name)):
            return ""
        if len(names) != 1 or len(numbers) < NUMBERS:
            return (
                f"'{message.address}' has {len(names)} names and {len(numbers)} numbers, and a name and"
                f" {NUMBERS} were expected"
            )
        position, rotation = _position_of(numbers[:3]), _rotation_of(numbers[3:NUMBERS])
        if message.address == ROOT:
            # senders that do not track the root often send zeros, which are no rotation
            self._root = position, rotation if rotation is not LOST else self._root[1]
        elif name in self._local or (name and rotation is not LOST):
            self._local[name] = position, rotation
            self._has_positions = self._has_positions or any(position)
            self._counts[name] += message.repeats
            self._times[name], self._ages[name] = message.time, message.age
        elif not name and not self._local:
            bone = shown(names[0])
            return f"bone {bone} is none of Unity's humanoid bones, such as 'LeftUpperArm': map its names"
        self._posed.clear()
        return ""

    def posed(self, name: str) -> tuple[Array, Array] | None:
        """World rotation (3, 3) and position (3,) [m] of a bone; None if it was never received. Both are NaN
        if tracking of one of its ancestors is lost, the rotation also if its own is, and the position also if
        the sender gives none for the bone or an ancestor.
        """
        if name not in self._local:
            return None
        position, rotation = self._in_world(name)
        return (
            np.full((3, 3), np.nan) if rotation[0] != rotation[0] else np.array(rotations.to_matrix(rotation))
        ), np.array(position)

    def count(self, name: str) -> int:
        """Number of messages about a bone that were received so far."""
        return self._counts[name]

    def time(self, name: str) -> float:
        """Time [s] at which a bone's newest values were taken, by the sender's clock; NaN if the sender gives
        none.
        """
        return self._times.get(name, np.nan)

    def age(self, name: str) -> float:
        """Time from the arrival of a bone's newest values to their reading, as in `LinkMessage.age`; NaN if
        unknown.
        """
        return self._ages.get(name, np.nan)

    def t_pose(self, names: Sequence[str]) -> Array:
        """Positions (k, 3) [m] of bones in the T-pose (all local rotations identity), the hips at the
        position in `USUAL`. A bone with a sent position of 0 has its usual one; one not received is where its
        parent is.
        """
        positions: dict[str, Vector] = {}
        for name, parent in PARENTS.items():
            above = positions[parent] if parent else ORIGIN
            offset = self._local.get(name, (ORIGIN, None))[0] if name != "Hips" else ORIGIN
            is_sent = name in self._local
            positions[name] = rotations.add(
                above, (offset if any(offset) else USUAL.get(name, ORIGIN)) if is_sent else ORIGIN
            )
        return np.array([positions[name] for name in names]).reshape(-1, 3)

    def _in_world(self, name: str | None) -> tuple[Vector, Quaternion]:
        """Position [m] and rotation of a bone in the world, NaN as in `posed`; for a bone not received, the
        pose of its nearest received ancestor. `name` None: the root.
        """
        if name is None:
            return self._root
        if name not in self._local:
            return self._in_world(PARENTS[name])
        if name not in self._posed:
            parent_position, parent_rotation = self._in_world(PARENTS[name])
            position, rotation = self._local[name]
            offset = self._offset(name, position)
            world_position = (
                rotations.add(parent_position, rotations.rotate(parent_rotation, offset))
                if offset is not None
                else (np.nan, np.nan, np.nan)
            )
            whole = rotations.multiply(parent_rotation, rotation)
            self._posed[name] = world_position, rotations.normalized(whole) if whole[0] == whole[0] else LOST
        return self._posed[name]

    def _offset(self, name: str, position: Vector) -> Vector | None:
        """Position [m] of a bone in its parent's space: the usual one if the sender gives rotations alone;
        None if there is none (fingers, face), or if it gives positions of other bones but not this one's.
        Hips without a position are at the root if the root or another bone has one.
        """
        if any(position):
            return position
        if name == "Hips" and (self._has_positions or any(self._root[0])):
            return ORIGIN
        return None if self._has_positions else USUAL.get(name)


def _position_of(numbers: Sequence[float]) -> Vector:
    """Converts a position (3) [m] from Unity's axes to this module's."""
    x, y, z = numbers
    return -x, -z, y


def _rotation_of(numbers: Sequence[float]) -> Quaternion:
    """Converts a quaternion (x, y, z, w) in Unity's axes to (w, x, y, z) in this module's; `LOST` if its
    length is not about 1 (`UNIT`).
    """
    x, y, z, w = numbers
    length = float(np.linalg.norm(numbers)) if np.isfinite(numbers).all() else 0.0
    return rotations.normalized((w, x, z, -y)) if abs(length - 1.0) <= UNIT else LOST
