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


class TargetMotion(NamedTuple):
    """What is known after a step.

    Attributes:
        place: Where the target is, within the position limits [rad].
        velocity: Mean over the last step [rad/s].
        acceleration: Between the last two means [rad/s2].
        doubt: The part of the speed that came in a jump [rad/s].
        dt: The last step [s].
    """

    place: float
    velocity: float
    acceleration: float
    doubt: float
    dt: float


def observed(last: TargetMotion | None, place: float, dt: float, given_velocity: float | None, limits: Limits) -> TargetMotion:
    """What is known after the target was seen at `place`, `dt` seconds after the last time; a target seen first is taken to be at rest."""
    if last is None:
        return TargetMotion(place, given_velocity or 0.0, 0.0, 0.0, dt)
    velocity = (place - last.place) / dt if given_velocity is None else given_velocity
    between = 0.5 * (dt + last.dt)
    acceleration = (velocity - last.velocity) / between
    surprise = abs(acceleration - last.acceleration)
    if surprise > limits.jerk * between:
        doubt = max(abs(velocity), surprise * between)
    elif abs(acceleration) > FOLLOWABLE * limits.acceleration:
        doubt = abs(velocity)
    elif velocity * last.velocity > 0.0:
        doubt = min(last.doubt, abs(velocity))
    else:
        doubt = 0.0  # it has turned smoothly: what it does now it can do
    if given_velocity is not None:
        return TargetMotion(place, velocity, 0.0 if doubt else acceleration, 0.0, dt)
    return TargetMotion(place, velocity, acceleration, doubt, dt)


def lead(motion: TargetMotion, given: bool, limits: Limits) -> float:
    """How far from where it is now the target would come to stand, by what is not doubted of its motion [rad]."""
    velocity, acceleration = motion.velocity, motion.acceleration
    if motion.doubt > 0.0:
        velocity = copysign(max(abs(velocity) - motion.doubt, 0.0), velocity)
        acceleration = 0.0
    elif not given:
        velocity += 0.5 * acceleration * motion.dt  # from the step's middle to its end
    if velocity == 0.0 and acceleration == 0.0:
        return 0.0
    velocity = min(max(velocity, -limits.velocity), limits.velocity)
    acceleration = min(max(acceleration, -limits.acceleration), limits.acceleration)
    return stopping_distance(velocity, acceleration, limits.acceleration, limits.jerk)
