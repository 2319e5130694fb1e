"""Tests a tree with joints of every kind: frames of many configurations equal those of each, Jacobians agree
with finite differences.
"""

import numpy as np
import pytest
from limber.solvers.kinematics.se3 import exponential, logarithm
from limber.solvers.kinematics.tree import BASE, Tree

KINDS = ("revolute", "spherical", "prismatic", "revolute", "spherical", "prismatic", "revolute")
PARENTS = (-1, 0, 0, 1, 3, 2, -1)
CARRIERS = (-1, 4, 5, 6)
STEP = 1e-6


def framed(dice, count: int) -> np.ndarray:
    frames = np.tile(np.eye(4), (count, 1, 1))
    frames[:, :3, :3], frames[:, :3, 3] = (
        exponential(dice.normal(size=(count, 3))),
        dice.normal(size=(count, 3)),
    )
    return frames


def tree(seed: int) -> Tree:
    dice = np.random.default_rng(seed)
    axes = dice.normal(size=(len(KINDS), 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    return Tree(PARENTS, framed(dice, len(KINDS)), axes, KINDS, CARRIERS, framed(dice, len(CARRIERS)))


def anywhere(made: Tree, seed: int, *shape: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    dice = np.random.default_rng(seed)
    return (
        dice.normal(size=(*shape, len(made))),
        exponential(dice.normal(size=(*shape, 3))),
        exponential(dice.normal(size=(*shape, len(made.balls), 3))),
    )


@pytest.mark.parametrize("seed", range(3))
def test_many_configurations_at_once_are_those_of_each(seed: int):
    made = tree(seed)
    values, bases, balls = anywhere(made, seed, 5)
    links = np.arange(len(CARRIERS))
    together = made.forward(values, bases, balls)
    for k in range(5):
        alone = made.forward(values[k], bases[k], balls[k])
        assert made.placed(alone, links) == pytest.approx(made.placed(together, links)[k], abs=1e-12)
        assert alone.angular == pytest.approx(together.angular[k], abs=1e-12)
        assert alone.linear == pytest.approx(together.linear[k], abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_joints_frame_is_its_rest_then_its_motion_from_the_base_out(seed: int):
    made = tree(seed)
    values, base, balls = anywhere(made, seed)
    expected = [np.eye(4)]
    expected[0][:3, :3] = base
    turns = iter(balls)
    for k, kind in enumerate(KINDS):
        motion, first = np.eye(4), made.first[k]
        if kind == "prismatic":
            motion[:3, 3] = values[first] * made.axes[first, :, 0]
        else:
            motion[:3, :3] = (
                next(turns) if kind == "spherical" else exponential(values[first] * made.axes[first, :, 0])
            )
        expected.append(expected[PARENTS[k] + 1] @ made.rests[k] @ motion)
    frames = made.placed(made.forward(values, base, balls), np.arange(len(CARRIERS)))
    assert frames == pytest.approx(
        np.array([expected[carrier + 1] for carrier in CARRIERS]) @ made.ends, abs=1e-12
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("link", range(len(CARRIERS)))
def test_the_jacobian_of_a_link_is_what_differences_show(seed: int, link: int):
    made = tree(seed)
    values, base, balls = anywhere(made, seed)
    angular, linear = made.jacobian(made.forward(values, base, balls), link)

    def placed(unknown: int, by: float) -> np.ndarray:
        step = np.zeros(made.unknowns)
        step[unknown] = by
        frames = made.forward(*moved(made, values, base, balls, step))
        frame = made.placed(frames, np.array([link]))[0]
        frame[:3, 3] += step[:3]  # of the base's position, which is the origin
        return frame

    for k in range(made.unknowns):
        behind, ahead = placed(k, -STEP), placed(k, STEP)
        assert (ahead[:3, 3] - behind[:3, 3]) / (2.0 * STEP) == pytest.approx(linear[:, k], abs=1e-6)
        assert logarithm(ahead[:3, :3] @ behind[:3, :3].T) / (2.0 * STEP) == pytest.approx(
            angular[:, k], abs=1e-6
        )


def moved(made: Tree, values, base, balls, step):
    """Arguments of `forward` after a step of all unknowns."""
    values, balls = made.moved(values, balls, step[BASE:])
    return values, exponential(step[3:BASE]) @ base, balls


@pytest.mark.parametrize("link", range(len(CARRIERS)))
def test_the_velocity_of_a_link_is_the_linear_part_of_its_jacobian(link: int):
    made = tree(link)
    frames = made.forward(*anywhere(made, link, 3))
    _, linear = made.jacobian(frames, link)
    assert made.velocity(frames, link) == pytest.approx(linear[..., BASE:].swapaxes(-1, -2), abs=1e-12)
