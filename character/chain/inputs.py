"""What a chain is asked for in a frame, in the world, and the goal that follows from it in its base frame. Knows no Blender."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from math import hypot, inf, isfinite
from typing import NamedTuple

import numpy as np

from ...solvers import rotations
from ...solvers.gaze import PlanSlot
from ...solvers.goals import Aim, Direction, EndGoal, Frame, GazeGoal, Orientation, Point, Position
from ...solvers.rotations import Quaternion, Vector
from ...solvers.skeleton import Angles, Skeleton
from ..attention import Attention, Manner, attend, partial, place, sight
from ..life import Life, offsets

Matrix = list[list[float]]  # (4, 4) by rows: a frame in another one
AT_ONCE = Manner()
LOOKS = (Point, Direction)  # goals with an axis that looks, and perhaps is upright


class InputsError(ValueError):
    """A place or a rotation that cannot be followed; the message names the object and the remedy."""


@dataclass(frozen=True)
class EndInputs:
    """What one end is asked for.

    Attributes:
        number: Which end of the skeleton; 0: the chain's own.
        kind: Kind of its goal.
        target: The target in the world.
        identity: Tells the target from others: another one is gone over to.
        name: The target's, for messages.
        axis: Of the target along which the end looks, for Direction; None: it has none that is known.
        subject: The end, as sentences begin with it.
        tool: (w, x, y, z) of the tool in the end's bone, for orientations.
        roll: "FREE", "UPRIGHT" (the end stays upright) or "POSTURE" (it keeps the posture's roll).
    """

    number: int
    kind: type
    target: Matrix = field(default_factory=list)
    identity: object = None
    name: str = ""
    axis: Vector | None = None
    subject: str = "The end"
    tool: Quaternion = rotations.IDENTITY
    roll: str = "FREE"
    weight: float = 1.0
    symmetric: bool = False


@dataclass(frozen=True)
class ChainInputs:
    """What a chain is asked for.

    Attributes:
        base: Its base frame in the world.
        ends: What its ends are asked for, its own first.
        posture: (n,) [rad, prismatic joints m] to keep.
        name: The chain's, for messages.
        keep: 0 to 1: how much the posture counts beneath the aim.
        influence: 0 to 1: how much of the way from the posture to the solution each joint goes.
        share: 0 to 1: how much of the way to its target the own end looks.
        manner: How it follows its target.
        life: What is added to the posture; None: nothing.
        seconds: Scene time [s], for life.
        ahead: Goals of frames to come, where they are known.
        is_mutual: Whether what it looks at moves because of it.
        slot: When its solver may plan; None: always.
    """

    base: Matrix
    ends: tuple[EndInputs, ...]
    posture: Angles
    name: str = ""
    keep: float = 1.0
    influence: float = 1.0
    share: float = 1.0
    manner: Manner = AT_ONCE
    life: Life | None = None
    seconds: float = 0.0
    ahead: Sequence[GazeGoal] = ()
    is_mutual: bool = False
    slot: PlanSlot | None = None

    def __eq__(self, other: object) -> bool:
        """Whether the same is asked, in whichever frame."""
        if not isinstance(other, ChainInputs):
            return False
        alike = all(getattr(self, name) == getattr(other, name) for name in _ASKED)
        return alike and np.array_equal(self.posture, other.posture)

    __hash__ = None  # type: ignore[assignment]  # it is compared, never looked up


_ASKED = [each.name for each in fields(ChainInputs) if each.name not in ("posture", "ahead", "is_mutual", "slot")]


class Task(NamedTuple):
    """What the solver is asked for."""

    goal: GazeGoal
    key: tuple[object, ...]  # of the goal: as long as it stays the same, so does the goal
    influence: float
    life: Angles | None  # (n,) [rad] on top of the posture
    attention: Attention | None  # by which the goal came to be; None where the target is followed as it is


def task(inputs: ChainInputs, skeleton: Skeleton, before: Task | None, dt: float) -> Task:
    """The task of a frame, in the base frame.

    Args:
        inputs: What is asked.
        skeleton: The chain.
        before: The last frame's, if there was one.
        dt: Time since then [s].

    Raises:
        InputsError: something that is asked is no place or no rotation.
    """
    world_in_base = _inverse(inputs)
    own = inputs.ends[0]
    attention = _attention(inputs, before.attention if before is not None else None, dt)
    if attention is not None:
        own = replace(own, target=_seen(attention, inputs.base))
    first, *others = [end_goal(end, world_in_base) for end in (own, *inputs.ends[1:])]
    life = _life(inputs, skeleton, world_in_base, before)
    if inputs.share < 1.0:
        first = replace(first, aim=partial(skeleton, inputs.posture, first.aim, inputs.share))
    key = (first, *others, inputs.keep, *inputs.posture.tolist())
    if before is not None and before.key == key:
        return Task(before.goal, key, inputs.influence, life, attention)
    goal = GazeGoal(first.aim, inputs.posture, first.symmetric, first.weight, inputs.keep, tuple(others))
    return Task(goal, key, inputs.influence, life, attention)


def end_goal(end: EndInputs, world_in_base: Matrix) -> EndGoal:
    """What the end must do, in the base frame; upright ends also get the world's up there.

    Raises:
        InputsError: the target is scaled to nothing, or its place is not a number.
    """
    return EndGoal(_aim(end, world_in_base), end.number, end.weight, end.symmetric)


def _inverse(inputs: ChainInputs) -> Matrix:
    """The world in the base frame."""
    if not isfinite(sum(map(sum, inputs.base))):
        raise InputsError(f"The place of the rig of chain '{inputs.name}' is not a number: clear its transform, drivers or constraints")
    try:
        inverse: Matrix = np.linalg.inv(np.array(inputs.base)).tolist()
    except np.linalg.LinAlgError as error:
        raise InputsError(f"The rig of chain '{inputs.name}' is scaled to nothing: give it a scale other than 0") from error
    return inverse


def _attention(inputs: ChainInputs, before: Attention | None, dt: float) -> Attention | None:
    end, manner = inputs.ends[0], inputs.manner
    if (manner == AT_ONCE and (before is None or before.is_settled)) or not isfinite(sum(map(sum, end.target))):
        return None
    target = sight(_place_of(end.target), _rotation_of(end.target), _place_of(inputs.base))
    return attend(before, target, end.identity, manner, dt)


def _seen(attention: Attention, base: Matrix) -> Matrix:
    """The target in the world as the chain sees it."""
    rows = rotations.to_matrix(attention.seen.turn)
    spot = place(attention.seen, _place_of(base))
    return [[*row, number] for row, number in zip(rows, spot, strict=True)] + [[0.0, 0.0, 0.0, 1.0]]


def _life(inputs: ChainInputs, skeleton: Skeleton, world_in_base: Matrix, before: Task | None) -> Angles | None:
    """What life adds to the posture; the very same as before where nothing has changed."""
    if inputs.life is None:
        return None
    added = offsets(inputs.life, skeleton, inputs.posture, _up(world_in_base), inputs.seconds)
    if before is not None and before.life is not None and np.array_equal(before.life, added):
        return before.life
    return added


def _aim(end: EndInputs, world_in_base: Matrix) -> Aim:
    up = level = None
    if end.kind in LOOKS and end.roll != "FREE":
        upward = _up(world_in_base)
        up, level = (None, upward) if end.roll == "POSTURE" else (upward, None)
    if end.kind is Direction:
        return Direction(_direction(end, world_in_base), up, level)
    if end.kind is Orientation:
        return Orientation(_orientation(end, world_in_base))
    spot = _place(end, world_in_base)
    if end.kind is Point:
        return Point(spot, up, level)
    return Position(spot) if end.kind is Position else Frame(spot, _orientation(end, world_in_base))


def _place(end: EndInputs, world_in_base: Matrix) -> Vector:
    spot = _place_of(end.target)
    if not all(map(isfinite, spot)):
        raise InputsError(f"The position of target '{end.name}' is not a number: clear its location, its drivers or its constraints")
    moved = rotations.add(_turned(world_in_base, spot), _place_of(world_in_base))
    if not all(abs(number) < FARTHEST for number in moved):
        raise InputsError(f"Target '{end.name}' is too far away to be looked at: bring it nearer")
    return moved


FARTHEST = 3e38  # [m] as far as single precision goes, in which hosts keep places


def _direction(end: EndInputs, world_in_base: Matrix) -> Vector:
    if end.axis is None:
        raise InputsError(f"{end.subject} has an axis that this version does not know: choose Target's Axis again")
    return _unit(_turned(world_in_base, rotations.rotate(_rotation(end), end.axis)))


def _orientation(end: EndInputs, world_in_base: Matrix) -> Quaternion:
    """The tool's orientation with which the end's axes lie along the target's."""
    turn = rotations.multiply(_rotation_of(world_in_base), _rotation(end))
    return rotations.normalized(rotations.multiply(turn, end.tool))


def _rotation(end: EndInputs) -> Quaternion:
    columns = _columns(end.target)
    if not isfinite(sum(map(sum, columns))):
        raise InputsError(f"The rotation of target '{end.name}' is not a number: clear its transform, drivers or constraints")
    if min(map(rotations.length, columns)) == 0.0:
        raise InputsError(f"Target '{end.name}' is scaled to nothing and has no axes: give it a scale other than 0")
    return _rotation_of(end.target)


def _up(world_in_base: Matrix) -> Vector:
    """The world's up in the base frame."""
    return _unit(_turned(world_in_base, rotations.Z))


def _turned(matrix: Matrix, vector: Vector) -> Vector:
    x, y, z = vector
    a, b, c = (row[0] * x + row[1] * y + row[2] * z for row in matrix[:3])
    return a, b, c


def _unit(vector: Vector) -> Vector:
    """A vector at unit length; as it is where it has none."""
    size = hypot(*vector)
    return rotations.scale(vector, 1.0 / size) if 0.0 < size < inf else vector


def _place_of(matrix: Matrix) -> Vector:
    return matrix[0][3], matrix[1][3], matrix[2][3]


def _columns(matrix: Matrix) -> list[Vector]:
    return [(matrix[0][k], matrix[1][k], matrix[2][k]) for k in range(3)]


def _rotation_of(matrix: Matrix) -> Quaternion:
    """The rotation of a frame that may be scaled; of a mirrored one that of all its axes reversed, as Blender has it."""
    x, y, z = map(_unit, _columns(matrix))
    if rotations.dot(rotations.cross(x, y), z) < 0.0:
        x, y, z = (rotations.scale(column, -1.0) for column in (x, y, z))
    return rotations.from_matrix(list(zip(x, y, z, strict=True)))


def filled(posture: Angles, authored: Angles) -> Angles:
    """A stored posture (n,) [rad, prismatic joints m]; where it says nothing of a joint (NaN) the authored pose."""
    silent = np.isnan(posture)
    return np.where(silent, authored, posture) if silent.any() else posture


def blend(weighted: Sequence[tuple[float, Angles]], authored: Angles) -> Angles:
    """Each posture by its weight, of their sum where that is more than 1; where it is less, the rest is the authored pose.

    So a single weight fades its posture in, equal weights are a mean, and nothing jumps where the last of them becomes 0.
    """
    blended, total = np.zeros(len(authored)), 0.0
    for weight, posture in weighted:
        blended += weight * filled(posture, authored)
        total += weight
    made: Angles = (blended + max(0.0, 1.0 - total) * authored) / max(1.0, total)
    return made
