"""The directions of a skeleton that the shape deviation compares."""

from typing import NamedTuple

from ..gaze import links_of
from ..kinematics.rotations import Vector, Y, normalized, perpendicular, rotate, unit
from ..kinematics.skeleton import Skeleton
from .options import ExpressiveOptions

# smallest weight of a direction: with a weight of 0 the system of equations would be singular
LEAST_WEIGHT = 1e-3


class ShapeDirection(NamedTuple):
    """A direction of the skeleton (a link's or an end's view) that the shape deviation compares with the
    authored one.
    """

    carrier: int  # index of the joint whose frame holds the direction
    # [m] in the carrier's frame, of any length; if it ends at a prismatic joint, with that joint at 0
    vector: Vector
    slide: int  # index of the prismatic joint at which the direction ends; -1 if there is none
    weight: float


def shape_directions(skeleton: Skeleton, options: ExpressiveOptions) -> list[ShapeDirection]:
    """The directions compared in shape deviation: links and each end's view; with `options.roll`, a
    perpendicular to each of these; with `options.hold_body`, the body's heading.
    """
    directions = []
    for carrier, joint, end in links_of(skeleton, with_root=options.hold_body):
        slide = joint if joint >= 0 and skeleton.joints[joint].kind == "prismatic" else -1
        vector = skeleton.joints[joint].rest_offset if joint >= 0 else skeleton.ends[end].offset
        directions.append(ShapeDirection(carrier, vector, slide, options.weight(carrier)))
    for tool in skeleton.ends:
        directions.append(
            ShapeDirection(tool.joint, rotate(normalized(tool.rotation), Y), -1, options.weight(tool.joint))
        )
    if options.roll > 0.0:
        directions += [
            ShapeDirection(
                direction.carrier, perpendicular(unit(direction.vector)), -1, options.roll * direction.weight
            )
            for direction in directions
        ]
    # the heading of the body, weighted like all others together: otherwise a rotation of an upright body
    # about its axis would not count
    if options.hold_body:
        directions.append(
            ShapeDirection(
                0,
                perpendicular(unit(skeleton.joints[0].axis)),
                -1,
                sum(direction.weight for direction in directions),
            )
        )
    return [direction._replace(weight=max(LEAST_WEIGHT, direction.weight)) for direction in directions]
