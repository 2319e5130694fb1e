"""What a goal asks of each joint that carries its end: by how much to turn, or to slide. Knows no Blender."""

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ..coordinate_descent import Pull, Tool, pull_of_frames, pull_of_vectors
from ..goals import HALF_ROLL, Direction, EndGoal, Point, look, nearer_roll, orientation_of, place_of, upright
from ..rotations import (
    NO_DIRECTION,
    Quaternion,
    Vector,
    Y,
    Z,
    add,
    conjugate,
    dot,
    length,
    multiply,
    normalized,
    reject,
    rotate,
    scale,
    subtract,
    unit,
)

NOTHING = Pull()
ACROSS = 1e-3  # sine of the angle between a slide and the line of sight under which sliding does not turn it


class Slide(NamedTuple):
    """What draws a joint to slide: by `pull` over `stiffness` [m]; those of several goals add up."""

    pull: float = 0.0
    stiffness: float = 0.0


class Room(NamedTuple):
    """How far [rad] a joint may turn."""

    back: float  # not positive
    ahead: float


class Wish(Protocol):
    """What one end must do, as its joints feel it."""

    def turn(self, k: int, axis: Vector, place: Vector, room: Room, tools: Sequence[Tool]) -> Pull:
        """What draws hinge `k`, with this axis and place [m] now, to turn."""
        ...

    def slide(self, k: int, axis: Vector, tools: Sequence[Tool]) -> Slide:
        """What draws joint `k` to slide."""
        ...


class Facing:
    """An end has an orientation."""

    def __init__(self, end: int, target: Quaternion, symmetric: bool) -> None:
        self.end, self.target, self.symmetric = end, target, symmetric

    def turn(self, k: int, axis: Vector, place: Vector, room: Room, tools: Sequence[Tool]) -> Pull:
        return pull_to_frame(axis, tools[self.end].rotation, self.target, self.symmetric, room)

    def slide(self, k: int, axis: Vector, tools: Sequence[Tool]) -> Slide:
        return Slide()


class Reaching:
    """An end, or any spot, is at a place. Counts by the skeleton's reach."""

    def __init__(self, spot: int, place: Vector, reach: float) -> None:
        self.spot, self.place, self.share = spot, place, 1.0 / reach

    def turn(self, k: int, axis: Vector, place: Vector, room: Room, tools: Sequence[Tool]) -> Pull:
        return self.towards(axis, place, tools[self.spot].place, self.place)

    def towards(self, axis: Vector, place: Vector, now: Vector, wanted: Vector) -> Pull:
        """The pull on a hinge that draws one place [m] to another."""
        return pull_of_vectors(axis, subtract(now, place), subtract(wanted, place)).times(self.share * self.share)

    def slide(self, k: int, axis: Vector, tools: Sequence[Tool]) -> Slide:
        stiffness = self.share * self.share
        return Slide(stiffness * dot(subtract(self.place, tools[self.spot].place), axis), stiffness)


class Grasping:
    """An end is at a place and has an orientation: the last joints turn to the orientation, those before bring the place.

    Zalo's "bonus: direction". What those before bring is the wrist, the place of the first of the last joints, to where it will be once the
    end is turned: so the one does not spoil the other.
    """

    def __init__(self, end: int, spot: int, wrist: frozenset[int], facing: Facing, reaching: Reaching) -> None:
        self.end, self.spot, self.wrist, self.facing, self.reaching = end, spot, wrist, facing, reaching

    def _wanted_spot(self, tools: Sequence[Tool]) -> Vector:
        tool = tools[self.end]
        target = nearer_roll(self.facing.target, tool.rotation, self.facing.symmetric)
        arm = subtract(tools[self.spot].place, tool.place)
        return add(self.reaching.place, rotate(multiply(target, conjugate(tool.rotation)), arm))

    def turn(self, k: int, axis: Vector, place: Vector, room: Room, tools: Sequence[Tool]) -> Pull:
        if k in self.wrist:
            return self.facing.turn(k, axis, place, room, tools)
        return self.reaching.towards(axis, place, tools[self.spot].place, self._wanted_spot(tools))

    def slide(self, k: int, axis: Vector, tools: Sequence[Tool]) -> Slide:
        if k > min(self.wrist, default=k):
            return self.reaching.slide(k, axis, tools)
        stiffness = self.reaching.share * self.reaching.share
        return Slide(stiffness * dot(subtract(self._wanted_spot(tools), tools[self.spot].place), axis), stiffness)


class Both:
    """An end is at a place and has an orientation: every joint goes for both at once."""

    def __init__(self, facing: Facing, reaching: Reaching) -> None:
        self.facing, self.reaching = facing, reaching

    def turn(self, k: int, axis: Vector, place: Vector, room: Room, tools: Sequence[Tool]) -> Pull:
        return self.facing.turn(k, axis, place, room, tools).plus(self.reaching.turn(k, axis, place, room, tools))

    def slide(self, k: int, axis: Vector, tools: Sequence[Tool]) -> Slide:
        return self.reaching.slide(k, axis, tools)


class Looking:
    """An end looks along a direction or at a point, upright or not."""

    def __init__(self, end: int, aim: Direction | Point, symmetric: bool) -> None:
        self.end, self.aim, self.symmetric = end, aim, symmetric

    def turn(self, k: int, axis: Vector, place: Vector, room: Room, tools: Sequence[Tool]) -> Pull:
        tool = tools[self.end]
        view, gap = rotate(tool.rotation, Y), look(self.aim, tool.place)
        if length(gap) <= NO_DIRECTION:  # the end has run into its target: any view will do
            return NOTHING
        pull = pull_to_point(axis, place, tool.place, view, self.aim.place) if isinstance(self.aim, Point) else None
        wanted = unit(gap)
        pull = pull_of_vectors(axis, view, wanted) if pull is None else pull
        target = upright(wanted, self.aim.up)
        if target is None or self.aim.up is None:
            return pull
        weight = length(reject(unit(self.aim.up), wanted))
        level = rotate(nearer_roll(target, tool.rotation, self.symmetric), Z)
        return pull.plus(pull_of_vectors(axis, rotate(tool.rotation, Z), level).times(weight))

    def slide(self, k: int, axis: Vector, tools: Sequence[Tool]) -> Slide:
        """To where the line of sight passes nearest to the point."""
        if not isinstance(self.aim, Point):
            return Slide()
        view, gap = rotate(tools[self.end].rotation, Y), look(self.aim, tools[self.end].place)
        away, across = length(gap), reject(axis, view)
        if away <= NO_DIRECTION or length(across) < ACROSS:
            return Slide()
        share = 1.0 / (away * away)
        return Slide(share * dot(reject(gap, view), across), share * dot(across, across))


def pull_to_frame(axis: Vector, now: Quaternion, target: Quaternion, symmetric: bool, room: Room) -> Pull:
    """The pull on a hinge towards a whole orientation; of a symmetric end's two rolls to the nearer.

    Where the hinge has no room to turn to that, to the one that it comes nearer to.
    """
    nearer = pull_of_frames(axis, now, nearer_roll(target, now, symmetric))
    if not symmetric or room.back <= nearer.best_turn <= room.ahead:
        return nearer
    other = pull_of_frames(axis, now, multiply(nearer_roll(target, now, symmetric), HALF_ROLL))
    return other if _nearness(other, room) > _nearness(nearer, room) else nearer


def _nearness(pull: Pull, room: Room) -> float:
    """How near (1 + cos of the angle left) a hinge can bring an end to a whole orientation."""
    return pull.gain(turn_within(pull, pull.best_turn, room)) + pull.together - pull.level


def turn_within(pull: Pull, turn: float, room: Room) -> float:
    """`turn` [rad], once round the other way, or as far as there is room: on whichever side that brings the ends nearer."""
    for candidate in (turn, turn - math.copysign(math.tau, turn)):
        if room.back <= candidate <= room.ahead:
            return candidate
    return max(room, key=pull.gain)


def pull_to_point(axis: Vector, place: Vector, eye: Vector, view: Vector, target: Vector) -> Pull | None:
    """The pull on a hinge at `place` that brings the line of sight onto a point [m]; None where there is none.

    A line of sight that turns with a joint keeps its distances from it. So the spot on it that is as far from the joint as the target is,
    is the one that the target must become: turned to it, the sight is exact, however near the target. Where the line nowhere comes so
    near, its nearest spot will do.
    """
    arm, sight = subtract(target, place), subtract(eye, place)
    away, along = length(arm), dot(sight, view)
    discriminant = along * along - dot(sight, sight) + away * away
    ahead = math.sqrt(max(discriminant, 0.0)) - along
    spot = add(sight, scale(view, ahead))
    size = length(spot)
    if ahead <= 0.0 or min(away, size) <= NO_DIRECTION:
        return None
    return pull_of_vectors(axis, scale(spot, 1.0 / size), scale(arm, 1.0 / away))


def wish_of(wanted: EndGoal, spot: int, wrist: frozenset[int], reach: float, splits: bool) -> Wish:
    """The wish of one end's goal.

    Args:
        wanted: What the end must do.
        spot: Index of the tool that is the end's wrist.
        wrist: The last joints, which turn to an orientation where a place is wanted as well.
        reach: [m] The skeleton's.
        splits: Whether they do; or every joint goes for both.
    """
    target, place = orientation_of(wanted.aim), place_of(wanted.aim)
    if isinstance(wanted.aim, Direction | Point):
        return Looking(wanted.end, wanted.aim, wanted.symmetric)
    reaching = None if place is None else Reaching(wanted.end, place, reach)
    if target is None:
        assert reaching is not None
        return reaching
    facing = Facing(wanted.end, normalized(target), wanted.symmetric)
    if reaching is None:
        return facing
    return Grasping(wanted.end, spot, wrist, facing, reaching) if splits else Both(facing, reaching)
