"""Ranges of a person's joints, by which a clip is judged independently of the robot's limits: how far and to
which side elbows and knees bend, and how far trunk and head rotate relative to the part below them.

Bends are measured between directions from joint to joint, since rest poses of clips differ.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ....solvers.kinematics.se3 import Array
from ...bodies.part_names import BodyPart
from . import measures

LIMBS = (("upper_arm", "forearm", "hand"), ("thigh", "shin", "foot"))
# [rad] a larger bend of a knee or elbow counts as a fault of the clip; a calf meets the thigh at about 155
# degrees, a forearm the upper arm at 150
FARTHEST_BEND = np.radians(160.0)
# [rad] a larger bend in the direction opposite to that of most frames counts as a fault; joints overextend by
# about 15 degrees
FARTHEST_BACK = np.radians(25.0)
# [rad] frames with a smaller bend of a limb do not count for the direction in which it usually bends
STRAIGHT = np.radians(5.0)
# [rad] angle of the trunk from upright beyond which the figure lies, crawls or stands on its head
LYING = np.radians(60.0)
# [rad] a larger rotation of the head on the trunk, or of the trunk on the hips, counts as a fault: a neck
# rotates by about 80 degrees, a spine bends by about 90
FARTHEST_ROTATION = np.radians(110.0)


class Limb(NamedTuple):
    """Indices of a limb's bones: those above and below its elbow or knee, and the hand or foot."""

    upper: int
    lower: int
    end: int


class Stack(NamedTuple):
    """Indices of the trunk's last bone and the hips, or of the head and the trunk, and the rotation (3, 3) of
    the upper bone relative to the lower bone in rest pose.
    """

    upper: int
    lower: int
    rest: Array


class ClipAnatomy(NamedTuple):
    """Bones of a clip whose joints have known ranges.

    Attributes:
        limbs: Arms and legs.
        stacks: Trunk and head, each on what carries it.
        trunk: Indices of the lowest and the topmost of hips, trunk and head; both are the same if the others
            are not known, and 0 if none is.
    """

    limbs: tuple[Limb, ...]
    stacks: tuple[Stack, ...]
    trunk: tuple[int, int]


class OutOfRange(NamedTuple):
    """A joint that is beyond its range in some frames.

    Attributes:
        frame: Index of the frame in which it is farthest.
        bone: Index of the bone below the joint.
        angle: Its bend or rotation [rad] in that frame.
        fault: The fault, as part of a sentence.
    """

    frame: int
    bone: int
    angle: float
    fault: str


def bones_of(parts: Mapping[BodyPart, Sequence[str]]) -> list[str]:
    """Names of the bones of limbs, hips, spine and head, whose joints have known ranges, by the body parts of
    an armature.
    """
    names = {name for limb in LIMBS for name in limb} | {"hips", "spine", "head"}
    return [bone for part, bones in parts.items() if part.name in names for bone in bones]


def figure_of(
    parts: Mapping[BodyPart, Sequence[str]], bones: Sequence[str], rest_rotations: Array
) -> ClipAnatomy:
    """The bones of a clip whose joints have known ranges.

    Args:
        parts: Bones of each body part, parents first.
        bones: Names of the clip's k bones.
        rest_rotations: (k, 3, 3) rotations of these bones in rest pose.
    """
    index = {name: k for k, name in enumerate(bones)}

    def bone(side: str, part: str, number: int = 0) -> int | None:
        named = parts.get(BodyPart(side, part), ())
        return index.get(named[number]) if named else None

    lines = [[bone(side, part) for part in limb] for side in ("left", "right") for limb in LIMBS]
    limbs = tuple(Limb(*line) for line in lines if None not in line)
    middle = [k for k in (bone("", "hips"), bone("", "spine", -1), bone("", "head")) if k is not None]
    stacks = (
        Stack(upper, lower, rest_rotations[lower].T @ rest_rotations[upper])
        for lower, upper in pairwise(middle)
    )
    return ClipAnatomy(limbs, tuple(stacks), (middle[0], middle[-1]) if middle else (0, 0))


def out_of_range(figure: ClipAnatomy, rotations: Array, positions: Array) -> Iterator[OutOfRange]:
    """Joints of a figure that go beyond a person's range, each in the frame in which it goes farthest.

    Args:
        figure: The figure.
        rotations, positions: (t, k, 3, 3) and (t, k, 3) world poses of the bones in each frame.
    """
    for limb in figure.limbs:
        bends, sides = _bends(rotations, positions, limb)
        yield from _farthest(bends, FARTHEST_BEND, limb.lower, "bends by {:.0f}°, farther than a limb folds")
        back = np.where(sides < 0.0, bends * -sides, 0.0)
        yield from _farthest(back, FARTHEST_BACK, limb.lower, "bends backward by {:.0f}°")
    for upper, lower, rest in figure.stacks:
        on_lower = rotations[:, lower].swapaxes(1, 2) @ rotations[:, upper]
        angles = measures.angles(np.broadcast_to(rest, on_lower.shape), on_lower)
        yield from _farthest(angles, FARTHEST_ROTATION, upper, "is rotated by {:.0f}° on what carries it")


def lying(figure: ClipAnatomy, positions: Array) -> float:
    """Share of frames in which a figure's trunk is far from upright; 0 if its trunk is not known.

    Args:
        figure: The figure.
        positions: (t, k, 3) world positions of the bones in each frame, with Z up.
    """
    lowest, topmost = figure.trunk
    along = positions[:, topmost] - positions[:, lowest]
    return float(np.mean(along[:, 2] < np.cos(LYING) * np.linalg.norm(along, axis=1)))


def _bends(rotations: Array, positions: Array, limb: Limb) -> tuple[Array, Array]:
    """For rotations (t, k, 3, 3) and positions (t, k, 3) of the clip's bones: the angles (t,) [rad] by which
    a limb is bent, and the cosines (t,) between the direction of each bend and the usual direction in the
    clip, in the frame of the limb's upper bone.
    """
    to_upper = rotations[:, limb.upper].swapaxes(1, 2)
    upper = positions[:, limb.lower] - positions[:, limb.upper]
    lower = positions[:, limb.end] - positions[:, limb.lower]
    upper, lower = (np.einsum("tij,tj->ti", to_upper, line) for line in (upper, lower))
    with np.errstate(invalid="ignore", divide="ignore"):
        upper /= np.linalg.norm(upper, axis=1, keepdims=True)
        lower /= np.linalg.norm(lower, axis=1, keepdims=True)
        along = np.clip((upper * lower).sum(1), -1.0, 1.0)
        across = lower - along[:, None] * upper
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        bends = np.arccos(along)
        # each frame has the same weight: a fault may bend the limb farther than all other frames, but seldom
        # lasts longer
        usual = np.nansum(across[bends > STRAIGHT], axis=0)
        return bends, across @ (usual / np.linalg.norm(usual))


def _farthest(angles: Array, most: float, bone: int, fault: str) -> Iterator[OutOfRange]:
    """Yields the frame in which the angle at a bone is largest, if that is above `most` [rad].

    Args:
        angles: (t,) [rad] the bone's angle in each frame.
        most: Largest angle [rad] that is no fault.
        bone: Index of the bone.
        fault: Part of a sentence, with a field for the angle in degrees.
    """
    known_angles = np.where(np.isfinite(angles), angles, 0.0)
    frame = int(known_angles.argmax())
    if known_angles[frame] > most:
        angle = float(known_angles[frame])
        yield OutOfRange(frame, bone, angle, fault.format(np.degrees(angle)))
