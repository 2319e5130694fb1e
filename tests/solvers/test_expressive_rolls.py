"""Tests that the expressive solver keeps heads upright and bodies from tipping over: the posture's roll is
preferred, the aim stays exact.
"""

import math
import random

import numpy as np
import pytest
from limber.solvers.aim_residual import residual
from limber.solvers.expressive import Expressive
from limber.solvers.expressive.aims import BatchedAim
from limber.solvers.expressive.model import Model, System
from limber.solvers.expressive.options import ExpressiveOptions
from limber.solvers.expressive.shape import ROLL_SHARE, Authored, Rolls
from limber.solvers.gaze import GazeSolution
from limber.solvers.goals import Direction, GazeGoal, Point, TargetError
from limber.solvers.kinematics.rotations import (
    IDENTITY,
    Vector,
    X,
    Y,
    Z,
    about,
    add,
    dot,
    from_axes,
    length,
    rotate,
    scale,
    subtract,
    unit,
)
from limber.solvers.kinematics.skeleton import Joint, Skeleton

from tests.solvers.chains import any_direction, lamp, posture_of, unit_chain

PLACES = [
    (-60, -30),
    (0, -30),
    (60, 0),
    (-60, 30),
    (0, 0),
    (60, 30),
]  # [degrees] to the side and up, from the head's view


def neck(bones: int) -> Skeleton:
    """Bones along the world's Z that rotate about all their axes in Blender's order XYZ, so that the first
    joint tilts to the side; the last one is a head that looks along -Y.
    """
    joints: list[Joint] = []
    for bone in range(bones):
        for axis in (
            Y,
            Z,
            X,
        ):  # a bone's Z is the world's -Y, its Y the world's Z: the axes are given in the world
            offset = (0.0, 0.0, 0.1) if bone and axis == Y else (0.0, 0.0, 0.0)
            joints.append(Joint(f"{bone} {axis}", len(joints) - 1, IDENTITY, offset, axis, -2.0, 2.0))
    return Skeleton(tuple(joints), from_axes(scale(X, -1.0), scale(Y, -1.0), Z), (0.0, 0.0, 0.1))


def duck() -> Skeleton:
    """A neck with four motors as in the Open Duck: two pitch, then yaw, then roll; the head looks along X."""
    turns = (
        ("neck pitch", Y, -20, 65),
        ("head pitch", Y, -45, 45),
        ("yaw", Z, -160, 160),
        ("roll", X, -30, 30),
    )
    offsets = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.07), (0.0, 0.0, 0.06), (0.04, 0.0, 0.0))
    joints = tuple(
        Joint(name, k - 1, IDENTITY, offset, axis, math.radians(low), math.radians(high))
        for k, ((name, axis, low, high), offset) in enumerate(zip(turns, offsets, strict=True))
    )
    return Skeleton(joints, from_axes(scale(Y, -1.0), X, Z), (0.05, 0.0, 0.0))


def rolled(skeleton: Skeleton, angles) -> float:
    """Roll [degrees] of the tool about its view, relative to upright."""
    turned = skeleton.forward([float(angle) for angle in angles]).tool_rotation
    return math.degrees(math.atan2(-dot(rotate(turned, X), Z), dot(rotate(turned, Z), Z)))


def aims(skeleton: Skeleton, posture, away: float = 2.0) -> list[Point]:
    """Points around the posture's view, with the posture's roll as the desired one."""
    pose = skeleton.forward([float(angle) for angle in posture])
    view = rotate(pose.tool_rotation, Y)
    level = unit((view[0], view[1], 0.0))
    side = rotate(about(Z, -math.pi / 2), level)
    found = []
    for aside, high in PLACES:
        way = rotate(about(Z, math.radians(aside)), rotate(about(side, math.radians(high)), level))
        found.append(Point(add(pose.tool_position, scale(way, away)), level=Z))
    return found


def distinct(a: float, b: float) -> float:
    """Difference [degrees] of two angles."""
    return abs((a - b + 180.0) % 360.0 - 180.0)


@pytest.mark.parametrize(
    ("skeleton", "tilt"),
    [(neck(2), 0.2), (neck(3), 0.0), (neck(3), 0.2), (duck(), 0.0)],
    ids=["two bones, tilted", "three bones", "three bones, tilted", "duck"],
)
def test_heads_keep_the_roll_of_their_posture_and_their_place(skeleton: Skeleton, tilt: float):
    solver = Expressive(skeleton, ExpressiveOptions(hold_body=True))
    posture = np.zeros(len(skeleton))
    posture[-3] = tilt  # rotation about the view: the head is tilted
    authored = skeleton.forward(posture.tolist())
    assert (
        distinct(rolled(skeleton, posture), math.degrees(tilt)) < 1e-6
        or distinct(rolled(skeleton, posture), -math.degrees(tilt)) < 1e-6
    )
    for aim in aims(skeleton, posture):
        solution = solver.solve(GazeGoal(aim, posture, symmetric=False))
        assert solution.converged, solution.reason
        assert distinct(rolled(skeleton, solution.angles), rolled(skeleton, posture)) < 15
        assert (
            length(subtract(skeleton.forward(solution.angles.tolist()).tool_position, authored.tool_position))
            < 0.12
        )


def test_without_a_preferred_roll_heads_on_necks_roll():
    skeleton, most = neck(3), 0.0
    posture = np.zeros(len(skeleton))
    for aim in aims(skeleton, posture):
        solution = Expressive(skeleton).solve(GazeGoal(Point(aim.position), posture, symmetric=False))
        most = max(most, distinct(rolled(skeleton, solution.angles), 0.0))
    assert most > 30


def followed(skeleton: Skeleton, aim: Point, posture, last: GazeSolution) -> GazeSolution:
    solver = Expressive(skeleton, ExpressiveOptions(hold_body=True))
    for _ in range(100):
        last = solver.solve(GazeGoal(aim, posture, symmetric=False), last.angles, last.memory, dt=1 / 60)
    return last


@pytest.mark.parametrize("skeleton", [neck(3), duck()], ids=["three bones", "duck"])
def test_a_target_that_jumps_is_answered_from_frame_to_frame_as_from_scratch(skeleton: Skeleton):
    posture = np.zeros(len(skeleton))
    solver = Expressive(skeleton, ExpressiveOptions(hold_body=True))
    last = solver.solve(GazeGoal(aims(skeleton, posture)[4], posture, symmetric=False))
    for aim in (aims(skeleton, posture)[k] for k in (3, 5)):
        last = followed(skeleton, aim, posture, last)
        scratch = solver.solve(GazeGoal(aim, posture, symmetric=False))
        assert last.converged, last.reason
        assert distinct(rolled(skeleton, last.angles), rolled(skeleton, scratch.angles)) < 2


def test_a_round_end_is_as_good_rolled_by_half_a_turn():
    skeleton = unit_chain("YXXY", 2.0)
    posture = np.array([0.3, 0.6, 0.5, 0.0])
    model = Model(skeleton)
    for symmetric, lost in ((True, 0.0), (False, 2.0 * ROLL_SHARE)):
        goal = GazeGoal(Direction(Z, level=Y), posture, symmetric)
        turned = posture + np.array([0.0, 0.0, 0.0, math.pi])
        rolls = Rolls(model, Authored(model, posture), goal)
        pose = model.poses(turned[None])
        assert rolls.loss(pose)[0] == pytest.approx(lost * _share_of(rolls, pose), abs=1e-9)


def _share_of(rolls: Rolls, poses) -> float:
    """Product of the sines of the angles from up to the view, in the posture and in the pose: here they are
    equal.
    """
    view = poses.end_axes(0)[0, :, 1]
    return 1.0 - view[1] ** 2


def test_the_pull_is_the_slope_of_what_is_lost_while_the_view_is_held():
    draw = random.Random(4)
    for _ in range(20):
        skeleton = unit_chain("YXZXY", 3.0)
        model, posture = Model(skeleton), posture_of(draw, unit_chain("YXZXY", 3.0))
        goal = GazeGoal(
            Direction(any_direction(draw), level=any_direction(draw)), posture, symmetric=draw.random() < 0.5
        )
        rolls = Rolls(model, Authored(model, posture), goal)
        angles = posture_of(draw, skeleton)
        nothing = System(np.zeros((1, 5, 5)), np.zeros((1, 5)))
        pull = rolls.added(model.poses(angles[None]), nothing).descent[0, -1]
        step = np.array([0.0, 0.0, 0.0, 0.0, 1e-6])  # the last joint rotates about the view
        ahead, behind = rolls.loss(model.poses(np.stack([angles + step, angles - step])))
        assert pull == pytest.approx(-len(model.weights) * (ahead - behind) / 2e-6, abs=1e-4)


def test_a_view_along_up_has_no_roll_to_keep_and_is_met():
    skeleton = lamp()
    posture = np.array([0.2, 0.5, -0.9, 0.4, 0.0])
    for aim in (Direction(Z, level=Z), Direction((0.0, 1e-9, 1.0), level=Z)):
        solution = Expressive(skeleton).solve(GazeGoal(aim, posture))
        assert solution.converged, solution.reason
        assert np.isfinite(solution.angles).all()


def test_the_preferred_roll_is_no_part_of_the_aim():
    skeleton = duck()
    posture = np.zeros(4)
    aim = aims(skeleton, posture)[0]
    pose = skeleton.forward([0.1, 0.2, 0.3, 0.4])
    free = GazeGoal(Point(aim.position), posture)
    assert residual(skeleton, GazeGoal(aim, posture), pose) == residual(skeleton, free, pose)
    assert not Rolls(Model(skeleton), Authored(Model(skeleton), posture), free)
    assert BatchedAim(skeleton, free).parts


def test_switching_the_roll_is_heeded_from_frame_to_frame():
    skeleton = duck()
    posture, solver = np.zeros(4), Expressive(duck(), ExpressiveOptions(hold_body=True))
    aim = aims(skeleton, posture)[5]
    last = solver.solve(GazeGoal(Point(aim.position, up=Z), posture, symmetric=False))
    for aim_now in (Point(aim.position, up=Z), Point(aim.position, level=Z)):
        for _ in range(60):
            last = solver.solve(
                GazeGoal(aim_now, posture, symmetric=False), last.angles, last.memory, dt=1 / 60
            )
    assert last.converged


@pytest.mark.parametrize("level", [(0.0, 0.0, 0.0), (math.nan, 0.0, 1.0)])
def test_a_level_that_is_none_is_named(level: Vector):
    with pytest.raises(TargetError, match="up vector"):
        Expressive(duck()).solve(GazeGoal(Direction(X, level=level), np.zeros(4)))
