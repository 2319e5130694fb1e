"""The last guard before the wire: the default filter's code with limits a little wider. Knows no Blender."""

from .limits import Limits
from .tracking import TrackingFilter

HEADROOM = (
    0.1  # share of each dynamic limit: what interpolating a feasible motion between frames may add to it, so that it passes unchanged
)


def make_limiter(limits: Limits) -> TrackingFilter:
    """The limiter of a joint whose character filter keeps `limits`."""
    return TrackingFilter(limits.widened(HEADROOM))
