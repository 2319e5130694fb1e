"""How the target moves, seen from its last places: what lets a joint keep up with it instead of trailing. Knows no Blender.

A target that moves as a joint could is aimed at where it would come to stand, if it stopped as soon as the joint can. A joint that may
always stop there in time never runs ahead of a target that could not have stopped sooner, needs no more room than the target does, and
keeps the limits as if it went to a place at rest. Velocity that came in a jump (a step, a ramp's sudden start, noise, a mouse) tells
nothing about what comes next, since it may go in a jump as well: it is doubted, and the target is then merely a place.
"""

from math import copysign
from typing import NamedTuple

from .limits import Limits
from .profile import stopping_distance

FOLLOWABLE = 2.0  # share of the joint's acceleration: chasing a target that turns harder ends in the opposite of its motion
SEEN_TO_TURN = 0.25  # share of it by which the target's may change in a step: frames too far apart for more are no motion, but guesses
CLEAR = 3.0  # times what the last change of acceleration makes of a step: a velocity of less may be noise that is small enough to follow
CALM = 3  # steps without a jump before doubt may fall: among noise one or two look smooth by chance


class TargetMotion(NamedTuple):
    """What is known after a step.

    Attributes:
        place: Where the target is, within the position limits [rad].
        velocity: Mean over the last step [rad/s].
        acceleration: Between the last two means [rad/s2].
        dt: The last step [s].
        turn: How much more the acceleration is than it was a step before [rad/s2].
        doubt: The part of the speed that came in a jump [rad/s].
        calm: Steps since the last jump.
    """

    place: float
    velocity: float
    acceleration: float
    dt: float
    turn: float = 0.0
    doubt: float = 0.0
    calm: int = 0


def observed(last: TargetMotion | None, place: float, dt: float, given_velocity: float | None, limits: Limits) -> TargetMotion:
    """What is known after the target was seen at `place`, `dt` seconds after the last time; a target seen first is taken to be at rest."""
    if last is None:
        return TargetMotion(place, given_velocity or 0.0, 0.0, dt)
    velocity = (place - last.place) / dt if given_velocity is None else given_velocity
    between = 0.5 * (dt + last.dt)
    acceleration = (velocity - last.velocity) / between
    turn = acceleration - last.acceleration
    jumped = abs(turn) > min(limits.jerk * between, SEEN_TO_TURN * limits.acceleration)
    if given_velocity is not None:
        return TargetMotion(place, velocity, 0.0 if jumped else acceleration, dt)
    if jumped:
        return TargetMotion(place, velocity, acceleration, dt, turn, max(abs(velocity), abs(turn) * between))
    if abs(acceleration) > FOLLOWABLE * limits.acceleration:
        return TargetMotion(place, velocity, acceleration, dt, turn, abs(velocity))
    doubt = last.doubt
    if last.calm + 1 >= CALM:  # a target that turns smoothly, or is at rest, is doubted no more
        doubt = min(doubt, abs(velocity)) if velocity * last.velocity > 0.0 else 0.0
    return TargetMotion(place, velocity, acceleration, dt, turn, doubt, last.calm + 1)


def lead(motion: TargetMotion, limits: Limits) -> float:
    """How far from where it is now the observed target would come to stand, by what is not doubted of its motion [rad]."""
    velocity, acceleration, dt, turn, doubt = motion[1:6]
    if abs(velocity) <= CLEAR * abs(turn) * dt:
        return 0.0
    if velocity * turn > 0.0:
        turn = 0.0  # of what the acceleration does since it was seen only what brings the target to stand sooner is believed
    gained = 0.5 * dt * (acceleration + 0.75 * turn)  # since the last step's middle, where the velocity was seen
    acceleration += turn  # a step after the place where it was seen
    if doubt == 0.0:
        return standing(velocity + gained, acceleration, limits)
    believed = copysign(max(abs(velocity) - doubt, 0.0), velocity)
    if believed == 0.0 or believed * acceleration > 0.0:
        gained = acceleration = 0.0
    ahead = standing(believed + gained, acceleration, limits)
    return ahead if ahead * believed > 0.0 else 0.0


def standing(velocity: float, acceleration: float, limits: Limits) -> float:
    """How far from here a target with that motion would come to stand, if it stopped as soon as the joint can [rad]."""
    if velocity == 0.0 and acceleration == 0.0:
        return 0.0
    velocity = min(max(velocity, -limits.velocity), limits.velocity)
    acceleration = min(max(acceleration, -limits.acceleration), limits.acceleration)
    return stopping_distance(velocity, acceleration, limits.acceleration, limits.jerk)
