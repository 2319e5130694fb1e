"""Rotation offsets between the paired bones of two bodies, and the ratio of their sizes, from two poses.

Rest poses often differ: one body rests with its arms out, the other with its arms down. The offset from rest
poses combines two rotations. The first makes both bodies face one direction (axes left, forward, up). The
second aligns the target's limb with the source's: for arms, legs, and bones that are not recognised. Hands
take the forearm's alignment. Other parts of the body, such as flat feet and an upright head, are taken as
equal at rest and are not aligned.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...solvers.kinematics import rotations
from ...solvers.kinematics.se3 import Array
from ..blender.errors import RigError
from . import names

LIMBS = ("upper_arm", "forearm", "thigh", "shin")  # body parts whose rest orientations differ between bodies
ENDS = {"hand": "forearm"}  # part at the end of a limb -> part of the limb whose alignment it shares
LEGS = ("thigh", "shin", "foot")
# distance, as a share of the body's size, up to which the direction between two bones counts as undefined;
# also the sine of an angle up to which two directions count as parallel
SHORT = 1e-4


class BodyPose(NamedTuple):
    """World poses of the paired bones of one body, as rotations and positions."""

    rotation: Array  # (k, 3, 3)
    position: Array  # (k, 3) [m]


class Calibration(NamedTuple):
    """Conversion of the source's motion to the target: the pairs' rotation offsets, and the scale."""

    offsets: Array  # (k, 3, 3) rotation of each target bone in its source bone's frame
    scale: float  # scale of the base's motion


def from_rest(
    pairs: Sequence[names.Pair], parents: Mapping[str, str | None], source: BodyPose, target: BodyPose
) -> Calibration:
    """Calibration from the rest poses of both bodies.

    Args:
        pairs: Pairs of target and source bones.
        parents: For each paired target bone its nearest paired ancestor.
        source, target: World poses of the paired bones at rest.

    Raises:
        RigError: as `scale`.
    """
    parts = parts_of(pairs)
    # rotation that makes the target at rest face as the source does
    align = _frame(parts, source) @ _frame(parts, target).T
    index = {pair.target: k for k, pair in enumerate(pairs)}
    children = _children(parents, index)
    size = float(np.ptp(source.position, axis=0).max()) or 1.0
    rotations_of_bones: list[Array] = []
    offsets = []
    for k, (pair, part) in enumerate(zip(pairs, parts, strict=True)):
        rotation = np.eye(3)
        below, above = children.get(k, []), parents.get(pair.target)
        name = part.name if part else ""
        if (name in LIMBS or not part) and len(below) == 1:
            along = source.position[below[0]] - source.position[k]
            target_along = align @ (target.position[below[0]] - target.position[k])
            if np.linalg.norm(along) > SHORT * size and np.linalg.norm(target_along) > 0.0:
                rotation = _rotation_between(target_along, along)
        elif (name in ENDS or not part) and above is not None and index[above] < k:
            rotation = rotations_of_bones[index[above]]
        rotations_of_bones.append(rotation)
        offsets.append(source.rotation[k].T @ rotation @ align @ target.rotation[k])
    return Calibration(np.array(offsets), scale(parts, parents, index, source, target))


def _children(parents: Mapping[str, str | None], index: Mapping[str, int]) -> dict[int, list[int]]:
    """Index of a paired bone -> indices of the paired bones that are nearest below it."""
    children: dict[int, list[int]] = {}
    for bone, parent in parents.items():
        if parent is not None:
            children.setdefault(index[parent], []).append(index[bone])
    return children


def _rotation_between(start: Array, end: Array) -> Array:
    """Smallest rotation (3, 3) from the direction of one vector (3,) to that of another."""
    quaternion = rotations.between(rotations.unit(tuple(start)), rotations.unit(tuple(end)))
    return np.array(rotations.to_matrix(quaternion))


def from_poses(
    pairs: Sequence[names.Pair], parents: Mapping[str, str | None], source: BodyPose, target: BodyPose
) -> Calibration:
    """Calibration from matching poses, in which both bodies take the same posture and face the same
    direction. Arguments and errors as for `from_rest`; `source` and `target` are posed.
    """
    index = {pair.target: k for k, pair in enumerate(pairs)}
    parts = parts_of(pairs)
    return Calibration(
        source.rotation.swapaxes(1, 2) @ target.rotation, scale(parts, parents, index, source, target)
    )


def parts_of(pairs: Sequence[names.Pair]) -> list[names.BodyPart | None]:
    """Body part of each pair, recognised by the target bone's name, else by the source bone's; None if
    neither is known.
    """
    known = []
    for bones in ([pair.target for pair in pairs], [pair.source for pair in pairs]):
        known.append(
            {
                bone: part
                for part, part_bones in names.parts(dict.fromkeys(bones)).items()
                for bone in part_bones
            }
        )
    return [known[0].get(pair.target) or known[1].get(pair.source) for pair in pairs]


def _frame(parts: Sequence[names.BodyPart | None], pose: BodyPose) -> Array:
    """Axes of a body as columns (3, 3) in the world: left, forward, up along the spine; the world's axes if
    the pairs lack a left, a right or two middle parts, or if the spine points to a side.
    """
    sides = {
        side: [pose.position[k] for k, part in enumerate(parts) if part and part.side == side]
        for side in ("left", "right")
    }
    middle = [pose.position[k] for k, part in enumerate(parts) if part and not part.side]
    if not sides["left"] or not sides["right"] or len(middle) < 2:
        return np.eye(3)
    left = np.mean(sides["left"], axis=0) - np.mean(sides["right"], axis=0)
    along = max((position - middle[0] for position in middle), key=np.linalg.norm)
    if np.linalg.norm(np.cross(left, along)) <= SHORT * np.linalg.norm(left) * np.linalg.norm(along):
        return np.eye(3)
    left = left - along * (left @ along) / (along @ along)
    left, along = left / np.linalg.norm(left), along / np.linalg.norm(along)
    return np.stack([left, np.cross(along, left), along], axis=1)


def _drop(parts: Sequence[names.BodyPart | None], pose: BodyPose) -> float:
    """Sum over both thighs of the distance [m] of their heads below the hips; negative if they are above,
    0 without hips.
    """
    hips = next((k for k, part in enumerate(parts) if part == names.BodyPart("", "hips")), None)
    if hips is None:
        return 0.0
    along = _frame(parts, pose)[:, 2]
    thighs = [k for k, part in enumerate(parts) if part and part.name == "thigh"]
    return float(sum((pose.position[hips] - pose.position[k]) @ along for k in thighs))


def _is_of_leg(part: names.BodyPart | None) -> bool:
    return part is not None and part.name in LEGS


def scale(
    parts: Sequence[names.BodyPart | None],
    parents: Mapping[str, str | None],
    index: Mapping[str, int],
    source: BodyPose,
    target: BodyPose,
) -> float:
    """Ratio of the target's leg length to the source's, measured from the hips; if the legs are unknown, the
    ratio of the whole bodies' lengths; 1 for a single pair. `index` has the place of each target bone in
    `parts` and the poses.

    Raises:
        RigError: the paired bones of one body are all at one position.
    """
    links = [(index[bone], index[above]) for bone, above in parents.items() if above is not None]
    legs = [(k, up) for k, up in links if _is_of_leg(parts[k]) and _is_of_leg(parts[up])]

    def length(pose: BodyPose, of: Sequence[tuple[int, int]]) -> float:
        return float(sum(np.linalg.norm(pose.position[k] - pose.position[up]) for k, up in of))

    leg_lengths = [length(pose, legs) for pose in (source, target)]
    # without legs the length stays 0, so that the hips' height alone never counts as a leg
    with_hips = [
        leg and leg + _drop(parts, pose) for leg, pose in zip(leg_lengths, (source, target), strict=True)
    ]
    for source_length, target_length in (with_hips, [length(pose, links) for pose in (source, target)]):
        if source_length > 0.0 and target_length > 0.0:
            return target_length / source_length
    # a single pair has no length to compare, and its rotation does not depend on the scale
    if len(index) == 1:
        return 1.0
    raise RigError(
        "The paired bones of one body are all at one position, so its size is unknown: pair other bones"
    )
