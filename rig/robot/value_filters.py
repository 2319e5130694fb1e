"""Motion filters of the animatable properties that the robot follows."""

from typing import NamedTuple

import bpy

from ...character.filtered_value import LONGEST_STEP, FilteredValue, ValueFilter
from ...motion import Kinematic, Limits, MotionError, MotionStyle
from ..properties.robot import DIRECT
from .device import Source


class KnownValue(NamedTuple):
    """A filtered value, and the settings from which its filter was made."""

    settings: tuple
    filtered: FilteredValue


class ValueFilters:
    """Motion filters of animatable properties that the robot follows, with their states. A state is dropped
    when the property is removed or renamed; when the filter's settings change, it begins anew, at rest in its
    last position.
    """

    def __init__(self) -> None:
        self._known: dict[str, KnownValue] = {}
        self._last_step = LONGEST_STEP
        self.at_rest = True

    def step(
        self,
        rig: bpy.types.Object,
        sources: tuple[Source, ...],
        desired: list[float | Kinematic],
        dt: float,
        unit: float = 0.0,
    ) -> list[float | Kinematic]:
        """The values to send, `dt` [s] after the last call. Values of joints, and of properties without a
        filter, pass unchanged.

        Args:
            rig: The armature object, or the object with the mechanism.
            sources: The sources that the device's joints follow.
            desired: Current value of each source.
            dt: Time since the last call [s]; at most `LONGEST_STEP` of it counts.
            unit: Time unit [s] of the velocities and accelerations in the result. 0: the time to the next
                call, expected to be the shorter of the last two steps, since a single long one is a stall.
        """
        values = {value.name: value for value in rig.limber.device.auxiliaries}
        known, self._known, self.at_rest = self._known, {}, True
        if not values:
            return desired
        step = min(dt, LONGEST_STEP)
        next_step, self._last_step = unit or min(step, self._last_step), step
        filtered_values: list[float | Kinematic] = []
        for source, number in zip(sources, desired, strict=True):
            value = values.get(source.auxiliary)
            position = number.position if isinstance(number, Kinematic) else number
            state = _filtered(value, position, known.get(source.auxiliary)) if value is not None else None
            if state is None:
                filtered_values.append(number)
                continue
            state.filtered.step(position, step)
            self._known[source.auxiliary] = state
            self.at_rest &= state.filtered.is_at(position)
            motion = state.filtered.motion
            filtered_values.append(
                Kinematic(motion.position, next_step * motion.velocity, next_step**2 * motion.acceleration)
            )
        return filtered_values


def value_filter(value: bpy.types.PropertyGroup) -> ValueFilter | None:
    """The filter of a value with its limits and style; None if it has none, or if it is invalid."""
    if value.filter == DIRECT:
        return None
    try:
        limits = Limits(value.low, value.high, value.velocity, value.acceleration, value.jerk)
        return ValueFilter(value.filter, limits, MotionStyle(value.sigma, value.rho))
    except MotionError:  # the error is reported when the robot is connected
        return None


def _filtered(value: bpy.types.PropertyGroup, number: float, before: KnownValue | None) -> KnownValue | None:
    """Filter state of a value: `before`; with other settings at rest in its position, and without it at rest
    at `number`. None if the value has no valid filter.
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
    if before is not None and before.settings == settings:
        return before
    chosen = value_filter(value)
    if chosen is None:
        return None
    start = before.filtered.motion.position if before is not None else number
    return KnownValue(settings, FilteredValue.at(chosen, start))
