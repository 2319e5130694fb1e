"""Attention of a chain: the perceived position of its target, which the chain can follow with a lag, a dead
zone, or only in part.

Eyes lead, a head follows later and not fully, a torso hardly at all: each chain of a character has its
own attention. A target is described by direction and distance from the chain's root, so that no blend between
two targets passes through the chain.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

from ..solvers.crossing import minimum_jerk
from ..solvers.gaze import SPEED
from ..solvers.goals import Aim, Frame, Point, Position
from ..solvers.kinematics import rotations
from ..solvers.kinematics.rotations import Quaternion, Vector
from ..solvers.kinematics.skeleton import Pose

# [rad, or relative to the distance] difference up to which a target counts as reached: the rounding error of
# its position in Blender's single precision. Also the horizontal part below which a unit vector is vertical
ARRIVED = 1e-6
NEAREST = 1e-9  # [m] distance from the root below which a target has no direction
# cosine below which two directions count as opposite, so that the rotation between them is not unique
HALF_TURN = -1.0 + 1e-6
# [rad] largest angle of a look that an end leaves to what it carries where that has any limit; at a right
# angle aside, a target just above the end's level would be straight up for it
FARTHEST_LEFT = math.radians(85)


class CarriedLook(NamedTuple):
    """Largest angles [rad] by which what an end effector carries, such as the eyes of a head, can look beyond
    it, to its left and right, up and down, measured as in `direction`; inf for no limit.
    """

    left: float = math.inf
    right: float = math.inf
    up: float = math.inf
    down: float = math.inf

    @staticmethod
    def direction(aside: float, up: float) -> Vector:
        """Unit direction of a look, in axes of which Y is straight ahead and Z is up: the angle `up` [rad] in
        the plane of Y and Z, and the angle `aside` [rad] from that plane to the left.
        """
        return -math.sin(aside), math.cos(aside) * math.cos(up), math.cos(aside) * math.sin(up)

    def within(self, aside: float, up: float) -> tuple[float, float]:
        """The part of a look, by its angles [rad] to the left and up, that stays within the largest angles:
        nearly all of small angles, while large ones approach the limits gradually. Diagonal looks stay within
        the ellipses through these limits. Each direction counts by itself, so that nothing jumps where a look
        crosses from one side to the other, also where the limit of a side is 0.
        """
        aside, p = _approaching(aside, self.left if aside > 0.0 else self.right)
        up, q = _approaching(up, self.up if up > 0.0 else self.down)
        # for shares p and q of the limits up to 1: (p^2 + q^2) / (1 + p^2 q^2) <= 1
        narrowing = 1.0 / math.sqrt(1.0 + (p * q) ** 2)
        return narrowing * aside, narrowing * up


ANY_LOOK = CarriedLook()


class Bearing(NamedTuple):
    """Pose of a target as seen from a chain's root: direction and orientation in world axes, distance [m]."""

    direction: Vector  # unit vector in world axes
    distance: float  # [m] distance from the chain's root
    rotation: Quaternion  # orientation of its axes


class AttentionSettings(NamedTuple):
    """Settings of attention.

    Attributes:
        lag: Time [s] by which the chain trails a steadily moving target.
        dead_zone: Angle [rad] by which a target can move before the chain follows; the chain then stays that
          far behind.
        change: Duration [s] of the change to another target.
        eases_jumps: Whether the chain also changes gradually to the new position of a target that has jumped.
    """

    lag: float = 0.0
    dead_zone: float = 0.0
    change: float = 0.0
    eases_jumps: bool = False


@dataclass(frozen=True)
class Attention:
    """State of attention in a frame, passed on to the next frame."""

    target: Bearing  # bearing of the actual target
    of: object  # identity of the target
    settings: AttentionSettings  # settings in the last frame
    origin: Bearing  # bearing of the previous target, as it was last perceived
    left: float  # [s] remaining time of the change from `origin` to the target
    guided: Bearing  # perceived target during that change
    still: Bearing  # bearing of the target after the dead zone
    halfway: Bearing  # the target after the dead zone and half of the lag
    seen: Bearing  # the target after dead zone and lag: the point at which the chain aims

    @property
    def is_settled(self) -> bool:
        """Whether the perceived target stays still as long as the actual one does."""
        return self.left == 0.0 and self.seen == self.halfway == self.still


def bearing(position: Vector, rotation: Quaternion, root: Vector) -> Bearing:
    """Direction, distance [m] and orientation of a target as seen from a chain's root; all arguments are in
    the world, positions in [m]. A target at the root (within `NEAREST`) counts as `NEAREST` above it.
    """
    direction = rotations.subtract(position, root)
    distance = rotations.length(direction)
    return Bearing(
        rotations.unit(direction) if distance > NEAREST else rotations.Z, max(distance, NEAREST), rotation
    )


def seen_position(seen: Bearing, root: Vector) -> Vector:
    """World position [m] of a target, given its direction and distance as seen from a chain's root at `root`
    [m].
    """
    return rotations.add(root, rotations.scale(seen.direction, seen.distance))


def has_jumped(before: Bearing, target: Bearing, kind: type, dt: float) -> bool:
    """Whether a target has moved faster than any joint can follow, in the values that a goal of this kind
    uses.

    Args:
        before, target: The target in the last frame, and now.
        kind: Type of the goal.
        dt: Time step [s]; at 0 the change is an edit and not a jump.
    """
    farthest = SPEED * dt if dt > 0.0 else math.inf
    uses = kind.__dataclass_fields__  # type: ignore[attr-defined]  # all aims are dataclasses
    if "position" in uses and rotations.vector_angle(before.direction, target.direction) > farthest:
        return True
    if issubclass(kind, Position | Frame) and abs(math.log(target.distance / before.distance)) > farthest:
        return True
    return ("vector" in uses or "wxyz" in uses) and rotations.angle_between(
        before.rotation, target.rotation
    ) > farthest


def attend(
    before: Attention | None,
    target: Bearing,
    of: object,
    settings: AttentionSettings,
    dt: float,
    kind: type = Point,
) -> Attention:
    """State of attention `dt` seconds later; the same object if nothing changes.

    Args:
        before: Attention in the last frame; None: attention begins at the target.
        target: The target as seen now.
        of: Identity of the target; if it differs from the last frame's, the chain changes to the new target
            gradually.
        settings: Settings of attention.
        dt: Time step [s].
        kind: Type of the goal, for `has_jumped`.
    """
    if before is None:
        return Attention(target, of, settings, target, 0.0, target, target, target, target)
    is_same = (before.target, before.of, before.settings) == (target, of, settings)
    if is_same and (dt == 0.0 or before.is_settled):
        return before
    if of == before.of and not (settings.eases_jumps and has_jumped(before.target, target, kind, dt)):
        origin, left = before.origin, max(0.0, min(before.left, settings.change) - dt)
    else:  # the change begins in this frame
        origin, left = before.guided, settings.change
    guided = target
    if left > 0.0:
        share = minimum_jerk(left / settings.change)
        guided = _mixed(target, origin, share, share, share)
    still = _after_dead_zone(before.still, guided, settings.dead_zone)
    if settings.lag > 0.0:
        halfway = _followed(before.halfway, before.still, still, 2.0 * dt / settings.lag)
        seen = _followed(before.seen, before.halfway, halfway, 2.0 * dt / settings.lag)
    else:
        halfway = seen = still
    return Attention(target, of, settings, origin, left, guided, still, halfway, seen)


def partial(pose: Pose, aim: Aim, share: float, carried: CarriedLook = ANY_LOOK) -> Aim:
    """An aim between the gaze direction of the posture's pose (`share` 0) and `aim` (`share` 1). Goals of
    positions, and gaze goals too near to have a direction, are returned unchanged.

    Args:
        pose: The posture's pose.
        aim: The aim.
        share: Share of the rotation from the posture's gaze to the aim; below 0 counts as 0.
        carried: The most of that rotation that is left to what the end carries; a larger rest raises the
            share.
    """
    gaze = aim.gaze(pose.tool_position)
    if share >= 1.0 or gaze is None or aim.desired_position is not None:
        return aim
    look = rotations.rotate(pose.tool_rotation, rotations.Y)
    distance = rotations.length(gaze)
    if distance <= NEAREST:
        return aim
    target = rotations.unit(gaze)
    whole = _between(look, target)
    if carried != ANY_LOOK:
        share = max(share, 1.0 - FARTHEST_LEFT / max(rotations.turn_angle(whole), FARTHEST_LEFT))
    direction = rotations.rotate(_power(whole, max(share, 0.0)), look)
    if carried != ANY_LOOK:
        to_end = rotations.conjugate(pose.tool_rotation)
        direction = _leaving(rotations.rotate(to_end, direction), rotations.rotate(to_end, target), carried)
        direction = rotations.rotate(pose.tool_rotation, direction)
    return aim.redirected(rotations.scale(direction, distance), pose.tool_position)


def _leaving(shared: Vector, target: Vector, carried: CarriedLook) -> Vector:
    """Direction in which an end looks so that it leaves no more to what it carries than that can look; all
    are unit vectors in the end's axes in the posture, Y straight ahead and Z up.

    The end pans about Z and then pitches, as a level body does. How far a target then is to the side depends
    on the pan alone.

    Args:
        shared: Direction in which the end looks by its share.
        target: Direction of the target, at most FARTHEST_LEFT from `shared`.
        carried: How far what the end carries can look.
    """
    level, pan = max(math.hypot(target[0], target[1]), ARRIVED), math.atan2(-target[0], target[1])
    pan_left = math.remainder(pan - math.atan2(-shared[0], shared[1]), math.tau)
    aside = math.asin(max(-1.0, min(1.0, level * math.sin(pan_left))))
    most = math.sin(min(carried.left if aside > 0.0 else carried.right, FARTHEST_LEFT))
    widest = math.asin(most / level) if level > most else math.pi - math.asin(level / most)

    def panned(left_aside: float) -> tuple[float, float]:
        """Pan [rad] that is left if this much of `aside` is, and the target's elevation [rad] after the rest
        of the pan.
        """
        # in proportion, since near the zenith a small angle aside is a large pan; but within the limit
        left = pan_left * (left_aside / aside if aside else 1.0)
        left = max(-widest, min(widest, left))
        return left, math.atan2(target[2], level * math.cos(left))

    _, elevation = panned(carried.within(aside, 0.0)[0])
    up = elevation - math.atan2(shared[2], math.hypot(shared[0], shared[1]))
    left_aside, left_up = carried.within(aside, up)
    left, elevation = panned(left_aside)
    pan, pitch = pan - left, elevation - left_up
    return -math.sin(pan) * math.cos(pitch), math.cos(pan) * math.cos(pitch), math.sin(pitch)


def _approaching(angle: float, limit: float) -> tuple[float, float]:
    """An angle [rad] that approaches a limit [rad] gradually, and its share (-1 to 1) of the limit: 0 for no
    limit, and for a limit of 0.
    """
    if limit == math.inf:
        return angle, 0.0
    share = math.tanh(angle / limit) if limit > 0.0 else 0.0
    return limit * share, share


def _between(a: Vector, b: Vector) -> Quaternion:
    """Shortest rotation from one direction to another; for opposite directions, the half rotation about the
    axis that is nearest to the vertical, as of a head.
    """
    if rotations.dot(a, b) > HALF_TURN:
        return rotations.between(a, b)
    level = rotations.reject(rotations.Z, a)
    return (
        rotations.about(rotations.unit(level), math.pi)
        if rotations.length(level) > ARRIVED
        else rotations.between(a, b)
    )


def _relative_rotation(a: Quaternion, b: Quaternion) -> Quaternion:
    """Rotation from orientation `a` to orientation `b`."""
    return rotations.multiply(b, rotations.conjugate(a))


def _power(rotation: Quaternion, share: float) -> Quaternion:
    """Rotation about the same axis by a share (0 to 1) of the angle."""
    vector = rotations.logarithm(rotation)
    angle = rotations.length(vector)
    return (
        rotations.about(rotations.scale(vector, 1.0 / angle), share * angle)
        if angle > 0.0
        else rotations.IDENTITY
    )


def _apart(a: Bearing, b: Bearing) -> tuple[float, float]:
    """Angles [rad] between two directions, and between two orientations."""
    return rotations.vector_angle(a.direction, b.direction), rotations.angle_between(a.rotation, b.rotation)


def _mixed(a: Bearing, b: Bearing, direction: float, distance: float, orientation: float) -> Bearing:
    """Interpolation from `a` to `b` with separate shares (0 to 1) for direction, distance and orientation."""
    return Bearing(
        rotations.rotate(_power(_between(a.direction, b.direction), direction), a.direction),
        a.distance * (b.distance / a.distance) ** distance,
        a.rotation
        if a.rotation == b.rotation
        else _interpolated_rotation(a.rotation, b.rotation, orientation),
    )


def _interpolated_rotation(a: Quaternion, b: Quaternion, share: float) -> Quaternion:
    """Orientation after a share (0 to 1) of the rotation from `a` to `b`."""
    return rotations.normalized(rotations.multiply(_power(_relative_rotation(a, b), share), a))


def _after_dead_zone(still: Bearing, target: Bearing, zone: float) -> Bearing:
    """The perceived target after a dead zone of radius `zone` [rad]: moved just enough to keep the actual
    target inside the zone.
    """
    if zone <= 0.0:
        return target
    parts = [max(0.0, angle - zone) / angle if angle > 0.0 else 0.0 for angle in _apart(still, target)]
    if parts == [0.0, 0.0]:
        return still
    return _mixed(still, target, parts[0], parts[0], parts[1])


def _followed(current: Bearing, begin: Bearing, end: Bearing, duration: float) -> Bearing:
    """Output of a first-order lag, from `current`, after its input has moved evenly from `begin` to `end` in
    `duration` time constants.

    The input counts as moving, so that the lag does not depend on the frame rate: with an input at `end`
    during the whole step it would be shorter by one frame.
    """
    if duration == 0.0:
        return current
    share = -math.expm1(-duration)
    # share of the distance from `begin` to `end` at which an input at rest would have the same effect
    late = (1.0 - share / duration) / share
    return _toward(current, end if begin == end else _mixed(begin, end, late, late, late), share)


def _toward(current: Bearing, target: Bearing, share: float) -> Bearing:
    """`current`, moved toward a target by a share (0 to 1) of the difference; the target itself if nearly
    reached (`ARRIVED`).
    """
    if max(*_apart(current, target), abs(current.distance / target.distance - 1.0)) < ARRIVED:
        return target
    return _mixed(current, target, share, share, share)
