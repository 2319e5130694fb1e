"""Tests that a style may use a share of a joint's limits, and never exceeds them."""

import pytest
from limber.motion import Limits, MotionStyle, MotionStyleError, make_filter

LIMITS = Limits(-1.0, 1.0, 2.0, 10.0, 100.0)


def test_without_shares_the_limits_are_the_joints_own():
    assert make_filter("default", LIMITS, MotionStyle(0.3, 0.1)).limits == LIMITS


def test_each_share_is_of_its_own_limit_and_positions_stay():
    found = make_filter("default", LIMITS, MotionStyle(velocity=0.5, acceleration=0.25, jerk=0.1)).limits
    assert found == Limits(-1.0, 1.0, 1.0, 2.5, 10.0)


@pytest.mark.parametrize("share", [0.0, -0.5, 1.01, float("nan")])
@pytest.mark.parametrize("name", ["velocity", "acceleration", "jerk"])
def test_a_share_that_is_none_is_named(name, share):
    with pytest.raises(
        MotionStyleError, match=f"style `{name}` is {share}: choose a share above 0 and up to 1"
    ):
        MotionStyle(**{name: share})
