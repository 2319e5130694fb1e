"""Settings of a chain in a frame, and the inputs computed from them, in the same way for every host."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import inf, isfinite, isnan
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from ...solvers.goals import Direction, GazeGoal, Point
from ...solvers.kinematics.skeleton import Angles
from ..attention import AttentionSettings, CarriedLook
from ..effects import PostureEffect
from ..eyes import EyesSettings
from ..life import Life
from ..widest_look import ALL_AROUND, LookSettings
from .inputs import ChainInputs, EndInputs, KeptPosture, Matrix

# values of `base`: the source of the posture that a chain keeps
RIG, POSTURE, BLEND = "RIG", "POSTURE", "BLEND"
BASES = (RIG, POSTURE, BLEND)


class LifeSettings(NamedTuple):
    """Settings of the idle motion: amplitudes [rad], which `amount` scales, and the seed."""

    amount: float = 0.0
    breathing: float = 0.0
    sway: float = 0.0
    glances: float = 0.0
    seed: int = 0

    @property
    def effects(self) -> tuple[PostureEffect, ...]:
        """The effects on the posture; empty unless `amount` is above 0 and finite."""
        if not (self.amount > 0.0 and isfinite(self.amount)):
            return ()
        amount = self.amount
        return (Life(amount * self.breathing, amount * self.sway, amount * self.glances, self.seed),)


# settings of a chain that are groups -> their types, with defaults
GROUPS: dict[str, type[LifeSettings] | type[EyesSettings]] = {"life": LifeSettings, "eyes": EyesSettings}


class ChainSettings(NamedTuple):
    """Settings of a chain that can differ from frame to frame.

    Attributes:
        keep: Weight of the posture, which has lower priority than the aim; 0 to 1.
        influence: Blend from the posture (0) to the solution (1), for each joint.
        share: How far the chain's own end rotates from the posture's gaze (0) to its target (1).
        carried_left, carried_right, carried_up, carried_down: Largest angles [rad] of the rest of
            that rotation that the chain leaves to the chains that it carries, in each direction of its end;
            pi for no limit.
        lag: Time [s] by which the chain trails a steadily moving target.
        dead_zone: Angle [rad] by which a target can move before the chain follows.
        change: Duration [s] of the change to another target.
        widest_look: Largest angle [rad] of a look from where the end faces at rest.
        look_aside, look_up: Angles [rad] added to the look, to the end's left and up.
        life: Idle motion.
        eyes: Eyes.
    """

    keep: float = 1.0
    influence: float = 1.0
    share: float = 1.0
    carried_left: float = np.pi
    carried_right: float = np.pi
    carried_up: float = np.pi
    carried_down: float = np.pi
    lag: float = 0.0
    dead_zone: float = 0.0
    change: float = 0.0
    widest_look: float = np.pi
    look_aside: float = 0.0
    look_up: float = 0.0
    life: LifeSettings = LifeSettings()
    eyes: EyesSettings = EyesSettings()

    @classmethod
    def of(cls, stored: Any) -> "ChainSettings":
        """Settings read from an object's attributes of the same names, such as a chain's in the .blend;
        defaults for attributes that are missing in a group.
        """
        values: dict[str, Any] = dict(zip(cls._fields, _SETTINGS(stored), strict=True))
        for name, group in GROUPS.items():
            defaults = group._field_defaults.items()
            read: list[Any] = [getattr(values[name], field, default) for field, default in defaults]
            values[name] = group(*read)
        return cls(**values)

    @classmethod
    def of_numbers(cls, numbers: Mapping[str, float]) -> "ChainSettings":
        """The settings from numbers by name, as `numbers` gives them; defaults for missing ones."""
        values: dict[str, Any] = {name: numbers[name] for name in cls._fields if name in numbers}
        for name, group in GROUPS.items():
            kinds = {field: type(default) for field, default in group._field_defaults.items()}
            values[name] = group(
                **{
                    field: kind(numbers[f"{name}_{field}"])
                    for field, kind in kinds.items()
                    if f"{name}_{field}" in numbers
                }
            )
        return cls(**values)

    @property
    def numbers(self) -> dict[str, float]:
        """All settings by name; those of a group have its name as prefix."""
        values = self._asdict()
        for name in GROUPS:
            group = values.pop(name)._asdict()
            values |= {f"{name}_{field}": float(number) for field, number in group.items()}
        return values

    def attention(self, kind: type, is_filtered: bool, has_choice: bool) -> AttentionSettings:
        """Settings of attention for a goal of type `kind`.

        Args:
            kind: Type of the goal of the chain's own end.
            is_filtered: Whether the chain has a motion filter, which smooths jumps of the target itself.
            has_choice: Whether the chain can change from one target to another.
        """
        return AttentionSettings(
            max(self.lag, 0.0),
            self.dead_zone if issubclass(kind, Point | Direction) else 0.0,
            self.change if has_choice or not is_filtered else 0.0,
            eases_jumps=self.change > 0.0 and not is_filtered,
        )

    @property
    def look(self) -> LookSettings:
        """Widest look and offset; a widest look of nearly half a rotation counts as no limit."""
        widest = np.pi if self.widest_look >= ALL_AROUND else self.widest_look
        return LookSettings(widest, self.look_aside, self.look_up)

    @property
    def carried(self) -> CarriedLook:
        """The most of a look that the chain leaves to others; nearly half a rotation counts as no limit."""
        angles = (self.carried_left, self.carried_right, self.carried_up, self.carried_down)
        return CarriedLook(*(inf if angle >= ALL_AROUND else max(angle, 0.0) for angle in angles))


_SETTINGS = attrgetter(*ChainSettings._fields)


class ChainFrame(NamedTuple):
    """Values that a host reads of a chain in a frame, apart from its settings.

    Attributes:
        name: Name of the chain, for messages.
        base: World matrix of its base frame.
        ends: Inputs of its ends, its own first.
        posture: (n,) [rad; prismatic joints m] posture to keep, from `kept_values`.
        kept: The stored posture in use; None if the chain has a motion filter.
        has_choice: Whether the chain can change from one target to another.
        seconds: Scene time [s].
        gestures: Effects on the posture before the idle motion.
    """

    name: str
    base: Matrix
    ends: tuple[EndInputs, ...]
    posture: Angles
    kept: KeptPosture | None
    has_choice: bool
    seconds: float
    gestures: tuple[PostureEffect, ...] = ()


@lru_cache
def _applied(
    settings: ChainSettings, kind: type, is_filtered: bool, has_choice: bool
) -> tuple[AttentionSettings, LookSettings, CarriedLook, tuple[PostureEffect, ...]]:
    """Settings of attention and of the look, the most of a look that others carry, and idle motion; arguments
    as for `ChainSettings.attention`.
    """
    attention = settings.attention(kind, is_filtered, has_choice)
    return attention, settings.look, settings.carried, settings.life.effects


def chain_inputs(
    frame: ChainFrame,
    settings: ChainSettings,
    *,
    is_filtered: bool,
    ahead: Sequence[GazeGoal] = (),
    is_mutual: bool = False,
) -> ChainInputs:
    """Inputs of a chain's tick in a frame.

    Args:
        frame, settings: The chain in this frame.
        is_filtered: Whether the chain has a motion filter.
        ahead, is_mutual: As in `ChainInputs`.
    """
    attention, look, carried, life = _applied(settings, frame.ends[0].kind, is_filtered, frame.has_choice)
    effects = (*frame.gestures, *life)
    return ChainInputs(
        base=frame.base,
        ends=frame.ends,
        posture=frame.posture,
        name=frame.name,
        keep=settings.keep,
        influence=settings.influence,
        share=settings.share,
        carried=carried,
        attention=attention,
        look=look,
        eyes=settings.eyes,
        effects=effects,
        seconds=frame.seconds if effects else 0.0,
        ahead=ahead,
        is_mutual=is_mutual,
        kept=frame.kept,
    )


def kept_values(base: str, weighted: Sequence[tuple[float, Angles]], authored: Angles) -> Angles:
    """Joint values (n,) [rad; prismatic joints m] of the posture that a mover keeps.

    Args:
        base: Source of the posture, one of `BASES`.
        weighted: Pairs of a weight and a stored posture (n,) [rad; prismatic joints m], which is NaN for
            joints that it does not contain: the kept posture for "POSTURE", those with a weight for "BLEND".
        authored: The authored pose (n,): the posture for "RIG"; else used for joints without a value in a
            stored posture, and for weights that sum to less than 1.
    """
    if base == POSTURE:
        return np.array(filled(weighted[0][1], authored.tolist()))
    return blend(weighted, authored) if base == BLEND else authored


def filled(posture: Angles, authored: Sequence[float]) -> list[float]:
    """A stored posture (n,) [rad; prismatic joints m] in which NaN, for joints that it does not contain, is
    replaced by the authored value.
    """
    pairs = zip(posture.tolist(), authored, strict=True)
    return [usual if isnan(value) else value for value, usual in pairs]


def blend(weighted: Sequence[tuple[float, Angles]], authored: Angles) -> Angles:
    """Weighted mean (n,) of postures (n,); if the weights sum to less than 1, the authored pose gets the
    rest.

    So a single weight fades in its posture, equal weights give the mean, and nothing jumps when the last
    weight reaches 0.
    """
    usual = authored.tolist()
    blended, total = [0.0] * len(usual), 0.0
    for weight, posture in weighted:
        values = filled(posture, usual)
        blended = [value + weight * added for value, added in zip(blended, values, strict=True)]
        total += weight
    rest, whole = max(0.0, 1.0 - total), max(1.0, total)
    return np.array([(value + rest * added) / whole for value, added in zip(blended, usual, strict=True)])


def kept_posture(base: str, identity: object, stored: Angles | None, count: int) -> KeptPosture:
    """Identifies the posture that a chain keeps, to detect when it changes.

    Args:
        base: Source of the posture, one of `BASES`.
        identity: Identity of the stored posture in use; only for "POSTURE".
        stored: Its values (n,) [rad; prismatic joints m], NaN for joints that it does not contain; None if no
            posture is in use.
        count: Number of joints.
    """
    if base == POSTURE and stored is not None:
        return KeptPosture(identity, tuple(np.flatnonzero(np.isfinite(stored)).tolist()))
    return KeptPosture(base, () if base == RIG else tuple(range(count)))
