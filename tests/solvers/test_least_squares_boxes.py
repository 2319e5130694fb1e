"""Tests steps within bounds: joints that must continue to move, and the adaptation of the others."""

import numpy as np
from limber.solvers.least_squares.boxes import boxed

ENOUGH = 12  # number of passes that suffices


def test_where_a_joint_goes_that_must_keep_moving_is_found_with_the_others():
    matrix = np.array([[[1.0, 0.9], [0.9, 1.0]]])
    best = np.array([[-1.0, 1.5]])  # without the second one, the first joint would not move
    move = boxed(
        matrix, (matrix @ best[..., None])[..., 0], np.array([[-3.0, -2.0]]), np.array([[-0.5, 2.0]]), ENOUGH
    )
    np.testing.assert_allclose(move, best)


def test_a_joint_that_a_bound_stops_counts_as_stopped_there():
    matrix = np.array([[[1.0, 0.9], [0.9, 1.0]]])
    descent = (matrix @ np.array([-1.0, 1.5])).reshape(1, 2)
    move = boxed(matrix, descent, np.array([[-0.8, -2.0]]), np.array([[-0.5, 2.0]]), ENOUGH)
    np.testing.assert_allclose(move, [[-0.8, descent[0, 1] + 0.9 * 0.8]])


def test_a_bound_that_nothing_presses_against_changes_nothing():
    matrix = np.eye(2)[None]
    move = boxed(matrix, np.array([[1.0, 0.5]]), np.array([[0.2, -1.0]]), np.array([[2.0, 1.0]]), ENOUGH)
    np.testing.assert_allclose(move, [[1.0, 0.5]])


def test_a_joint_that_only_another_carried_over_its_bound_is_let_go() -> None:
    matrix = np.array([[[1.0, 0.9], [0.9, 1.0]]])
    descent = np.array([[-0.3, 0.3]])
    move = boxed(matrix, descent, np.full((1, 2), -2.0), np.array([[2.0, 0.005]]), ENOUGH)
    np.testing.assert_allclose(move, [[-0.3 - 0.9 * 0.005, 0.005]])


def test_no_move_within_the_bounds_is_better() -> None:
    draw = np.random.default_rng(1)
    for _ in range(200):
        half = draw.normal(size=(1, 5, 5))
        matrix = half @ half.transpose(0, 2, 1) + 0.1 * np.eye(5)
        descent = draw.normal(size=(1, 5))
        least, most = -draw.uniform(0.0, 0.5, (1, 5)), draw.uniform(0.0, 0.5, (1, 5))
        found = boxed(matrix, descent, least, most, ENOUGH)
        assert ((least <= found) & (found <= most)).all()
        others = np.concatenate([found, np.clip(found + 0.05 * draw.normal(size=(300, 5)), least, most)])
        values = 0.5 * np.einsum("mi,ij,mj->m", others, matrix[0], others) - others @ descent[0]
        assert values[0] <= values.min() + 1e-9
