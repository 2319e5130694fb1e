"""Left and right bones of a clip's figure, to find limbs that are exchanged."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ....solvers.kinematics.se3 import Array
from ...bodies.part_names import BodyPart

PARTS = ("collar", "upper_arm", "forearm", "hand", "thigh", "shin", "foot")


class Sides(NamedTuple):
    """Pairs of a left and a right bone of the same part.

    Attributes:
        names: Their names, for each of p pairs.
        rotations: (t, p, 2, 3, 3) rotation of each bone on its parent since the rest pose, along the world's
            axes at rest. Limbs whose names are exchanged exchange these too, whatever axes their bones have.
    """

    names: tuple[tuple[str, str], ...]
    rotations: Array


def sides_of(
    parts: Mapping[BodyPart, Sequence[str]],
    parents: Mapping[str, str | None],
    rotations: Array,
    rest_rotations: Array,
) -> Sides:
    """Left and right bones of a figure.

    Args:
        parts: Bones of each body part.
        parents: Parent of each of the clip's k bones, in their order.
        rotations: (t, k, 3, 3) world rotations of these bones in each frame.
        rest_rotations: (k, 3, 3) the same in rest pose.
    """
    index = {name: k for k, name in enumerate(parents)}
    pairs = [tuple(parts.get(BodyPart(side, part), [""])[0] for side in ("left", "right")) for part in PARTS]
    names = tuple((left, right) for left, right in pairs if left in index and right in index)
    since_rest = rotations @ rest_rotations.swapaxes(1, 2)

    def on_parent(name: str) -> Array:
        parent, rotation = parents[name], since_rest[:, index[name]]
        return rotation if parent is None else since_rest[:, index[parent]].swapaxes(1, 2) @ rotation

    rows = [np.stack([on_parent(name) for name in pair], axis=1) for pair in names]
    return Sides(names, np.stack(rows, axis=1) if rows else np.empty((len(rotations), 0, 2, 3, 3)))
