"""Blends the instructions of a behaviour's states for a chain: each number moves from its current value, with
continuous velocity and acceleration at every interruption. Pure functions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from ...motion import Kinematic, Limits, Transition
from ...solvers.crossing import minimum_jerk
from ...solvers.kinematics.rotations import Vector
from ...solvers.kinematics.skeleton import Angles, Skeleton
from .data import AS_USUAL, ChainRole, Gesture, StateClip, interpolated

# limits of weights and shares: only the range 0 to 1 counts, since their transitions have a given duration
UNIT = Limits(0.0, 1.0, 1.0, 1.0, 1.0)
SHORTEST = 1e-3  # [s] shortest transition; a shorter one takes this time, which is a step at any frame rate
FIELDS = ("influence", "share", "life")


class Instruction(NamedTuple):
    """Instruction for a chain in a frame.

    Attributes:
        weights: Weight of each stored posture.
        influence, share: As in `ChainSettings`.
        life: Factor of the amount of idle motion.
        target: Name of the target; None: the target of the exported animation.
        clips: (weight, values (n,) [rad; prismatic joints m]) of each playing state clip, which are added to
            the postures; NaN for joints with authored values.
        blinks, aversion: Factors of blinks and of looks away.
        lids: How far the lids are closed: 0 open, 1 closed.
        cues: Number of times that speech has ended.
    """

    weights: tuple[float, ...]
    influence: float
    share: float
    life: float
    target: str | None
    clips: tuple[tuple[float, Angles], ...] = ()
    blinks: float = 1.0
    aversion: float = 1.0
    lids: float = 0.0
    cues: int = 0


class PlayingClip(NamedTuple):
    """A state's clip that plays, also while it fades out after the state: number of the visit of the state,
    the clip, time [s] since its start, and the motion of its weight.
    """

    visit: int
    clip: StateClip
    seconds: float
    weight: Kinematic


class Settled(NamedTuple):
    """An instruction that stays the same until one of the values `of`, from which it was made, changes."""

    of: tuple[object, ...]
    instruction: Instruction


class BlendState(NamedTuple):
    """State of a chain's blend: a motion for each weight, then for influence, share, life, aversion and lids;
    the clips; whether the character speaks, and the number of times that it has ended speaking; and the
    instruction, if its motions are at rest and it has no clips.
    """

    motion: tuple[Kinematic, ...]
    clips: tuple[PlayingClip, ...] = ()
    speaks: bool = False
    cues: int = 0
    settled: Settled | None = None


class Visit(NamedTuple):
    """The behaviour's current state for a chain: the chain's role and clip in it, the number of the visit,
    the time [s] since the visit began, and whether the character speaks.
    """

    role: ChainRole
    clip: StateClip | None = None
    number: int = 0
    seconds: float = 0.0
    speaks: bool = False


class Usual(NamedTuple):
    """Values of a chain's exported animation in a frame, used for what a role leaves open."""

    weights: Sequence[float]  # weight (0 to 1) of each stored posture
    influence: float  # influence of the gaze: 0 none, 1 exact
    share: float  # share of the rotation to the target that the chain makes: 0 none, 1 all


def as_usual(usual: Usual) -> BlendState:
    """Blend state, at rest, of a chain that follows its exported animation."""
    values = [*usual.weights, *_shares(AS_USUAL, usual)]
    return BlendState(tuple(Transition(UNIT).rest(value) for value in values))


def blended(
    state: BlendState | None, visit: Visit, names: Sequence[str], usual: Usual, seconds: float, dt: float
) -> tuple[Instruction, BlendState]:
    """Instruction for a chain in this frame, and the blend state for the next one.

    Args:
        state: State returned by the last call; None: the chain begins in its role.
        visit: The behaviour's current state for the chain.
        names: Names of the chain's stored postures.
        usual: Values of the chain's exported animation.
        seconds: Duration [s] of the transition to the role of `visit`.
        dt: Time step [s].
    """
    made_of = visit.role, visit.clip, visit.speaks, tuple(usual.weights), usual[1:], tuple(names)
    if state is not None and state.settled is not None and state.settled.of == made_of:
        return state.settled.instruction, state
    goals = [*_weights(visit, names, usual), *_shares(visit.role, usual)]
    instruction, after = _moved(state, visit, goals, seconds, dt)
    if not after.clips and visit.clip is None and all(map(_is_at, after.motion, goals)):
        after = after._replace(settled=Settled(made_of, instruction))
    return instruction, after


def _moved(
    state: BlendState | None, visit: Visit, goals: list[float], seconds: float, dt: float
) -> tuple[Instruction, BlendState]:
    """Instruction and blend state on the way to `goals`, the values of the motions in `BlendState`; other
    arguments as for `blended`.
    """
    # motions of weights are invalid after a posture was added or removed
    if state is None or len(state.motion) != len(goals):
        motion = tuple(Transition(UNIT, seconds).rest(goal) for goal in goals)
        clips = _begun(visit, 1.0)
    else:
        transition = Transition(UNIT, max(seconds, SHORTEST))
        motion = tuple(
            transition.step(each, goal, dt) for each, goal in zip(state.motion, goals, strict=True)
        )
        clips = _played(state.clips, visit, transition, dt)
    *weights, influence, share, life, aversion, lids = [each.position for each in motion]
    has_ended = state is not None and state.speaks and not visit.speaks
    cues = (state.cues if state is not None else 0) + has_ended
    instruction = Instruction(
        tuple(weights),
        influence,
        share,
        life,
        visit.role.target,
        tuple((each.weight.position, each.clip.at(each.seconds)) for each in clips),
        1.0 if visit.role.blinks is None else visit.role.blinks,
        aversion,
        lids,
        cues,
    )
    return instruction, BlendState(motion, clips, visit.speaks, cues)


def _is_at(motion: Kinematic, goal: float) -> bool:
    """Whether a value is at rest at its goal."""
    return motion.position == goal and motion.velocity == 0.0 and motion.acceleration == 0.0


def _begun(visit: Visit, weight: float) -> tuple[PlayingClip, ...]:
    """The clip of a visit, blended in by `weight` (0 to 1), as a tuple of one; empty if the state has no
    clip.
    """
    if visit.clip is None:
        return ()
    return (PlayingClip(visit.number, visit.clip, visit.seconds, Transition(UNIT).rest(weight)),)


def _played(
    clips: Sequence[PlayingClip], visit: Visit, transition: Transition, dt: float
) -> tuple[PlayingClip, ...]:
    """Clips `dt` [s] later: the visit's clip, in its current version, fades in; clips of earlier visits, and
    one removed from the state, continue while they fade out.
    """
    known = clips if any(each.visit == visit.number for each in clips) else (*clips, *_begun(visit, 0.0))
    played = []
    for each in known:
        if each.visit == visit.number and visit.clip is not None:
            weight = transition.step(each.weight, 1.0, dt)
            played.append(each._replace(clip=visit.clip, seconds=visit.seconds, weight=weight))
        elif (weight := transition.step(each.weight, 0.0, dt)).position > 0.0:
            played.append(each._replace(seconds=each.seconds + dt, weight=weight))
    return tuple(played)


def _weights(visit: Visit, names: Sequence[str], usual: Usual) -> list[float]:
    """Weight of each stored posture in a visit; all are 0 while only a state clip determines the posture."""
    if visit.role.weights is None and visit.clip is None:
        return list(usual.weights)
    weights: Mapping[str, float] = dict(visit.role.weights or ())
    return [weights.get(name, 0.0) for name in names]


def _shares(role: ChainRole, usual: Usual) -> list[float]:
    """Influence, share, life, aversion and lids of a role, as in `BlendState`. What the role leaves open is
    the chain's usual influence and share, full life and aversion, and open lids.
    """
    return [
        usual.influence if role.influence is None else role.influence,
        usual.share if role.share is None else role.share,
        1.0 if role.life is None else role.life,
        1.0 if role.aversion is None else role.aversion,
        0.0 if role.lids is None else role.lids,
    ]


@dataclass(frozen=True)
class GestureEffect:
    """A gesture at one time, as an effect on the posture (see `effects.PostureEffect`).

    Attributes:
        values: Values of the joints [rad; prismatic joints m]; NaN for joints that it does not move.
        strength: Share of the gesture, 0 (at its start and end) to 1.
        is_added: Whether the values are added to the posture; else they replace it.
    """

    values: tuple[float, ...]
    strength: float
    is_added: bool

    def offsets(self, skeleton: Skeleton, posture: Angles, up: Vector, seconds: float) -> Angles:
        """Offsets (n,) [rad; prismatic joints m] of the joints; arguments as for `PostureEffect.offsets`."""
        values = np.array(self.values)
        moved = self.strength * (values if self.is_added else values - posture)
        lower, upper = np.minimum(skeleton.lower, posture), np.maximum(skeleton.upper, posture)
        return np.where(np.isfinite(values), np.clip(posture + moved, lower, upper) - posture, 0.0)


def at(gesture: Gesture, seconds: float, end: float = inf) -> GestureEffect:
    """The effect of a gesture at a time [s] after its start; `end`: time [s] after its start until which it
    has faded out, if that is before its own end.
    """
    values = interpolated(gesture.rows, seconds * gesture.rate)
    left = min(seconds, min(gesture.seconds, end) - seconds)
    strength = min(max(left / gesture.fade, 0.0), 1.0) if gesture.fade > 0.0 else 1.0
    return GestureEffect(tuple(values.tolist()), minimum_jerk(strength), gesture.is_added)
