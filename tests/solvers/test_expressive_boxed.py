"""Steps within bounds: joints that must keep moving, and the others that count on it."""

import numpy as np
from limber.solvers.expressive.descent import boxed


def test_a_joint_that_must_keep_moving_moves_and_the_others_make_up_for_just_that():
    matrix = np.array([[[1.0, 0.9], [0.9, 1.0]]])
    descent = np.array([[0.35, 0.6]])
    least, most = np.array([[-3.0, -2.0]]), np.array([[-0.5, 2.0]])
    move = boxed(matrix, descent, least, most)
    np.testing.assert_allclose(move, [[-0.5, 0.6 + 0.9 * 0.5]])


def test_a_bound_that_nothing_presses_against_changes_nothing():
    matrix = np.eye(2)[None]
    move = boxed(matrix, np.array([[1.0, 0.5]]), np.array([[0.2, -1.0]]), np.array([[2.0, 1.0]]))
    np.testing.assert_allclose(move, [[1.0, 0.5]])
