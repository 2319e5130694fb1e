"""Motion filters of the animatable properties that the robot follows."""

from dataclasses import dataclass

from ...motion import Filter, Kinematic, Limits, MotionError, MotionStyle, make_filter
from ..properties.robot import DIRECT
from .device import Source

AT_REST = 1e-4  # share of a value's range, and of its range per second, within which it counts as at rest
LONGEST_STEP = 0.1  # [s] longest step, so that after a pause a value continues from where it was


@dataclass
class _Filtered:
    settings: tuple
    filter: Filter
    state: Kinematic


class ValueFilters:
    """Motion filters of animatable properties that the robot follows, with their states; a state is reset
    when the property is removed, renamed or newly set.
    """

    def __init__(self) -> None:
        self._known: dict[str, _Filtered] = {}
        self._last_step = LONGEST_STEP
        self.at_rest = True

    def step(
        self, rig, sources: tuple[Source, ...], desired: list[float | Kinematic], dt: float, unit: float = 0.0
    ) -> list[float | Kinematic]:
        """Values `dt` [s] after the last call, for property values `desired`: filtered ones with velocity and
        acceleration per `unit` [s]; values of joints pass unchanged. 0: per call, expected after the shorter
        of the last two steps, since a single long one is a stall.
        """
        values = {value.name: value for value in rig.limber.device.auxiliaries}
        known, self._known, self.at_rest = self._known, {}, True
        if not values:
            return desired
        step = min(dt, LONGEST_STEP)
        next_step, self._last_step = unit or min(step, self._last_step), step
        filtered_values: list[float | Kinematic] = []
        for source, number in zip(sources, desired, strict=True):
            value, position = (
                values.get(source.auxiliary),
                (number.position if isinstance(number, Kinematic) else number),
            )
            filtered = _filtered(value, position, known.get(source.auxiliary)) if value is not None else None
            if filtered is None:
                filtered_values.append(number)
                continue
            limits = filtered.filter.limits
            goal = limits.clamp(position)
            filtered.state = state = filtered.filter.step(filtered.state, goal, step)
            self._known[source.auxiliary] = filtered
            near = AT_REST * (limits.upper - limits.lower)
            self.at_rest &= abs(state.position - goal) <= near and abs(state.velocity) <= near
            filtered_values.append(
                Kinematic(state.position, next_step * state.velocity, next_step**2 * state.acceleration)
            )
        return filtered_values


def _filtered(value, number: float, before: _Filtered | None) -> _Filtered | None:
    """Filter state of a value: at rest at `number`, or continued from `before`; None where it has no valid
    filter.
    """
    settings = (
        value.filter,
        value.low,
        value.high,
        value.velocity,
        value.acceleration,
        value.jerk,
        value.sigma,
        value.rho,
    )
    if value.filter == DIRECT:
        return None
    if before is not None and before.settings == settings:
        return before
    try:
        limits = Limits(value.low, value.high, value.velocity, value.acceleration, value.jerk)
        value_filter = make_filter(value.filter, limits, MotionStyle(value.sigma, value.rho))
    except MotionError:  # reported when the robot is connected
        return None
    start = limits.clamp(before.state.position if before is not None else number)
    return _Filtered(settings, value_filter, value_filter.rest(start))
