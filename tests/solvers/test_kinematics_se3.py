"""Tests that stacked rotations and frames agree with single ones, also near half turns and near zero."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.solvers.kinematics import rotations
from limber.solvers.kinematics.se3 import (
    RigidTransform,
    angle_of,
    cross,
    exponential,
    frame_array,
    half_angle,
    inverse,
    logarithm,
    orthonormal,
)

from benchmarks.whole_body.printed import vee

often = settings(derandomize=True, deadline=None, max_examples=60)
seeds = st.integers(0, 10**6)


@often
@given(seeds, st.sampled_from([0.0, 1e-12, 1e-7, 0.1, 1.0, 3.0, math.pi - 1e-7, math.pi - 1e-9, math.pi]))
def test_the_logarithm_undoes_the_exponential_up_to_a_half_turn(seed, angle):
    axis = np.random.default_rng(seed).normal(size=3)
    vector = angle * axis / np.linalg.norm(axis)
    turn = exponential(vector)
    assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-14)
    assert np.array(rotations.to_matrix(rotations.exponential(tuple(vector.tolist())))) == pytest.approx(
        turn, abs=1e-14
    )
    assert exponential(logarithm(turn[None])[0]) == pytest.approx(turn, abs=1e-9)
    assert np.linalg.norm(logarithm(turn)) == pytest.approx(angle, abs=1e-9)
    assert angle_of(turn) == pytest.approx(angle, abs=1e-9)
    assert np.linalg.norm(half_angle(turn)[0]) == pytest.approx(2.0 * math.sin(0.5 * angle), abs=1e-9)
    if angle < math.pi - 1e-8:
        assert logarithm(turn[None])[0] == pytest.approx(vector, abs=1e-8)


def test_the_papers_residual_is_the_sine_and_sees_no_half_turn():
    for angle in (0.1, 1.0, 2.0, math.pi):
        turn = exponential(np.array([0.0, angle, 0.0]))
        assert vee(turn) == pytest.approx([0.0, math.sin(angle), 0.0], abs=1e-15)
    assert np.linalg.norm(logarithm(exponential(np.array([0.0, math.pi, 0.0])))) == pytest.approx(math.pi)


def test_rotations_of_many_angles_at_once_are_those_of_each():
    vectors = np.random.default_rng(1).normal(size=(3, 2, 3))
    vectors[0, 0], vectors[1, 1] = 0.0, (0.0, math.pi, 0.0)
    turns = exponential(vectors)
    assert logarithm(turns) == pytest.approx(
        np.array([[logarithm(turn) for turn in row] for row in turns]), abs=1e-12
    )


def test_products_frames_and_drifted_matrices():
    a, b = np.random.default_rng(0).normal(size=(2, 5, 3))
    assert cross(a, b) == pytest.approx(np.cross(a, b))
    assert cross(a[:, None], b[0]) == pytest.approx(np.cross(a[:, None], b[0]))
    turn = exponential(np.array([1.0, 2.0, -0.5]))
    drifted = turn * (1 + 1e-5)
    assert orthonormal(drifted) @ orthonormal(drifted).T == pytest.approx(np.eye(3), abs=1e-9)
    assert orthonormal(turn * (1 + 1e-9)) == pytest.approx(turn, abs=1e-15)
    frame = frame_array(RigidTransform(rotations.from_matrix(turn.tolist()), (1.0, -2.0, 0.5)))
    assert inverse(frame) == pytest.approx(np.linalg.inv(frame), abs=1e-15)
