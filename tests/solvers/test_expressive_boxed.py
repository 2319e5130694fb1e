"""Steps within bounds: joints that must keep moving, and the others that count on it."""

import numpy as np
from limber.solvers.expressive.descent import boxed


def test_where_a_joint_goes_that_must_keep_moving_is_found_with_the_others():
    matrix = np.array([[[1.0, 0.9], [0.9, 1.0]]])
    best = np.array([[-1.0, 1.5]])  # alone the first joint would rather not move
    move = boxed(matrix, (matrix @ best[..., None])[..., 0], np.array([[-3.0, -2.0]]), np.array([[-0.5, 2.0]]))
    np.testing.assert_allclose(move, best)


def test_a_joint_that_a_bound_stops_counts_as_stopped_there():
    matrix = np.array([[[1.0, 0.9], [0.9, 1.0]]])
    descent = (matrix @ np.array([-1.0, 1.5])).reshape(1, 2)
    move = boxed(matrix, descent, np.array([[-0.8, -2.0]]), np.array([[-0.5, 2.0]]))
    np.testing.assert_allclose(move, [[-0.8, descent[0, 1] + 0.9 * 0.8]])


def test_a_bound_that_nothing_presses_against_changes_nothing():
    matrix = np.eye(2)[None]
    move = boxed(matrix, np.array([[1.0, 0.5]]), np.array([[0.2, -1.0]]), np.array([[2.0, 1.0]]))
    np.testing.assert_allclose(move, [[1.0, 0.5]])
