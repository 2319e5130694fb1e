"""How a link comes from one frame to the next past a zone that moves as well: the lines between, as the zone sees them."""

from math import ceil, isfinite
from typing import NamedTuple

import numpy as np
from mathutils import Matrix, Quaternion, Vector

MOST_LOOKS = 32  # from one frame to the next: what goes farther jumps, and a check of many frames should not wait for it


class Stand(NamedTuple):
    """Where a zone stands, whatever its size."""

    place: Vector  # [m] in the world
    turn: Quaternion


def stand(matrix: np.ndarray) -> Stand | None:
    """Of a zone with this (4, 4) matrix in the world; None where it is mirrored or has no size, so that nobody knows how it is turned."""
    place, turn, _ = Matrix(matrix.tolist()).decompose()
    return Stand(place, turn) if np.linalg.det(matrix[:3, :3]) > 0.0 else None


def way(came: np.ndarray, there: np.ndarray, before: Stand | None, now: Stand | None, step: float) -> list[np.ndarray]:
    """Lines (2, 3) in the world on the way from `came`, which is not among them, to `there`, which is the last.

    There are so many that ends go no farther than a step from one to the next, but at most `MOST_LOOKS`.

    Ends go straight, the zone goes straight and turns evenly; each line is where it would be had the zone stood as it does now.

    Args:
        came, there: (2, 3) head and tail of the link [m] in the frame before and in this one.
        before, now: The zone in these frames; where one of them is not known, it has not moved.
        step: [m]
    """
    far = float(np.linalg.norm(there - came, axis=1).max())
    moves = before is not None and now is not None and before != now
    if moves:
        arm = max((Vector(end) - before.place).length for end in (*came, *there))
        far += (now.place - before.place).length + arm * before.turn.rotation_difference(now.turn).angle
    looks = min(max(1, ceil(far / step)), MOST_LOOKS) if isfinite(far) else 1
    lines = []
    for share in np.arange(1, looks) / looks:
        line = came + share * (there - came)
        lines.append(_seen(line, before, now, share) if moves else line)
    return [*lines, there]


def _seen(line: np.ndarray, before: Stand, now: Stand, share: float) -> np.ndarray:
    """A line at that share of the way, carried along to where the zone is at its end."""
    place, turn = before.place.lerp(now.place, share), before.turn.slerp(now.turn, share)
    back = now.turn @ turn.inverted()
    return np.array([back @ (Vector(end) - place) + now.place for end in line])
