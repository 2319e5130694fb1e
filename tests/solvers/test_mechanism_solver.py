"""Tests the guarantees of every solve of a mechanism: closed loops, least goal errors, rest without goals,
and a correct report.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from limber.solvers.kinematics.rotations import X, Z, about
from limber.solvers.kinematics.se3 import RigidTransform, angle_of
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.branches import DeterminantReference
from limber.solvers.mechanism.counting import count, linearised
from limber.solvers.mechanism.goals import CentreGoal, FrameGoal, Goals, RegulariserWeights
from limber.solvers.mechanism.model import Joint, Mechanism, MechanismError, RigidBody
from limber.solvers.mechanism.solver import MechanismSolver

from tests.solvers import mechanisms

DT = 1 / 60


def started(mechanism: Mechanism, **options):
    solver = MechanismSolver(mechanism)
    return solver, assemble(solver, **options)


def is_flipped(solver: MechanismSolver, before, after) -> bool:
    """Whether there is a pose in which the actuators do not determine the mechanism between two successive
    states.
    """
    passive = np.setdiff1d(np.arange(len(solver.tree)), solver.actuated)
    first, then = (linearised(solver, state)[0][:, passive] for state in (before, after))
    return DeterminantReference.at(first).determinant(then) < 0.0


def elbow(solver: MechanismSolver, solution) -> np.ndarray:
    """Position [m] of the end of a four-bar's rocker."""
    pose = solution.poses[solver.mechanism.body_index["rocker"]]
    return pose[:3, :3] @ (0.3, 0.0, 0.0) + pose[:3, 3]


@pytest.mark.parametrize("is_ball", [False, True])
def test_a_four_bar_closes_from_nothing(is_ball: bool):
    solver, found = started(mechanisms.four_bar(is_ball=is_ball))
    assert found.report.assembled
    assert found.report.residual < 1e-9
    coupler = found.poses[2]
    assert coupler[:3, :3] @ (0.4, 0.0, 0.0) + coupler[:3, 3] == pytest.approx(elbow(solver, found), abs=1e-9)


def test_a_crank_turns_twice_and_its_value_counts_the_turns():
    solver, found = started(mechanisms.four_bar())
    first = solver.values(found.state, "motor")[0]
    for k in range(121):
        angle = first + 4 * math.pi * k / 120
        found = solver.solve(Goals(actuators={"motor": (angle,)}), found.state, DT)
        assert found.report.residual < 1e-9
        assert solver.values(found.state, "motor")[0] == pytest.approx(angle, abs=1e-8)
    assert found.poses[1][:3, 3] == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)


def test_the_crank_angle_follows_from_where_the_rocker_shall_be():
    solver, found = started(mechanisms.four_bar())
    aim = solver.solve(Goals(actuators={"motor": (1.0,)}), found.state)
    goal = FrameGoal("rocker", RigidTransform(position=(0.3, 0.0, 0.0)), position=tuple(elbow(solver, aim)))
    back = solver.solve(Goals((goal,)), solver.solve(Goals(actuators={"motor": (0.8,)}), aim.state).state)
    assert back.report.goal_error < 1e-8
    assert solver.values(back.state, "motor")[0] == pytest.approx(1.0, abs=1e-6)


def test_a_target_out_of_reach_is_followed_without_jitter_and_without_opening():
    solver, found = started(mechanisms.four_bar())
    last, steps = None, []
    for k in range(60):
        goal = FrameGoal("coupler", position=(0.3 * math.cos(0.05 * k), 0.0, 0.3 * math.sin(0.05 * k)))
        found = solver.solve(Goals((goal,)), found.state, DT)
        assert found.report.assembled
        assert found.report.goal_error > 0.1
        if last is not None:
            steps.append(float(np.degrees(angle_of(last[1][:3, :3].T @ found.poses[1][:3, :3]))))
        last = found.poses
    assert np.abs(np.diff(steps[2:])).max() < 0.5


def test_a_motor_stops_at_its_limit_and_the_report_names_it():
    solver, found = started(mechanisms.four_bar(lower=(0.2,), upper=(0.9,)))
    found = solver.solve(Goals(actuators={"motor": (1.5,)}), found.state)
    assert solver.values(found.state, "motor")[0] == pytest.approx(0.9, abs=1e-9)
    assert found.report.assembled
    assert any("motor" in line and "upper" in line for line in found.report.at_limits)


def test_a_motor_keeps_its_speed_limit():
    solver, found = started(mechanisms.four_bar(velocity=(2.0,)))
    before = solver.values(found.state, "motor")[0]
    found = solver.solve(Goals(actuators={"motor": (before + 1.0,)}), found.state, DT)
    assert solver.values(found.state, "motor")[0] - before == pytest.approx(2.0 * DT, abs=1e-9)
    assert any("speed" in line for line in found.report.at_limits)


def test_a_rod_that_nothing_determines_does_not_spin():
    solver, found = started(mechanisms.four_bar(is_ball=True))
    assert "coupler" in count(solver, found.state).undetermined
    first = solver.values(found.state, "motor")[0]
    start = found.poses[2][:3, :3]
    for k in range(1, 61):
        found = solver.solve(Goals(actuators={"motor": (first + 2 * math.pi * k / 60,)}), found.state, DT)
    assert np.degrees(angle_of(start.T @ found.poses[2][:3, :3])) < 5.0


@pytest.mark.parametrize(
    ("mechanism", "mobility", "redundancy"),
    [(mechanisms.four_bar(), 1, 3), (mechanisms.four_bar(is_ball=True), 2, 0), (mechanisms.stewart(), 6, 0)],
)
def test_mobility_and_redundancy_are_counted(mechanism: Mechanism, mobility: int, redundancy: int):
    solver, found = started(mechanism)
    counts = count(solver, found.state)
    assert (counts.mobility, counts.redundancy) == (mobility, redundancy)
    assert counts.independent_actuators == len(mechanism.actuators)


def test_a_stewart_platform_goes_where_it_is_asked_and_comes_back_by_its_motors():
    solver, found = started(mechanisms.stewart())
    goal = FrameGoal("platform", position=(0.03, -0.02, 0.53), rotation=about(X, 0.15))
    there = solver.solve(Goals((goal,)), found.state)
    assert there.report.goal_error < 1e-8
    motors = {joint.name: solver.values(there.state, joint.name) for joint in solver.mechanism.actuators}
    again = solver.solve(Goals(actuators=motors), found.state)
    assert again.poses[1] == pytest.approx(there.poses[1], abs=1e-7)


def test_weights_choose_between_goals_that_cannot_both_be_met():
    solver, found = started(mechanisms.stewart())
    apart = [
        FrameGoal("platform", position=(0.0, 0.0, 0.5 + z), position_weight=(1.0, 1.0, w))
        for z, w in ((0.05, 3.0), (-0.05, 1.0))
    ]
    found = solver.solve(Goals(tuple(apart)), found.state)
    assert found.poses[1][2, 3] == pytest.approx(0.525, abs=1e-6)


def test_the_centre_of_mass_goes_where_it_is_asked():
    solver, found = started(mechanisms.stewart())
    found = solver.solve(Goals(centres=(CentreGoal((0.02, 0.01, 0.0), (1.0, 1.0, 0.0)),)), found.state)
    assert found.poses[1][:2, 3] == pytest.approx((0.02, 0.01), abs=1e-8)  # only the platform has mass


def test_the_speed_regulariser_slows_what_turns_too_fast():
    solver, found = started(mechanisms.four_bar())
    first = solver.values(found.state, "motor")[0]
    goals = Goals(actuators={"motor": (first + 0.5,)})
    free = solver.solve(goals, found.state, DT)
    slow = solver.solve(
        replace(goals, regulariser_weights=RegulariserWeights(speed_weight=0.1, speed=4.0)), found.state, DT
    )
    assert solver.values(free.state, "motor")[0] - first == pytest.approx(0.5, abs=1e-8)
    assert 4.0 * DT < solver.values(slow.state, "motor")[0] - first < 0.3
    assert slow.report.assembled


def test_a_mechanism_that_cannot_close_says_so_and_names_the_joint():
    _, found = started(mechanisms.four_bar(coupler=1.5), tries=5)
    assert not found.report.assembled
    assert not found.report.converged
    assert found.report.residual > 0.1
    assert found.report.worst in {joint.name for joint in mechanisms.four_bar().joints}


def test_grounded_bodies_that_contradict_are_named():
    bodies = (
        RigidBody("a", grounded=True, start=RigidTransform()),
        RigidBody("b", grounded=True, start=RigidTransform(position=(1.0, 0.0, 0.0))),
    )
    _, found = started(Mechanism(bodies, (Joint("pin", "revolute", "a", "b"),)), tries=2)
    assert found.report.residual == pytest.approx(1.0)
    assert found.report.worst == "pin"


def test_a_driven_body_takes_the_mechanism_along():
    bodies = tuple(replace(body, driven=body.name == "crank") for body in mechanisms.four_bar().bodies)
    solver, found = started(replace(mechanisms.four_bar(), bodies=bodies))
    crank = found.poses[1]
    turned = RigidTransform(about((0.0, -1.0, 0.0), solver.values(found.state, "motor")[0] + 0.3))
    found = solver.solve(Goals(driven={"crank": turned}), found.state)
    assert found.report.assembled
    assert np.degrees(angle_of(crank[:3, :3].T @ found.poses[1][:3, :3])) == pytest.approx(
        math.degrees(0.3), abs=1e-6
    )


def test_a_flip_to_the_other_assembly_is_seen():
    solver, found = started(mechanisms.four_bar())
    crossed = None
    for seed in range(1, 20):
        other = assemble(
            solver,
            replace(found.state, values=np.random.default_rng(seed).normal(size=3)),
            Goals(actuators={"motor": solver.values(found.state, "motor")}),
        )
        if (
            other.report.goal_error < 1e-6
            and np.abs(elbow(solver, other) - elbow(solver, found)).max() > 0.01
        ):
            crossed = other
            break
    assert crossed is not None
    assert is_flipped(solver, found.state, crossed.state)
    near = solver.solve(
        Goals(actuators={"motor": (solver.values(found.state, "motor")[0] + 0.1,)}), found.state
    )
    assert not is_flipped(solver, found.state, near.state)


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (0.0, -0.4, 2.0)])
def test_an_end_reaches_a_place_and_points_along_a_direction_with_free_roll(axis):
    """Of six degrees of freedom one is left: the roll stays near its last value."""
    solver, found = started(mechanisms.stewart())
    place, direction = (0.02, 0.01, 0.55), (0.1, -0.3, 2.0)
    for roll in (0.0, 0.2):
        first = solver.solve(
            Goals((FrameGoal("platform", position=(0.0, 0.0, 0.52), rotation=about(Z, roll)),)), found.state
        ).state
        goals = Goals((FrameGoal("platform", position=place, direction=direction, axis=axis),))
        pose = solver.solve(goals, first).poses[solver.mechanism.body_index["platform"]]
        assert pose[:3, 3] == pytest.approx(place, abs=1e-8)
        assert np.cross(pose[:3, :3] @ axis, direction) == pytest.approx(np.zeros(3), abs=1e-8)
        assert (pose[:3, :3] @ axis) @ direction > 0.0
        assert np.arctan2(pose[1, 0], pose[0, 0]) == pytest.approx(roll, abs=0.1)


@pytest.mark.parametrize("start", [1.0, 2.0, 3.1])
def test_an_axis_that_points_the_other_way_is_turned_round(start: float):
    bodies = (RigidBody("ground", start=RigidTransform(), grounded=True), RigidBody("ball"))
    solver = MechanismSolver(
        Mechanism(bodies, (Joint("socket", "spherical", "ground", "ball", actuated=True),))
    )
    first = solver.state_at({"ball": RigidTransform(about(X, start))})
    found = solver.solve(Goals((FrameGoal("ball", direction=(0.0, 0.0, 5.0)),)), first, iterations=60)
    assert found.report.goal_error < 1e-8
    assert found.poses[1, 2, 2] == pytest.approx(1.0)


def test_on_a_smooth_path_the_last_frames_curvature_saves_a_step():
    solver, found = started(mechanisms.stewart())
    steps = {True: [], False: []}
    for k in range(60):
        turn = about(X, 0.2 * math.sin(0.05 * k))
        goals = Goals(
            (FrameGoal("platform", position=(0.05 * math.sin(0.06 * k), 0.0, 0.52), rotation=turn),)
        )
        without = solver.solve(goals, replace(found.state, motion=None), DT)
        found = solver.solve(goals, found.state, DT)
        assert found.poses == pytest.approx(without.poses, abs=1e-8)
        for is_known, one in ((True, found), (False, without)):
            steps[is_known].append(one.report.iterations)
    assert steps[True].count(2) > 55
    assert steps[False].count(3) > 30


def test_a_far_command_is_followed_to_the_same_assembly():
    solver, found = started(mechanisms.four_bar())
    first = solver.values(found.state, "motor")[0]
    step = found
    for k in range(1, 61):
        step = solver.solve(Goals(actuators={"motor": (first + 3.0 * k / 60,)}), step.state, DT)
    leap = solver.solve(Goals(actuators={"motor": (first + 3.0,)}), found.state, DT)
    assert leap.poses == pytest.approx(step.poses, abs=1e-7)
    assert not leap.report.flipped


def test_a_frame_of_few_places_is_closed_and_the_next_ones_go_on_from_it():
    solver, found = started(mechanisms.stewart())
    goals = Goals((FrameGoal("platform", position=(0.1, 0.05, 0.9), rotation=about(X, 0.3)),))
    whole = solver.solve(goals, found.state, iterations=200)
    assert whole.report.goal_error > 0.1
    missed = []
    for _ in range(60):
        found = solver.solve(goals, found.state, evaluations=2)
        missed.append(found.report.goal_error)
        assert found.report.assembled
    assert missed[0] > whole.report.goal_error + 1e-3
    assert missed == sorted(missed, reverse=True)
    assert missed[-1] < whole.report.goal_error * (1.0 + 1e-4)


def test_solving_changes_no_state_that_was_given():
    solver, found = started(mechanisms.four_bar())
    values = found.state.values.copy()
    solver.solve(Goals(actuators={"motor": (2.0,)}), found.state, DT)
    assert (found.state.values == values).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Joint("j", "fixed", "a", "b", actuated=True), "freedom"),
        (lambda: Joint("j", "hinge", "a", "b"), "revolute"),
        (lambda: Joint("j", "revolute", "a", "a"), "itself"),
        (lambda: Joint("j", "revolute", "a", "b", lower=(1.0,), upper=(0.0,)), "exchange"),
        (lambda: Joint("j", "planar", "a", "b", lower=(1.0,)), "3 degrees of freedom"),
        (lambda: Mechanism((RigidBody("a"),), (Joint("j", "revolute", "a", "b"),)), "'b'"),
        (lambda: Mechanism((RigidBody("a"), RigidBody("a"))), "two"),
        (lambda: RigidBody("a", mass=-1.0), "mass"),
        (lambda: MechanismSolver(Mechanism((RigidBody("a", grounded=True),))), "start"),
    ],
)
def test_what_cannot_be_is_named(make, words: str):
    with pytest.raises(MechanismError, match=words):
        make()


def test_goals_that_name_nothing_there_say_so():
    solver, found = started(mechanisms.four_bar())
    for goals, words in (
        (Goals((FrameGoal("head", position=(0.0, 0.0, 0.0)),)), "head"),
        (Goals(actuators={"knob": (0.0,)}), "knob"),
        (Goals(driven={"crank": RigidTransform()}), "driven"),
    ):
        with pytest.raises(MechanismError, match=words):
            solver.solve(goals, found.state)
    massless = Mechanism(
        tuple(replace(body, mass=0.0) for body in solver.mechanism.bodies), solver.mechanism.joints
    )
    solver, found = started(massless)
    with pytest.raises(MechanismError, match="mass"):
        solver.solve(Goals(centres=(CentreGoal((0.0, 0.0, 0.0)),)), found.state)


def test_a_body_with_no_joint_stays_where_it_is():
    floating = RigidBody("loose", start=RigidTransform(about(X, 0.3), (1.0, 2.0, 3.0)))
    four_bar = mechanisms.four_bar()
    solver, found = started(replace(four_bar, bodies=(*four_bar.bodies, floating)))
    found = solver.solve(Goals(actuators={"motor": (2.0,)}), found.state)
    assert found.poses[-1][:3, 3] == pytest.approx((1.0, 2.0, 3.0))
    assert "loose" in count(solver, found.state).undetermined


@pytest.mark.parametrize("step", [15.0, 20.0, 30.0])
def test_a_crank_that_turns_fast_is_where_it_is_asked_to_be_in_every_frame(step: float):
    solver = MechanismSolver(mechanisms.four_bar())
    found = assemble(solver)
    first = solver.values(found.state, "motor")[0]
    for k in range(1, 49):
        asked = first + math.radians(step) * k
        found = solver.solve(Goals(actuators={"motor": (asked,)}), found.state, DT)
        assert solver.values(found.state, "motor")[0] == pytest.approx(asked, abs=1e-9), k
        assert not found.report.flipped


@pytest.mark.parametrize(
    ("asked", "counted", "short"), [(300.0, 300.0, -60.0), (-170.0, -170.0, -170.0), (720.0, 720.0, 0.0)]
)
def test_whole_turns_of_actuators_count_where_that_is_asked(asked: float, counted: float, short: float):
    solver = MechanismSolver(mechanisms.four_bar())
    begun = solver.solve(Goals(actuators={"motor": (0.0,)}), assemble(solver).state)
    for counts_full_rotations, expected in ((True, counted), (False, short)):
        goals = Goals(
            actuators={"motor": (math.radians(asked),)}, counts_full_rotations=counts_full_rotations
        )
        found = solver.solve(goals, begun.state)
        assert math.degrees(solver.values(found.state, "motor")[0]) == pytest.approx(expected, abs=1e-6)


def test_an_actuator_goes_the_long_way_where_limits_bar_the_short_one():
    solver = MechanismSolver(mechanisms.four_bar(lower=(-math.pi,), upper=(math.pi,)))
    found = assemble(solver)
    for asked in (170.0, -20.0, -100.0, 170.0):
        found = solver.solve(Goals(actuators={"motor": (math.radians(asked),)}), found.state)
        assert math.degrees(solver.values(found.state, "motor")[0]) == pytest.approx(asked, abs=1e-6)


def test_an_assembly_has_the_whole_turns_that_are_asked_of_its_motors():
    first = MechanismSolver(mechanisms.four_bar())
    angle = first.values(assemble(first).state, "motor")[0]
    solver = MechanismSolver(mechanisms.four_bar(lower=(angle - 14.0,), upper=(angle + 1.5,)))
    found = assemble(solver, goals=Goals(actuators={"motor": (angle - 4.0 * math.pi,)}))
    assert solver.values(found.state, "motor")[0] == pytest.approx(angle - 4.0 * math.pi, abs=1e-9)


def test_states_and_solutions_are_compared_without_arrays_and_can_be_keys():
    solver, found = started(mechanisms.four_bar())
    again = solver.solve(Goals(), found.state)
    assert (found == found, found == again, found.state == again.state) == (True, False, False)
    assert len({found.state, again.state, found.state}) == 2
