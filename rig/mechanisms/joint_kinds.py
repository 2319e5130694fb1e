"""Kinds of joints by their axes of translation and rotation, and the DoF of each kind."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...solvers.kinematics.se3 import Array
from ...solvers.mechanism.kinds import KINDS, Kind
from ..bones import axes

LETTERS = "XYZ"
# (axes of translation, axes of rotation) -> kind of joint that has no axis of its own, so that its frame is
# that of the object or bone
WITHOUT_AXIS: dict[tuple[str, str], Kind] = {
    ("", ""): "fixed",
    ("", LETTERS): "spherical",
    (LETTERS, ""): "cartesian",
    (LETTERS, LETTERS): "free",
}


@dataclass(frozen=True)
class AlignedKind:
    """A kind of joint, and the rotation (4, 4) from the object's or bone's frame to the frame of this kind of
    joint.
    """

    kind: Kind
    rotation: Array

    def seen(self, axis: str) -> str:
        """Name of the object's or bone's own axis that is parallel to `axis` of the joint's frame, for the
        interface.
        """
        letter = LETTERS[int(np.argmax(np.abs(self.rotation[:3, LETTERS.index(axes.letter(axis))])))]
        return axes.prismatic(letter) if axes.is_prismatic(axis) else letter


def frame_along(z: str, x: str = "") -> Array:
    """(4, 4) right-handed frame whose Z axis, and X axis if given, are the named axes of another frame."""
    third = LETTERS.index(z)
    first = LETTERS.index(x) if x else (third + 1) % 3
    frame = np.eye(4)
    frame[:3, 2], frame[:3, 0] = np.eye(3)[third], np.eye(3)[first]
    frame[:3, 1] = np.cross(frame[:3, 2], frame[:3, 0])
    return frame


def frame_across(x: str, y: str) -> Array:
    """(4, 4) frame whose X and Y axes are the named axes of another frame."""
    frame = np.eye(4)
    frame[:3, 0], frame[:3, 1] = np.eye(3)[LETTERS.index(x)], np.eye(3)[LETTERS.index(y)]
    frame[:3, 2] = np.cross(frame[:3, 0], frame[:3, 1])
    return frame


def aligned_kind_of(translations: str, rotations: str) -> AlignedKind | None:
    """Kind of the joint that translates along the axes `translations` and rotates about the axes `rotations`
    (letters, that of the axis nearest the parent first); None if there is no such kind.
    """
    along, about = "".join(sorted(translations)), "".join(sorted(rotations))
    if (kind := WITHOUT_AXIS.get((along, about))) is not None:
        return AlignedKind(kind, np.eye(4))
    if len(about) == 2 and not along:
        return AlignedKind("universal", frame_across(*rotations))
    if len(about) == 1 and not along:
        return AlignedKind("revolute", frame_along(about))
    if len(about) == 1 and along == about:
        return AlignedKind("cylindrical", frame_along(about))
    if len(about) == 1 and len(along) == 2 and about not in along:
        return AlignedKind("planar", frame_along(about))
    if len(along) == 1 and not about:
        return AlignedKind("prismatic", frame_along(along))
    return None


def dof_axes(kind: str) -> Sequence[str]:
    """Axes of a joint's DoF, named as in `axes`, in the order of its values; X, Y, Z for the rotation of a
    spherical or free joint.
    """
    axis_names: list[str] = []
    for move in KINDS[kind].moves:
        if move == "ball":
            axis_names += LETTERS
        else:
            word, letter = move.split()
            axis_names.append(axes.prismatic(letter.upper()) if word == "translate" else letter.upper())
    return axis_names
