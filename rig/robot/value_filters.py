"""Motion filters of values: each has a motion character of its own, as a chain has for its joints."""

from dataclasses import dataclass

from ...motion import Character, Filter, Kinematic, Limits, MotionError, make_filter
from ..properties.robot import DIRECT
from .device import Source

AT_REST = 1e-4  # share of a value's range, and of its range per second
LONGEST_STEP = 0.1  # [s] longest step, so that after a pause a value continues from where it was


@dataclass
class _Filtered:
    settings: tuple
    filter: Filter
    state: Kinematic


class ValueFilters:
    """States of the filters between calls; only those of removed, renamed or newly set values are forgotten."""

    def __init__(self) -> None:
        self._known: dict[str, _Filtered] = {}
        self.at_rest = True

    def step(self, rig, sources: tuple[Source, ...], desired: list[float | Kinematic], dt: float) -> list[float | Kinematic]:
        """Values `dt` [s] after the last call, for property values `desired`: filtered ones with velocity and acceleration per call; values
        of joints pass unchanged.
        """
        values = {value.name: value for value in rig.limber.device.auxiliaries}
        known, self._known, self.at_rest = self._known, {}, True
        if not values:
            return desired
        now: list[float | Kinematic] = []
        for source, number in zip(sources, desired, strict=True):
            value, position = values.get(source.auxiliary), number.position if isinstance(number, Kinematic) else number
            filtered = _filtered(value, position, known.get(source.auxiliary)) if value is not None else None
            if filtered is None:
                now.append(number)
                continue
            limits = filtered.filter.limits
            step = min(dt, LONGEST_STEP)
            goal = limits.clamp(position)
            filtered.state = state = filtered.filter.step(filtered.state, goal, step)
            self._known[source.auxiliary] = filtered
            near = AT_REST * (limits.upper - limits.lower)
            self.at_rest &= abs(state.position - goal) <= near and abs(state.velocity) <= near
            now.append(Kinematic(state.position, step * state.velocity, step**2 * state.acceleration))
        return now


def _filtered(value, number: float, before: _Filtered | None) -> _Filtered | None:
    """Filter state of a value: at rest at `number`, or continued from `before`; None where it has no valid filter."""
    settings = (value.filter, value.low, value.high, value.velocity, value.acceleration, value.jerk, value.sigma, value.rho)
    if value.filter == DIRECT:
        return None
    if before is not None and before.settings == settings:
        return before
    try:
        limits = Limits(value.low, value.high, value.velocity, value.acceleration, value.jerk)
        made = make_filter(value.filter, limits, Character(value.sigma, value.rho))
    except MotionError:  # reported when the robot is connected
        return None
    place = limits.clamp(before.state.position if before is not None else number)
    return _Filtered(settings, made, made.rest(place))
