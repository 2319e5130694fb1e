"""Tests that errors for invalid limits, styles, targets and time steps name the fault and the remedy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.motion import (
    FILTERS,
    Limits,
    LimitsError,
    MotionError,
    MotionStyle,
    MotionStyleError,
    TargetError,
    TimeStepError,
    UnknownFilterError,
    make_filter,
    make_limiter,
)

from tests.motion.motions import any_limits, often

NO_NUMBERS = (float("nan"), float("inf"), float("-inf"))
GOOD = {"lower": -1.0, "upper": 1.0, "velocity": 3.0, "acceleration": 15.0, "jerk": 150.0}


@pytest.mark.parametrize("field", ["velocity", "acceleration", "jerk"])
@pytest.mark.parametrize("value", [0.0, -1.0, *NO_NUMBERS])
def test_a_dynamic_limit_that_is_not_above_zero_is_named(field, value):
    with pytest.raises(LimitsError, match=f"`{field}`.*above zero"):
        Limits(**{**GOOD, field: value})


@pytest.mark.parametrize("field", ["lower", "upper"])
@pytest.mark.parametrize("value", NO_NUMBERS)
def test_a_position_limit_that_is_no_number_is_named(field, value):
    with pytest.raises(LimitsError, match=f"`{field}`.*finite"):
        Limits(**{**GOOD, field: value})


def test_a_lower_limit_above_the_upper_one_is_refused_and_an_equal_one_taken():
    with pytest.raises(LimitsError, match=r"above `upper`.*exchange"):
        Limits(1.0, -1.0, 3.0, 15.0, 150.0)
    assert Limits(1.0, 1.0, 3.0, 15.0, 150.0).clamp(5.0) == 1.0


@pytest.mark.parametrize(
    "kwargs",
    [
        {"sigma": -0.1},
        {"sigma": 1.1},
        {"sigma": NO_NUMBERS[0]},
        {"rho": -0.1},
        {"rho": 1.0},
        {"rho": NO_NUMBERS[0]},
    ],
)
def test_a_style_out_of_range_names_the_parameter(kwargs):
    with pytest.raises(MotionStyleError, match=f"`{next(iter(kwargs))}`.*choose"):
        MotionStyle(**kwargs)


@pytest.mark.parametrize("beta", [0.0, -1.0, *NO_NUMBERS])
def test_beta_is_a_number_above_zero(beta):
    with pytest.raises(MotionStyleError, match="`beta`"):
        MotionStyle(beta=beta)


@pytest.mark.parametrize("name", [*FILTERS, "limiter"])
@pytest.mark.parametrize("value", NO_NUMBERS)
def test_what_is_no_number_is_refused_and_the_state_kept(name, value):
    limits = Limits(**GOOD)
    one = make_limiter(limits) if name == "limiter" else make_filter(name, limits)
    state = one.step(one.rest(0.0), 1.0, 0.1)
    with pytest.raises(TargetError, match="target"):
        one.step(state, value, 0.01)
    with pytest.raises(TargetError, match="velocity"):
        one.step(state, 0.5, 0.01, value)
    with pytest.raises(TimeStepError, match="time step"):
        one.step(state, 0.5, value)
    with pytest.raises(TimeStepError, match="time step"):
        one.step(state, 0.5, -0.01)
    assert state == one.step(one.rest(0.0), 1.0, 0.1)


def test_the_limiter_refuses_an_acceleration_that_is_no_number():
    limiter = make_limiter(Limits(**GOOD))
    with pytest.raises(TargetError, match="acceleration"):
        limiter.step(limiter.rest(0.0), 0.0, 0.01, 0.0, float("nan"))


@pytest.mark.parametrize("name", FILTERS)
def test_no_time_changes_nothing(name):
    one = make_filter(name, Limits(**GOOD))
    state = one.step(one.rest(0.0), 1.0, 0.1)
    assert one.step(state, -1.0, 0.0) is state


def test_an_unknown_filter_lists_those_there_are():
    with pytest.raises(UnknownFilterError, match=r"`swift`.*default, nutty"):
        make_filter("swift", Limits(**GOOD))


def test_every_error_is_a_value_error():
    assert issubclass(MotionError, ValueError)
    assert all(
        issubclass(kind, MotionError)
        for kind in (LimitsError, MotionStyleError, TargetError, TimeStepError, UnknownFilterError)
    )


@pytest.mark.parametrize("name", FILTERS)
def test_every_filter_says_what_it_is(name):
    info = FILTERS[name]
    assert info.name == name
    assert info.label
    assert info.description


@often
@given(any_limits(), st.floats(0.0, 1.0))
def test_wider_limits_keep_the_range(limits, share):
    wide = limits.widened(share)
    assert (wide.lower, wide.upper) == (limits.lower, limits.upper)
    for field in ("velocity", "acceleration", "jerk"):
        assert getattr(wide, field) == pytest.approx(getattr(limits, field) * (1.0 + share), rel=1e-12)


@often
@given(any_limits())
def test_only_rounding_is_absorbed_at_a_position_limit(limits):
    largest = max(abs(limits.lower), abs(limits.upper))
    assert limits.absorb(limits.upper + 1e-15 * largest) == limits.upper
    assert limits.absorb(limits.lower - 1e-15 * largest) == limits.lower
    for position in (limits.upper + 1e-9, limits.lower - 1e-9, 0.5 * (limits.lower + limits.upper)):
        assert limits.absorb(position) == position
