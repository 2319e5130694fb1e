"""Tests the benchmark of the arm that touches points: the closed form meets all of them, FABRIK only with
balls as joints; the table has every solver.
"""

import pytest

from benchmarks.arm import OURS, START, Touch, analytic, arm, fabrik, is_met, of_limber, table, targets


@pytest.mark.parametrize("with_direction", [False, True])
def test_the_closed_form_meets_every_target_within_limits(with_direction):
    skeleton = arm()
    for touch in targets(skeleton, 200):
        asked = touch if with_direction else Touch(touch.point, None)
        angles = analytic(skeleton, asked).angles
        assert angles is not None
        assert skeleton.clamp(angles) == angles
        assert is_met(skeleton, asked, angles)


def test_fabrik_meets_targets_as_balls_but_not_with_hinges():
    skeleton = arm()
    touches = targets(skeleton, 60)
    answers = [fabrik(skeleton, touch) for touch in touches]
    assert all(answer.met_as_balls for answer in answers)
    assert (
        sum(is_met(skeleton, touch, answer.angles) for touch, answer in zip(touches, answers, strict=True))
        < 30
    )


def test_a_target_at_the_start_is_met_at_once_by_fabrik():
    skeleton = arm()
    answer = fabrik(skeleton, Touch(skeleton.forward(START).tool_position, None))
    assert answer.steps == 0
    assert answer.angles == pytest.approx(START, abs=1e-9)


def test_our_solvers_meet_a_target_that_can_be_met():
    skeleton = arm()
    (touch,) = targets(skeleton, 1)
    assert is_met(skeleton, touch, of_limber("expressive", skeleton)(skeleton, touch).angles)


def test_the_table_is_whole():
    lines = table(2)
    assert len(lines) == 2 + 2 + len(OURS)
    assert len({line.count("|") for line in lines}) == 1
