"""Interpolation between frames that keeps the velocity, acceleration and jerk limits of the frames. Knows no Blender.

Straight lines between frames have corners with unbounded acceleration; cubics through the frames (Hermite, Catmull-Rom) have steps of the
acceleration with unbounded jerk. The uniform cubic B-spline whose control points are the frames has neither: its velocity is a mean of
the frames' first differences, its acceleration of their second, its jerk of their third, with positive weights that sum to one. So the
curve keeps every limit that these differences keep, and samples of any motion within limits do keep them.

The cost: a delay of two frames, and the curve passes the frames at a distance of acceleration * interval^2 / 6, on the inside of the bend
(900 deg/s2: .26 deg at 24 frames a second, .04 deg at 60). At rest it is exact.
"""

from .filters import Kinematic

FRAMES = 4  # control points of a point of the curve
DELAY = 2  # frames between a point of the curve and the newest of its control points


def extrapolated(state: Kinematic, interval: float) -> float:
    """Position [rad] after `interval` at constant acceleration. Used as a control point one frame early, it halves the curve's delay.

    `interval` is in the unit of time of the velocity: seconds, or 1 where that is per frame. If the jerk is at most j, the position is off
    by at most j * interval^3 / 6 (50 pi rad/s3: .11 degrees at 24 frames a second).
    """
    return state.position + interval * (state.velocity + 0.5 * interval * state.acceleration)


def between(frames: tuple[float, float, float, float], share: float, interval: float) -> Kinematic:
    """State of motion at `share` (0 to 1) between the second and the third of four successive frames.

    Args:
        frames: Positions [rad], oldest first, at equal intervals. Before the first frame and after the last one, repeat it.
        share: 0 at the second frame, 1 at the third.
        interval: Between frames [s], above 0.

    Source: the uniform cubic B-spline, e.g. de Boor 1978, "A Practical Guide to Splines".
    """
    a, b, c, d = frames
    left, middle, right = b - a, c - b, d - c
    bend, next_bend = middle - left, right - middle
    third = next_bend - bend
    # the position as an offset from the second frame, so that equal frames return exactly that position
    position = b + share * (0.5 * (left + middle) + share * (0.5 * bend + share * third / 6.0)) + bend / 6.0
    velocity = 0.5 * (left + middle) + share * (bend + 0.5 * share * third)
    return Kinematic(position, velocity / interval, (bend + share * third) / (interval * interval))
