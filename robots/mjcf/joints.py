"""Reads axis, limits, reference value and effort of MJCF joints."""

from typing import NamedTuple

from ...solvers.kinematics.rotations import Vector, Z, unit
from ..errors import AxisError
from ..model import Kind
from ..transform import Transform
from ..xml_tree import Element
from .document import LARGEST_LIMIT, NO_LENGTH, Document


class JointAxis(NamedTuple):
    """One axis of a body's joints.

    Attributes:
        name, kind: Name and kind of the robot's joint.
        axis: Unit vector in the joint's frame.
        at: The joint's frame in the body's.
        element: The <joint>.
    """

    name: str
    kind: Kind
    axis: Vector
    at: Transform
    element: Element


class JointReader:
    """Reads attributes of <joint> elements to which the defaults of their classes have been added."""

    def __init__(self, document: Document) -> None:
        self.document, self.reader = document, document.reader

    def axis(self, joint: Element) -> Vector:
        """Unit vector of the joint's axis, by default z. Raises AxisError if it has no direction."""
        axis = self.document.vector(joint, "axis", Z)
        if max(map(abs, axis)) < NO_LENGTH:
            raise self.reader.error(AxisError, joint, "its axis has no direction: give it one")
        return unit(axis)

    def limits(self, joint: Element, kind: Kind) -> tuple[float | None, float | None]:
        """(lower, upper) limit [rad or m]; None for one that the joint lacks or that is beyond
        `LARGEST_LIMIT`, and for both of a ball joint's axis. Warns of equal limits.
        """
        if kind == "continuous":  # one axis of a ball joint, whose range is a cone
            return None, None
        bounds = self.document.limits(joint, "range", "limited")
        if bounds is None:
            return None, None
        if bounds[0] == bounds[1]:
            self.reader.warn(
                joint, "its limits are equal, so it cannot move: if that is not meant, set the motor's limits"
            )
        lower, upper = (self.document.angle(number) if kind == "revolute" else number for number in bounds)
        return lower if abs(lower) <= LARGEST_LIMIT else None, upper if abs(upper) <= LARGEST_LIMIT else None

    def reference(self, joint: Element, is_slide: bool) -> float:
        """Value of a joint in the pose in which the file defines the bodies: [m] if it slides (`is_slide`),
        else [rad]; 0 for a ball.
        """
        if joint.attributes.get("type", "hinge") == "ball":
            return 0.0
        reference = self.reader.number(joint, "ref") or 0.0
        return reference if is_slide else self.document.angle(reference)

    def effort(self, joint: Element) -> float | None:
        """Largest force [N] or torque [Nm] of the joint's motors; None if not limited."""
        force_range = self.reader.numbers(joint, "actuatorfrcrange", 2)
        return max(map(abs, force_range)) or None if force_range else None
