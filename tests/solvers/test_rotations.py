"""Tests that rotations satisfy their axioms, also near half turns and near zero."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from limber.solvers.kinematics.rotations import (
    about,
    angle_between,
    between,
    conjugate,
    cross,
    dot,
    from_axes,
    from_matrix,
    logarithm,
    multiply,
    normalized,
    perpendicular,
    reject,
    rotate,
    signed_angle,
    to_matrix,
    turn_angle,
    twist_angle,
    unit,
    vector_angle,
    wrap,
)

part = st.floats(-1, 1, allow_subnormal=False)
vectors = st.tuples(part, part, part)
units = vectors.filter(lambda v: math.hypot(*v) > 1e-3).map(unit)
turns = st.tuples(part, part, part, part).filter(lambda q: math.hypot(*q) > 1e-3).map(normalized)
angles = st.floats(-math.pi, math.pi)


@given(turns, turns, vectors)
def test_a_product_turns_by_its_right_factor_first(p, q, v):
    assert rotate(multiply(p, q), v) == pytest.approx(rotate(p, rotate(q, v)), abs=1e-12)


@given(turns, vectors, vectors)
def test_turning_keeps_lengths_angles_and_handedness(q, a, b):
    assert dot(rotate(q, a), rotate(q, b)) == pytest.approx(dot(a, b), abs=1e-12)
    assert cross(rotate(q, a), rotate(q, b)) == pytest.approx(rotate(q, cross(a, b)), abs=1e-12)


@given(turns)
def test_a_conjugate_undoes(q):
    assert turn_angle(multiply(q, conjugate(q))) == pytest.approx(0, abs=1e-12)


@given(units, units)
def test_between_takes_one_direction_to_the_other_by_the_shortest_turn(a, b):
    turn = between(a, b)
    assert rotate(turn, a) == pytest.approx(b, abs=1e-6)
    assert turn_angle(turn) == pytest.approx(vector_angle(a, b), abs=1e-4)


@given(units)
def test_between_opposite_directions_is_half_a_turn(a):
    back = (-a[0], -a[1], -a[2])
    assert rotate(between(a, back), a) == pytest.approx(back, abs=1e-12)


@given(units, angles)
def test_a_logarithm_is_the_axis_times_the_angle(axis, angle):
    assume(abs(angle) < math.pi - 1e-6)
    assert logarithm(about(axis, angle)) == pytest.approx(tuple(angle * part for part in axis), abs=1e-9)


@pytest.mark.parametrize("angle", [1e-12, 1e-9, 1e-6, math.pi - 1e-9, math.pi])
def test_angles_are_exact_near_none_and_near_half_a_turn(angle):
    assert turn_angle(about(unit((1, 2, 3)), angle)) == pytest.approx(angle, rel=1e-9)
    assert vector_angle((1, 0, 0), (math.cos(angle), math.sin(angle), 0)) == pytest.approx(angle, rel=1e-9)


@given(turns)
def test_a_matrix_and_its_quaternion_are_the_same_turn(q):
    assert angle_between(from_matrix(to_matrix(q)), q) == pytest.approx(0, abs=1e-7)
    assert np.array(to_matrix(q)) @ np.array([0.3, -0.4, 0.5]) == pytest.approx(rotate(q, (0.3, -0.4, 0.5)))


@given(units)
def test_axes_give_back_the_turn_that_made_them(y):
    z = perpendicular(y)
    x = cross(y, z)
    turn = from_axes(x, y, z)
    assert rotate(turn, (0.0, 1.0, 0.0)) == pytest.approx(y, abs=1e-9)
    assert rotate(turn, (0.0, 0.0, 1.0)) == pytest.approx(z, abs=1e-9)


@given(units, angles)
def test_a_signed_angle_says_how_far_to_turn(axis, angle):
    a = perpendicular(axis)
    found = signed_angle(a, rotate(about(axis, angle), a), axis)
    assert wrap(found - angle) == pytest.approx(0, abs=1e-9)


@given(turns, units)
def test_a_twist_comes_nearest_of_all_turns_about_its_axis(q, axis):
    assume(abs(q[0]) + abs(dot((q[1], q[2], q[3]), axis)) > 1e-3)
    twist = twist_angle(q, axis)
    nearest = angle_between(about(axis, twist), q)
    assert all(nearest <= angle_between(about(axis, twist + more), q) + 1e-9 for more in (-0.3, 0.01, 2.0))


@given(vectors, units)
def test_a_rejection_is_perpendicular(a, axis):
    assert dot(reject(a, axis), axis) == pytest.approx(0, abs=1e-12)


def test_what_has_no_direction_says_so():
    with pytest.raises(ValueError, match="direction"):
        unit((0.0, 0.0, 0.0))
    with pytest.raises(ValueError, match="length"):
        normalized((math.nan, 0.0, 0.0, 1.0))
