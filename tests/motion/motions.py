"""Shared by the tests of motion: random limits, targets and time steps, and checks of limits from positions
alone.
"""

from collections.abc import Sequence
from math import inf

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from limber.motion import Filter, Kinematic, Limits
from limber.motion.profile import stopping_range

from tests import deep

often = settings(
    derandomize=True,
    deadline=None,
    max_examples=deep.count(70, 200),
    suppress_health_check=[HealthCheck.too_slow],
)  # because the machine may be slow
sometimes = settings(often, max_examples=deep.count(25, 60))

RELATIVE = 1e-6  # relative tolerance by which differences of positions may exceed a limit
ABSOLUTE = 1e-12  # [rad] tolerance by which positions may exceed a limit
_UNIT_ROUNDOFF = 2.3e-16


def powers(lowest: float, highest: float) -> st.SearchStrategy[float]:
    """Powers of ten between two exponents."""
    return st.floats(lowest, highest).map(lambda power: 10.0**power)


def any_limits() -> st.SearchStrategy[Limits]:
    """Limits from those of a heavy arm to those of a hummingbird, and more extreme ones."""
    return st.builds(
        lambda lower, width, velocity, acceleration, jerk: Limits(
            lower, lower + width, velocity, acceleration, jerk
        ),
        st.floats(-3.0, 3.0),
        powers(-2.0, 1.0),
        powers(-1.5, 1.5),
        powers(-1.0, 3.0),
        powers(-1.0, 4.5),
    )


def any_shares(least: int = 1, most: int = 60) -> st.SearchStrategy[list[float]]:
    """Targets as shares of the position range: often its ends, and often beyond."""
    return st.lists(
        st.one_of(st.floats(-0.5, 1.5), st.sampled_from((0.0, 1.0))), min_size=least, max_size=most
    )


def placed(share: float, limits: Limits) -> float:
    return limits.lower + share * (limits.upper - limits.lower)


def unhurried(limits: Limits) -> float:
    """Characteristic time [s] of a joint: time steps near it are usual, others are tiny or huge."""
    return min(limits.velocity / limits.acceleration, 10.0) + min(limits.acceleration / limits.jerk, 10.0)


def driven(motion_filter: Filter, start: float, moves: Sequence[tuple[float, float]]) -> list[Kinematic]:
    """The states from rest at `start` on, after each (target, dt)."""
    states = [motion_filter.rest(start)]
    for target, dt in moves:
        states.append(motion_filter.step(states[-1], target, dt))
    return states


def assert_within(positions: Sequence[float], steps: Sequence[float], limits: Limits) -> None:
    """Asserts that differences of positions, which start at rest, keep every limit: each is a mean of the
    derivative, for any time steps.
    """
    times, path = [-3.0 * steps[0], -2.0 * steps[0], -steps[0], 0.0], [positions[0]] * 4
    for position, dt in zip(positions[1:], steps, strict=True):
        times.append(times[-1] + dt)
        path.append(position)
    assert min(path) >= limits.lower - ABSOLUTE
    assert max(path) <= limits.upper + ABSOLUTE
    divided = path
    lost = [4.0 * _UNIT_ROUNDOFF * abs(position) for position in path]
    for order, limit in enumerate((limits.velocity, limits.acceleration, limits.jerk), 1):
        spans = [later - earlier for earlier, later in zip(times, times[order:], strict=False)]
        divided = [order * (b - a) / span for a, b, span in zip(divided, divided[1:], spans, strict=False)]
        lost = [order * (a + b) / span for a, b, span in zip(lost, lost[1:], spans, strict=False)]
        for value, rounding in zip(divided, lost, strict=True):
            assert abs(value) <= limit * (1.0 + RELATIVE) + rounding, f"difference {order}: {value} > {limit}"


def assert_can_stop(state: Kinematic, limits: Limits) -> None:
    """Asserts that the joint can still stop within its position limits, without exceeding its velocity
    limit.
    """
    grain = 1e-12 * max(1.0, abs(limits.lower), abs(limits.upper))
    lowest, highest = stopping_range(
        (state.position, state.velocity, state.acceleration), limits.acceleration, limits.jerk
    )
    assert lowest >= limits.lower - grain
    assert highest <= limits.upper + grain
    assert abs(state.acceleration) <= limits.acceleration * (1.0 + RELATIVE)
    coasted = state.velocity + 0.5 * state.acceleration * abs(state.acceleration) / limits.jerk
    assert max(abs(state.velocity), abs(coasted)) <= limits.velocity * (1.0 + RELATIVE)


def time_to_rest(
    motion_filter: Filter, state: Kinematic, target: float, dt: float, patience: float = inf
) -> float:
    """Time [s], in whole steps, until the joint is exactly at rest at `target`."""
    steps = 0
    while (state.position, state.velocity, state.acceleration) != (target, 0.0, 0.0):
        state = motion_filter.step(state, target, dt)
        steps += 1
        assert steps * dt <= patience + dt, f"not at rest after {steps * dt} s but at {state}"
    return steps * dt
