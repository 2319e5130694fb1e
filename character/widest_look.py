"""Widest look of a chain: how far its end looks away from the front of the character, and to which side.

A look is given by two angles from the end's direction at rest: to the side (about the figure's up axis), and
up. Beyond the widest look it rests at the edge, at the height of the target if the widest look is a right
angle or more. When the target passes behind, the look stays at its edge until the other side is clearly
nearer, and then crosses over in front.
"""

import math
from typing import NamedTuple

from ..solvers.crossing import crossing_time, minimum_jerk
from ..solvers.goals import Aim
from ..solvers.kinematics import rotations
from ..solvers.kinematics.rotations import Quaternion, Vector
from ..solvers.kinematics.skeleton import SHORTEST_LINK, Pose, Skeleton

ALL_AROUND = math.pi - 1e-3  # [rad] smallest widest look that counts as no limit
# [rad] angle from straight behind that a target must exceed on the other side before the look changes sides,
# reduced to half of the angle between the widest look and straight behind where that is smaller
BEHIND = math.radians(15)


class LookSettings(NamedTuple):
    """Settings of a chain's look.

    Attributes:
        widest: Largest angle [rad] from the end's direction at rest; pi for no limit.
        aside, up: Angles [rad] added to the look, to the end's left and up.
    """

    widest: float = math.pi
    aside: float = 0.0
    up: float = 0.0


ANYWHERE = LookSettings()  # settings that have no effect


class LookState(NamedTuple):
    """State of the look in a frame, passed on to the next frame.

    Attributes:
        side: Side on which the look is, 1 left and -1 right: that of the target, or of the last frame for a
            target behind.
        angles: Angles of the look to the side and up [rad].
        origin: Angles [rad] at the start of the last crossing.
        left: Remaining time [s] of that crossing.
        duration: Duration [s] of that crossing.
        is_beyond: Whether the target is beyond the widest look.
    """

    side: float
    angles: tuple[float, float]
    origin: tuple[float, float]
    left: float
    duration: float
    is_beyond: bool

    @property
    def is_settled(self) -> bool:
        """Whether the look stays constant as long as its target does."""
        return self.left == 0.0


class Facing(NamedTuple):
    """Coordinate frame, in the base frame, of an end effector that looks in its rest direction: rotation (the
    look is along +Y, up is +Z) and position [m].
    """

    rotation: Quaternion
    position: Vector


class Posed(NamedTuple):
    """A posture of a skeleton, and the frame from which looks are measured.

    Attributes:
        skeleton: The skeleton.
        angles: The posture (n,) [rad; prismatic joints m].
        pose: The pose of the posture.
        facing: Frame of the end's rest direction, at its position in the posture.
        ahead: Rotation of the end relative to its first bone, with all joints after that at zero.
    """

    skeleton: Skeleton
    angles: list[float]
    pose: Pose
    facing: Facing
    ahead: Quaternion


def posed(skeleton: Skeleton, angles: list[float], before: Posed | None) -> Posed:
    """Pose of a skeleton in a posture (n,) [rad; prismatic joints m], and the frame from which looks are
    measured. `before`: the last frame's result, which is returned if skeleton and posture are the same.
    """
    is_same = before is not None and before.skeleton is skeleton
    if before is not None and is_same and before.angles == angles:
        return before
    # The front is fixed to the first bone, which rotates the body. `path[last]` is that bone's last joint:
    # the next joint of the path has another position.
    path = skeleton.path()
    last = next(
        (
            k
            for k, joint in enumerate(path[1:])
            if rotations.length(skeleton.joints[joint].rest_offset) > SHORTEST_LINK
        ),
        -1,
    )
    if before is not None and is_same:
        ahead = before.ahead
    else:
        rest = skeleton.forward([0.0] * len(skeleton))
        ahead = rotations.multiply(rotations.conjugate(rest.rotations[path[last]]), rest.tool_rotation)
    pose = skeleton.forward(angles)
    facing = Facing(rotations.multiply(pose.rotations[path[last]], ahead), pose.tool_position)
    return Posed(skeleton, angles, pose, facing, ahead)


def looking(
    before: LookState | None, facing: Facing, aim: Aim, settings: LookSettings, dt: float
) -> tuple[Aim, LookState | None]:
    """The aim limited to the widest look and with the offset, and the look's state `dt` [s] later. Aims that
    are not looks are returned unchanged, and so are aims on which the settings have no effect; the state is
    None for the former, and for settings that have no effect on any aim.

    Args:
        before: The look in the last frame; None: the look begins at the target.
        facing: Frame of the end's rest direction.
        aim: The aim in the base frame.
        settings: Widest look and offset.
        dt: Time step [s].
    """
    away = aim.gaze(facing.position)
    if settings == ANYWHERE or away is None or aim.desired_position is not None:
        return aim, None
    distance = rotations.length(away)
    if distance <= 0.0:
        return aim, before
    x, y, z = rotations.rotate(rotations.conjugate(facing.rotation), rotations.scale(away, 1.0 / distance))
    aside = math.remainder(math.atan2(-x, y) + settings.aside, math.tau)
    up = max(-0.5 * math.pi, min(0.5 * math.pi, math.asin(max(-1.0, min(1.0, z))) + settings.up))
    side = _side(before, aside, settings.widest)
    is_beyond = _cosine(aside, up) < math.cos(settings.widest)
    desired = _edge(side, aside, up, settings.widest) if is_beyond else (aside, up)
    look = _crossing(before, side, desired, is_beyond, dt)
    if not is_beyond and look.left == 0.0 and settings.aside == settings.up == 0.0:
        return aim, look
    seen = rotations.scale(rotations.rotate(facing.rotation, _direction(*look.angles)), distance)
    return aim.redirected(seen, facing.position), look


def _side(before: LookState | None, aside: float, widest: float) -> float:
    """The side of a target at an angle `aside` [rad]; for a target behind, that of the last frame."""
    side = math.copysign(1.0, aside)
    margin = min(BEHIND, 0.5 * (math.pi - widest))
    return before.side if before is not None and math.pi - abs(aside) < margin else side


def _cosine(aside: float, up: float) -> float:
    """Cosine of the angle between a look and the end's rest direction."""
    return math.cos(aside) * math.cos(up)


def _edge(side: float, aside: float, up: float, widest: float) -> tuple[float, float]:
    """(aside, up): angles [rad] of the widest look to a side, for a target at angles [rad] `aside` and `up`.

    If the widest look is a right angle or more, it is as high as the target. A narrower look follows the
    shortest path from straight ahead toward the target. For a target behind it is the path toward a point
    beside, at the same height, so that the look does not go over the top.
    """
    if widest >= 0.5 * math.pi:
        return side * math.acos(max(-1.0, math.cos(widest) / math.cos(up))), up
    # slope of the path toward the target
    slope = math.atan2(math.sin(up), math.cos(up) * math.sin(min(abs(aside), 0.5 * math.pi)))
    across, high = math.sin(widest) * math.cos(slope), math.sin(widest) * math.sin(slope)
    return side * math.atan2(across, math.cos(widest)), math.asin(high)


def _crossing(
    before: LookState | None, side: float, desired: tuple[float, float], is_beyond: bool, dt: float
) -> LookState:
    """The look on its path to the desired angles; it crosses over gradually if the side has changed beyond
    the widest look.
    """
    if before is None:
        return LookState(side, desired, desired, 0.0, 0.0, is_beyond)
    origin, left, duration = before.origin, max(0.0, before.left - dt), before.duration
    if side != before.side and (is_beyond or before.is_beyond):
        origin = before.angles
        left = duration = crossing_time(math.dist(origin, desired))
    if left == 0.0:
        return LookState(side, desired, desired, 0.0, 0.0, is_beyond)
    share = minimum_jerk(left / duration)  # share of the path that remains
    angles = (desired[0] + share * (origin[0] - desired[0]), desired[1] + share * (origin[1] - desired[1]))
    return LookState(side, angles, origin, left, duration, is_beyond)


def _direction(aside: float, up: float) -> Vector:
    """Unit direction of a look by its angles [rad], in the axes of the facing frame."""
    return -math.cos(up) * math.sin(aside), math.cos(up) * math.cos(aside), math.sin(up)
