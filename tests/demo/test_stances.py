"""Tests the generated postures of an unposed robot, and the path of its target."""

from math import cos, pi, sin

import numpy as np
import pytest
import stances
from limber.solvers.kinematics import rotations
from limber.solvers.kinematics.skeleton import Joint, Skeleton


def arm(kinds=("revolute",) * 5) -> Skeleton:
    """Links of 0.2 m straight up, with alternating axes; prismatic joints move along the links."""
    axes = (rotations.Z, rotations.X, rotations.X, rotations.Z, rotations.X)
    joints = [
        Joint(
            f"j{k}",
            k - 1,
            rotations.IDENTITY,
            (0.0, 0.0, 0.2),
            axis if kind == "revolute" else rotations.Z,
            -1.5,
            2.0,
            kind,
        )
        for k, (axis, kind) in enumerate(zip(axes, kinds, strict=True))
    ]
    return Skeleton(tuple(joints), rotations.about(rotations.X, pi / 2), (0.0, 0.0, 0.1))


def look(pose) -> tuple[np.ndarray, np.ndarray]:
    return np.array([*pose.positions, pose.tool_position]), np.array(
        rotations.rotate(pose.tool_rotation, rotations.Y)
    )


@pytest.mark.parametrize(
    "kinds", [("revolute",) * 5, ("revolute", "revolute", "prismatic", "revolute", "revolute")]
)
def test_postures_are_within_limits_above_the_floor_look_ahead_and_differ(kinds):
    skeleton = arm(kinds)
    chosen = stances.choose(skeleton, look, 0.0)
    assert list(chosen.postures) == ["High", "Low", "Other"]
    heights = {}
    for name, angles in chosen.postures.items():
        assert np.all(angles > skeleton.lower)
        assert np.all(angles < skeleton.upper)
        places, way = look(skeleton.forward(angles.tolist()))
        assert places[:, 2].min() >= 0.0
        assert abs(np.arcsin(way[2])) <= stances.LEVEL
        assert way @ (cos(chosen.front), sin(chosen.front), 0.0) > 0.0
        heights[name] = places[-1, 2]
    assert heights["High"] > heights["Low"]
    angles = np.array(list(chosen.postures.values()))
    assert min(np.abs(angles[a] - angles[b]).max() for a, b in ((0, 1), (0, 2), (1, 2))) > 0.3


def test_the_same_robot_gets_the_same_postures():
    first, again = (stances.choose(arm(), look, 0.0).postures for _ in range(2))
    assert all(np.array_equal(first[name], again[name]) for name in first)


def test_a_robot_that_can_only_look_up_gets_postures_all_the_same():
    chosen = stances.choose(arm(), lambda pose: (look(pose)[0], np.array((0.0, 0.0, 1.0))), 0.0)
    assert len(chosen.postures) == 3


def test_the_way_stays_above_the_floor_and_within_its_size():
    places = stances.path(np.array((1.0, 0.0, 0.3)), 0.0, 0.5, 100, 0.1)
    assert places[:, 2].min() >= 0.1
    assert np.abs(places - (1.0, 0.0, 0.3)).max() <= 0.5 * 1.25 + 1e-9
    assert np.ptp(places[:, 1]) > 0.5


def test_the_widest_way_that_can_be_followed_is_taken_and_else_the_best():
    misses = {0.7: 0.3, 0.5: 0.0, 0.2: 0.0}
    assert stances.widest([0.7, 0.5, 0.2], misses.__getitem__, 0.1) == 0.5
    assert stances.widest([0.7, 0.5], {0.7: 0.3, 0.5: 0.4}.__getitem__, 0.1) == 0.7
