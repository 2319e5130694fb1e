"""Lines [m, world] for overlays of a chain: gaze rays, forward axes, joint limits, and the solver's pose of
bones that lag behind it because of the motion filter.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import ceil, cos, degrees, radians, sin, tau
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ...character.widest_look import LookState
from ..chains.chain import UNLIMITED
from ..scene.goal import AXES, forward_axis, signed_axis, why_no_target, with_goal
from .segments import Segment, segments_of
from .solved_chain import SolvedChain

ARC = 0.4  # radius of an arc, as a share of its bone's length
ARC_STEP = radians(6)  # [rad] angle between two points of an arc
ARROW = 0.2  # smallest length of an arrow, as a share of the armature's size
# distance from a limit within which a joint's arc is highlighted, as a share of the joint's range
NEAR = 0.05
AT = 1e-3  # distance from a limit within which a joint counts as at the limit, as a share of its range
# [rad] filter lag below which the solver's pose is not drawn, since it would be invisible
LATE = radians(0.5)


class Ray(NamedTuple):
    """Gaze ray of an end: its eye, the point along the gaze at the target's distance, and the target."""

    eye: Vector
    hit: Vector
    target: Vector
    # whether the end is meant to cover only a part of the angle to the target, as a torso does
    is_partial: bool = False
    is_beyond: bool = False  # whether the target is beyond Widest Look, so that the look stays at the edge
    is_offset: bool = False  # whether Look Aside or Look Up offset the look from the target
    is_on_its_way: bool = False  # whether the look is still moving toward the target

    @property
    def is_meant(self) -> bool:
        """Whether the end is intended to look past its target, so that the angle between them is not an
        error.
        """
        return self.is_partial or self.is_beyond or self.is_offset or self.is_on_its_way

    def label(self, name: str) -> str:
        """Text on where the ray ends relative to its target; `name`: name of the chain."""
        angle = f"{degrees(self.error):.1f}°"
        if self.is_beyond:
            return f"{name}: beyond Widest Look"
        if self.is_partial:
            return f"{name}: leaves {angle} to others"
        if self.is_on_its_way:
            return f"{name}: on its way, {angle} to go"
        return f"{name}: looks {angle} past" if self.is_offset else f"{name}: error {angle}"

    @property
    def error(self) -> float:
        """Aim error [rad] of the shown end."""
        return (self.hit - self.eye).angle(self.target - self.eye, 0.0)


class Arc(NamedTuple):
    """Range of a revolute joint as an arc about its axis, with the current angle. `room` is the distance to
    the nearer limit, as a share of the range.
    """

    points: np.ndarray  # (n, 3) [m, world]
    middle: Vector
    current: Vector
    room: float


def rays(
    rig: bpy.types.Object,
    chain: bpy.types.PropertyGroup,
    look: LookState | None = None,
    is_on_its_way: bool = False,
) -> Iterator[Ray]:
    """Gaze rays of the chain's enabled ends that look at a point. Targets that are not in the scene have no
    ray: a deleted object still exists while a chain refers to it.

    Args:
        rig: The armature object.
        chain: The chain.
        look: State of the look of its own end; None without a widest look and offset.
        is_on_its_way: Whether that look still eases toward its target.
    """
    scene, view_layer = bpy.context.scene, bpy.context.view_layer
    for end in with_goal(chain):
        settings, target, bone = end.settings, end.target, rig.pose.bones.get(end.bone)
        if target is None or bone is None or settings.goal != "POINT":
            continue
        if why_no_target(target, scene, view_layer):
            continue
        world = rig.matrix_world @ bone.matrix
        eye = world @ Vector((0.0, settings.eye * bone.length, 0.0))
        matrix = target.obj.matrix_world
        if target.bone:
            matrix = matrix @ target.obj.pose.bones[target.bone].matrix
        point = matrix.translation.copy()
        direction = (world.to_3x3() @ Vector(forward_axis(settings))).normalized()
        hit = eye + (point - eye).length * direction
        # share, dead zone and offset apply only to the chain's own end
        if end.number > 0:
            yield Ray(eye, hit, point)
            continue
        yield Ray(
            eye,
            hit,
            point,
            is_partial=chain.share < 1.0 or chain.dead_zone > 0.0,
            is_beyond=look is not None and look.is_beyond,
            is_offset=chain.look_aside != 0.0 or chain.look_up != 0.0,
            is_on_its_way=is_on_its_way,
        )


def eye(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> Vector:
    """Position [m, world] from which the chain's own end looks."""
    bone = rig.pose.bones[chain.end]
    return rig.matrix_world @ bone.matrix @ Vector((0.0, chain.eye * bone.length, 0.0))


def forward(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> Segment:
    """Arrow from the chain's eye along the forward axis of its own end, in the shown pose."""
    return _arrow(rig, chain, Vector(forward_axis(chain)))


def axes(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> Iterator[tuple[str, Segment]]:
    """(name, arrow) of the six axes of the chain's end bone, "+X" to "-Z", in the shown pose."""
    for name in AXES:
        yield name, _arrow(rig, chain, Vector(signed_axis(name)))


def _arrow(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, axis: Vector) -> Segment:
    """Arrow from the chain's eye along a direction in its end bone's frame."""
    bone, start = rig.pose.bones[chain.end], eye(rig, chain)
    length = max(bone.length * rig.matrix_world.median_scale, ARROW * max(rig.dimensions))
    return start, start + length * ((rig.matrix_world @ bone.matrix).to_3x3() @ axis).normalized()


def arcs(rig: bpy.types.Object, session: SolvedChain) -> Iterator[Arc]:
    """Arcs of the chain's revolute joints that have limits, in the shown pose."""
    if session.outputs is None or session.reader is None:
        return
    limits = dict(
        zip(
            session.reader.joint_keys,
            zip(session.model.skeleton.joints, session.outputs.angles.tolist(), strict=True),
            strict=True,
        )
    )
    for part in session.reader.parts:
        bone = rig.pose.bones.get(part.name)
        if bone is None or not part.hinges or part.name not in session.pose:
            continue
        world = rig.matrix_world @ bone.matrix
        rotation = world.to_quaternion() @ Quaternion(session.pose[part.name][0]).inverted()
        radius = ARC * bone.length * world.median_scale
        for is_joint, index, axis in part.hinges:
            angle = 0.0
            if is_joint and (joint_and_angle := limits.get((part.name, "XYZ"[index]))):
                joint, angle = joint_and_angle
                # the arm is perpendicular to the hinge's axis, so that it rotates; Y lies along the bone
                arm = Vector((0.0, 0.0, 1.0)) if index == 1 else Vector((0.0, 1.0, 0.0))
                if joint.upper - joint.lower < UNLIMITED:
                    yield _arc(world.translation, rotation, Vector(axis), radius * arm, joint, angle)
            rotation = rotation @ Quaternion(Vector(axis), angle)


def _arc(
    middle: Vector,
    rotation: Quaternion,
    axis: Vector,
    arm: Vector,
    joint: bpy.types.PropertyGroup,
    angle: float,
) -> Arc:
    """Arc of a joint about `axis`, at `angle` [rad]; `arm` points from the axis to the arc at angle 0. Both
    are in the frame `rotation`.
    """
    along, across = rotation @ arm, rotation @ axis.cross(arm)
    points = np.array(middle) + _circle(joint.lower, joint.upper) @ np.array((along, across))
    span = (joint.upper - joint.lower) or 1.0
    room = min(angle - joint.lower, joint.upper - angle) / span
    return Arc(points, middle, middle + cos(angle) * along + sin(angle) * across, room)


@lru_cache(maxsize=256)
def _circle(lower: float, upper: float) -> np.ndarray:
    """(n, 2) cosine and sine of angles [rad] from the lower to the upper limit, at most over a full
    revolution.
    """
    upper = min(upper, lower + tau)
    angles = np.linspace(lower, upper, max(2, ceil((upper - lower) / ARC_STEP)) + 1)
    return np.stack((np.cos(angles), np.sin(angles)), 1)


def late(rig: bpy.types.Object, session: SolvedChain) -> list[Segment]:
    """Head and tail [m, world] of the chain's bones and of their descendants in the solver's pose; empty if
    the motion filter's lag is not visible.
    """
    outputs = session.outputs
    if outputs is None or not session.poses or outputs.lag < LATE:
        return []
    desired = session.reader.channels(session.poses, outputs.desired.tolist())
    bases = {
        name: Matrix.LocRotScale(Vector(location), Quaternion(rotation), Vector(scale))
        for name, (rotation, location, scale) in desired.items()
    }
    return segments_of(rig, bases)
