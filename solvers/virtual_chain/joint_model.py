"""ERIK's joint model: which angle points a joint's segment at a target, within its limits (section 3.4).

The paper's look-up table (LALUT) is replaced by its exact closed form: along the circle of the segment, the
latitude is a constant plus a cosine, so the angle is an arc cosine, and the hemisphere gives its sign. A
table has errors of up to .25 degrees near a pole.
"""

import math

from ..kinematics.rotations import Quaternion, Vector, about, cross, dot, length, reject, signed_angle, wrap
from ..tolerances import SAME_ANGLE, SINGLE_PRECISION


class JointModel:
    """A joint and its segment in the joint's own frame, with the parent's segment, the axis and the limits.

    Args:
        axis: The rotation axis, a unit vector.
        segment: The direction of the link that the joint carries at angle 0, a unit vector.
        parent: The direction of the parent's segment, a unit vector.
        lower, upper: Limits [rad].
    """

    def __init__(self, axis: Vector, segment: Vector, parent: Vector, lower: float, upper: float) -> None:
        self.axis, self.segment, self.parent, self.lower, self.upper = axis, segment, parent, lower, upper
        self.is_twister = length(cross(axis, segment)) < SINGLE_PRECISION
        # Latitude as a function of the angle: (level + swing cos(angle - zero) + 1) / 2.
        across, parent_across = reject(segment, axis), reject(parent, axis)
        self.level = dot(axis, segment) * dot(axis, parent)
        self.swing = length(across) * length(parent_across)
        self.has_latitude = length(across) >= SINGLE_PRECISION and length(parent_across) >= SINGLE_PRECISION
        self.zero = signed_angle(across, parent_across, axis) if self.has_latitude else 0.0
        # POA of eq. 17: the normal of the plane between the hemispheres
        self.parent_orthogonal_axis = cross(axis, parent)

    def hemisphere(self, target: Vector) -> float:
        """Sign, -1 or 1, of the latitude (eq. 16) of a vector in the joint's frame: 1 on the side of the
        parent's orthogonal axis.
        """
        return -1.0 if dot(target, self.parent_orthogonal_axis) < 0.0 else 1.0

    def latitude(self, target: Vector) -> float:
        """The latitude in 0..1 of a unit vector in the joint's frame (eq. 16): 1 along the parent's segment,
        0 opposite to it.
        """
        return 0.5 * (dot(target, self.parent) + 1.0)

    def angle_at(self, latitude: float, hemisphere: float) -> float:
        """The angle [rad], without limits, at which the segment has this latitude or the nearest possible one
        (replaces the paper's LALUT).
        """
        cosine = (2.0 * latitude - 1.0 - self.level) / self.swing
        return self.zero + hemisphere * math.acos(min(1.0, max(-1.0, cosine)))

    def local_swing(self, target: Vector) -> tuple[float, float]:
        """Angles [rad] at which the segment has the target's latitude, one in the target's hemisphere, one in
        the other; each moved within limits by `safe_angle`.

        Algorithm 13, and lines 12 to 15 of Algorithm 15. If the segment or the parent is along the axis, the
        latitude does not depend on the angle; then the angle is the one that brings the segment nearest to
        the target.
        """
        if not self.has_latitude:
            angle = self.safe_angle(
                signed_angle(reject(self.segment, self.axis), reject(target, self.axis), self.axis)
            )
            return angle, angle
        latitude, hemisphere = self.latitude(target), self.hemisphere(target)
        return self.safe_angle(self.angle_at(latitude, hemisphere)), self.safe_angle(
            self.angle_at(latitude, -hemisphere)
        )

    def opposite(self, angle: float) -> float | None:
        """The second angle [rad] within limits at which the segment has the same latitude; None if there is
        none.
        """
        return self.within(2.0 * self.zero - angle) if self.has_latitude else None

    def rotation(self, angle: float) -> Quaternion:
        """Rotation of the joint by `angle` [rad] (the local transform L of eq. 18a)."""
        return about(self.axis, angle)

    def within(self, angle: float) -> float | None:
        """`angle` [rad] plus the multiple of 2 pi that brings it within limits, and nearest to 0 if there are
        several; None if there is none.
        """
        angle = wrap(angle)
        if angle < self.lower - SAME_ANGLE:
            angle += math.tau * math.ceil((self.lower - SAME_ANGLE - angle) / math.tau)
        elif angle > self.upper + SAME_ANGLE:
            angle -= math.tau * math.ceil((angle - self.upper - SAME_ANGLE) / math.tau)
        if not self.lower - SAME_ANGLE <= angle <= self.upper + SAME_ANGLE:
            return None
        return min(max(angle, self.lower), self.upper)

    def safe_angle(self, angle: float) -> float:
        """The angle from `within`, otherwise the nearest limit on the circle (SafeAngle of section 7.1,
        cycling).
        """
        safe = self.within(angle)
        if safe is not None:
            return safe
        to_lower, to_upper = abs(wrap(angle - self.lower)), abs(wrap(angle - self.upper))
        return self.lower if to_lower <= to_upper else self.upper

    def safe_twist(self, angle: float) -> float:
        """Algorithm 12: a twist within limits. An angle outside of them is rotated by half a revolution or,
        if that is outside, too, moved to the nearest limit.

        The printed version needs C's modulo and limits of exactly +-90 degrees (+-120 would map 150 to -90).
        The half turn rolls everything that follows by pi, so later bends must change their sign.
        """
        safe = self.within(angle)
        if safe is None:
            safe = self.within(angle + math.pi)
        return self.safe_angle(angle) if safe is None else safe

    def off_edge(self, angle: float, offset: float) -> float:
        """An angle [rad] at a limit, moved inwards by `offset` [rad] (AvoidJointEdge of section 7.1); other
        angles, and those of a range of at most twice the offset, are unchanged.
        """
        if self.upper - self.lower <= 2.0 * offset:
            # no room: a joint with such a small range is practically fixed
            return angle
        if abs(angle - self.lower) <= SAME_ANGLE:
            return angle + offset
        if abs(angle - self.upper) <= SAME_ANGLE:
            return angle - offset
        return angle
