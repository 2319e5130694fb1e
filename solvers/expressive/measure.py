"""The measure of shape that the expressive solver's options ask for, of one pose. Knows no Blender."""

import math

from ..rotations import Vector, cross, dot, rotate, subtract, unit
from ..shape import Shape
from ..skeleton import Pose, Skeleton
from .model import Counted, counted
from .options import Options


class Measure:
    """As `shape.Shape`, with the directions and weights of the options: what answers are compared by."""

    def __init__(self, skeleton: Skeleton, options: Options, posture: tuple[float, ...]) -> None:
        self._hold = options.hold_body
        self._counted = counted(skeleton, options)
        self._axis = skeleton.world_axes(skeleton.forward([0.0] * len(skeleton)))[0]
        self._authored = self._directions(skeleton.forward(posture))

    def _directions(self, pose: Pose) -> list[Vector]:
        return [_direction(way, pose) for way in self._counted]

    def deviation(self, pose: Pose) -> float:
        """[rad]"""
        upright = along = across = total = 0.0
        for way, solved, authored in zip(self._counted, self._directions(pose), self._authored, strict=True):
            both = dot(solved, self._axis) * dot(authored, self._axis)
            upright += way.weight * both
            along += way.weight * (dot(solved, authored) - both)
            across += way.weight * dot(cross(authored, solved), self._axis)
            total += way.weight
        mean = (upright + (along if self._hold else math.hypot(along, across))) / total
        return math.acos(min(1.0, max(-1.0, mean)))


def _direction(way: Counted, pose: Pose) -> Vector:
    if way.slide >= 0:  # its length and direction are the slide's to say
        return unit(subtract(pose.places[way.slide], pose.places[way.carrier]))
    return rotate(pose.rotations[way.carrier], unit(way.vector))


def measure(skeleton: Skeleton, options: Options, posture: tuple[float, ...], shape: Shape) -> Shape | Measure:
    """`shape` itself where the options leave it as it is."""
    plain = not options.link_weights and options.roll == 0.0 and not options.hold_body
    return shape if plain else Measure(skeleton, options, posture)
