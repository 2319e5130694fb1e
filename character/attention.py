"""What a chain attends to: where it sees its target, which it may follow late, only roughly, or in part. Knows no Blender.

Eyes lead, a head follows later and not all the way, a torso hardly at all: each chain of a character has an attention of its own.
A target is seen from the chain's root, by direction and distance, so that nothing sweeps through the chain when the target is exchanged.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..solvers import rotations
from ..solvers.goals import Aim, Direction, Point
from ..solvers.rotations import Quaternion, Vector
from ..solvers.skeleton import Angles, Skeleton

ARRIVED = 1e-6  # [rad, or of the distance]: single precision's noise in what Blender tells of a target
NEAREST = 1e-9  # [m] a target nearer to the root has no direction of its own
HALF_TURN = -1.0 + 1e-6  # cosine beyond which two directions are opposite, and the way between them is a choice


class Sight(NamedTuple):
    """Where something is seen from a chain's root, in the world."""

    direction: Vector  # unit
    distance: float  # [m]
    turn: Quaternion  # of its axes


@dataclass(frozen=True)
class Manner:
    """How a chain follows what it attends to.

    Attributes:
        lag: [s] by which it trails a target that moves steadily.
        dead_zone: [rad] by which a target may move before the chain follows; it then keeps that far behind.
        change: [s] that it takes to go over to another target.
    """

    lag: float = 0.0
    dead_zone: float = 0.0
    change: float = 0.0


@dataclass(frozen=True)
class Attention:
    """What is attended to at an instant, and what the next needs of it."""

    target: Sight  # where it really is
    of: object  # which target that is
    manner: Manner  # how it was followed
    origin: Sight  # where its predecessor was seen last
    left: float  # [s] of the way from there
    guided: Sight  # on that way, or the target
    still: Sight  # what has left the dead zone
    halfway: Sight  # after half of the lag
    seen: Sight  # after all of it

    @property
    def is_settled(self) -> bool:
        """Whether it would stay as it is while the target does."""
        return self.left == 0.0 and self.seen == self.halfway == self.still


def sight(place: Vector, turn: Quaternion, root: Vector) -> Sight:
    """Where a place [m] and axes in the world are seen from a root [m]."""
    way = rotations.subtract(place, root)
    distance = rotations.length(way)
    return Sight(rotations.unit(way) if distance > NEAREST else rotations.Z, max(distance, NEAREST), turn)


def place(seen: Sight, root: Vector) -> Vector:
    """The place [m] in the world that is seen so from a root [m]."""
    return rotations.add(root, rotations.scale(seen.direction, seen.distance))


def attend(before: Attention | None, target: Sight, of: object, manner: Manner, dt: float) -> Attention:
    """The attention `dt` seconds later; the very same where nothing changes.

    Args:
        before: What it was; None: it begins at the target.
        target: Where the target is seen now.
        of: Which target that is: another one than before is gone over to.
        manner: How it follows.
        dt: [s].
    """
    if before is None:
        return Attention(target, of, manner, target, 0.0, target, target, target, target)
    is_same = (before.target, before.of, before.manner) == (target, of, manner)
    if is_same and (dt == 0.0 or before.is_settled):
        return before
    origin, left = (before.origin, before.left) if of == before.of else (before.guided, manner.change)
    left = max(0.0, min(left, manner.change) - dt)
    guided = target
    if left > 0.0:
        share = _remaining(left / manner.change)
        guided = _mixed(target, origin, share, share, share)
    still = _leave(before.still, guided, manner.dead_zone)
    if manner.lag > 0.0:
        follow = -math.expm1(-2.0 * dt / manner.lag)
        halfway = _toward(before.halfway, still, follow)
        seen = _toward(before.seen, halfway, follow)
    else:
        halfway = seen = still
    return Attention(target, of, manner, origin, left, guided, still, halfway, seen)


def partial(skeleton: Skeleton, posture: Angles, aim: Aim, share: float) -> Aim:
    """An aim that is only `share` (0 to 1) of the way from where the posture looks to where the aim wants it; the same for other goals
    than looking."""
    if share >= 1.0 or not isinstance(aim, Point | Direction):
        return aim
    pose = skeleton.forward(posture.tolist())
    look = rotations.rotate(pose.tool_rotation, rotations.Y)
    way = rotations.subtract(aim.position, pose.tool_position) if isinstance(aim, Point) else aim.vector
    distance = rotations.length(way)
    if distance <= NEAREST:
        return aim
    turn = _power(_between(look, rotations.unit(way)), max(share, 0.0))
    mixed = rotations.scale(rotations.rotate(turn, look), distance)
    return replace(aim, position=rotations.add(pose.tool_position, mixed)) if isinstance(aim, Point) else replace(aim, vector=mixed)


def _remaining(left: float) -> float:
    """How much of an offset is left when so much (1 to 0) of its time is: it begins and ends at rest."""
    return left**3 * (10.0 - 15.0 * left + 6.0 * left * left)


def _between(a: Vector, b: Vector) -> Quaternion:
    """The shortest turn from one direction to another; of opposite ones that about the vertical, as heads turn."""
    if rotations.dot(a, b) > HALF_TURN:
        return rotations.between(a, b)
    level = rotations.reject(rotations.Z, a)
    return rotations.about(rotations.unit(level), math.pi) if rotations.length(level) > ARRIVED else rotations.between(a, b)


def _from(a: Quaternion, b: Quaternion) -> Quaternion:
    """The turn that takes one orientation to another."""
    return rotations.multiply(b, rotations.conjugate(a))


def _power(turn: Quaternion, share: float) -> Quaternion:
    """A part of a turn."""
    vector = rotations.logarithm(turn)
    angle = rotations.length(vector)
    return rotations.about(rotations.scale(vector, 1.0 / angle), share * angle) if angle > 0.0 else rotations.IDENTITY


def _apart(a: Sight, b: Sight) -> tuple[float, float]:
    """The angles [rad] between two directions, and between two orientations."""
    return rotations.vector_angle(a.direction, b.direction), rotations.angle_between(a.turn, b.turn)


def _mixed(a: Sight, b: Sight, way: float, distance: float, turn: float) -> Sight:
    """From one sight toward another: each by its own part, 0 to 1."""
    return Sight(
        rotations.rotate(_power(_between(a.direction, b.direction), way), a.direction),
        a.distance * (b.distance / a.distance) ** distance,
        rotations.normalized(rotations.multiply(_power(_from(a.turn, b.turn), turn), a.turn)),
    )


def _leave(still: Sight, target: Sight, zone: float) -> Sight:
    """Where the end of a dead zone's radius drags what was still."""
    if zone <= 0.0:
        return target
    parts = [max(0.0, angle - zone) / angle if angle > 0.0 else 0.0 for angle in _apart(still, target)]
    if parts == [0.0, 0.0]:
        return still
    return _mixed(still, target, parts[0], parts[0], parts[1])


def _toward(now: Sight, target: Sight, share: float) -> Sight:
    """A part of the way to a target; the target itself where that is all but reached."""
    if max(*_apart(now, target), abs(now.distance / target.distance - 1.0)) < ARRIVED:
        return target
    return _mixed(now, target, share, share, share)
