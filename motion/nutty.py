"""The Nutty motion filter (Ribeiro & Paiva 2019, section 3.7, eq. 23), with consistent units and within
limits.

As printed, for one step of dt, with x, x', x'' the output so far and s the set-point:

    x    <- x + lambda(psi, velocity limit)
    psi  = x' + lambda((xi - x') / dt, acceleration limit)
    xi   = x'' + lambda(((v H(v) - x') / dt - x'') / dt, jerk limit)
    v    = Omega((s - x) / dt)
    H(v) = v/2 (tanh((|v| / (1 - rho))^(1 - sigma) - pi) + 1)
    lambda(y, k) = k/2 tanh(y / (k/2))

Omega slows what leads away from the middle of the range: 1 - |.|^(2 beta).

Its units are inconsistent. Comments "Repair 1" to "Repair 8" below, and docs/motion.md, describe the
corrections.
"""

from dataclasses import dataclass
from math import ceil, pi, sqrt, tanh

from .filters import NEUTRAL, MotionStyle
from .joint import Kinematic, Limits, check_step
from .profile import Point, moved, moved_toward, stopping_range

# the filter's own step, as a share of the time in which the jerk builds up the usable acceleration: a longer
# step lags; a shorter one would often exceed the limits, so that the time-optimal motion replaces it
OWN_STEP = 0.3
SHORTEST_OWN_STEP = 0.02  # [s] shortest own step: the 50 Hz of a hobby servo
# smallest number of substeps in an own step: the loop is then practically continuous at any frame rate
SUBSTEPS = 5
LONGEST = 5.0  # [s] longest step of this filter; over a longer one the joint moves time-optimally
# smallest gain at sigma 0 (or as rho nears 1), and at sigma 1 with rho 0: at .25 the loop, with
# characteristic polynomial z^3 + z^2 + z + gain, converges fastest without oscillation; .08 is a third of .25
EASE = (0.25, 0.08)
MAX_GAIN = 0.5  # largest gain: half of 1, at which the loop oscillates forever
# smallest share of the velocity limit that Omega leaves, so that a joint arrives at its position limit
SLOWEST = 0.1
# distance from the target within which the motion ends exactly on it, as a share of the distance that the
# velocity limit covers in an own step
HOME = 1e-3


@dataclass(frozen=True, slots=True)
class NuttyFilter:
    """Moves toward the target in the paper's style: within all limits, without overshoot, and exactly at rest
    in the end.

    The style's sigma makes the last part of the motion gentler (smoothness), rho shortens that part
    (responsiveness), and beta sets how close to the position limits the joint slows down. `target_velocity`
    is not used: the paper's filter has set-points only.
    """

    limits: Limits
    style: MotionStyle = NEUTRAL

    def rest(self, position: float) -> Kinematic:
        return Kinematic(position)

    def step(
        self, state: Kinematic, target: float, dt: float, target_velocity: float | None = None
    ) -> Kinematic:
        check_step(target, dt, target_velocity)
        if dt == 0.0:
            return state
        limits = self.limits
        target = limits.clamp(target)
        point = (state.position, state.velocity, state.acceleration)
        filter_step = own_step(limits)
        if dt > LONGEST:
            return self._state(moved_toward(state, target, dt, limits))
        count = ceil(dt * SUBSTEPS / filter_step)
        for _ in range(count):
            jerk = self._jerk(point, target, filter_step)
            ahead = moved(*point, jerk, dt / count)
            # Repair 7: no lambda accounts for the stopping distance. Where the paper's motion could no longer
            # stop before the target, or exceeds another limit, the time-optimal motion is used instead.
            is_allowed = self._allows(point, jerk, ahead, target, filter_step)
            point = ahead if is_allowed else moved_toward(Kinematic(*point), target, dt / count, limits)
        return self._state(point)

    def _jerk(self, point: Point, target: float, filter_step: float) -> float:
        """Jerk [rad/s3] by the paper's law at `point`, for a target [rad] and the filter's own time
        step [s].
        """
        position, velocity, acceleration = point
        limits = self.limits
        induced = (target - position) / filter_step
        # Repair 6: near the target H falls to .002, with which the joint creeps for minutes, and at a
        # position limit Omega falls to 0; far from the target H is 1, at which the loop oscillates forever.
        # Bounds on both let the motion ease and still arrive. The lower bound of H falls with sigma and rises
        # with rho, since near the target H itself hardly depends on them.
        easing = eased(induced, limits.velocity, self.style)
        smoothness = self.style.sigma * (1.0 - self.style.rho)
        easing = min(max(easing, EASE[0] + (EASE[1] - EASE[0]) * smoothness), MAX_GAIN)
        # Repair 8: Omega is printed as a factor on the induced velocity, many times the velocity limit until
        # the target is near: lambda saturates it in any case, and beta has no effect. As a factor on lambda's
        # limit it slows the joint everywhere.
        room = max(leeway(induced, position, limits, self.style.beta), SLOWEST)
        # Repair 5: each lambda is printed around the increments, where velocity and acceleration change
        # faster than the next limit allows; around the requested values each limit holds.
        requested = saturated(induced * easing, room * limits.velocity)
        push = saturated((requested - velocity) / filter_step, limits.acceleration)
        # Repair 1: as printed, rates are added to their integrals without dt; `moved` integrates over dt
        return saturated((push - acceleration) / filter_step, limits.jerk)

    def _allows(self, point: Point, jerk: float, ahead: Point, target: float, filter_step: float) -> bool:
        """Whether the motion from `point` to the point `ahead` keeps the limits and can then stop between
        `point` and the target; False within `HOME` of the target.
        """
        limits = self.limits
        position, velocity, acceleration = ahead
        if (
            abs(target - position) < HOME * limits.velocity * filter_step
            or abs(acceleration) > limits.acceleration
        ):
            return False
        if abs(velocity + 0.5 * acceleration * abs(acceleration) / limits.jerk) > limits.velocity:
            return False
        if (
            point[2] * acceleration < 0.0
            and abs(point[1] - 0.5 * point[2] * point[2] / jerk) > limits.velocity
        ):
            return False  # the velocity peaked between the two points
        lowest, highest = stopping_range(ahead, limits.acceleration, limits.jerk)
        if point[0] < target:
            return point[0] <= lowest and highest <= target
        return target <= lowest and highest <= point[0]

    def _state(self, point: Point) -> Kinematic:
        return Kinematic(self.limits.absorb(point[0]), point[1], point[2])


def own_step(limits: Limits) -> float:
    """Time step [s] that the filter uses internally.

    Repair 1: eq. 23 divides by dt to remove errors within a step, and integrates velocity, acceleration and
    jerk without multiplying by dt. With a frame's dt the quotients exceed what any jerk limit allows; so they
    use the filter's own step, and the integration multiplies by the frame's duration.
    """
    build_up = min(limits.acceleration / limits.jerk, sqrt(limits.velocity / limits.jerk))
    return max(OWN_STEP * build_up, SHORTEST_OWN_STEP)


def saturated(value: float, limit: float) -> float:
    """Lambda: a value softly saturated at `limit`.

    Repair 2: printed with k/2 twice, it saturates at half the limit.
    """
    return limit * tanh(value / limit)


def leeway(velocity: float, position: float, limits: Limits, beta: float) -> float:
    """Omega: factor on the limit of a velocity that leads away from mid-range; it falls to 0 at the position
    limits and is 0 beyond. For a velocity toward mid-range it is 1.

    Repair 3: as printed, the halves meet at x = alpha, half the range's width, which is mid-range only if the
    lower limit is 0; here they meet at lower + alpha.
    """
    alpha = 0.5 * (limits.upper - limits.lower)
    away = position - (limits.lower + alpha)
    if away * velocity <= 0.0:
        return 1.0
    if alpha <= 0.0 or abs(away) >= alpha:
        return 0.0
    return float(1.0 - (abs(away) / alpha) ** (2.0 * beta))


def eased(velocity: float, limit: float, style: MotionStyle) -> float:
    """H: factor on a velocity, from near 0 for small velocities up to 1 for velocities far above the limit.

    Repair 4: |v| is printed with its unit, so that degrees and radians move differently; here it is divided
    by the velocity limit. The factor is printed v/2, with which v H(v) would be a square without direction;
    1/2 is meant, with which H ends at 1.
    """
    share = (abs(velocity) / limit / (1.0 - style.rho)) ** (1.0 - style.sigma)
    return 0.5 * (tanh(share - pi) + 1.0)
