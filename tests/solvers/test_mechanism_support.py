"""Tests the edge over which a mechanism would tip: of one sole, or between two; points slightly above the
ground count as contacts.
"""

import numpy as np
import pytest
from limber.solvers.mechanism.support import tipping

SOLE = np.array([(x, y, 0.0) for x in (-0.03, 0.03) for y in (-0.06, 0.04)])
BESIDE = np.array((0.05, 0.0, 0.0))
LEFT, RIGHT = SOLE + BESIDE, SOLE - BESIDE
HEAD = np.array([(0.0, 0.0, 0.3)])


@pytest.mark.parametrize("centre", [(0.0, 0.0, 0.2), (0.079, 0.039, 0.1), (0.0, -0.0599, 0.2)])
def test_over_the_soles_nothing_tips(centre):
    assert tipping({"left": LEFT, "right": RIGHT, "head": HEAD}, np.array(centre)) is None


@pytest.mark.parametrize(
    ("centre", "bodies", "distance", "outward"),
    [
        ((0.1, 0.0, 0.2), ("left", "left"), 0.02, (1.0, 0.0)),
        ((0.0, -0.08, 0.2), ("right", "left"), 0.02, (0.0, -1.0)),
        ((-0.09, 0.0, 0.2), ("right", "right"), 0.01, (-1.0, 0.0)),
    ],
)
def test_the_edge_nearest_to_a_centre_of_mass_outside_is_named_with_its_distance(
    centre, bodies, distance, outward
):
    edge = tipping({"left": LEFT, "right": RIGHT, "head": HEAD}, np.array(centre))
    assert edge.bodies == bodies
    assert edge.distance == pytest.approx(distance)
    assert edge.outward == pytest.approx(outward)


@pytest.mark.parametrize(("lift", "is_tipping"), [(0.001, False), (0.02, True)])
def test_a_lifted_foot_carries_nothing_and_one_that_a_small_tilt_puts_down_does(lift, is_tipping):
    edge = tipping({"left": LEFT, "right": RIGHT + np.array((0.0, 0.0, lift))}, np.array((0.0, 0.0, 0.2)))
    assert (edge is not None) == is_tipping
    if edge is not None:
        assert edge.bodies == ("left", "left")


def test_a_mechanism_without_soles_does_not_tip_and_one_on_a_point_tips_over_it():
    assert tipping({}, np.zeros(3)) is None
    edge = tipping({"stilt": np.zeros((1, 3))}, np.array((0.03, 0.04, 1.0)))
    assert edge.bodies == ("stilt", "stilt")
    assert edge.distance == pytest.approx(0.05)
    assert tipping({"stilt": np.zeros((1, 3))}, np.array((0.0, 0.0, 1.0))) is None
