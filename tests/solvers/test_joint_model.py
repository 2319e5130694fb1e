"""Tests ERIK's joint model: the closed form agrees with the paper's table, and angles stay within limits."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.solvers.kinematics.rotations import X, Y, about, cross, dot, rotate, wrap
from limber.solvers.virtual_chain.joint_model import JointModel

from tests.solvers.chains import any_direction

ANY_ANGLE = st.floats(-20, 20)


def table(model: JointModel, step: float) -> list[tuple[float, float, float]]:
    """The paper's LALUT (section 3.4.1): (angle, latitude, hemisphere) at every step over the
    joint's range.
    """
    rows = []
    count = round((model.upper - model.lower) / step)
    for i in range(count + 1):
        angle = model.lower + i * step
        u = rotate(about(model.axis, angle), model.segment)
        latitude = (dot(u, model.parent) + 1) / 2
        hemisphere = -1 if dot(u, cross(model.axis, model.parent)) < 0 else 1
        rows.append((angle, latitude, hemisphere))
    return rows


@pytest.mark.parametrize("seed", range(20))
def test_the_closed_form_gives_the_angle_that_the_table_holds(seed):
    draw = random.Random(seed)
    # Half a turn around the boundary of the hemispheres: each latitude of a hemisphere once, as a table
    # requires.
    free = JointModel(any_direction(draw), any_direction(draw), any_direction(draw), -math.pi, math.pi)
    zero = free.angle_at(2.0, 1.0)  # above every latitude: the top
    model = JointModel(free.axis, free.segment, free.parent, zero - 3.0, zero + 3.0)
    for angle, latitude, hemisphere in table(model, math.radians(7.0)):
        assert wrap(model.angle_at(latitude, hemisphere) - angle) == pytest.approx(0, abs=1e-6)


def test_a_straight_hinge_bends_by_its_targets_angle():
    model = JointModel(X, Y, Y, -2.0, 2.0)
    for angle in (-1.9, -0.3, 0.0, 1.2):
        target = rotate(about(X, angle), Y)
        assert model.local_swing(target)[0] == pytest.approx(angle)
        assert model.local_swing(target)[1] == pytest.approx(-angle)


def test_a_target_beside_the_swings_plane_counts_by_its_latitude():
    model = JointModel(X, Y, Y, -2.0, 2.0)
    beside = rotate(about(Y, 0.7), rotate(about(X, 0.9), Y))
    assert model.local_swing(beside)[0] == pytest.approx(0.9)


def test_a_latitude_out_of_reach_is_answered_by_the_nearest():
    tilted = rotate(about(Y, 0.3), rotate(about(X, 0.5), Y))
    # the segment describes a narrow circle about the axis
    model = JointModel(tilted, Y, Y, -math.pi, math.pi)
    against = (0.0, -1.0, 0.0)
    angle = model.local_swing(against)[0]
    lowest = min(table(model, math.radians(0.5)), key=lambda row: row[1])
    assert abs(wrap(angle - lowest[0])) < math.radians(1)


@pytest.mark.parametrize("seed", range(10))
def test_a_swing_about_the_parents_own_direction_goes_straight_for_the_target(seed):
    draw = random.Random(seed)
    axis, segment, target = any_direction(draw), any_direction(draw), any_direction(draw)
    model = JointModel(axis, segment, axis, -math.pi, math.pi)  # all latitudes are equal
    angle = model.local_swing(target)[0]
    best = dot(rotate(about(axis, angle), segment), target)
    assert all(
        best >= dot(rotate(about(axis, angle + more), segment), target) - 1e-9 for more in (-0.5, 0.1, 2.0)
    )


def degrees_twist(lower: float, upper: float, angle: float) -> float:
    return math.degrees(
        JointModel(Y, Y, Y, math.radians(lower), math.radians(upper)).safe_twist(math.radians(angle))
    )


@pytest.mark.parametrize(
    ("lower", "upper", "angle", "safe"),
    [
        (-90, 90, 45, 45),
        (-90, 90, 120, -60),  # as printed: -max + (120 - 90)
        (-90, 90, -120, 60),  # with Python's modulo, -120 would become 240
        (-90, 90, 300, -60),
        (-120, 120, 150, -30),  # as printed, this would become -90, another direction
        (-120, 120, -150, 30),
        (-180, 180, -170, -170),
        (0, 180, -30, 150),
        (-30, 30, 100, 30),  # neither the angle nor half a turn from it is within limits: the nearer limit
        (-30, 30, -170, 10),
        (-270, 270, 190, -170),
        (600, 700, -90, 630),
    ],
)
def test_a_twist_out_of_limits_takes_its_half_turn_before_it_is_clamped(lower, upper, angle, safe):
    assert degrees_twist(lower, upper, angle) == pytest.approx(safe)


@given(ANY_ANGLE, st.floats(0, 2 * math.pi), ANY_ANGLE)
def test_no_angle_leaves_the_limits(lower, span, angle):
    model = JointModel(X, Y, Y, lower, lower + span)
    for safe in (
        model.safe_angle(angle),
        model.safe_twist(angle),
        *model.local_swing(rotate(about(X, angle), Y)),
    ):
        assert model.lower <= safe <= model.upper
        assert model.lower <= model.off_edge(safe, 0.02) <= model.upper


@given(ANY_ANGLE, st.floats(0.1, math.pi), ANY_ANGLE)
def test_a_safe_angle_is_the_same_turn_where_it_can_be(lower, span, angle):
    model = JointModel(X, Y, Y, lower, lower + span)
    safe = model.safe_angle(angle)
    nearest = min(abs(wrap(angle - (lower + i * span / 200))) for i in range(201))
    assert abs(wrap(safe - angle)) <= nearest + 1e-9


def test_avoid_edges_moves_only_what_is_on_a_limit():
    model = JointModel(X, Y, Y, -1.0, 1.0)
    assert model.off_edge(1.0, 0.1) == pytest.approx(0.9)
    assert model.off_edge(-1.0, 0.1) == pytest.approx(-0.9)
    assert model.off_edge(0.99, 0.1) == 0.99
    assert JointModel(X, Y, Y, 0.3, 0.35).off_edge(0.35, 0.1) == 0.35


def test_a_twister_turns_about_its_own_segment():
    assert JointModel(Y, Y, X, -1, 1).is_twister
    assert JointModel((0.0, -1.0, 0.0), Y, X, -1, 1).is_twister
    assert not JointModel(X, Y, Y, -1, 1).is_twister
