"""What a pop is: a joint that moves so far in one frame that the eye takes it for a jump. Knows no Blender."""

from math import radians

TURN = radians(15)  # in one frame
SLIDE = 0.1  # of a slide's range: what 15 degrees are of a servo's


def beyond(lower: float, upper: float, slides: bool) -> float:
    """How far a joint may go from one frame to the next without a pop [rad, slides m].

    Args:
        lower, upper: Its limits [rad, slides m].
        slides: Whether it slides.
    """
    return SLIDE * (upper - lower) if slides else TURN
