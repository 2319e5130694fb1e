"""Soft limits of URDF's <safety_controller>, to which a robot's controller restricts a joint."""

from .attributes import AttributeReader
from .errors import NumberError
from .xml_tree import Element


def narrowed(
    reader: AttributeReader, joint: Element, lower: float | None, upper: float | None
) -> tuple[float | None, float | None]:
    """(lower, upper) limits [rad or m] of a joint (None for no limit), narrowed to its soft limits. Soft
    limits that would leave it no range are left out with a warning.

    Raises:
        MalformedError: the joint has several <safety_controller>.
    """
    safety = reader.single_child(joint, "safety_controller")
    if safety is None:
        return lower, upper
    soft_lower, soft_upper = (
        _soft(reader, safety, "soft_lower_limit"),
        _soft(reader, safety, "soft_upper_limit"),
    )
    lowest = max((number for number in (lower, soft_lower) if number is not None), default=None)
    highest = min((number for number in (upper, soft_upper) if number is not None), default=None)
    # the joint's own limits may be equal already, for which the soft limits are not to blame
    if (
        lowest is not None
        and highest is not None
        and lowest >= highest
        and (lowest, highest) != (lower, upper)
    ):
        reader.warn(safety, "its soft limits leave the joint no range: they are left out")
        return lower, upper
    return lowest, highest


def _soft(reader: AttributeReader, safety: Element, attribute: str) -> float | None:
    """A soft limit [rad or m]; None if it is missing, infinite or, with a warning, not a number."""
    try:
        return reader.limit(safety, attribute)
    except NumberError as error:
        reader.leave_out(error, "it is left out")
        return None
