"""Tests the tick: one frame of one chain, a pure function. It needs no Blender; the test is here because the
tick belongs to the rig.
"""

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from limber.character.chain import tick as ticks
from limber.character.chain.tick import make_model, tick
from limber.motion import FILTERS, MotionStyle
from limber.solvers.gaze import GazeSolution
from limber.solvers.goals import GazeGoal, Orientation, Point, TargetError
from limber.solvers.kinematics.rotations import IDENTITY, Y, about
from limber.solvers.kinematics.skeleton import Joint, Skeleton

from tests.solvers.chains import unit_chain

DT = 1 / 24


def arm(velocity: float = 1.0) -> Skeleton:
    axes = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    return Skeleton(
        tuple(
            Joint(
                f"j{k}",
                k - 1,
                IDENTITY,
                (0.0, 0.1 if k else 0.0, 0.0),
                axis,
                -2.5,
                2.5,
                "revolute",
                velocity,
                8 * velocity,
                80 * velocity,
            )
            for k, axis in enumerate(axes)
        ),
        tool_offset=(0.0, 0.1, 0.0),
    )


def goal(x: float = 1.0, posture=0.2) -> GazeGoal:
    return GazeGoal(Point((x, 1.5, 0.8)), np.full(5, posture), symmetric=False)


def model(name: str = "default", velocity: float = 1.0):
    return make_model(arm(velocity), "erik_exact", name, MotionStyle(), posture_jumps=False)


class Counting:
    """A solver that counts its solves."""

    def __init__(self, solver, **changes) -> None:
        self.solver, self.changes, self.asked = solver, changes, 0

    def solve(self, *args, **options) -> GazeSolution:
        self.asked += 1
        return replace(self.solver.solve(*args, **options), **self.changes)


def test_the_first_tick_is_at_rest_in_the_solution():
    outputs, state = tick(model(), goal(), None, 0.0)
    assert np.array_equal(outputs.angles, outputs.solution.angles)
    assert outputs.at_rest
    assert outputs.lag == 0.0
    assert outputs.filtered_aim_error == pytest.approx(outputs.solution.aim_error, abs=1e-9)
    assert state.motion[0].velocity == 0.0


def test_the_same_inputs_give_the_same_outputs_and_change_nothing():
    chain, first, second = model(), goal(), goal(-1.0)
    _, state = tick(chain, first, None, 0.0)
    once, then = tick(chain, second, state, DT)
    again, then_again = tick(chain, second, state, DT)
    assert np.array_equal(once.angles, again.angles)
    assert then.motion == then_again.motion
    assert np.array_equal(first.posture, np.full(5, 0.2))


def test_the_filter_keeps_the_limits_that_the_solution_breaks():
    chain = model(velocity=0.5)
    before, state = tick(chain, goal(), None, 0.0)
    moved = goal(-1.5)
    for _ in range(60):
        outputs, state = tick(chain, moved, state, DT)
        assert np.abs(outputs.angles - before.angles).max() <= 0.5 * DT * (1 + 1e-6)
        before = outputs
    assert outputs.lag < 1.0


def test_no_time_moves_nothing_but_solves():
    chain = model()
    before, state = tick(chain, goal(), None, 0.0)
    outputs, _ = tick(chain, goal(-1.5), state, 0.0)
    assert np.array_equal(outputs.angles, before.angles)
    assert outputs.lag > 0.1
    assert outputs.solution.aim_error < 1e-6


@pytest.mark.parametrize("rate", [24.0, 30.0, 60.0])
def test_a_fast_target_is_kept_at_every_frame_rate(rate):
    skeleton = unit_chain("YXXZY", pi / 2)

    def missed(dt: float) -> float:
        made, state, worst = (
            make_model(skeleton, "expressive", "default", MotionStyle(), posture_jumps=False),
            None,
            0.0,
        )
        for frame in range(60):
            turn = about(
                Y, 0.08 * max(0.0, min(frame - 20.0, 40.0 - frame))
            )  # starts, reverses and stops abruptly
            outputs, state = tick(
                made,
                GazeGoal(Orientation(turn), np.array([0.3, 0.4, -0.6, 0.5, 0.2])),
                state,
                dt if frame else 0.0,
            )
            worst = max(worst, outputs.solution.aim_error)
        return worst

    assert missed(1.0 / rate) < 1e-4


def test_a_goal_that_stands_still_is_solved_once():
    chain = model()
    solver = Counting(chain.solver)
    chain = replace(chain, solver=solver)
    still = goal()
    outputs, state = tick(chain, still, None, 0.0)
    for _ in range(5):
        outputs, state = tick(chain, still, state, DT)
    assert solver.asked == 1
    assert outputs.at_rest


def answering(chain, moves, **changes):
    """A chain whose solver answers the same goal with angles that change by these steps [rad], and are then
    constant.
    """
    solver, steps, angles = Counting(chain.solver, **changes), iter(moves), np.zeros(5)

    def solve(*args, **options):
        nonlocal angles
        angles = angles + next(steps, 0.0)
        solver.changes["angles"] = angles
        return Counting.solve(solver, *args, **options)

    return replace(chain, solver=type("Stub", (), {"solve": staticmethod(solve)})()), solver


@pytest.mark.parametrize("converged", [True, False])
def test_a_goal_is_solved_on_until_the_joints_stand_still(converged):
    chain, solver = answering(model(), [0.0, 0.05, 0.03, 0.02], is_accepted=converged)
    still, (_, state) = goal(), tick(model(), goal(), None, 0.0)
    for _ in range(10):
        outputs, state = tick(chain, still, state, DT)
    assert solver.asked == 5
    for _ in range(200):
        outputs, state = tick(chain, still, state, DT)
    assert outputs.at_rest
    assert np.allclose(outputs.angles, 0.1)


@pytest.mark.parametrize("converged", [True, False])
def test_an_answer_that_gets_no_better_is_final_although_the_joints_still_move(converged):
    chain, solver = answering(model(), [0.01, -0.01] * 500, is_accepted=converged)
    still, (_, state) = goal(), tick(model(), goal(), None, 0.0)
    for _ in range(400):
        outputs, state = tick(chain, still, state, DT)
    assert ticks.NO_MORE < solver.asked <= ticks.NO_MORE + 3
    assert outputs.at_rest


def test_a_memory_is_handed_back_to_the_kind_of_solver_that_made_it_alone():
    handed = []

    class Remembering(Counting):
        def solve(self, goal, start=None, memory=None, dt=0.0):
            handed.append(memory)
            return super().solve(goal, start=start)

    class Another(Remembering):
        pass

    chain, state = model(), None
    for kind, x in ((Remembering, 1.0), (Remembering, 0.9), (Another, 0.8)):
        chain = replace(chain, solver=kind(model().solver, memory=kind.__name__))
        _, state = tick(chain, goal(x), state, DT if state else 0.0)
    assert handed == [None, "Remembering", None]


@pytest.mark.every_blender
def test_a_goal_that_cannot_be_used_lets_the_motion_come_to_rest_and_says_why():
    chain = model(velocity=0.5)
    _, state = tick(chain, goal(), None, 0.0)
    outputs, state = tick(chain, goal(-1.5), state, DT)
    wanted = outputs.solution.angles
    bad = GazeGoal(Point((float("nan"), 0.0, 0.0)), np.zeros(5))
    for _ in range(400):
        outputs, state = tick(chain, bad, state, DT)
        assert "finite" in outputs.problem
    assert outputs.at_rest
    assert np.array_equal(outputs.angles, wanted)
    outputs, state = tick(chain, goal(), state, DT)
    assert outputs.problem == ""
    with pytest.raises(TargetError):
        tick(chain, bad, None, 0.0)


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_every_filter_comes_to_rest_exactly(name):
    chain = model(name)
    _, state = tick(chain, goal(), None, 0.0)
    moved = goal(-0.5)
    for _ in range(400):
        outputs, state = tick(chain, moved, state, DT)
    assert outputs.at_rest
    assert outputs.lag == 0.0


def test_another_model_solves_the_same_goal_anew():
    first = model()
    still = goal()
    _, state = tick(first, still, None, 0.0)
    tight = Skeleton(
        tuple(replace(joint, lower=-0.1, upper=0.1) for joint in arm().joints), tool_offset=(0.0, 0.1, 0.0)
    )
    narrow = make_model(tight, "erik_exact", "default", MotionStyle(), posture_jumps=False)
    outputs, _ = tick(narrow, still, state, DT)
    assert np.abs(outputs.solution.angles).max() <= 0.1 + 1e-9


def test_an_orientation_is_as_good_a_goal_as_a_point():
    outputs, _ = tick(
        model(), GazeGoal(Orientation((np.cos(0.3), np.sin(0.3), 0.0, 0.0)), np.full(5, 0.1)), None, 0.0
    )
    assert outputs.filtered_aim_error < pi / 8


def test_a_chain_at_rest_is_asked_again_where_its_goal_is_known_to_move():
    expressive = make_model(arm(), "expressive", "default", MotionStyle(), posture_jumps=False)
    solver = Counting(expressive.solver)
    chain, still = replace(expressive, solver=solver), goal()
    _, state = tick(chain, still, None, 0.0)
    for _ in range(3 * ticks.NO_MORE):
        _, state = tick(chain, still, state, DT)
    for ahead, more in (((), 0), ((goal(),), 0), ((still, goal(-1.0)), 1)):
        asked = solver.asked
        tick(chain, still, state, DT, ahead)
        assert solver.asked == asked + more


def test_a_solver_that_cannot_look_ahead_is_not_told_what_comes():
    _, state = tick(model(), goal(), None, 0.0)
    assert np.array_equal(
        tick(model(), goal(0.9), state, DT, (goal(-1.0),))[0].angles,
        tick(model(), goal(0.9), state, DT)[0].angles,
    )
