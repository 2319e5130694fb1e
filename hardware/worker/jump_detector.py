"""Distinguishes a jump of the pose (End Live, a scrub, an undo) from motion. Knows no Blender.

Frames of a feasible motion are never farther apart than the joints can move meanwhile. That distinguishes a jump from motion; distance
alone does not: at full speed a joint may lag by three frames, and by more after a hiccup.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...motion.limiter import HEADROOM
from ..device import Joint

# [rad], times a joint's scale: 17 degrees, a tenth of a second at full speed, startle nobody; a farther leap strikes who stands beside
FAR = 0.3
# [s] by which frames may come nearer together than their motion: at 24 a second, 40% of a frame each, twice over
UNEVENNESS = 0.07


class JumpDetector:
    """Follows the frames with the joints' limits; a jump is what these cannot follow.

    Args:
        joints: The joints.
    """

    def __init__(self, joints: Sequence[Joint]) -> None:
        self._limits = [joint.limits.widened(HEADROOM) for joint in joints]
        # auxiliary values do no harm: a lamp or an eyelid that is keyed on at once must not make the whole robot hold
        self._far = [math.inf if joint.unit == "plain" else FAR * joint.scale for joint in joints]
        self._stamp = 0.0
        self._frame: tuple[float, ...] | None = None
        self._reached: list[float] = []  # where joints that follow the frames would be (joints,)
        self._speeds = [0.0] * len(joints)  # of the frames, as far as joints can go so fast (joints,)

    def take(self, stamp: float, frame: Sequence[float]) -> None:
        """Add a frame (joints,) that Blender sent at `stamp` [s]."""
        gap, self._stamp = max(stamp - self._stamp, 0.0), stamp
        if self._frame is None:
            self._reached = list(frame)
        else:
            for k, (limits, last, desired) in enumerate(zip(self._limits, self._frame, frame, strict=True)):
                reach = gap * min(limits.velocity, self._speeds[k] + 0.5 * limits.acceleration * gap)
                self._reached[k] += min(max(desired - self._reached[k], -reach), reach)
                if gap > 0.0:
                    braked = self._speeds[k] - limits.acceleration * gap  # frames that repeat the last one stop no joint
                    self._speeds[k] = min(max(abs(desired - last) / gap, braked, 0.0), limits.velocity)
        self._frame = tuple(frame)

    def forget(self) -> None:
        """Restart at the newest frame."""
        if self._frame is not None:
            self._reached = list(self._frame)

    def jumped(self, commanded: Sequence[float]) -> bool:
        """Whether the frames moved faster than the joints can, and the newest is far from the `commanded` values (joints,)."""
        if self._frame is None:
            return False
        rows = zip(self._limits, self._frame, self._reached, commanded, self._far, strict=True)
        return any(
            abs(desired - reached) > UNEVENNESS * limits.velocity and abs(desired - value) > far
            for limits, desired, reached, value, far in rows
        )
