"""The limit beyond which the motion of a joint within one frame is a visible discontinuity. Knows no Blender."""

from math import radians

TURN = radians(15)  # in one frame
SLIDE = 0.1  # of a slide's range: what 15 degrees are of a servo's


def beyond(lower: float, upper: float, slides: bool) -> float:
    """Largest motion of a joint from one frame to the next that is no discontinuity [rad; prismatic joints m].

    Args:
        lower, upper: Its limits [rad; prismatic joints m].
        slides: Whether it is prismatic.
    """
    return SLIDE * (upper - lower) if slides else TURN
