"""What a demo's figures must be."""

import pytest
import report

GOOD = {
    "aim_error_deg": {"mean": 0.0, "max": 0.0},
    "frames_with_problems": {},
    "filter": {"velocity": 1.0, "acceleration": 1.0, "jerk": 1.0, "beyond_position_limits_deg": 0.0},
    "device": {"lost": 0, "sent": 100, "follows_within_deg": 0.1},
    "frame_late_ms": {"median": 0.0},
    "same_motion": {"streamed_minus_live_rad": 0.0, "baked_minus_live_rad": 0.0, "shown_minus_computed_aim_deg": 0.0},
}


@pytest.mark.parametrize(
    ("mean", "most", "is_carried", "said"),
    [
        (0.0, 0.05, False, 0),
        (0.0, 0.15, False, 1),
        (0.003, 0.5, True, 0),
        (0.003, 0.7, True, 1),
        (0.03, 0.5, True, 1),
    ],
)
def test_a_body_that_is_carried_may_miss_in_single_frames_by_little(mean: float, most: float, is_carried: bool, said: int):
    found = report.shortcomings(GOOD | {"aim_error_deg": {"mean": mean, "max": most}}, is_carried)
    assert len(found) == said
    assert all("The aim was not met" in sentence for sentence in found)
