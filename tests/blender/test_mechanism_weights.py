"""Tests weights of a mechanism's goals: along the world's axes whatever the mechanism's orientation is;
several goals of the centre of mass.
"""

import math

import bpy
import numpy as np
import pytest

from tests.blender import mechanisms as those
from tests.blender.test_mechanism_masses import weighed, with_centre_goal

BESIDE = 0.02  # [m] offset of a target, along X and Y


def turned(angle: float):
    """A Stewart platform that is rotated about the world's Z [rad], at the world's origin."""
    owner = those.add("stewart", place=(0.0, 0.0, 0.0))
    owner.rotation_euler.z = angle
    bpy.context.view_layer.update()
    those.set_rest_pose(owner)
    goal = owner.limber.mechanism.goals[0]
    goal.target.parent = None
    goal.target.matrix_world = goal.body.matrix_world
    return owner


def centre_of_mass(owner) -> np.ndarray:
    """The shown common centre of mass (3,) [m, world]."""
    session = those.session(owner)
    poses, bodies = session.base @ session.outputs.poses, session.reading.mechanism.bodies
    moments = [body.mass * (pose @ (*body.centre, 1.0))[:3] for body, pose in zip(bodies, poses, strict=True)]
    return np.sum(moments, axis=0) / sum(body.mass for body in bodies)


@pytest.mark.parametrize("angle", [0.0, 0.5 * math.pi, 0.6])
def test_a_goals_weights_act_along_the_worlds_axes_however_the_ground_is_turned(angle):
    owner = turned(angle)
    goal = owner.limber.mechanism.goals[0]
    goal.position_weight = (1.0, 0.0, 1.0)
    goal.target.location.x += BESIDE
    goal.target.location.y += BESIDE
    bpy.ops.limber.live()
    those.settle(owner)
    assert those.world(goal.body)[:2, 3] == pytest.approx((BESIDE, 0.0), abs=1e-3)
    assert those.session(owner).remark == "", "the free axis counts as no error"


@pytest.mark.parametrize("angle", [0.0, 0.5 * math.pi, 0.6])
def test_the_weights_of_a_centre_of_mass_act_along_the_worlds_axes_too(angle):
    owner = turned(angle)
    owner.limber.mechanism.goals[0].position_weight = (0.0, 0.0, 1.0)
    goal = with_centre_goal(owner)
    start = _rests_at(owner)
    goal.target.location, goal.position_weight = (
        start + np.array((0.5 * BESIDE, BESIDE, 0.0)),
        (
            1.0,
            0.0,
            0.0,
        ),
    )
    bpy.ops.limber.live()
    those.settle(owner)
    there = centre_of_mass(owner)
    assert there[0] - start[0] == pytest.approx(0.5 * BESIDE, abs=1e-5)
    assert abs(there[1] - start[1]) < 0.2 * BESIDE
    assert those.session(owner).remark == ""


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_goals_of_the_centre_of_mass_both_count(order):
    owner = turned(0.3)
    owner.limber.mechanism.goals[0].position_weight = (0.0, 0.0, 0.0)
    start = _rests_at(owner)
    weights = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    for k in order:
        goal = with_centre_goal(owner)
        goal.target.location, goal.position_weight = start + 0.5 * BESIDE * np.array(weights[k]), weights[k]
    bpy.ops.limber.live()
    those.settle(owner)
    assert (centre_of_mass(owner) - start)[:2] == pytest.approx((0.5 * BESIDE, 0.5 * BESIDE), abs=1e-5)


def _rests_at(owner) -> np.ndarray:
    bodies = weighed(owner).values()
    return sum(mass * centre for mass, centre in bodies) / sum(mass for mass, _ in bodies)
