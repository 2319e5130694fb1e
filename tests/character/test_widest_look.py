"""Tests the widest look: a head stops at the edge of its range, and changes sides gradually when its target
passes behind it.
"""

import math
from itertools import pairwise

import pytest
from limber.character.chain.settings import ChainSettings
from limber.character.widest_look import ALL_AROUND, Facing, LookSettings, looking
from limber.solvers.goals import Direction, Orientation, Point, Position
from limber.solvers.kinematics.rotations import IDENTITY, subtract, unit, vector_angle

AHEAD = Facing(IDENTITY, (0.0, 0.0, 1.5))  # looks along +Y
HUNDRED = LookSettings(math.radians(100))


def point(aside: float, up: float = 0.0) -> Point:
    """A point at angles [degrees] to the left of the end's facing direction, and above it."""
    aside, up = math.radians(aside), math.radians(up)
    return Point(
        (-2 * math.sin(aside) * math.cos(up), 2 * math.cos(aside) * math.cos(up), 1.5 + 2 * math.sin(up))
    )


def seen(aim: Point) -> tuple[float, float, float]:
    return unit(subtract(aim.position, AHEAD.position))


def around(fps: int, up: float = 0.0, rounds: int = 3, seconds: float = 10.0):
    """Looks (direction, state) at a target that circles the character."""
    look = None
    for frame in range(int(rounds * seconds * fps)):
        aim, look = looking(
            look, AHEAD, point(math.degrees(math.tau * frame / (seconds * fps)), up), HUNDRED, 1 / fps
        )
        yield seen(aim), look


@pytest.mark.parametrize("aside", [-99, -40, 0, 10, 99])
def test_within_the_widest_look_the_aim_stays_as_it_is(aside):
    aim = point(aside, 20)
    assert looking(None, AHEAD, aim, HUNDRED, 0.1)[0] is aim


@pytest.mark.parametrize("aside", [101, 140, 179, -130])
def test_beyond_the_widest_look_it_rests_at_the_edge_at_the_height_of_the_target(aside):
    aim, look = looking(None, AHEAD, point(aside, 15), HUNDRED, 0.1)
    direction = seen(aim)
    assert math.degrees(vector_angle(direction, (0.0, 1.0, 0.0))) == pytest.approx(100)
    assert direction[2] == pytest.approx(math.sin(math.radians(15)))
    assert math.copysign(1, -direction[0]) == math.copysign(1, aside)
    assert look.is_beyond


@pytest.mark.parametrize("fps", [24, 60])
@pytest.mark.parametrize("up", [0, 30, -30])
def test_a_target_that_walks_round_makes_the_head_cross_over_once_a_round(fps, up):
    directions, looks = zip(*around(fps, up), strict=True)
    steps = [math.degrees(vector_angle(*pair)) for pair in pairwise(directions)]
    # [degrees/s] speed of the change of sides, and of the target toward which it moves
    assert max(steps) * fps <= 320
    crossings = sum(not before.left and after.left > 0 for before, after in pairwise(looks))
    assert crossings == 3


def test_a_crossing_goes_by_the_front():
    ahead = max(direction[1] for direction, look in around(24) if look.left > 0)
    assert ahead > 0.95


def test_a_target_that_stands_behind_does_not_make_the_head_go_to_and_fro():
    look = None
    for frame in range(200):
        _, look = looking(look, AHEAD, point(180 + 10 * math.sin(0.5 * frame)), HUNDRED, 1 / 24)
        assert look.left == 0.0


def test_a_character_that_may_look_all_around_follows_wherever_the_target_is():
    for aside in range(-180, 180, 15):
        aim = point(aside)
        assert looking(None, AHEAD, aim, ChainSettings(widest_look=ALL_AROUND).look, 0.1) == (aim, None)


def test_a_narrow_look_is_an_angle_from_ahead_upward_too():
    for aside, up in ((0, 80), (50, 50), (170, 60), (-90, -20)):
        aim, _ = looking(None, AHEAD, point(aside, up), LookSettings(math.radians(30)), 0.1)
        assert math.degrees(vector_angle(seen(aim), (0.0, 1.0, 0.0))) <= 30 + 1e-6


@pytest.mark.parametrize("widest", [20, 45, 70, 89])
@pytest.mark.parametrize(("aside", "up"), [(90, 45), (-60, 60), (80, -70), (5, 85), (-85, 20)])
def test_a_narrow_look_rests_where_it_is_nearest_to_a_target_in_front(widest, aside, up):
    target = point(aside, up)
    away = math.degrees(vector_angle(seen(target), (0.0, 1.0, 0.0)))
    aim, _ = looking(None, AHEAD, target, LookSettings(math.radians(widest)), 0.1)
    assert math.degrees(vector_angle(seen(aim), seen(target))) == pytest.approx(
        max(0.0, away - widest), abs=1e-5
    )


@pytest.mark.parametrize("widest", [20, 45, 70, 89.9, 90, 91, 120])
@pytest.mark.parametrize("off", [0, 2, 20])
def test_a_target_that_goes_over_the_top_and_down_behind_keeps_its_side(widest, off):
    before, look, settings = None, None, LookSettings(math.radians(widest))
    for degree in range(0, 340):
        along, aside = (
            math.radians(degree / 2),
            math.radians(off),
        )  # a circle from the front over the top, tilted to the left
        way = (-math.sin(aside) * math.sin(along), math.cos(along), math.cos(aside) * math.sin(along))
        aim, look = looking(look, AHEAD, Direction(way), settings, 1 / 24)
        assert look.left == 0.0
        assert aim.vector[0] <= 1e-9
        if before is not None:
            assert math.degrees(vector_angle(before, aim.vector)) < 6
        before = aim.vector


def test_an_offset_looks_past_the_target():
    aim, _ = looking(None, AHEAD, point(20), LookSettings(aside=math.radians(10), up=math.radians(5)), 0.1)
    assert seen(aim) == pytest.approx(seen(point(30, 5)))


def test_directions_are_limited_as_points_are():
    aim, _ = looking(None, AHEAD, Direction((-1.0, -1.0, 0.0)), HUNDRED, 0.1)
    assert math.degrees(vector_angle(aim.vector, (0.0, 1.0, 0.0))) == pytest.approx(100)


@pytest.mark.parametrize("aim", [Orientation(IDENTITY), Position((0.0, -1.0, 0.0))])
def test_goals_that_are_no_looks_have_no_edge(aim):
    assert looking(None, AHEAD, aim, HUNDRED, 0.1) == (aim, None)


def test_nothing_moves_while_no_time_passes():
    crossing = [look for _, look in around(24) if look.left > 0]
    behind = point(200)
    stands = looking(crossing[5], AHEAD, behind, HUNDRED, 0.0)
    assert looking(stands[1], AHEAD, behind, HUNDRED, 0.0) == stands
