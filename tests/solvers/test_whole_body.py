"""Tests a whole body that follows its targets: the laws, lost links, contacts, levels, and reproducible
results.
"""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.solvers.kinematics.rotations import IDENTITY, X, Y, Z
from limber.solvers.kinematics.se3 import exponential, logarithm
from limber.solvers.kinematics.skeleton import End, Joint
from limber.solvers.kinematics.tree import BASE
from limber.solvers.limits import usual_limits
from limber.solvers.whole_body.body import Body, Coupling
from limber.solvers.whole_body.full_solve import settled, squared_error
from limber.solvers.whole_body.law import Law
from limber.solvers.whole_body.options import WholeBodyOptions
from limber.solvers.whole_body.solver import CORRECTED_ERROR, WholeBody
from limber.solvers.whole_body.state import at_rest
from limber.solvers.whole_body.targets import BodyTargetError, Contact, Target, Values

from benchmarks.whole_body.printed import DriftingBody, PaperLaw, TanhLimit
from tests.solvers.bodies import (
    DEGREE,
    DT,
    LINKS,
    TRACKED,
    asks,
    follow,
    manikin,
    pose,
    random_body,
    wave,
    worst,
)

sometimes = settings(derandomize=True, deadline=None, max_examples=20)
seeds = st.integers(0, 10**6)


def test_a_motion_is_followed_within_a_fraction_of_a_degree_from_zero():
    solver = WholeBody(manikin(), TRACKED)
    missed = [worst(solver, values, state) for values, _, state in follow(solver, 60)]
    assert max(missed[10:]) < 0.2 * DEGREE


@pytest.mark.parametrize("gain", [5.0, 20.0])
def test_a_gain_below_all_of_the_error_lets_it_die_out_at_that_rate_and_follows_without_lag(gain):
    solver = WholeBody(manikin(), TRACKED, WholeBodyOptions(Law(gain=gain)))
    still = asks(solver.body, pose(solver, 0.0, 0.1))
    state = solver.start(base_rotation=wave(solver.body, 0.0)[1], base_position=wave(solver.body, 0.0)[2])
    before = worst(solver, still, state)
    for _ in range(6):
        _, state = solver.step(still, state, DT)
    assert worst(solver, still, state) == pytest.approx(before * (1.0 - gain * DT) ** 6, rel=0.05)


def after_one_step(ask: float, options: WholeBodyOptions):
    """Two hinges at right angles that carry the head, with the target of a rotation by `ask` [rad] each: the
    remaining error, and the state.
    """
    hinges = [
        Joint("tilt", -1, IDENTITY, (0.0, 0.0, 0.0), X, -2.0, 2.0),
        Joint("turn", 0, IDENTITY, (0.0, 0.0, 0.1), Z, -2.0, 2.0),
    ]
    body = Body(hinges, [End(1, name="head")], floating=False)
    solver = WholeBody(body, [Target("head")], options)
    values = Values(body.placed(body.forward(np.array([ask, ask])), body.link_indices(["head"]))[:, :3, :3])
    _, state = solver.step(values, solver.start(), DT)
    return worst(solver, values, state), state


def test_a_move_too_large_for_a_linear_step_is_mended_in_the_same_step_and_the_papers_law_stays_as_printed():
    calm = WholeBodyOptions(damping_by_error=0.0)
    missed, state = after_one_step(0.6, calm)
    assert missed < 1e-3
    assert state.velocity[BASE:] == pytest.approx(state.joints / DT)
    assert after_one_step(0.6, replace(calm, law=PaperLaw(1.0 / DT)))[0] > 0.05


def test_a_mended_move_is_damped_and_limited_as_a_whole():
    slow = WholeBodyOptions(limits=usual_limits(velocity=0.5 / DT), damping_by_error=0.0)
    assert after_one_step(0.6, slow)[1].joints == pytest.approx([0.5, 0.5])
    damping = 0.3
    damped = after_one_step(0.6, WholeBodyOptions(damping=damping, damping_by_error=0.0))[1].joints

    def cost(joints):
        turns = [exponential(angle * np.array(axis)) for angle, axis in zip(joints, (X, Z), strict=True)]
        asked = exponential(0.6 * np.array(X)) @ exponential(0.6 * np.array(Z))
        return np.sum(logarithm(asked @ (turns[0] @ turns[1]).T) ** 2) + damping**2 * np.sum(joints**2)

    assert cost(damped) < min(cost(0.98 * damped), cost(1.02 * damped))


def spinning(steps: int, law: Law):
    """Angle [rad] of the base from a base that rotates by 1 rad/s about z, at each step."""
    solver = WholeBody(manikin(), [Target("pelvis")], WholeBodyOptions(law))
    state, angles = solver.start(), []
    for k in range(steps):
        values = Values(
            exponential(np.array([[0.0, 0.0, k * DT]])), angular_velocity=np.array([[0.0, 0.0, 1.0]])
        )
        _, state = solver.step(values, state, DT)
        ahead = state.base_rotation @ values.rotation[0].T
        angles.append(math.atan2(ahead[1, 0], ahead[0, 0]))
    return angles


@pytest.mark.parametrize("gain", [10.0, 20.0, 40.0])
def test_the_papers_law_runs_ahead_by_one_steps_motion_whatever_the_gain_and_the_default_does_not(gain):
    assert spinning(200, PaperLaw(gain))[-1] == pytest.approx(DT, rel=5e-3)
    assert abs(spinning(200, Law(gain))[-1]) < 5e-3 * DT


@pytest.mark.parametrize(("law", "ahead"), [(PaperLaw, 1.0), (Law, 0.0)])
def test_a_base_that_moves_is_overtaken_by_one_steps_way_by_the_papers_law_alone(law, ahead):
    solver = WholeBody(manikin(), [Target("pelvis", "position")], WholeBodyOptions(law(20.0)))
    state = solver.start()
    for k in range(100):
        place = np.array([[k * DT, 0.0, 0.0]])
        _, state = solver.step(Values(position=place, linear_velocity=np.array([[1.0, 0.0, 0.0]])), state, DT)
    assert (state.base_position[0] - place[0, 0]) / DT == pytest.approx(ahead, abs=5e-3)


def test_the_papers_law_stalls_at_a_half_turn_and_the_default_does_not():
    half = Values(exponential(np.array([[0.0, 0.0, math.pi]])))
    for law, angle in ((PaperLaw, math.pi), (Law, 0.0)):
        solver = WholeBody(manikin(), [Target("pelvis")], WholeBodyOptions(law()))
        state = solver.start()
        for _ in range(10):
            _, state = solver.step(half, state, DT)
        assert worst(solver, half, state) == pytest.approx(angle, abs=1e-3)


def test_a_gain_beyond_the_bound_is_lowered_unless_one_asks_to_see_it_diverge():
    spun = [abs(angle) for angle in spinning(40, Law(1000.0))]
    assert max(spun[1:]) < 1e-3
    wild = WholeBody(manikin(), [Target("pelvis")], WholeBodyOptions(Law(2.5 / DT, enforce_stability=False)))
    values, state = Values(exponential(np.array([[0.0, 0.0, 1e-3]]))), wild.start()
    for _ in range(8):
        _, state = wild.step(values, state, DT)
    assert worst(wild, values, state) > 1e-2


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
def test_a_link_without_values_is_free_until_it_comes_back_and_is_named(bad):
    solver = WholeBody(manikin(), TRACKED)

    def lose(k, values):
        if 20 <= k < 40:
            values.rotation[LINKS.index("head")] = bad
            values.position[:] = np.nan
        return values

    for k, (values, solution, state) in enumerate(follow(solver, 60, change=lose)):
        assert np.all(np.isfinite(state.joints))
        assert solution.lost == (("head", "pelvis") if 20 <= k < 40 else ())
        if k >= 45 or 10 <= k < 20:
            assert worst(solver, values, state) < 0.2 * DEGREE
        if 25 <= k < 40:
            seen = np.arange(len(LINKS)) != LINKS.index("head")
            assert (
                np.abs(solver.missed(replace(values, position=np.zeros((1, 3))), state)[0][seen]).max()
                < 0.2 * DEGREE
            )


def test_a_stream_that_is_lost_altogether_leaves_the_body_where_it_is():
    solver = WholeBody(manikin(), TRACKED)
    *_, (values, _, state) = follow(solver, 20)
    nothing = Values(
        np.full_like(values.rotation, np.nan),
        np.full((1, 3), np.nan),
        np.full((12, 3), np.nan),
        np.full((1, 3), np.nan),
    )
    solution, after = solver.step(nothing, state, DT)
    assert set(solution.lost) == set(LINKS)
    assert after.joints == pytest.approx(state.joints, abs=1e-12)
    assert after.base_position == pytest.approx(state.base_position, abs=1e-12)


def test_velocities_that_are_not_known_are_taken_as_none():
    solver = WholeBody(manikin(), TRACKED, WholeBodyOptions(Law(gain=10.0)))
    still = asks(solver.body, solver.start())
    unknown = replace(
        still, angular_velocity=np.full((len(LINKS), 3), np.nan), linear_velocity=np.full((1, 3), np.nan)
    )
    _, state = solver.step(unknown, solver.start(), DT)
    assert np.abs(state.velocity).max() < 1e-9


def test_a_jump_of_all_targets_is_followed_within_velocity_limits():
    solver = WholeBody(manikin(), TRACKED, WholeBodyOptions(limits=usual_limits(velocity=3.0)))
    *_, (_, _, state) = follow(solver, 10)
    far = asks(solver.body, pose(solver, 30.0, 1.0))
    for _ in range(120):
        _, state = solver.step(far, state, DT)
        assert np.abs(state.velocity[BASE:]).max() <= 3.0 + 1e-6
    assert worst(solver, far, state) < DEGREE


@sometimes
@given(seeds)
def test_contacts_stay_where_they_are_exactly_while_the_body_moves(seed):
    draw = random.Random(seed)
    solver = WholeBody(manikin(), TRACKED)
    state = pose(solver, draw.uniform(0, 3), 0.3)
    feet = body_frames(solver, state, ["left foot", "right foot"])
    contacts = tuple(
        Contact(name, frame[:3, 3] + state.base_position, frame[:3, :3] if draw.random() < 0.5 else None)
        for name, frame in zip(("left foot", "right foot"), feet, strict=True)
    )
    for k in range(10):
        values = replace(asks(solver.body, pose(solver, k * DT, 0.4)), contacts=contacts)
        solution, state = solver.step(values, state, DT)
        assert solution.yielded == ()
        for contact, frame in zip(
            contacts, body_frames(solver, state, [contact.link for contact in contacts]), strict=True
        ):
            assert frame[:3, 3] + state.base_position == pytest.approx(contact.position, abs=1e-9)
            if contact.rotation is not None:
                assert frame[:3, :3] == pytest.approx(contact.rotation, abs=1e-9)


@pytest.mark.parametrize("weight", [1e-6, 1e3, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("levels", [(0, 0), (0, 1)])
def test_contacts_stay_whatever_the_weights_of_the_targets(weight, levels):
    draw = random.Random(1)
    joints = [
        Joint(
            f"hinge {k}",
            k - 1,
            IDENTITY,
            (0.0, 0.0 if k % 3 else 0.25, 0.0),
            (X, Y, Z)[k % 3],
            -draw.uniform(0.2, 1.5),
            draw.uniform(0.2, 1.5),
        )
        for k in range(6)
    ]
    body = Body(
        joints, [End(2, offset=(0.0, 0.2, 0.0), name="hip"), End(5, offset=(0.0, 0.2, 0.0), name="foot")]
    )
    targets = [
        Target(name, weight=weight, level=level) for name, level in zip(("hip", "foot"), levels, strict=True)
    ]
    solver = WholeBody(body, targets, WholeBodyOptions(limits=usual_limits(velocity=3.0)))
    state = solver.start()
    (foot,) = body_frames(solver, state, ["foot"])
    contact = Contact("foot", foot[:3, 3] + state.base_position, foot[:3, :3])
    goals = np.array([np.eye(3)] * 2)
    for _ in range(20):
        goals = np.array(
            [goal @ exponential(np.array([draw.gauss(0.0, 0.2) for _ in range(3)])) for goal in goals]
        )
        solution, state = solver.step(Values(goals, np.zeros((0, 3)), contacts=(contact,)), state, DT)
        assert solution.yielded == ()
        (foot,) = body_frames(solver, state, ["foot"])
        assert foot[:3, 3] + state.base_position == pytest.approx(contact.position, abs=1e-8)


def body_frames(solver, state, names):
    return solver.body.placed(state.frames, solver.body.link_indices(names))


def test_a_contact_out_of_reach_gives_way_and_is_named_and_limits_hold():
    solver = WholeBody(
        manikin(reach=0.5, floating=False), TRACKED, WholeBodyOptions(limits=usual_limits(velocity=3.0))
    )
    state = solver.start()
    values = replace(asks(solver.body, state), contacts=(Contact("left foot", np.array([0.0, 0.0, -3.0])),))
    for _ in range(10):
        solution, state = solver.step(values, state, DT)
        assert solution.yielded == ("contact of left foot",)
        assert np.abs(state.velocity[BASE:]).max() <= 3.0 + 1e-6
    assert state.base_position == pytest.approx(np.zeros(3))


def test_coupled_joints_keep_to_each_other_on_every_step():
    couplings = [
        Coupling("elbows", {"left forearm x": 1.0, "right forearm x": -1.0}, 0.0, 0.0),
        Coupling("shoulder", {"left arm x": 1.0, "left arm y": 1.7}, -0.2, 0.1),
    ]
    for limits in (usual_limits(), (TanhLimit(4.0),)):
        body = manikin(couplings=couplings)
        solver = WholeBody(body, TRACKED, WholeBodyOptions(limits=limits))
        index, touched = {name: k for k, name in enumerate(body.names)}, 0
        for _, solution, state in follow(solver, 90):
            assert solution.yielded == ()
            assert state.joints[index["left forearm x"]] == pytest.approx(
                state.joints[index["right forearm x"]], abs=1e-9
            )
            shoulder = state.joints[index["left arm x"]] + 1.7 * state.joints[index["left arm y"]]
            assert -0.2 - 1e-9 <= shoulder <= 0.1 + 1e-9
            touched += shoulder > 0.09 or shoulder < -0.19
        assert touched > 10


def test_a_lower_level_never_disturbs_a_higher_one_and_weights_do():
    body = manikin(reach=0.4, floating=False)
    wish = [Target("head"), Target("chest", level=1), Target("left forearm", "position", level=2)]
    values = Values(exponential(np.array([[0.9, 0.0, 0.0], [-0.5, 0.0, 0.4]])), np.array([[0.1, 0.5, 0.6]]))
    results = {}
    for name, targets in (("levels", wish), ("weights", [replace(target, level=0) for target in wish])):
        solver = WholeBody(body, targets)
        state = solver.start()
        for _ in range(60):
            _, state = solver.step(values, state, DT)
        results[name] = (solver.missed(values, state), state)
    alone = WholeBody(body, wish[:1])
    state = alone.start()
    for _ in range(60):
        _, state = alone.step(Values(values.rotation[:1]), state, DT)
    first = alone.missed(Values(values.rotation[:1]), state)[0][0]
    assert results["levels"][0][0][0] == pytest.approx(first, abs=1e-4)
    assert results["weights"][0][0][0] > 0.01


def test_a_posture_is_kept_where_no_target_sees_it_and_nowhere_else():
    body = manikin(floating=False)
    posture = np.linspace(-0.5, 0.5, len(body))
    targets = [Target("head")]
    solver = WholeBody(body, targets, WholeBodyOptions(posture_gain=10.0))
    values = Values(exponential(np.array([[0.3, 0.2, 0.8]])), posture=posture)
    state = solver.start()
    for _ in range(400):
        _, state = solver.step(values, state, DT)
    index = {name: k for k, name in enumerate(body.names)}
    arm = [index[name] for name in body.names if "arm" in name or "leg" in name or "foot" in name]
    assert state.joints[arm] == pytest.approx(posture[arm], abs=1e-4)
    assert worst(solver, values, state) < 0.02 * DEGREE


def test_a_full_solve_begins_at_the_first_frame():
    solver = WholeBody(manikin(), TRACKED, WholeBodyOptions(limits=usual_limits(velocity=0.5)))
    values = asks(solver.body, pose(solver, 1.0, 0.8))
    state = settled(solver, values, solver.start())
    assert worst(solver, values, state) < 1e-6
    assert not state.velocity.any()
    assert np.abs(state.joints).max() < 2.0 * math.pi


def test_a_full_solve_is_not_drawn_to_the_posture_which_frames_approach():
    solver = WholeBody(manikin(floating=False), [Target("head")], WholeBodyOptions(posture_gain=10.0))
    values = Values(exponential(np.array([[0.3, 0.2, 0.8]])))
    drawn = replace(values, posture=np.full(len(solver.body), 0.3))
    one, other = (settled(solver, which, solver.start()) for which in (values, drawn))
    assert one.joints == pytest.approx(other.joints, abs=1e-12)


def test_a_full_solve_ends_where_full_steps_would_go_to_and_fro_about_it_forever():
    draw = random.Random(31)
    solver = WholeBody(manikin(), TRACKED)
    asked = pose(solver, draw.uniform(0, 3), draw.uniform(0.3, 1.0))
    contacts = []
    for foot in ("left foot", "right foot"):
        at = (
            solver.body.placed(asked.frames, solver.body.link_indices([foot]))[0, :3, 3] + asked.base_position
        )
        contacts.append(Contact(foot, at + [draw.uniform(-0.7, 0.7) for _ in range(3)]))
    values = replace(asks(solver.body, asked), contacts=tuple(contacts))
    state = settled(solver, values, solver.start())
    _, after = solver.step(values, state, 1.0)
    assert np.abs(after.velocity).max() < 1e-7


def test_a_fixed_base_stays():
    solver = WholeBody(manikin(floating=False), TRACKED)
    for _, _, state in follow(solver, 10, state=solver.start()):
        assert state.base_position == pytest.approx(np.zeros(3), abs=0)
        assert state.base_rotation == pytest.approx(np.eye(3), abs=1e-15)


def test_baumgarte_draws_back_a_drifting_base_and_the_default_has_none():
    drifts = {}
    for rate in (0.01 / DT, 1.0 / DT):
        solver = DriftingBody(manikin(), TRACKED)
        solver.rate = rate
        largest = max(
            np.abs(state.base_rotation.T @ state.base_rotation - np.eye(3)).max()
            for *_, state in follow(solver, 120)
        )
        drifts[rate * DT] = largest
    assert 1e-6 < drifts[1.0] < 5e-3 < drifts[0.01]


@sometimes
@given(seeds)
def test_arbitrary_trees_with_joints_that_slide_are_followed_to_poses_that_they_have(seed):
    draw = random.Random(seed)
    body, _, angles = random_body(draw, draw.randint(2, 10))
    links = list(body.links)
    targets = [*(Target(link) for link in links), *(Target(link, "position") for link in links)]
    solver = WholeBody(body, targets)
    goal = at_rest(body, angles, np.eye(3), np.array([0.1, 0.2, 0.3]))
    near = np.clip(angles + 0.05 * np.array([draw.uniform(-1, 1) for _ in angles]), body.lower, body.upper)
    values = asks(body, goal, targets)
    state = settled(solver, values, at_rest(body, near, np.eye(3), np.zeros(3)))
    turns, moves = solver.missed(values, state)
    assert max(turns.max(), moves.max()) < 1e-3
    assert np.all((state.joints >= body.lower) & (state.joints <= body.upper))


def test_the_same_values_give_the_same_bits_and_a_kept_state_can_be_gone_back_to():
    def run(solver, state=None):
        return [
            state.joints.tobytes() + state.base_rotation.tobytes()
            for _, _, state in follow(solver, 30, state=state)
        ]

    solver = WholeBody(manikin(reach=0.3), TRACKED, WholeBodyOptions(limits=usual_limits(velocity=1.0)))
    first = run(solver)
    assert (
        first
        == run(solver)
        == run(WholeBody(manikin(reach=0.3), TRACKED, WholeBodyOptions(limits=usual_limits(velocity=1.0))))
    )


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda solver: solver.step(Values(), solver.start(), DT),
            r"rotation must have the shape \(12, 3, 3\)",
        ),
        (
            lambda solver: solver.step(asks(solver.body, solver.start()), solver.start(), 0.0),
            "a step takes time above zero, got 0.0",
        ),
        (
            lambda solver: WholeBody(solver.body, [Target("head"), Target("head")]),
            "link 'head' has two orientation targets",
        ),
        (
            lambda solver: solver.step(
                replace(asks(solver.body, solver.start()), posture=np.zeros(2)), solver.start(), DT
            ),
            "one value for each of the 33 joints",
        ),
        (
            lambda solver: solver.step(
                replace(
                    asks(solver.body, solver.start()), contacts=(Contact("left foot", np.full(3, np.nan)),)
                ),
                solver.start(),
                DT,
            ),
            "contact of 'left foot': its position and rotation must be finite",
        ),
        (lambda solver: Target("head", weight=-1.0), "target 'head': the weight"),
        (lambda solver: Target("head", gain=-1.0), "target 'head': the gain"),
        (lambda solver: WholeBodyOptions(damping=0.0), "the damping must be above zero"),
    ],
)
def test_what_cannot_be_asked_is_said_by_name(make, said):
    with pytest.raises(BodyTargetError, match=said):
        make(WholeBody(manikin(), TRACKED))


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
def test_a_lost_target_has_no_error_whatever_it_holds(bad):
    solver = WholeBody(manikin(), TRACKED)
    *_, (values, _, state) = follow(solver, 20)
    values.rotation[LINKS.index("head")] = bad
    values.position[:] = np.nan if bad == 0.0 else bad  # a position of zeros is one
    angles, distances = solver.missed(values, state)
    assert np.isnan(angles).tolist() == [link == "head" for link in LINKS]
    assert np.isnan(distances).all()
    assert squared_error(solver, values, state) < CORRECTED_ERROR**2
