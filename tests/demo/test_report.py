"""Tests the bounds of a demo's figures: each violation is reported with its value, and makes the demo
fail.
"""

from copy import deepcopy

import pytest
import report

GOOD = {
    "aim_error_deg": {"mean": 0.0, "max": 0.09},
    "frames_with_problems": {},
    "filter": {
        "velocity": 1.0,
        "acceleration": 1.0,
        "jerk": 1.0,
        "beyond_position_limits_deg": 0.0,
        "slides_beyond_limits_mm": 0.0,
    },
    "device": {"lost": 0, "sent": 100, "follows_within_deg": 0.1},
    "frame_late_ms": {"p99": 0.0},
    "same_motion": {
        "streamed_minus_live_rad": 0.0,
        "baked_minus_live_rad": 0.0,
        "shown_minus_computed_aim_deg": 0.0,
    },
}


def test_figures_that_are_as_they_should_be_leave_nothing_to_tell():
    assert report.shortcomings(GOOD) == []


@pytest.mark.parametrize(
    ("part", "figure", "found", "said"),
    [
        ("aim_error_deg", "max", 0.15, "it misses by up to 0.15 degrees"),
        ("frames_with_problems", "12", "no target", "frame 12: no target"),
        ("filter", "velocity", 1.01, "1.0100 of a joint's limit of velocity"),
        ("filter", "acceleration", 1.01, "1.0100 of a joint's limit of acceleration"),
        ("filter", "jerk", 1.01, "1.0100 of a joint's limit of jerk"),
        ("filter", "beyond_position_limits_deg", 0.1, "0.1000 degrees beyond a joint's range"),
        ("filter", "slides_beyond_limits_mm", 0.1, "0.1000 mm beyond a slide's range"),
        ("device", "lost", 3, "did not acknowledge 3 of 100 frames"),
        ("device", "sent", 0, "The robot did not follow"),
        ("device", "follows_within_deg", 2.5, "2.5 degrees off on average"),
        ("same_motion", "streamed_minus_live_rad", 1e-8, "What was streamed is not what was live"),
        ("same_motion", "baked_minus_live_rad", 1e-5, "What was baked is not what was live"),
        ("same_motion", "shown_minus_computed_aim_deg", 0.02, "What Blender shows is not what was computed"),
    ],
)
def test_each_figure_that_falls_short_is_told_once_with_what_was_found(
    part: str, figure: str, found: float | str, said: str
):
    figures = deepcopy(GOOD)
    figures[part][figure] = found
    (sentence,) = report.shortcomings(figures)
    assert said in sentence


def test_a_robot_that_did_not_follow_on_a_busy_machine_is_told_with_how_late_frames_came():
    figures = deepcopy(GOOD)
    figures["device"]["follows_within_deg"], figures["frame_late_ms"]["p99"] = 2.5, 700.0
    (sentence,) = report.shortcomings(figures)
    assert "frames came up to 0.7 s late: run it again" in sentence
