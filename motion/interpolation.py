"""Motion between frames that keeps the limits that the frames keep. Knows no Blender.

Straight lines between frames have corners, where the acceleration is without bound; cubics through the frames (Hermite, Catmull-Rom) have
steps in the acceleration, where the jerk is. The uniform cubic B-spline with the frames as its control points has neither: its velocity
mixes the frames' first differences, its acceleration their second, its jerk their third, each with weights that are positive and sum to
one. So whatever limits those differences keep the curve keeps, and samples of any motion within limits do keep them.

The price is two frames of delay, and the curve rounds the frames: it passes them at acceleration * interval^2 / 6, toward where they turn
(900 deg/s2: .26 deg at 24 frames a second, .04 deg at 60). At rest it is exact.
"""

from .filters import Kinematic

FRAMES = 4  # that a place on the curve depends on
DELAY = 2  # frames: the newest of the four is the second one after the place


def between(frames: tuple[float, float, float, float], share: float, interval: float) -> Kinematic:
    """The motion at `share` (0 to 1) of the way from the second to the third of four successive frames.

    Args:
        frames: Positions [rad], oldest first, at equal distances of time. Before the first and after the last, repeat it.
        share: 0 at the second frame, 1 at the third.
        interval: Between frames [s], above 0.

    Source: the uniform cubic B-spline, e.g. de Boor 1978, "A Practical Guide to Splines".
    """
    a, b, c, d = frames
    left, middle, right = b - a, c - b, d - c
    bend, next_bend = middle - left, right - middle
    turn = next_bend - bend
    # the position as an offset from the second frame, so that frames at rest give it back to the last bit
    position = b + share * (0.5 * (left + middle) + share * (0.5 * bend + share * turn / 6.0)) + bend / 6.0
    velocity = 0.5 * (left + middle) + share * (bend + 0.5 * share * turn)
    return Kinematic(position, velocity / interval, (bend + share * turn) / (interval * interval))
