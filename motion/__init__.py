"""Motion filters and the limiter: from joint angles to motion within limits, in plain floats."""

from .errors import LimitsError, MotionError, MotionStyleError, TargetError, TimeStepError, UnknownFilterError
from .filters import NEUTRAL, NO_FILTER, Filter, FilterInfo, MotionStyle
from .joint import Kinematic, Limits, between, extrapolated
from .limiter import Limiter, make_limiter
from .nutty import NuttyFilter
from .tracking import TargetMotion, TrackingFilter, TrackingState, used_limits
from .transition import Transition, together

FILTERS: dict[str, FilterInfo] = {
    info.name: info
    for info in (
        FilterInfo(
            "default",
            "Swift",
            "As fast as the limits allow, never past the target, exactly at rest on it",
            TrackingFilter,
        ),
        FilterInfo(
            "nutty",
            "Nutty",
            "Softer and slower than Swift: eases toward the target (Ribeiro & Paiva 2019)",
            NuttyFilter,
        ),
    )
}


def make_filter(name: str, limits: Limits, style: MotionStyle | None = None) -> Filter:
    """Motion filter of that name for one joint, whose limits are reduced to the style's shares; a style of
    None is neutral.

    Raises:
        UnknownFilterError: no filter has that name.
    """
    if name not in FILTERS:
        raise UnknownFilterError(f"no motion filter is called `{name}`: choose one of {', '.join(FILTERS)}")
    style = style or NEUTRAL
    return FILTERS[name].make(style.within(limits), style)


__all__ = [
    "FILTERS",
    "NO_FILTER",
    "Filter",
    "FilterInfo",
    "Kinematic",
    "Limiter",
    "Limits",
    "LimitsError",
    "MotionError",
    "MotionStyle",
    "MotionStyleError",
    "NuttyFilter",
    "TargetError",
    "TargetMotion",
    "TimeStepError",
    "TrackingFilter",
    "TrackingState",
    "Transition",
    "UnknownFilterError",
    "between",
    "extrapolated",
    "make_filter",
    "make_limiter",
    "together",
    "used_limits",
]
