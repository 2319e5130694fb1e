"""Shape deviation with the expressive solver's options, of one pose. Knows no Blender."""

import math

from ..gaze import Shape
from ..kinematics.rotations import Vector, cross, dot, rotate, subtract, unit
from ..kinematics.skeleton import Pose, Skeleton
from .model import ShapeDirection, shape_directions
from .options import Options


class Measure:
    """Shape deviation as `gaze.Shape`, with the directions and weights that the options set."""

    def __init__(self, skeleton: Skeleton, options: Options, posture: tuple[float, ...]) -> None:
        self._hold = options.hold_body
        self._counted = shape_directions(skeleton, options)
        self._axis = skeleton.world_axes(skeleton.forward([0.0] * len(skeleton)))[0]
        self._authored = self._directions(skeleton.forward(posture))

    def _directions(self, pose: Pose) -> list[Vector]:
        return [_direction(direction, pose) for direction in self._counted]

    def deviation(self, pose: Pose) -> float:
        """Shape deviation [rad] of a pose."""
        upright = along = across = total = 0.0
        for direction, solved, authored in zip(self._counted, self._directions(pose), self._authored, strict=True):
            both = dot(solved, self._axis) * dot(authored, self._axis)
            upright += direction.weight * both
            along += direction.weight * (dot(solved, authored) - both)
            across += direction.weight * dot(cross(authored, solved), self._axis)
            total += direction.weight
        mean = (upright + (along if self._hold else math.hypot(along, across))) / total
        return math.acos(min(1.0, max(-1.0, mean)))


def _direction(direction: ShapeDirection, pose: Pose) -> Vector:
    if direction.slide >= 0:  # a prismatic joint changes its length and direction
        return unit(subtract(pose.positions[direction.slide], pose.positions[direction.carrier]))
    return rotate(pose.rotations[direction.carrier], unit(direction.vector))


def measure(skeleton: Skeleton, options: Options, posture: tuple[float, ...], shape: Shape) -> Shape | Measure:
    """The function of shape deviation that the options require: `shape` itself for default options."""
    plain = not options.link_weights and options.roll == 0.0 and not options.hold_body
    return shape if plain else Measure(skeleton, options, posture)
