"""Tests Buss's choice of a damping: first the one of least error, then a larger one until joints hardly
oscillate.
"""

import pytest
from limber.solvers.ccd import Ccd, CcdOptions
from limber.solvers.goals import AIMS, Direction, Position
from limber.solvers.jacobian import damping_choice, family
from limber.solvers.jacobian.damping_choice import DAMPINGS, MovingEnd, Trial, chosen, moving_goals, trials
from limber.solvers.jacobian.options import DampedNearTargets, DampedOptions
from limber.solvers.kinematics.skeleton import Skeleton

from tests.solvers.chains import unit_chain

DT = 1.0 / 24.0


def tried(skeleton: Skeleton, make, kind: type, dt: float = DT) -> list[Trial]:
    goals = moving_goals(skeleton, [MovingEnd(kind)], [0.1] * len(skeleton), 1.0, dt)
    going = trials(skeleton, make, goals, dt)
    while True:
        try:
            assert next(going) in DAMPINGS
        except StopIteration as end:
            return end.value


def test_more_damping_shakes_less_and_the_choice_is_the_first_calm_one_above_the_least_error() -> None:
    skeleton = unit_chain("ZXZX", 3.0)
    made = {
        name: tried(
            skeleton,
            lambda damping, options=options, make=make: make(
                skeleton, options(updates="one", damping="constant", constant=damping)
            ),
            Position,
        )
        for name, options, make in (
            ("dls", DampedOptions, family.dls),
            ("dls_clamped", DampedNearTargets, family.dls),
        )
    }
    for rows in made.values():
        best = min(rows, key=lambda trial: trial.error)
        found = chosen(rows)
        assert found.damping >= best.damping
        assert found.oscillation < 0.2 * rows[0].oscillation
        assert all(
            trial.oscillation > found.oscillation
            for trial in rows
            if best.damping <= trial.damping < found.damping
        )
    assert (
        chosen(made["dls_clamped"]).damping <= chosen(made["dls"]).damping
    )  # section 8: "a lower damping constant can be used"


def test_a_solver_with_limits_of_speed_is_tried_in_the_frames_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(damping_choice, "DAMPINGS", DAMPINGS[:1])  # this solver has no damping to choose
    skeleton, slow = unit_chain("ZXZX", 3.0), CcdOptions(largest_speed=1.0, anneals=0)
    errors = [
        tried(skeleton, lambda damping: Ccd(skeleton, slow), Direction, dt)[0].error
        for dt in (1.0 / 60.0, 1.0 / 20.0)
    ]
    assert errors[1] == pytest.approx(errors[0], rel=0.1)


def test_where_nothing_shakes_the_least_error_counts() -> None:
    rows = [Trial(0.1, 0.3, 0.0), Trial(0.2, 0.1, 0.0), Trial(0.4, 0.2, 0.0)]
    assert chosen(rows) == rows[1]
    assert chosen([rows[0], Trial(0.2, 0.1, 0.5), Trial(0.4, 0.2, 0.3), Trial(0.8, 0.3, 0.3)]).damping == 0.4


@pytest.mark.parametrize("kind", AIMS, ids=lambda kind: kind.__name__)
def test_targets_of_every_kind_move_by_less_than_what_counts_as_shaking_would_need(kind: type) -> None:
    skeleton = unit_chain("ZXZX", 1.0)
    goals = moving_goals(skeleton, [MovingEnd(kind)], [0.0] * 4, 1.0, DT)
    assert len({type(goal.aim) for goal in goals}) == 1
    assert isinstance(goals[0].aim, kind)
    assert len(goals) == round(8.0 / DT)


def test_joints_swing_about_a_posture_within_their_limits() -> None:
    skeleton = unit_chain("ZXZX", 1.0)
    beyond, within = (
        moving_goals(skeleton, [MovingEnd(Position)], [size] * 4, 1.0, DT) for size in (5.0, 1.0)
    )
    assert [goal.aim for goal in beyond] == [goal.aim for goal in within]
