"""The Nutty motion filter (Ribeiro & Paiva 2019, section 3.7, eq. 23), its units repaired, within limits. Knows no Blender.

As printed, for one step of dt, with x, x', x'' the output so far and s the set-point:

    x   <- x + lambda(psi, velocity limit)              psi = x' + lambda((xi - x') / dt, acceleration limit)
    xi   = x'' + lambda(((v H(v) - x') / dt - x'') / dt, jerk limit)
    v    = Omega((s - x) / dt)                          H(v) = v/2 (tanh((|v| / (1 - rho))^(1 - sigma) - pi) + 1)
    lambda(y, k) = k/2 tanh(y / (k/2))                  Omega slows what leads away from the middle of the range: 1 - |.|^(2 beta)

Its units do not agree. What is done instead stands beside each line below as "Repair 1" to "Repair 7", and in docs/motion.md.
"""

from dataclasses import dataclass, field
from math import ceil, pi, sqrt, tanh

from .filters import Character, Kinematic, check_step
from .limits import Limits
from .profile import ROUNDING, Point, moved, stopping_range, toward_rest

OWN_STEP = 0.3  # share of the time in which the jerk builds up what the joint can use: a longer own step trails, a shorter asks in vain
SHORTEST_OWN_STEP = 0.02  # [s]: 50 a second, the rate of a hobby servo
SUBSTEPS = 5  # of an own step, at least: the loop is then as good as continuous, whatever rate it is called at
LONGEST = 5.0  # [s] a step longer than this is no animation, and goes the default filter's way
EASE = (0.25, 0.08)  # least gain at sigma 0 and 1: .25 is as quick as the loop z^3 + z^2 + z + gain closes in without swinging, .08 a third
MOST = 0.5  # gain: half of 1, where that loop swings for ever
HOME = 1e-3  # of what the greatest velocity covers in an own step: nearer than this the way ends exactly


@dataclass(frozen=True, slots=True)
class NuttyFilter:
    """Eases toward the target with the paper's character; within all limits, never past a target at rest, exactly at rest in the end.

    Character: sigma makes the last part of the way gentler (smoothness), rho leaves less of it to be eased (responsiveness), beta says how
    close to the position limits easing begins. `target_velocity` is not used: the paper's filter knows set-points only.
    """

    limits: Limits
    character: Character = field(default_factory=Character)

    def rest(self, position: float) -> Kinematic:
        return Kinematic(position)

    def step(self, state: Kinematic, target: float, dt: float, target_velocity: float | None = None) -> Kinematic:
        check_step(target, dt, target_velocity)
        if dt == 0.0:
            return state
        limits = self.limits
        target = limits.clamp(target)
        point = (state.position, state.velocity, state.acceleration)
        own = own_step(limits)
        if dt > LONGEST:
            return self._state(self._shortest(point, target, dt))
        count = ceil(dt * SUBSTEPS / own)
        for _ in range(count):
            jerk = self._jerk(point, target, own)
            ahead = moved(*point, jerk, dt / count)
            # Repair 7: no lambda knows how far it takes to stop. Where the paper's motion could not stop any more between here and the
            # target, or is outside another limit, the joint goes the shortest way instead.
            point = ahead if self._allows(point, jerk, ahead, target, own) else self._shortest(point, target, dt / count)
        return self._state(point)

    def _jerk(self, point: Point, target: float, own: float) -> float:
        position, velocity, acceleration = point
        limits = self.limits
        induced = (target - position) / own
        easing = eased(induced, limits.velocity, self.character) * leeway(induced, position, limits, self.character.beta)
        # Repair 6: H ends at .002, which leaves the joint creeping for minutes, and at a position limit Omega ends at 0; it begins at 1,
        # where the loop swings for ever. Ease, but arrive.
        easing = min(max(easing, EASE[0] + (EASE[1] - EASE[0]) * self.character.sigma), MOST)
        # Repair 5: each lambda is printed around what is added up, where it changes velocity and acceleration faster than the next limit
        # allows; around what is asked for, each limit holds.
        wanted = saturated(induced * easing, limits.velocity)
        push = saturated((wanted - velocity) / own, limits.acceleration)
        return saturated((push - acceleration) / own, limits.jerk)  # Repair 1: times dt in `moved`, as are velocity and acceleration

    def _allows(self, point: Point, jerk: float, ahead: Point, target: float, own: float) -> bool:
        limits = self.limits
        position, velocity, acceleration = ahead
        if abs(target - position) < HOME * limits.velocity * own or abs(acceleration) > limits.acceleration:
            return False
        if abs(velocity + 0.5 * acceleration * abs(acceleration) / limits.jerk) > limits.velocity:
            return False
        if point[2] * acceleration < 0.0 and abs(point[1] - 0.5 * point[2] * point[2] / jerk) > limits.velocity:
            return False  # the velocity had its peak in between
        lowest, highest = stopping_range(ahead, limits.acceleration, limits.jerk)
        if point[0] < target:
            return point[0] <= lowest and highest <= target
        return target <= lowest and highest <= point[0]

    def _shortest(self, point: Point, target: float, dt: float) -> Point:
        limits = self.limits
        grain = ROUNDING * (abs(point[0]) + abs(target))
        there = toward_rest((point[0] - target, point[1], point[2]), dt, limits.velocity, limits.acceleration, limits.jerk, grain)
        return there[0] + target, there[1], there[2]

    def _state(self, point: Point) -> Kinematic:
        return Kinematic(self.limits.absorb(point[0]), point[1], point[2])


def own_step(limits: Limits) -> float:
    """The filter's own dt [s].

    Repair 1: eq. 23 divides by dt where it wants errors gone within a step, and adds velocities, accelerations and jerks up without
    multiplying by it. As a frame's dt the first is more than any jerk limit can give; it is the filter's own here, and what is added up is
    multiplied by however long a frame takes.
    """
    build_up = min(limits.acceleration / limits.jerk, sqrt(limits.velocity / limits.jerk))
    return max(OWN_STEP * build_up, SHORTEST_OWN_STEP)


def saturated(value: float, limit: float) -> float:
    """lambda: soft toward `limit`. Repair 2: printed with k/2 twice, it reaches half the limit."""
    return limit * tanh(value / limit)


def leeway(velocity: float, position: float, limits: Limits, beta: float) -> float:
    """What Omega leaves of a velocity that leads away from the middle of the range, 0 at its ends and beyond.

    Repair 3: printed, the halves meet at x = alpha, half the range's width, which is its middle only where the lower limit is 0; they meet
    at lower + alpha.
    """
    alpha = 0.5 * (limits.upper - limits.lower)
    away = position - (limits.lower + alpha)
    if away * velocity <= 0.0:
        return 1.0
    if alpha <= 0.0 or abs(away) >= alpha:
        return 0.0
    return float(1.0 - (abs(away) / alpha) ** (2.0 * beta))


def eased(velocity: float, limit: float, character: Character) -> float:
    """H: what is left of a velocity, next to nothing of a small one.

    Repair 4: |v| is printed with its unit, so that degrees and radians move differently; here it is counted in velocity limits. The factor
    is printed v/2, which with v H(v) would be a square that knows no direction; 1/2 is meant, then H ends at 1.
    """
    share = (abs(velocity) / limit / (1.0 - character.rho)) ** (1.0 - character.sigma)
    return 0.5 * (tanh(share - pi) + 1.0)
