"""Widest look of a chain: how far its end looks away from where the character faces, and which side it takes.

A look is given by two angles from where the end faces at rest: to the side about the figure's up, and up.
Beyond the widest look it rests at the edge, at the height of the target if the edge is that wide. When the
target passes behind, the look stays at its edge until the other side is clearly nearer, then crosses over by
the front.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

from ..solvers.crossing import crossing_time, remaining_share
from ..solvers.goals import Aim
from ..solvers.kinematics import rotations
from ..solvers.kinematics.rotations import Quaternion, Vector
from ..solvers.kinematics.skeleton import SHORTEST_LINK, Pose, Skeleton

ALL_AROUND = math.pi - 1e-3  # [rad] a widest look from here on limits nothing
BEHIND = math.radians(
    15
    # [rad] that a target must pass beyond straight behind before the look changes sides: one that stands
    # there does not
)


@dataclass(frozen=True)
class LookSettings:
    """Settings of a chain's look.

    Attributes:
        widest: Largest angle [rad] from where the end faces at rest; pi: there is none.
        aside, up: Angles [rad] added to the look, to the end's left and up.
    """

    widest: float = math.pi
    aside: float = 0.0
    up: float = 0.0


ANYWHERE = LookSettings()  # they change nothing


class Look(NamedTuple):
    """State of the look in a frame, passed on to the next frame.

    Attributes:
        side: Side of the target, 1 to the left and -1 to the right.
        angles: The look's angle to the side and up [rad].
        origin: These when the last crossing began.
        left: Remaining time of that crossing [s].
        duration: Its duration [s].
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
    """Where an end faces at rest, in the base frame: its rotation (it looks along its +Y, its up is +Z), and
    its position [m].
    """

    rotation: Quaternion
    position: Vector


class Posed(NamedTuple):
    """A posture of a skeleton, and what looks are measured from.

    Attributes:
        skeleton: The skeleton.
        angles: The posture (n,).
        pose: Its pose.
        facing: Where the skeleton's end faces, from where it is in the posture.
        ahead: Rotation of the end in its first bone, where all joints after that are at zero.
    """

    skeleton: Skeleton
    angles: list[float]
    pose: Pose
    facing: Facing
    ahead: Quaternion


def posed(skeleton: Skeleton, angles: list[float], before: Posed | None) -> Posed:
    """A posture (n,) of a skeleton; `before`, the last frame's, if that is the same."""
    is_same = before is not None and before.skeleton is skeleton
    if before is not None and is_same and before.angles == angles:
        return before
    # The end faces as at rest, on a first bone that is posed, which rotates the body.
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
    before: Look | None, ahead: Facing, aim: Aim, settings: LookSettings, dt: float
) -> tuple[Aim, Look | None]:
    """The aim within the widest look and with the offset, and the look's state `dt` seconds later.

    Aims that are no looks are returned unchanged, and so is an aim that the settings do not change.

    Args:
        before: The look in the last frame; None: it begins at the target.
        ahead: Where the end faces.
        aim: The aim in the base frame.
        settings: Widest look and offset.
        dt: Time step [s].
    """
    away = aim.gaze(ahead.position)
    if settings == ANYWHERE or away is None or aim.desired_position is not None:
        return aim, None
    distance = rotations.length(away)
    if distance <= 0.0:
        return aim, before
    x, y, z = rotations.rotate(rotations.conjugate(ahead.rotation), rotations.scale(away, 1.0 / distance))
    aside = math.remainder(math.atan2(-x, y) + settings.aside, math.tau)
    up = max(-0.5 * math.pi, min(0.5 * math.pi, math.asin(max(-1.0, min(1.0, z))) + settings.up))
    side = _side(before, aside, settings.widest)
    is_beyond = _cosine(aside, up) < math.cos(settings.widest)
    desired = _edge(side, aside, up, settings.widest) if is_beyond else (aside, up)
    look = _crossing(before, side, desired, is_beyond, dt)
    if not is_beyond and look.left == 0.0 and settings.aside == settings.up == 0.0:
        return aim, look
    seen = rotations.scale(rotations.rotate(ahead.rotation, _direction(*look.angles)), distance)
    return aim.redirected(seen, ahead.position), look


def _side(before: Look | None, aside: float, widest: float) -> float:
    """The side of a target at an angle `aside` [rad]; behind, that of the last frame."""
    side = math.copysign(1.0, aside)
    margin = min(BEHIND, 0.5 * (math.pi - widest))
    return before.side if before is not None and math.pi - abs(aside) < margin else side


def _cosine(aside: float, up: float) -> float:
    """Cosine of a look's angle from where the end faces."""
    return math.cos(aside) * math.cos(up)


def _edge(side: float, aside: float, up: float, widest: float) -> tuple[float, float]:
    """The widest look to a side for a target at angles [rad] `aside` and `up`.

    From a right angle on the look is as high as the target. A narrower one cannot be: it goes from ahead the
    shortest path toward the target; toward one behind as toward what is beside at that height, so that it
    does not go over the top.
    """
    if widest >= 0.5 * math.pi:
        return side * math.acos(max(-1.0, math.cos(widest) / math.cos(up))), up
    slope = math.atan2(math.sin(up), math.cos(up) * math.sin(min(abs(aside), 0.5 * math.pi)))  # of that path
    across, high = math.sin(widest) * math.cos(slope), math.sin(widest) * math.sin(slope)
    return side * math.atan2(across, math.cos(widest)), math.asin(high)


def _crossing(
    before: Look | None, side: float, desired: tuple[float, float], is_beyond: bool, dt: float
) -> Look:
    """The look on its way to the desired angles; it crosses over gradually where the side has changed beyond
    the widest look.
    """
    if before is None:
        return Look(side, desired, desired, 0.0, 0.0, is_beyond)
    origin, left, duration = before.origin, max(0.0, before.left - dt), before.duration
    if side != before.side and (is_beyond or before.is_beyond):
        origin = before.angles
        left = duration = crossing_time(math.dist(origin, desired))
    if left == 0.0:
        return Look(side, desired, desired, 0.0, 0.0, is_beyond)
    share = remaining_share(left / duration)  # of the path that is left
    angles = (desired[0] + share * (origin[0] - desired[0]), desired[1] + share * (origin[1] - desired[1]))
    return Look(side, angles, origin, left, duration, is_beyond)


def _direction(aside: float, up: float) -> Vector:
    """Unit direction of a look by its angles [rad], in the facing end's axes."""
    return -math.cos(up) * math.sin(aside), math.cos(up) * math.cos(aside), math.sin(up)
