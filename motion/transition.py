"""A way to a new place that takes a time of its own, however far it is: smooth from where and how the joint moves. Knows no Blender."""

from dataclasses import dataclass

from .filters import Kinematic, check_step
from .limits import Limits


@dataclass(frozen=True, slots=True)
class Underway(Kinematic):
    """A joint on its way: where it goes [rad], and how much time it has left [s]."""

    wanted: float = 0.0
    left: float = 0.0


@dataclass(frozen=True)
class Transition:
    """From each place to the next in `seconds`, by the smoothest polynomial that continues position, velocity and acceleration and ends at
    rest.

    Another place on the way begins the time anew. Limits of velocity and more are not its business: the motion filter's are.

    Source: Flash & Hogan 1985, "The coordination of arm movements", whose minimum-jerk movement it is where it starts at rest.
    """

    limits: Limits
    seconds: float

    def rest(self, position: float) -> Underway:
        """The state at rest at `position` [rad]."""
        return Underway(position, wanted=position)

    def step(self, state: Kinematic, target: float, dt: float, target_velocity: float | None = None) -> Underway:
        """The state `dt` seconds later; see `Filter.step`."""
        check_step(target, dt, target_velocity)
        target = min(max(target, self.limits.lower), self.limits.upper)
        left = self.seconds
        if isinstance(state, Underway) and state.wanted == target:
            left = state.left
        if left <= dt:
            return self.rest(target)
        if dt == 0.0:
            return Underway(state.position, state.velocity, state.acceleration, target, left)
        # With time counted in `left`: x = x0 + v s + a/2 s^2 + c3 s^3 + c4 s^4 + c5 s^5, and at s = 1 at rest at the target.
        way, velocity, bend = target - state.position, state.velocity * left, state.acceleration * left * left
        c3 = 10.0 * way - 6.0 * velocity - 1.5 * bend
        c4 = -15.0 * way + 8.0 * velocity + 1.5 * bend
        c5 = 6.0 * way - 3.0 * velocity - 0.5 * bend
        s = dt / left
        position = state.position + s * (velocity + s * (0.5 * bend + s * (c3 + s * (c4 + s * c5))))
        return Underway(
            min(max(position, self.limits.lower), self.limits.upper),
            (velocity + s * (bend + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / left,
            (bend + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))) / (left * left),
            target,
            left - dt,
        )
