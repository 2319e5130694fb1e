"""Tests loops that cannot move: the hinge with the misaligned axis is named, with its angle, in loops of any
plane and about any point.
"""

from dataclasses import replace

import numpy as np
import pytest
from limber.solvers.kinematics.rotations import from_matrix
from limber.solvers.kinematics.se3 import RigidTransform, exponential, inverse
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.diagnosis import flat_loops, locked_loops
from limber.solvers.mechanism.model import Joint, Mechanism, RigidBody
from limber.solvers.mechanism.solver import MechanismSolver

from tests.solvers import mechanisms

SEEDS = range(6)
OFF = [0.1, 0.5, 3.0, 10.0, 20.0, 45.0, 70.0, 90.0]  # [degrees] misalignments


def random_turn(dice) -> np.ndarray:
    return exponential(dice.normal(size=3)[None])[0]


def upright(axis: np.ndarray, position: np.ndarray, dice) -> np.ndarray:
    """Frame (4, 4) at a position, with its Z axis along an axis, and any rotation about it."""
    z = axis / np.linalg.norm(axis)
    x = np.cross(z, dice.normal(size=3))
    x /= np.linalg.norm(x)
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = np.stack((x, np.cross(z, x), z), 1), position
    return made


def framed(matrix: np.ndarray) -> RigidTransform:
    return RigidTransform(from_matrix(matrix[:3, :3].tolist()), tuple(matrix[:3, 3].tolist()))


def loop(frames: list[np.ndarray], dice, kinds=None, pairs=None) -> Mechanism:
    """Mechanism of bodies at random poses with joints at frames (4, 4) between each and the next one, and
    between the last one and the first, which is the ground.
    """
    pairs = pairs or [(k, (k + 1) % len(frames)) for k in range(len(frames))]
    count = 1 + max(max(pair) for pair in pairs)
    poses = [upright(dice.normal(size=3), dice.normal(size=3), dice) for _ in range(count)]
    bodies = tuple(
        RigidBody(f"body {k}", grounded=k == 0, start=framed(pose)) for k, pose in enumerate(poses)
    )
    joints = tuple(
        Joint(
            f"hinge {k}",
            (kinds or {}).get(k, "revolute"),
            f"body {a}",
            f"body {b}",
            *(framed(inverse(poses[n]) @ frame) for n in (a, b)),
        )
        for k, (frame, (a, b)) in enumerate(zip(frames, pairs, strict=True))
    )
    return Mechanism(bodies, joints)


def planar(count: int, dice, scale: float = 1.0) -> list[np.ndarray]:
    """Frames of parallel axes, of either sign, through random positions, which need not be in one plane."""
    turn, middle = random_turn(dice), dice.normal(size=3)
    return [
        upright(
            dice.choice((-1.0, 1.0)) * turn[:, 2],
            scale * (turn @ (*dice.normal(size=2), 0.3 * dice.normal()) + middle),
            dice,
        )
        for _ in range(count)
    ]


def spherical(count: int, dice) -> list[np.ndarray]:
    """Frames of axes through one point, at random positions on them."""
    middle, ways = dice.normal(size=3), dice.normal(size=(count, 3))
    return [
        upright(dice.choice((-1.0, 1.0)) * way, middle + dice.uniform(0.5, 1.5) * way, dice) for way in ways
    ]


def tilted(frame: np.ndarray, degrees: float, dice) -> np.ndarray:
    """A frame whose Z axis is misaligned by an angle, in a random direction."""
    across = np.cross(frame[:3, 2], dice.normal(size=3))
    made = frame.copy()
    made[:3, :3] = (
        exponential((np.radians(degrees) * across / np.linalg.norm(across))[None])[0] @ frame[:3, :3]
    )
    return made


def diagnosed(mechanism: Mechanism):
    solver = MechanismSolver(mechanism)
    found = assemble(solver)
    assert found.report.assembled
    return locked_loops(solver, found.state)


LOOPS = {"planar": planar, "spherical": spherical}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", LOOPS)
def test_a_loop_that_moves_is_not_held(kind, seed):
    dice = np.random.default_rng(seed)
    assert diagnosed(loop(LOOPS[kind](4, dice), dice)) == ()


@pytest.mark.parametrize("degrees", OFF)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", LOOPS)
def test_the_hinge_that_is_off_is_named_with_its_angle(kind, seed, degrees):
    dice = np.random.default_rng(seed)
    frames = LOOPS[kind](4, dice)
    guilty = seed % 4
    straight = frames[guilty][:3, 2].copy()
    frames[guilty] = tilted(frames[guilty], degrees, dice)
    (held,) = diagnosed(loop(frames, dice))
    assert set(held.joints) == {f"hinge {k}" for k in range(4)}
    assert held.misaligned is not None
    assert held.misaligned.joint == f"hinge {guilty}"
    assert np.degrees(held.misaligned.angle) == pytest.approx(degrees, rel=1e-3)
    assert np.abs(held.misaligned.axis - frames[guilty][:3, 2]).max() < 1e-9
    away = [
        np.abs(held.misaligned.correct - sign * straight).max()
        for sign in ((1.0, -1.0) if degrees == 90.0 else (1.0,))
    ]
    assert min(away) < 1e-5, "square to the axis neither side of it is nearer"


def flat(frames: list[np.ndarray], dice) -> tuple:
    solver = MechanismSolver(loop(frames, dice))
    return flat_loops(solver, assemble(solver).state)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("count", [4, 5])
def test_a_loop_whose_hinges_have_their_axes_in_its_own_plane_is_named_with_both(count, seed):
    dice = np.random.default_rng(seed)
    turn = random_turn(dice)
    around = 2.0 * np.pi * (np.arange(count) + dice.uniform(0.0, 0.6, count)) / count
    places = [turn @ (np.cos(angle), np.sin(angle), 0.0) for angle in around]
    across = dice.uniform(0.0, np.pi)
    axis = turn @ (np.cos(across), np.sin(across), 0.0)
    (found,) = flat([upright(dice.choice((-1.0, 1.0)) * axis, place, dice) for place in places], dice)
    assert found.joints == tuple(f"hinge {k}" for k in range(count))
    assert abs(found.axis @ axis) == pytest.approx(1.0)
    assert abs(found.normal @ turn[:, 2]) == pytest.approx(1.0)
    assert max(found.normal, key=abs) > 0.0
    tilted_axis = axis + np.tan(np.radians(5.0)) * turn[:, 2]
    assert flat([upright(tilted_axis, place, dice) for place in places], dice) == (), (
        "such a loop moves, at a slant"
    )


@pytest.mark.parametrize("thickness", [0.0, 0.02])
def test_a_stretched_loop_of_stacked_bars_is_not_taken_for_one_with_axes_in_its_plane(thickness):
    dice = np.random.default_rng(0)
    turn = random_turn(dice)
    places = zip((0.0, 0.1, 0.5, 0.35), thickness * np.array((0, 1, 0, 1)), strict=True)
    assert flat([upright(turn[:, 2], turn @ (x, 0.0, z), dice) for x, z in places], dice) == ()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", LOOPS)
def test_a_loop_that_moves_is_not_flat(kind, seed):
    dice = np.random.default_rng(seed)
    assert flat(LOOPS[kind](4, dice), dice) == ()


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_size_of_a_loop_does_not_matter(scale):
    dice = np.random.default_rng(1)
    frames = planar(4, dice, scale)
    frames[2] = tilted(frames[2], 3.0, dice)
    (held,) = diagnosed(loop(frames, dice))
    assert held.misaligned is not None
    assert (held.misaligned.joint, round(np.degrees(held.misaligned.angle), 3)) == ("hinge 2", 3.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_in_a_loop_of_five_the_hinge_that_is_off_stands_still_and_the_others_move(seed):
    dice = np.random.default_rng(seed)
    frames = planar(5, dice)
    frames[3] = tilted(frames[3], 3.0, dice)
    (held,) = diagnosed(loop(frames, dice))
    assert held.joints == ("hinge 3",)
    assert held.loop == tuple(f"hinge {k}" for k in range(5))
    assert held.misaligned is not None
    assert np.degrees(held.misaligned.angle) == pytest.approx(3.0, rel=1e-3)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_slide_that_leaves_the_plane_of_its_crank_is_named(seed):
    dice = np.random.default_rng(seed)
    frames = planar(3, dice)
    normal = frames[0][:3, 2]
    along = np.cross(normal, dice.normal(size=3))
    rail = upright(along, dice.normal(size=3), dice)
    assert diagnosed(loop([*frames, rail], dice, {3: "prismatic"})) == ()
    misaligned = upright(along / np.linalg.norm(along) + np.tan(np.radians(4.0)) * normal, rail[:3, 3], dice)
    (held,) = diagnosed(loop([*frames, misaligned], dice, {3: "prismatic"}))
    assert held.misaligned is not None
    assert held.misaligned.joint == "hinge 3"
    assert np.degrees(held.misaligned.angle) == pytest.approx(4.0, rel=1e-3)


@pytest.mark.parametrize("guilty", range(7))
def test_of_two_loops_with_a_joint_in_common_the_hinge_that_is_off_is_named(guilty):
    dice = np.random.default_rng(guilty)
    frames = planar(7, dice)
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (4, 5), (5, 0)]  # Watt's six-bar
    assert diagnosed(loop(frames, dice, pairs=pairs)) == ()
    frames[guilty] = tilted(frames[guilty], 2.0, dice)
    (held,) = diagnosed(loop(frames, dice, pairs=pairs))
    assert held.misaligned is not None
    assert held.misaligned.joint == f"hinge {guilty}"
    assert np.degrees(held.misaligned.angle) == pytest.approx(2.0, rel=1e-3)


def test_only_the_loop_that_cannot_move_is_told_of_several():
    dice = np.random.default_rng(3)
    frames = [*planar(4, dice), *spherical(4, dice)]
    frames[6] = tilted(frames[6], 5.0, dice)
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (4, 5), (5, 6), (6, 0)]
    (held,) = diagnosed(loop(frames, dice, pairs=pairs))
    assert held.loop == ("hinge 4", "hinge 5", "hinge 6", "hinge 7")
    assert held.misaligned is not None
    assert held.misaligned.joint == "hinge 6"


@pytest.mark.parametrize(
    ("count", "seed"), [*((5, seed) for seed in SEEDS), (6, 3), (6, 13), (6, 20)]
)  # these loops close in two nearby ways
def test_a_frame_that_is_meant_to_be_rigid_blames_no_hinge(count, seed):
    dice = np.random.default_rng(seed)
    frames = [upright(dice.normal(size=3), dice.normal(size=3), dice) for _ in range(count)]
    (held,) = diagnosed(loop(frames, dice))
    assert held.misaligned is None
    assert len(held.joints) == count


def test_a_dead_centre_is_not_taken_for_a_fault():
    dice = np.random.default_rng(0)
    turn = random_turn(dice)
    frames = [upright(turn[:, 2], turn @ (x, 0.0, 0.0), dice) for x in (0.0, 0.1, 0.5, 0.35)]
    assert all(held.misaligned is None for held in diagnosed(loop(frames, dice)))


@pytest.mark.parametrize(
    "mechanism",
    [mechanisms.four_bar(), mechanisms.four_bar(is_ball=True), mechanisms.stewart()],
    ids=lambda m: len(m.bodies),
)
def test_mechanisms_that_work_have_no_held_loop(mechanism):
    assert diagnosed(mechanism) == ()


def test_a_motors_limits_are_no_fault_of_an_axis():
    bar = mechanisms.four_bar()
    locked = replace(bar, joints=(replace(bar.joints[0], lower=(0.0,), upper=(0.0,)), *bar.joints[1:]))
    solver = MechanismSolver(locked)
    assert locked_loops(solver, assemble(MechanismSolver(bar)).state) == ()
    assert solver.has_limits
