"""Intermediate positions of a link between two frames, relative to a no-go zone that may move too."""

from math import ceil, isfinite
from typing import NamedTuple

import numpy as np
from mathutils import Matrix, Quaternion, Vector

# largest number of test positions between two frames; for a link that would need more they are farther apart,
# since it has jumped, and must not slow down the check
MOST_LINES = 32


class ZonePose(NamedTuple):
    """Position and rotation of a zone."""

    position: Vector  # [m] position in the world
    rotation: Quaternion


def zone_pose(matrix: np.ndarray) -> ZonePose | None:
    """Pose of a zone with this world matrix (4, 4); None if it is mirrored or has scale 0, so that its
    rotation is undefined.
    """
    position, rotation, _ = Matrix(matrix.tolist()).decompose()
    return ZonePose(position, rotation) if np.linalg.det(matrix[:3, :3]) > 0.0 else None


def intermediate(
    line_at_start: np.ndarray,
    line_at_end: np.ndarray,
    before: ZonePose | None,
    current: ZonePose | None,
    step: float,
) -> list[np.ndarray]:
    """Lines (2, 3) [m] from head to tail of a link at intermediate times between two frames: without
    `line_at_start`, and with `line_at_end` as the last.

    The ends move at most `step` from one line to the next, unless this would take more than `MOST_LINES`
    lines. The ends move along straight lines, and the zone moves and rotates uniformly; each line is given
    relative to the zone's current pose.

    Args:
        line_at_start, line_at_end: (2, 3) head and tail of the link [m] in the last and in the current frame.
        before, current: Pose of the zone in these frames; if one is None, the zone is taken as fixed.
        step: Largest distance that an end moves from one line to the next [m], relative to the zone.
    """
    path_length = float(np.linalg.norm(line_at_end - line_at_start, axis=1).max())
    moves = before is not None and current is not None and before != current
    if moves:
        # an upper bound: the zone's own motion, and its rotation at the end that is farthest from it
        arm = max((Vector(end) - before.position).length for end in (*line_at_start, *line_at_end))
        path_length += (
            current.position - before.position
        ).length + arm * before.rotation.rotation_difference(current.rotation).angle
    count = min(max(1, ceil(path_length / step)), MOST_LINES) if isfinite(path_length) else 1
    lines = []
    for share in np.arange(1, count) / count:
        line = line_at_start + share * (line_at_end - line_at_start)
        lines.append(_seen(line, before, current, share) if moves else line)
    return [*lines, line_at_end]


def _seen(line: np.ndarray, before: ZonePose, current: ZonePose, share: float) -> np.ndarray:
    """A line (2, 3) at a share of the motion between two frames, transformed with the zone's motion to the
    zone's current pose.
    """
    position = before.position.lerp(current.position, share)
    to_current = current.rotation @ before.rotation.slerp(current.rotation, share).inverted()
    return np.array([to_current @ (Vector(end) - position) + current.position for end in line])
