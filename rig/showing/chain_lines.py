"""What a live chain can have drawn over it, as lines in the world [m]: where it looks, how far its joints may turn, where the filter keeps
it from."""

from collections.abc import Iterator
from functools import lru_cache
from math import ceil, cos, radians, sin
from typing import NamedTuple

import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ..authoring.forward import AXES
from ..reading.goal import LOOKS, ends_of, forward_axis, signed_axis
from ..robot import ghost
from ..robot.ghost import Segment

ARC = 0.4  # of a bone's length: the arc's radius
ARC_STEP = radians(6)  # of a turn, between two points of an arc
ARROW = 0.2  # of the armature's size: an arrow's length at least
NEAR = 0.05  # of a joint's range, before its limit: it is told
AT = 1e-3  # of the range: it stands at its limit
LATE = radians(0.5)  # that the filter must keep a joint back for its ghost to be drawn: less is not seen


class Ray(NamedTuple):
    """Where an end looks from, what of its way is at the target's distance, and where the target is."""

    eye: Vector
    hit: Vector
    target: Vector

    @property
    def miss(self) -> float:
        """The angle [rad] by which the end, as it is shown, misses the target."""
        return (self.hit - self.eye).angle(self.target - self.eye, 0.0)


class Arc(NamedTuple):
    """A joint's range about its axis, with its angle now: `room` is how far from the nearer limit it is, as a share of the range."""

    points: np.ndarray  # (n, 3)
    middle: Vector
    now: Vector
    room: float


def rays(rig, chain) -> Iterator[Ray]:
    """Of the chain's ends that look at the place of a target."""
    for end in ends_of(chain):
        settings, target, bone = end.settings, end.target, rig.pose.bones.get(end.bone)
        if target is None or bone is None or settings.goal not in LOOKS or settings.goal == "DIRECTION":
            continue
        world = rig.matrix_world @ bone.matrix
        eye = world @ Vector((0.0, settings.eye * bone.length, 0.0))
        place = target.matrix_world.translation.copy()
        way = (world.to_3x3() @ Vector(forward_axis(settings))).normalized()
        yield Ray(eye, eye + (place - eye).length * way, place)


def eye(rig, chain) -> Vector:
    """Where the chain's own end looks from."""
    bone = rig.pose.bones[chain.end]
    return rig.matrix_world @ bone.matrix @ Vector((0.0, chain.eye * bone.length, 0.0))


def forward(rig, chain) -> Segment:
    """An arrow from the chain's eye to where its own end looks, as it is shown."""
    return _arrow(rig, chain, Vector(forward_axis(chain)))


def axes(rig, chain) -> Iterator[tuple[str, Segment]]:
    """Arrows along the axes of the chain's end bone, "+X" to "-Z", as it is shown."""
    for name in AXES:
        yield name, _arrow(rig, chain, Vector(signed_axis(name)))


def _arrow(rig, chain, axis: Vector) -> Segment:
    bone, start = rig.pose.bones[chain.end], eye(rig, chain)
    length = max(bone.length * rig.matrix_world.median_scale, ARROW * max(rig.dimensions))
    return start, start + length * ((rig.matrix_world @ bone.matrix).to_3x3() @ axis).normalized()


def arcs(rig, session) -> Iterator[Arc]:
    """Of the joints that turn, as the chain shows them."""
    if session.outputs is None or session.reader is None:
        return
    limits = dict(zip(session.reader.places, zip(session.model.skeleton.joints, session.outputs.angles.tolist(), strict=True), strict=True))
    for part in session.reader.parts:
        bone = rig.pose.bones.get(part.name)
        if bone is None or not part.turns or part.name not in session.channels:
            continue
        world = rig.matrix_world @ bone.matrix
        turn = world.to_quaternion() @ Quaternion(session.channels[part.name][0]).inverted()
        radius = ARC * bone.length * world.median_scale
        for is_free, index, axis in part.turns:
            angle = 0.0
            if is_free and (found := limits.get((part.name, "XYZ"[index]))):
                joint, angle = found
                beside = Vector((0.0, 0.0, 1.0)) if index == 1 else Vector((0.0, 1.0, 0.0))
                yield _arc(world.translation, turn, Vector(axis), radius * beside, joint, angle)
            turn = turn @ Quaternion(Vector(axis), angle)


def _arc(middle: Vector, turn: Quaternion, axis: Vector, arm: Vector, joint, angle: float) -> Arc:
    """Of a joint about `axis`, at an angle [rad] now; `arm`, across the axis, turns from the middle."""
    along, across = turn @ arm, turn @ axis.cross(arm)
    points = np.array(middle) + _circle(joint.lower, joint.upper) @ np.array((along, across))
    span = (joint.upper - joint.lower) or 1.0
    room = min(angle - joint.lower, joint.upper - angle) / span
    return Arc(points, middle, middle + cos(angle) * along + sin(angle) * across, room)


@lru_cache(maxsize=256)
def _circle(lower: float, upper: float) -> np.ndarray:
    """(n, 2) cosine and sine of angles [rad] from one limit to the other."""
    angles = np.linspace(lower, upper, max(2, ceil((upper - lower) / ARC_STEP)) + 1)
    return np.stack((np.cos(angles), np.sin(angles)), 1)


def late(rig, session) -> list[Segment]:
    """Head and tail of each bone where it is going, where the motion filter keeps it back enough to be seen; else empty."""
    outputs = session.outputs
    if outputs is None or not session.poses or outputs.lag < LATE:
        return []
    wanted = session.reader.channels(session.poses, outputs.wanted.tolist())
    bases = {name: Matrix.LocRotScale(Vector(place), Quaternion(turn), Vector(size)) for name, (turn, place, size) in wanted.items()}
    return ghost.segments_of(rig, bases)
