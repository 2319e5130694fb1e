"""Shape deviation between two poses, as an animator sees it. Knows no Blender."""

import math
from typing import NamedTuple

from .rotations import Vector, Y, cross, dot, length, rotate, subtract, unit
from .skeleton import Angles, Pose, Skeleton

SHORTEST_LINK = 1e-6  # [m] a shorter link has no direction to keep


class Link(NamedTuple):
    """A link with a direction: from a joint's position to a later joint's, or to an end's."""

    carrier: int  # the joint that moves it
    joint: int  # the joint at which it ends; -1: at an end
    end: int  # the end; -1: at a joint


def links_of(skeleton: Skeleton, with_root: bool = False) -> list[Link]:
    """The links that count: those with a length; not the first joint's, which only rotates about the base's axis, unless `with_root`."""
    links = [Link(joint.parent, k, -1) for k, joint in enumerate(skeleton.joints) if length(joint.rest_offset) > SHORTEST_LINK]
    links += [Link(end.joint, -1, e) for e, end in enumerate(skeleton.ends) if length(end.offset) > SHORTEST_LINK]
    return [link for link in links if link.carrier > 0 or (with_root and link.carrier == 0)]


class Shape:
    """Shape deviation from one posture.

    The angle whose cosine is the mean cosine between corresponding links' directions, solved against authored, after the rotation about the
    base's axis (the first joint's) that makes it least. Links run to the next joint's position, the last to the tool's; the view of each
    end counts as one more. Links without a length do not count, nor does the first joint's: it only rotates about the base's axis.
    """

    def __init__(self, skeleton: Skeleton, posture: tuple[float, ...]) -> None:
        self.skeleton = skeleton
        self.axis = skeleton.world_axes(skeleton.forward([0.0] * len(skeleton)))[0]
        self.links = links_of(skeleton)
        self.authored = self._directions(skeleton.forward(posture))

    def _directions(self, pose: Pose) -> list[Vector]:
        ends = [self.skeleton.end_pose(pose, e) for e in range(len(self.skeleton.ends))]
        positions = pose.positions
        links = [subtract(positions[joint] if joint >= 0 else ends[end][1], positions[carrier]) for carrier, joint, end in self.links]
        return [unit(link) for link in links] + [rotate(turned, Y) for turned, _ in ends]

    def deviation(self, pose: Pose) -> float:
        """Shape deviation [rad] of a pose."""
        upright_sum = along = across = 0.0
        directions = self._directions(pose)
        for solved, authored in zip(directions, self.authored, strict=True):
            both = dot(solved, self.axis) * dot(authored, self.axis)
            upright_sum += both
            along += dot(solved, authored) - both
            across += dot(cross(authored, solved), self.axis)
        mean = (upright_sum + math.hypot(along, across)) / len(directions)
        return math.acos(min(1.0, max(-1.0, mean)))


def shape_deviation(skeleton: Skeleton, angles: Angles, posture: Angles) -> float:
    """Shape deviation [rad] of `angles` (n,) from `posture` (n,), see `Shape`."""
    return Shape(skeleton, tuple(map(float, posture))).deviation(skeleton.forward(tuple(map(float, angles))))
