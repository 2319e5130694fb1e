"""Tests the steps of a new user, and the number of clicks."""

import pytest

pytestmark = pytest.mark.every_window


def test_clicks_on_one_spot_lead_to_a_lamp_that_looks_at_a_moving_ball_and_to_a_robot_that_follows_and_back_after_stop(
    play,
):
    facts = play("first_minutes")
    assert facts["tab"] == "Limber"
    assert facts["live"]
    assert facts["miss"] < 2.0  # [degrees] aim error while the ball flies
    assert facts["clicks_to_look"] <= 6
    assert facts["clicks_to_follow"] <= 3
    assert facts["ghost"], "the virtual robot is seen"
    assert facts["clicks_back_after_stop"] == 2
