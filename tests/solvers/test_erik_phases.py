"""Tests each phase of ERIK: what the next phase assumes, and where the printed specification does not
work.
"""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from limber.solvers.erik.coordinate_descent import EndAim, aims, bwcd_posture, bwcd_solution, ccd
from limber.solvers.erik.errors import orientation_error
from limber.solvers.erik.parameters import Hyperparameters
from limber.solvers.erik.phases import _roll_child, _twist_parent, backward_phase, end_twist, forward_phase
from limber.solvers.kinematics.rotations import (
    IDENTITY,
    X,
    Y,
    about,
    angle_between,
    between,
    dot,
    multiply,
    reject,
    rotate,
    scale,
    signed_angle,
    subtract,
    unit,
    vector_angle,
)
from limber.solvers.virtual_chain.chain import VirtualChain
from limber.solvers.virtual_chain.posture_error import PostureError, bend_cosines

from tests.solvers.chains import (
    any_chain,
    any_direction,
    any_turn,
    lamp,
    posture_of,
    shared_places,
    skeleton_of,
    unit_chain,
)

HYPER = Hyperparameters()
PAPER = "ABCDEFG"


def chains() -> list[VirtualChain]:
    draw = random.Random(0)
    skeletons = (
        [skeleton_of(name) for name in PAPER]
        + [lamp(), shared_places(3)]
        + [any_chain(draw, n) for n in (1, 2, 5, 9)]
    )
    return [VirtualChain(skeleton) for skeleton in skeletons]


def within(chain: VirtualChain, angles) -> bool:
    return all(model.lower <= angle <= model.upper for model, angle in zip(chain.models, angles, strict=True))


def some_angles(draw: random.Random, chain: VirtualChain) -> list[float]:
    return [draw.uniform(model.lower, model.upper) for model in chain.models]


# The chain of virtual links


@pytest.mark.parametrize("seed", range(6))
def test_the_virtual_end_turns_exactly_as_the_tool_does(seed):
    draw = random.Random(seed)
    skeleton = any_chain(draw, 6)
    chain = VirtualChain(skeleton)
    angles = posture_of(draw, skeleton)
    assert angle_between(
        chain.bases(angles)[-1], chain.target(skeleton.forward(angles).tool_rotation)
    ) == pytest.approx(0, abs=1e-7)


def test_virtual_links_run_as_the_real_ones_do():
    draw = random.Random(3)
    skeleton = any_chain(draw, 6)
    chain = VirtualChain(skeleton)
    angles = posture_of(draw, skeleton)
    pose, bases = skeleton.forward(angles), chain.bases(angles)
    for k in range(5):
        link = subtract(pose.positions[k + 1], pose.positions[k])
        if math.hypot(*link) > 1e-6:
            virtual = rotate(bases[k + 1], chain.models[k].segment)
            assert virtual == pytest.approx(rotate(chain.to_virtual, unit(link)), abs=1e-9)


def test_a_joint_that_shares_its_place_with_the_next_has_the_next_links_direction():
    chain = VirtualChain(shared_places(2))
    up = rotate(chain.to_virtual, (0.0, 0.0, 1.0))
    assert all(chain.models[k].segment == pytest.approx(up) for k in range(3))
    assert all(
        chain.models[k].segment == pytest.approx(Y) for k in range(3, 6)
    )  # that of the head, which looks sideways
    assert [model.is_twister for model in chain.models] == [False, False, True, True, False, False]


# Error functions


def test_the_posture_error_is_blind_to_signs_and_to_twisters():
    chain = VirtualChain(skeleton_of("G"))
    posture = [0.0, 0.5, -0.7, 0.9, 0.4, -0.3, 0.8, 0.0]
    error = PostureError(chain, posture, 1.0)
    assert error(chain.bases(posture)) == pytest.approx(0, abs=1e-12)
    assert error(chain.bases([1.0, -0.5, 0.7, 0.9, -1.2, 0.3, -0.8, 1.4])) == pytest.approx(0, abs=1e-12)


def test_the_posture_error_is_half_the_mean_difference_of_the_bends_cosines():
    chain = VirtualChain(skeleton_of("C"))
    posture, solved = [0.0, 0.5, -0.7, 0.9, 0.0], [0.3, -1.2, 0.1, 0.2, 0.8]
    expected = sum(abs(math.cos(a) - math.cos(b)) for a, b in zip(posture[1:4], solved[1:4], strict=True)) / 6
    assert PostureError(chain, posture, 1.0)(chain.bases(solved)) == pytest.approx(expected)


def test_aggravation_counts_bends_not_joints():
    # Algorithm 6 raises the weight at each hinge, eq. 21 at each joint: on skeleton G, with a twister in the
    # middle, they differ.
    chain = VirtualChain(skeleton_of("G"))
    posture, solved = [0.0] * 8, [0.0, 0.1, 0.2, 0.3, 0.0, 0.4, 0.5, 0.0]
    differences = [1 - math.cos(angle) for angle in (0.1, 0.2, 0.3, 0.4, 0.5)]
    weights = [2.0**i for i in range(5)]
    expected = 0.5 * sum(w * d for w, d in zip(weights, differences, strict=True)) / sum(weights)
    assert PostureError(chain, posture, 2.0)(chain.bases(solved)) == pytest.approx(expected)


def test_the_orientation_error_is_the_least_quaternion_distance_over_root_two():
    draw = random.Random(4)
    for _ in range(50):
        target, end = any_turn(draw), any_turn(draw)
        plain = min(math.dist(target, [sign * part for part in end]) for sign in (1, -1)) / math.sqrt(2)
        rolled = multiply(about(rotate(end, Y), math.pi), end)  # as Algorithm 5 rolls it
        flipped = min(math.dist(target, [sign * part for part in rolled]) for sign in (1, -1)) / math.sqrt(2)
        assert orientation_error(target, end, symmetric=False) == pytest.approx(plain, abs=1e-12)
        assert orientation_error(target, end, symmetric=True) == pytest.approx(min(plain, flipped), abs=1e-12)


# Forward


@pytest.mark.parametrize("chain", chains())
def test_forward_keeps_within_limits_and_hangs_the_root_on_its_child(chain):
    draw = random.Random(5)
    for _ in range(10):
        target = any_turn(draw)
        angles, bases = forward_phase(chain, chain.bases(some_angles(draw, chain)), target, 0.0)
        assert within(chain, angles)
        assert angle_between(bases[-1], target) < 1e-9
        # FinishForward: a link's own rotation takes its basis to its child's (links below may roll both). The
        # printed QDiff does not.
        assert angle_between(multiply(bases[0], chain.models[0].rotation(angles[0])), bases[1]) < 1e-7


@pytest.mark.parametrize("name", PAPER)
def test_the_printed_turn_and_roll_of_a_links_basis_are_the_postures_basis(name):
    # The posture's basis replaces lines 2 to 9 of Algorithm 8.
    draw = random.Random(6)
    chain = VirtualChain(skeleton_of(name))
    posture = chain.bases(some_angles(draw, chain))
    for k in range(1, len(chain)):
        model, before = chain.models[k], chain.models[k - 1]
        pitch = model.axis if not model.is_twister else before.axis
        if before.is_twister and model.is_twister:
            continue
        basis = any_turn(draw)
        desired = rotate(posture[k], model.parent)
        basis = multiply(between(rotate(basis, model.parent), desired), basis)
        roll = signed_angle(
            reject(rotate(basis, pitch), desired), reject(rotate(posture[k], pitch), desired), desired
        )
        basis = multiply(basis, about(model.parent, roll))
        assert angle_between(basis, posture[k]) < 1e-7


def test_a_posture_that_meets_the_target_comes_out_of_forward_unchanged():
    # With the child's axis, as printed, the roll of the twister in the middle is lost; so it is with Python's
    # modulo in its twist.
    draw = random.Random(7)
    chain = VirtualChain(skeleton_of("G"))
    for _ in range(20):
        posture = some_angles(draw, chain)
        bases = chain.bases(posture)
        angles, hung = forward_phase(chain, bases, bases[-1], 0.0)
        assert angles == pytest.approx(posture, abs=1e-7)
        assert angle_between(hung[0], IDENTITY) < 1e-7


@pytest.mark.parametrize("name", PAPER)
def test_as_printed_the_end_keeps_the_postures_basis_and_the_links_below_reach_for_it(name):
    draw = random.Random(8)
    chain = VirtualChain(skeleton_of(name))
    posture = chain.bases(some_angles(draw, chain))
    target = multiply(about(X, 0.05), posture[-1])  # the error that BWCD left: 3 degrees
    _, ours = forward_phase(chain, posture, target, 0.0)
    angles, printed = forward_phase(chain, posture, target, 0.0, end_from_target=False)
    assert angle_between(printed[-2], posture[-2]) < 1e-9
    assert printed[-1] == target
    assert vector_angle(rotate(ours[-2], Y), rotate(target, Y)) < 1e-7
    assert angle_between(multiply(printed[0], chain.models[0].rotation(angles[0])), printed[1]) < 1e-7


# Backward


@pytest.mark.parametrize("chain", chains())
def test_backward_starts_at_the_root_and_stays_within_limits(chain):
    draw = random.Random(8)
    for _ in range(10):
        target = any_turn(draw)
        angles, bases = forward_phase(chain, chain.bases(some_angles(draw, chain)), target, 0.0)
        assert within(chain, backward_phase(chain, angles, bases, target, True))
        assert within(chain, backward_phase(chain, angles, bases, None, True))


@pytest.mark.parametrize("name", PAPER)
def test_backward_keeps_a_chain_that_already_starts_at_the_root(name):
    draw = random.Random(9)
    chain = VirtualChain(skeleton_of(name))
    for _ in range(20):
        posture = some_angles(draw, chain)
        bases = chain.bases(posture)
        solved = chain.bases(backward_phase(chain, posture, bases, bases[-1], False))
        assert angle_between(solved[-1], bases[-1]) < 1e-6
        assert bend_cosines(chain, solved) == pytest.approx(bend_cosines(chain, bases), abs=1e-6)


def test_a_twist_replaced_by_its_half_turn_changes_the_sign_of_the_bend():
    chain = VirtualChain(unit_chain("YXY", math.pi / 2))
    twist, bend = math.radians(150), math.radians(40)  # out of limits; half a turn back is within them
    desired = multiply(about(Y, twist), chain.models[1].rotation(bend))
    angles = backward_phase(
        chain, [0.0, bend, 0.0], [IDENTITY, about(Y, twist), desired, desired], desired, True
    )
    assert angles[0] == pytest.approx(math.radians(-30))
    assert angles[1] == pytest.approx(-bend)
    assert orientation_error(desired, chain.bases(angles)[-1], symmetric=True) < 1e-7


def test_where_the_bends_own_twist_is_out_of_limits_the_opposite_bend_is_taken():
    chain = VirtualChain(unit_chain("YXY", math.pi / 2))
    desired = rotate(about(Y, math.radians(150)), rotate(about(X, 0.7), Y))
    twist, bend = _twist_parent(chain, 1, IDENTITY, about(Y, math.radians(150)), desired, 0.7)
    assert twist == pytest.approx(math.radians(-30))
    assert bend == pytest.approx(-0.7)


def test_a_child_is_rolled_about_its_link_until_its_axis_fits_the_twister():
    draw = random.Random(14)
    chain = VirtualChain(unit_chain("YXY", math.pi))
    for _ in range(20):
        basis, child, bend = any_turn(draw), any_turn(draw), draw.uniform(-2, 2)
        rolled = _roll_child(chain, 0, basis, child, bend)
        link = [rotate(multiply(turn, chain.models[1].rotation(bend)), Y) for turn in (child, rolled)]
        assert link[1] == pytest.approx(link[0], abs=1e-9)
        assert dot(rotate(rolled, X), rotate(basis, Y)) == pytest.approx(0, abs=1e-9)


# The end's twist, after Backward, BWCD and CCD alike


@pytest.mark.parametrize("seed", range(8))
def test_the_end_twists_to_the_nearer_of_its_two_rolls_within_limits(seed):
    draw = random.Random(seed)
    model = VirtualChain(skeleton_of("C")).models[-1]
    basis, target = any_turn(draw), any_turn(draw)
    angle = end_twist(model, basis, target, symmetric=True)
    assert model.lower <= angle <= model.upper

    def error(twist: float) -> float:
        return orientation_error(target, multiply(basis, model.rotation(twist)), symmetric=True)

    assert all(
        error(angle) <= error(model.lower + (model.upper - model.lower) * i / 100) + 1e-9 for i in range(101)
    )


@pytest.mark.parametrize("solve", [bwcd_solution, ccd])
def test_coordinate_descent_ends_with_the_symmetric_twist_within_limits(solve):
    # Without the rule for symmetric ends, ends with a range of +-90 degrees get orientation errors of .45.
    draw = random.Random(10)
    chain = VirtualChain(skeleton_of("G"))
    for _ in range(20):
        target = any_turn(draw)
        angles = solve(chain, some_angles(draw, chain), EndAim(rotate(target, Y), target, True), HYPER)
        assert within(chain, angles)
        end = chain.bases(angles)[-1]
        if aims(EndAim(rotate(target, Y), target, True), end, 1e-8):
            assert orientation_error(target, end, symmetric=True) < 2e-4


# BWCD and CCD


@pytest.mark.parametrize("chain", chains()[1:9])
def test_bwcd_warps_a_posture_to_the_direction_whatever_the_limits(chain):
    draw = random.Random(11)
    met = 0
    for _ in range(20):
        direction = any_direction(draw)
        aim = EndAim(direction, None, True)
        met += aims(aim, chain.bases(bwcd_posture(chain, some_angles(draw, chain), aim, HYPER))[-1], 1e-6)
    assert met >= 19


def test_bwcd_puts_the_warp_at_the_root():
    chain = VirtualChain(unit_chain("YXXXY", math.pi))
    posture = [0.0, 0.4, 0.4, 0.4, 0.0]
    turned = rotate(about(Y, 1.0), rotate(chain.bases(posture)[-1], Y))
    assert bwcd_posture(chain, posture, EndAim(turned, None, True), HYPER) == pytest.approx(
        [1.0, 0.4, 0.4, 0.4, 0.0]
    )


@pytest.mark.parametrize("chain", chains())
def test_coordinate_descent_keeps_within_limits_even_when_the_target_cannot_be_met(chain):
    # None of the printed Backward, BWCD and CCD clamps its angles.
    draw = random.Random(12)
    for _ in range(5):
        target = any_turn(draw)
        for orientation in (target, None):
            aim = EndAim(rotate(target, Y), orientation, False)
            assert within(chain, bwcd_solution(chain, some_angles(draw, chain), aim, HYPER))
            assert within(chain, ccd(chain, some_angles(draw, chain), aim, HYPER))


def test_ccd_from_the_zero_pose_finds_straight_down_only_off_the_edges():
    # A straight chain that should look straight back: no joint has a lever, and joints at +-90 degrees are
    # singular again.
    chain = VirtualChain(skeleton_of("C"))
    aim = EndAim(scale(Y, -1.0), None, True)

    def error(hyper: Hyperparameters) -> float:
        start = [0.0, 0.3, 0.0, 0.0, 0.0]
        return math.acos(
            max(-1.0, dot(rotate(chain.bases(ccd(chain, start, aim, hyper))[-1], Y), aim.direction))
        )

    assert error(HYPER) <= error(replace(HYPER, avoid_edges=False)) + 1e-9
    assert error(HYPER) < 0.1


def test_an_end_without_a_twister_is_turned_to_the_whole_orientation():
    skeleton = unit_chain("YXZXZ", 2.0)
    chain = VirtualChain(skeleton)
    draw = random.Random(13)
    for _ in range(10):
        target = chain.bases(some_angles(draw, chain))[-1]
        start = [angle + draw.uniform(-0.1, 0.1) for angle in np.zeros(5)]
        solved = bwcd_solution(
            chain, start, EndAim(rotate(target, Y), target, False), replace(HYPER, max_bwcd_iterations=200)
        )
        before = orientation_error(target, chain.bases(start)[-1], symmetric=False)
        assert orientation_error(target, chain.bases(solved)[-1], symmetric=False) < max(0.35 * before, 0.05)
