"""Inputs of a chain in a frame, given in the world, and the solver's goal in the chain's base frame."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from math import dist, hypot, inf, isfinite
from typing import NamedTuple

import numpy as np

from ...solvers.goals import Aim, EndGoal, GazeGoal
from ...solvers.kinematics import rotations
from ...solvers.kinematics.rotations import Quaternion, Vector
from ...solvers.kinematics.skeleton import Angles, Skeleton
from ..attention import (
    ANY_LOOK,
    Attention,
    AttentionSettings,
    CarriedLook,
    attend,
    bearing,
    partial,
    seen_position,
)
from ..effects import PostureEffect, total
from ..eyes import EyesSettings, EyesState
from ..eyes import advance as advance_eyes
from ..widest_look import ANYWHERE, LookSettings, LookState, Posed, looking, posed

Matrix = list[list[float]]  # (4, 4) row by row: a frame relative to another one
AT_ONCE = AttentionSettings()
STILL_EYES = EyesSettings()


class InputsError(ValueError):
    """Inputs of a chain that cannot be used; the message names the object and the remedy."""


class EndInputs(NamedTuple):
    """Inputs of one end effector ("end").

    Attributes:
        number: Index of the end in the skeleton; 0: the chain's own end.
        kind: Type of its goal.
        target: World matrix of the target.
        identity: Identity of the target; if that of the chain's own end changes, the chain moves gradually.
        name: Name of the target, for messages.
        axis: Axis of the target along which the end looks, for Direction; None if not known.
        subject: Name of the end at the beginning of a message.
        tool: Rotation (w, x, y, z) of the tool in the end bone's frame, for orientations.
        roll: "FREE", "UPRIGHT" (the end stays upright) or "POSTURE" (it keeps the posture's roll).
        weight: Weight of the goal relative to other ends' goals.
        symmetric: Whether the end is equally good when rolled by pi about its own Y.
    """

    number: int
    kind: type
    target: Matrix = []
    identity: object = None
    name: str = ""
    axis: Vector | None = None
    subject: str = "The end"
    tool: Quaternion = rotations.IDENTITY
    roll: str = "FREE"
    weight: float = 1.0
    symmetric: bool = False


class KeptPosture(NamedTuple):
    """Identifies the posture that a chain keeps besides its goal, to detect when it changes.

    Attributes:
        identity: Identity of the stored posture; with another source of the posture, one of `settings.BASES`.
        joints: Indices of the joints for which the posture has a value; the others have their authored
            values.
    """

    identity: object
    joints: tuple[int, ...] = ()


@dataclass
class ChainInputs:
    """Inputs of a chain.

    Attributes:
        base: World matrix of its base frame.
        ends: Inputs of its ends, its own first.
        posture: (n,) [rad; prismatic joints m] posture to keep.
        name: Name of the chain, for messages.
        keep: Weight of the posture, which has lower priority than the aim; 0 to 1.
        influence: Blend from the posture (0) to the solution (1), for each joint.
        share: How far the chain's own end rotates from the posture's gaze (0) to its target (1).
        carried: The most of that rotation that the end leaves to what it carries.
        attention: Settings of attention.
        look: Widest look and offset of the chain's own end.
        eyes: Settings of the eyes.
        effects: Effects on top of the posture.
        seconds: Scene time [s], for the effects.
        ahead: Goals of the next frames, if known.
        is_mutual: Whether the target's motion depends on that of this chain.
        kept: The stored posture in use; when it changes without a motion filter, the posture changes
            gradually.
    """

    base: Matrix
    ends: tuple[EndInputs, ...]
    posture: Angles
    name: str = ""
    keep: float = 1.0
    influence: float = 1.0
    share: float = 1.0
    carried: CarriedLook = ANY_LOOK
    attention: AttentionSettings = AT_ONCE
    look: LookSettings = ANYWHERE
    eyes: EyesSettings = STILL_EYES
    effects: tuple[PostureEffect, ...] = ()
    seconds: float = 0.0
    ahead: Sequence[GazeGoal] = ()
    is_mutual: bool = False
    kept: KeptPosture | None = None

    @property
    def target_distance(self) -> float:
        """Distance [m] from the base to the target of the chain's own end."""
        return dist(*([row[3] for row in matrix[:3]] for matrix in (self.base, self.ends[0].target)))

    def __eq__(self, other: object) -> bool:
        """Whether the inputs are equal, apart from `ahead` and `is_mutual`."""
        if not isinstance(other, ChainInputs):
            return False
        alike = all(getattr(self, name) == getattr(other, name) for name in _COMPARED)
        return alike and np.array_equal(self.posture, other.posture)

    __hash__ = None  # type: ignore[assignment]  # instances are compared, but never used as keys


_COMPARED = [each.name for each in fields(ChainInputs) if each.name not in ("posture", "ahead", "is_mutual")]


class ChainTask(NamedTuple):
    """What a chain's tick solves in a frame, made from its inputs: the solver's goal in the base frame,
    influence, idle motion, and the states of attention, look and eyes.
    """

    goal: GazeGoal
    key: tuple[object, ...]  # values that identify the goal: equal values mean the same goal
    influence: float
    offsets: Angles | None  # (n,) [rad; prismatic joints m] idle motion added to the posture; None for none
    attention: Attention | None  # state from which the goal was made; None if the target is followed directly
    base: Matrix = []  # world matrix of the base frame
    world_in_base: Matrix = []  # inverse of `base`
    look: LookState | None = None  # state of the look; None if nothing limits or offsets it
    # the posture from which the look and its share were measured; None without either
    posed: Posed | None = None
    eyes: EyesState | None = None  # state of the eyes; None without eyes

    @property
    def is_easing(self) -> bool:
        """Whether the look would still move if its target stood still: it changes to another target, lags
        behind its target, or crosses from one side to the other.
        """
        states = (self.attention, self.look)
        return any(state is not None and not state.is_settled for state in states)


def task(inputs: ChainInputs, skeleton: Skeleton, before: ChainTask | None, dt: float) -> ChainTask:
    """The solver's task of a frame, in the base frame.

    Args:
        inputs: The chain's inputs.
        skeleton: The chain.
        before: The last frame's task, if there was one.
        dt: Time step [s].

    Raises:
        InputsError: the base, or a target's position, rotation or chosen axis, cannot be used.
    """
    base = inputs.base
    world_in_base = before.world_in_base if before is not None and before.base == base else _inverse(inputs)
    main_end = inputs.ends[0]
    attention = _attention(inputs, before.attention if before is not None else None, dt)
    # once attention has settled, the target is passed on unchanged: computed from its bearing, it would
    # differ by rounding
    if attention is not None and attention.seen is not attention.target:
        main_end = main_end._replace(target=_seen(attention, inputs.base))
    first, *other_goals = [end_goal(end, world_in_base) for end in (main_end, *inputs.ends[1:])]
    eyes, look_settings = _eyes(inputs, main_end, before, dt)
    offsets = _offsets(inputs, skeleton, world_in_base, before)
    angles, look, measured = inputs.posture.tolist(), None, None
    if look_settings != ANYWHERE or inputs.share < 1.0:
        measured = posed(skeleton, angles, before.posed if before is not None else None)
        aim, look = looking(
            before.look if before is not None else None, measured.facing, first.aim, look_settings, dt
        )
        aim = partial(measured.pose, aim, inputs.share, inputs.carried)
        first = first if aim is first.aim else replace(first, aim=aim)
    # the tick recognises an unchanged goal by its identity, so an equal goal must be the same object
    key = (first, *other_goals, inputs.keep, *angles)
    if before is not None and before.key == key:
        goal = before.goal
    else:
        goal = GazeGoal(
            first.aim, inputs.posture, first.symmetric, first.weight, inputs.keep, tuple(other_goals)
        )
    return ChainTask(
        goal, key, inputs.influence, offsets, attention, base, world_in_base, look, measured, eyes
    )


def _eyes(
    inputs: ChainInputs, end: EndInputs, before: ChainTask | None, dt: float
) -> tuple[EyesState | None, LookSettings]:
    """State of the eyes, which look at an end's target (None without eyes), and settings of the look with the
    eyes' offset.
    """
    if not inputs.eyes.enabled:
        return None, inputs.look
    last = before.eyes if before is not None else None
    eyes = advance_eyes(last, inputs.eyes, _direction_to(end, inputs.base), dt)
    return eyes, _averted(inputs, eyes)


def _direction_to(end: EndInputs, base: Matrix) -> Vector | None:
    """Unit vector in the world from the base to an end's target; None if both are at the same position."""
    displacement = rotations.subtract(_translation_of(end.target), _translation_of(base))
    return rotations.unit(displacement) if 0.0 < hypot(*displacement) < inf else None


def _averted(inputs: ChainInputs, eyes: EyesState) -> LookSettings:
    """Settings of the look in which the eyes' momentary aversion, scaled by its setting, is added to the
    offsets from the target.
    """
    (aside, up), look = eyes.averted, inputs.look
    aversion = inputs.eyes.aversion
    return LookSettings(look.widest, look.aside + aversion * aside, look.up + aversion * up)


def end_goal(end: EndInputs, world_in_base: Matrix) -> EndGoal:
    """Goal of an end in the base frame.

    Raises:
        InputsError: the target's position, rotation or chosen axis cannot be used.
    """
    return EndGoal(_aim(end, world_in_base), end.number, end.weight, end.symmetric)


def _inverse(inputs: ChainInputs) -> Matrix:
    """Matrix from the world to the base frame. Raises InputsError if the base is not finite or singular."""
    if not isfinite(sum(map(sum, inputs.base))):
        raise InputsError(
            f"The transform of the rig of chain '{inputs.name}' is not a number: clear it, its drivers or its"
            " constraints"
        )
    try:
        inverse: Matrix = np.linalg.inv(np.array(inputs.base)).tolist()
    except np.linalg.LinAlgError as error:
        raise InputsError(
            f"The rig of chain '{inputs.name}' is scaled to nothing: give it a scale other than 0"
        ) from error
    return inverse


def _attention(inputs: ChainInputs, before: Attention | None, dt: float) -> Attention | None:
    """State of attention after `dt` [s]; None if the target is followed directly, or is not finite."""
    end, settings = inputs.ends[0], inputs.attention
    if (settings == AT_ONCE and (before is None or before.is_settled)) or not isfinite(
        sum(map(sum, end.target))
    ):
        return None
    target = bearing(_translation_of(end.target), _rotation_of(end.target), _translation_of(inputs.base))
    return attend(before, target, end.identity, settings, dt, end.kind)


def _seen(attention: Attention, base: Matrix) -> Matrix:
    """World matrix of the target as the chain perceives it."""
    rows = rotations.to_matrix(attention.seen.rotation)
    position = seen_position(attention.seen, _translation_of(base))
    return [[*row, number] for row, number in zip(rows, position, strict=True)] + [[0.0, 0.0, 0.0, 1.0]]


def _offsets(
    inputs: ChainInputs, skeleton: Skeleton, world_in_base: Matrix, before: ChainTask | None
) -> Angles | None:
    """Offsets (n,) [rad; prismatic joints m] that effects add to the posture; None without effects; the last
    frame's array itself if nothing has changed.
    """
    if not inputs.effects:
        return None
    added = total(inputs.effects, skeleton, inputs.posture, _up(world_in_base), inputs.seconds)
    if before is not None and before.offsets is not None and before.offsets.tolist() == added.tolist():
        return before.offsets
    return added


def _aim(end: EndInputs, world_in_base: Matrix) -> Aim:
    """Aim of an end in the base frame: the target's values for the fields of its goal type, and world up if
    its roll setting needs it.
    """
    fields_of_kind = end.kind.__dataclass_fields__  # type: ignore[attr-defined]  # all aims are dataclasses
    values: dict[str, object] = {
        name: read(end, world_in_base) for name, read in FROM_TARGET.items() if name in fields_of_kind
    }
    if "up" in fields_of_kind and end.roll != "FREE":
        values["level" if end.roll == "POSTURE" else "up"] = _up(world_in_base)
    aim: Aim = end.kind(**values)
    return aim


def _position(end: EndInputs, world_in_base: Matrix) -> Vector:
    """Position [m] of an end's target in the chain's base. Raises InputsError if it cannot be used."""
    x, y, z = _translation_of(end.target)
    if not (isfinite(x) and isfinite(y) and isfinite(z)):
        raise InputsError(
            f"The position of target '{end.name}' is not a number: clear its location, its drivers or its"
            " constraints"
        )
    (a, b, c, right), (d, e, f, ahead), (g, h, i, up), _ = world_in_base
    aside, along, above = (
        a * x + b * y + c * z + right,
        d * x + e * y + f * z + ahead,
        g * x + h * y + i * z + up,
    )
    if not (abs(aside) < FARTHEST and abs(along) < FARTHEST and abs(above) < FARTHEST):
        raise InputsError(f"Target '{end.name}' is too far away to be looked at: bring it nearer")
    return aside, along, above


FARTHEST = 3e38  # [m] limit of a target's coordinates: about the largest number in Blender's single precision


def _direction(end: EndInputs, world_in_base: Matrix) -> Vector:
    """Direction of the target's chosen axis in the chain's base. Raises InputsError if it cannot be used."""
    if end.axis is None:
        raise InputsError(
            f"{end.subject} has an axis that this version does not know: choose Target's Axis again"
        )
    return _unit(_rotated(world_in_base, rotations.rotate(_rotation(end), end.axis)))


def _orientation(end: EndInputs, world_in_base: Matrix) -> Quaternion:
    """Orientation of the tool in the base frame that aligns the end bone's axes with the target's."""
    rotation = rotations.multiply(_rotation_of(world_in_base), _rotation(end))
    return rotations.normalized(rotations.multiply(rotation, end.tool))


# field of an aim -> function that reads it from the target
FROM_TARGET = {"position": _position, "vector": _direction, "wxyz": _orientation}


def _rotation(end: EndInputs) -> Quaternion:
    """Rotation of an end's target in the world. Raises InputsError if it is not finite or scaled to 0."""
    columns = _columns(end.target)
    if not isfinite(sum(map(sum, columns))):
        raise InputsError(
            f"The rotation of target '{end.name}' is not a number: clear its transform, drivers or"
            " constraints"
        )
    if min(map(rotations.length, columns)) == 0.0:
        raise InputsError(
            f"Target '{end.name}' is scaled to nothing and has no axes: give it a scale other than 0"
        )
    return _rotation_of(end.target)


def _up(world_in_base: Matrix) -> Vector:
    """World up in the base frame."""
    x, y, z, _ = world_in_base
    return _unit((x[2], y[2], z[2]))


def _rotated(matrix: Matrix, vector: Vector) -> Vector:
    """A vector rotated (and scaled) by a matrix, without its translation."""
    x, y, z = vector
    a, b, c = (row[0] * x + row[1] * y + row[2] * z for row in matrix[:3])
    return a, b, c


def _unit(vector: Vector) -> Vector:
    """A vector scaled to length 1; unchanged if its length is 0 or not finite."""
    size = hypot(*vector)
    return rotations.scale(vector, 1.0 / size) if 0.0 < size < inf else vector


def _translation_of(matrix: Matrix) -> Vector:
    return matrix[0][3], matrix[1][3], matrix[2][3]


def _columns(matrix: Matrix) -> list[Vector]:
    return [(matrix[0][k], matrix[1][k], matrix[2][k]) for k in range(3)]


def _rotation_of(matrix: Matrix) -> Quaternion:
    """Rotation of a matrix, without its scale; for a mirrored matrix, that with all axes reversed, as in
    Blender.
    """
    x, y, z = map(_unit, _columns(matrix))
    if rotations.dot(rotations.cross(x, y), z) < 0.0:
        x, y, z = (rotations.scale(column, -1.0) for column in (x, y, z))
    return rotations.from_matrix(list(zip(x, y, z, strict=True)))
