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
CALM = 3  # steps without a jump before doubt may fall: among noise one or two look smooth by chance


class TargetMotion(NamedTuple):
    """What is known after a step.

    Attributes:
        place: Where the target is, within the position limits [rad].
        velocity: Mean over the last step [rad/s].
        acceleration: Between the last two means [rad/s2].
        dt: The last step [s].
        doubt: The part of the speed that came in a jump [rad/s].
        calm: Steps since the last jump.
    """

    place: float
    velocity: float
    acceleration: float
    dt: float
    doubt: float = 0.0
    calm: int = 0


def observed(last: TargetMotion | None, place: float, dt: float, given_velocity: float | None, limits: Limits) -> TargetMotion:
    """What is known after the target was seen at `place`, `dt` seconds after the last time; a target seen first is taken to be at rest."""
    if last is None:
        return TargetMotion(place, given_velocity or 0.0, 0.0, dt)
    velocity = (place - last.place) / dt if given_velocity is None else given_velocity
    between = 0.5 * (dt + last.dt)
    acceleration = (velocity - last.velocity) / between
    surprise = abs(acceleration - last.acceleration)
    jumped = surprise > limits.jerk * between
    if given_velocity is not None:
        return TargetMotion(place, velocity, 0.0 if jumped else acceleration, dt)
    if jumped:
        return TargetMotion(place, velocity, acceleration, dt, max(abs(velocity), surprise * between))
    if abs(acceleration) > FOLLOWABLE * limits.acceleration:
        return TargetMotion(place, velocity, acceleration, dt, abs(velocity))
    doubt = last.doubt
    if last.calm + 1 >= CALM:  # a target that turns smoothly, or is at rest, is doubted no more
        doubt = min(doubt, abs(velocity)) if velocity * last.velocity > 0.0 else 0.0
    return TargetMotion(place, velocity, acceleration, dt, doubt, last.calm + 1)


def lead(motion: TargetMotion, given: bool, limits: Limits) -> float:
    """How far from where it is now the target would come to stand, by what is not doubted of its motion [rad]."""
    velocity, acceleration = motion.velocity, motion.acceleration
    if motion.doubt > 0.0:
        velocity = copysign(max(abs(velocity) - motion.doubt, 0.0), velocity)
        if velocity == 0.0 or velocity * acceleration > 0.0:
            acceleration = 0.0  # only what brings it to stand sooner is believed
    believed = velocity
    if not given:
        velocity += 0.5 * acceleration * motion.dt  # from the step's middle to its end
    if velocity == 0.0 and acceleration == 0.0:
        return 0.0
    velocity = min(max(velocity, -limits.velocity), limits.velocity)
    acceleration = min(max(acceleration, -limits.acceleration), limits.acceleration)
    ahead = stopping_distance(velocity, acceleration, limits.acceleration, limits.jerk)
    return ahead if motion.doubt == 0.0 or ahead * believed > 0.0 else 0.0
