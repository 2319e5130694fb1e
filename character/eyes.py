"""Eyes of a chain that looks: blinks, lids that follow the gaze, and looks away from the person looked at.

The state advances by time steps, with random numbers from a seed, so that the same steps give the same motion
of the eyes in every host.

Source of the constants: docs/guide/behaviour.md, where observations of people in conversation are cited.
"""

import math
from typing import NamedTuple

from ..solvers.crossing import minimum_jerk
from ..solvers.kinematics import rotations
from ..solvers.kinematics.rotations import Vector
from ..solvers.kinematics.skeleton import Angles, Skeleton
from .draws import between, draws

# [s] (shortest, longest) time between two blinks without another cause, divided by the factor of blinks
BETWEEN = (2.0, 6.0)
CLOSING, OPENING = 0.1, 0.15  # [s] durations of closing and of opening in a blink
SHIFT = math.radians(20)  # [rad] smallest shift of the gaze that is accompanied by a blink
# [s] time constant with which the direction from which shifts are measured follows the gaze; it follows a
# shift at once
FIXATION = 0.3
# [s] (shortest, longest) time of looking at the person, and of looking away
LOOKING, AWAY = (2.0, 5.0), (0.5, 4.0)
MOVE = 0.2  # [s] durations of the movement away and of that back
ASIDE, UP = math.radians(20), math.radians(30)  # [rad] largest angles of a look away, to the side and up
# [rad] rotation of an upper lid from open to closed, and so the look downward that closes lids which follow
# the gaze fully
CLOSED = math.radians(40)
WIDEST = -0.5  # smallest `closed` of the lids (0 open, 1 closed): a look upward opens them beyond open


class EyesSettings(NamedTuple):
    """Settings of the eyes.

    Attributes:
        enabled: Whether the chain's end effector represents eyes.
        blinks: Factor of the number of blinks; 0 for none.
        aversion: Factor of the angles of looks away; 0 for none.
        follow: Share of the gaze's pitch that the lids follow.
        closed: How far the lids are closed without a blink: 0 open, 1 closed.
        seed: Seed of the random numbers.
        cues: Number of ended events, such as speech, that a blink follows.
    """

    enabled: bool = False
    blinks: float = 0.0
    aversion: float = 0.0
    follow: float = 0.0
    closed: float = 0.0
    seed: int = 0
    cues: int = 0


Angle2 = tuple[float, float]  # angles [rad] to the side and up


class EyesState(NamedTuple):
    """State of the eyes, passed on to the next tick.

    Attributes:
        settings: Settings in this tick.
        blink: Time [s] since the last blink began; infinite if there was none.
        waited: Time [s] since that blink began, or since the start if there was none; when it reaches a
            randomly drawn time, the next blink begins, if no cue or shift of the gaze has caused one before.
        blinks: Number of blinks so far.
        fixation: Direction from which shifts of the gaze are measured; None if not known.
        averted: Current offset of the look [rad].
        origin, goal: Start and end of the last movement of this offset [rad].
        since_move: Time [s] since that movement began.
        moves: Number of movements so far; if odd, the eyes look away.
    """

    settings: EyesSettings
    blink: float = math.inf
    waited: float = 0.0
    blinks: int = 0
    fixation: Vector | None = None
    averted: Angle2 = (0.0, 0.0)
    origin: Angle2 = (0.0, 0.0)
    goal: Angle2 = (0.0, 0.0)
    since_move: float = MOVE
    moves: int = 0

    @property
    def is_settled(self) -> bool:
        """Whether the eyes look at the target, and neither a blink nor a movement is running."""
        return self.blink >= CLOSING + OPENING and self.since_move >= MOVE and self.moves % 2 == 0

    @property
    def closing(self) -> float:
        """How far a blink closes the lids, 0 to 1."""
        if self.blink < CLOSING:
            return minimum_jerk(self.blink / CLOSING)
        return minimum_jerk(max(0.0, 1.0 - (self.blink - CLOSING) / OPENING))


def advance(
    state: EyesState | None, settings: EyesSettings, direction: Vector | None, dt: float
) -> EyesState:
    """State of the eyes `dt` [s] later.

    Args:
        state: State returned by the last call; None at the start, when they look at the target.
        settings: Settings of the eyes.
        direction: Unit vector in the world toward the target; None if not known.
        dt: Time step [s]; 0 for the same tick again.
    """
    if state is None:
        return EyesState(settings, fixation=direction)
    if dt == 0.0:
        return state._replace(settings=settings)
    return _blinked(_averted(state, settings, dt), settings, direction, dt)


def _blinked(state: EyesState, settings: EyesSettings, direction: Vector | None, dt: float) -> EyesState:
    """The state with its blinks advanced by `dt` [s]."""
    state = state._replace(blink=state.blink + dt, waited=state.waited + dt)
    is_over = state.blink >= CLOSING + OPENING
    has_cue = settings.cues != state.settings.cues
    fixation, has_shifted = direction, False
    if direction is not None and state.fixation is not None:
        has_shifted = rotations.vector_angle(state.fixation, direction) > SHIFT
        if not has_shifted:
            fixation = _toward(state.fixation, direction, -math.expm1(-dt / FIXATION))
    is_due = False
    if settings.blinks > 0.0:
        drawn = between(*BETWEEN, draws(settings.seed, "blink", state.blinks)[0]) / settings.blinks
        is_due = state.waited >= drawn or has_cue or has_shifted
    state = state._replace(settings=settings, fixation=fixation)
    if is_due and is_over:
        state = state._replace(blink=0.0, waited=0.0, blinks=state.blinks + 1)
    return state


def _toward(begin: Vector, end: Vector, share: float) -> Vector:
    """Unit vector between two directions: their linear interpolation at a share (0 to 1), normalised."""
    mixed = rotations.add(rotations.scale(begin, 1.0 - share), rotations.scale(end, share))
    return rotations.unit(mixed)


def _averted(state: EyesState, settings: EyesSettings, dt: float) -> EyesState:
    """The state with its looks away advanced by `dt` [s]."""
    since_move, moves, goal, origin = state.since_move + dt, state.moves, state.goal, state.origin
    drawn = draws(settings.seed, "look", moves)
    is_away = moves % 2 == 1
    duration = between(*(AWAY if is_away else LOOKING), drawn[0])
    averts = settings.aversion > 0.0
    if (since_move >= duration and (averts or is_away)) or (is_away and not averts):
        moves, since_move, origin = moves + 1, 0.0, state.averted
        goal = (0.0, 0.0)
        if not is_away:
            goal = (ASIDE * between(-1.0, 1.0, drawn[1]), UP * between(-1.0, 1.0, drawn[2]))
    share = minimum_jerk(min(since_move / MOVE, 1.0))
    aside, up = (a + share * (b - a) for a, b in zip(origin, goal, strict=True))
    return state._replace(averted=(aside, up), origin=origin, goal=goal, since_move=since_move, moves=moves)


def lid(state: EyesState, skeleton: Skeleton, angles: Angles) -> float:
    """How far the lids are closed: 0 open, 1 closed; down to `WIDEST`, below 0, where they follow a look
    upward.

    Args:
        state: State of the eyes.
        skeleton: The chain whose end looks.
        angles: (n,) [rad; prismatic joints m] values of its joints.
    """
    settings, following = state.settings, 0.0
    if settings.follow > 0.0:
        following = -settings.follow * pitch(skeleton, angles) / CLOSED
    resting = min(max(settings.closed + (1.0 - settings.closed) * following, WIDEST), 1.0)
    return resting + state.closing * (1.0 - resting)


def pitch(skeleton: Skeleton, angles: Angles) -> float:
    """Angle [rad] by which a chain's end looks up, relative to its look with all joints at 0."""
    rest = skeleton.forward([0.0] * len(skeleton)).tool_rotation
    look = rotations.rotate(skeleton.forward(angles.tolist()).tool_rotation, rotations.Y)
    upward = rotations.dot(look, rotations.rotate(rest, rotations.Z))
    return math.asin(min(max(upward, -1.0), 1.0))
