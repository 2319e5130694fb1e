"""Turns joints one by one until the end aims: BWCD from the root, CCD from the end (section 3.2, Algorithms 19 to 22). Knows no Blender."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..goals import nearer_roll
from ..rotations import (
    IDENTITY,
    Quaternion,
    Vector,
    Y,
    about,
    conjugate,
    dot,
    length,
    multiply,
    reject,
    rotate,
    signed_angle,
    twist_angle,
)
from .backward import end_twist
from .chain import VirtualChain
from .parameters import Hyperparameters

NO_LEVER = 1e-9  # a direction's part across an axis, under which turning about the axis does nothing
NO_TURN = 1e-9  # [rad] a turn not worth making


@dataclass(frozen=True)
class EndAim:
    """What coordinate descent turns the end to."""

    direction: Vector  # of the end's +Y
    orientation: Quaternion | None  # the end's whole target; None: its roll is free
    symmetric: bool  # the end may be rolled by pi

    def gain(self, end: Quaternion) -> float:
        """Cosine of the angle by which the end's direction misses."""
        return dot(rotate(end, Y), self.direction)

    def nearest(self, end: Quaternion) -> Quaternion:
        """The target or its half roll, whichever is nearer to the end."""
        assert self.orientation is not None
        return nearer_roll(self.orientation, end, self.symmetric)


def aims(aim: EndAim, end: Quaternion, precision: float) -> bool:
    """CCDTest (Algorithm 20): (1 - cos of the angle missed) / 2 is within the precision."""
    return 0.5 * (1.0 - aim.gain(end)) <= precision


def bwcd_posture(chain: VirtualChain, posture: Sequence[float], aim: EndAim, hyper: Hyperparameters) -> list[float]:
    """Algorithm 19: the posture's angles (n,) warped until the end looks along the target; limits are not enforced."""
    angles = list(posture)
    end = chain.bases(angles)[-1]
    for _ in range(hyper.max_bwcd_iterations):
        basis = IDENTITY
        for k, model in enumerate(chain.models):
            if aims(aim, end, hyper.ccd_precision):
                return angles
            axis = rotate(basis, model.axis)
            turn = _turn_to_direction(axis, end, aim.direction)
            if abs(turn) > NO_TURN:
                angles[k] += turn
                end = multiply(about(axis, turn), end)
            basis = multiply(basis, model.turn(angles[k]))
    return angles


def bwcd_solution(chain: VirtualChain, angles: Sequence[float], aim: EndAim, hyper: Hyperparameters) -> list[float]:
    """Algorithm 21: angles (n,) within limits, joints turned from the root until the end looks along the target; then the end's twist.

    Clamping is not printed: solutions keep their limits. A chain without a twister at its end cannot mend its roll by a twist: its joints
    turn towards the whole orientation instead.
    """
    solved = list(angles)
    whole = _whole(chain, aim)
    end = chain.bases(solved)[-1]
    for _ in range(hyper.max_bwcd_iterations):
        basis, moved = IDENTITY, 0.0
        for k, model in enumerate(chain.models):
            if not whole and aims(aim, end, hyper.ccd_precision):
                return _with_end_twist(chain, solved, aim)
            axis = rotate(basis, model.axis)
            turn = _turn(axis, end, aim, whole)
            if abs(turn) > NO_TURN:
                new = model.safe_angle(solved[k] + turn)
                if new != solved[k]:
                    moved = max(moved, abs(new - solved[k]))
                    end = multiply(about(axis, new - solved[k]), end)
                    solved[k] = new
            basis = multiply(basis, model.turn(solved[k]))
        if moved <= NO_TURN:
            break
    return _with_end_twist(chain, solved, aim)


def ccd(chain: VirtualChain, angles: Sequence[float], aim: EndAim, hyper: Hyperparameters) -> list[float]:
    """Algorithm 22: angles (n,) within limits, joints turned from the end downwards, off their edges; then the end's twist."""
    solved = list(angles)
    whole = _whole(chain, aim)
    last = 0.0
    for _ in range(hyper.max_ccd_iterations):
        bases = chain.bases(solved)
        end = bases[-1]
        for k in range(len(chain) - 1, -1, -1):
            if not whole and aims(aim, end, hyper.ccd_precision):
                return _with_end_twist(chain, solved, aim)
            model = chain.models[k]
            axis = rotate(bases[k], model.axis)  # joints below k have not moved in this sweep
            turn = _turn(axis, end, aim, whole)
            new = model.safe_angle(solved[k] + turn)
            if hyper.avoid_edges:
                new = model.off_edge(new, hyper.disturbance)
            end = multiply(about(axis, new - solved[k]), end)
            solved[k] = new
        gain = abs(dot_quaternions(aim.nearest(end), end)) if whole else aim.gain(end)
        if abs(gain - last) <= hyper.ccd_precision:
            break
        last = gain
    return _with_end_twist(chain, solved, aim)


def dot_quaternions(p: Quaternion, q: Quaternion) -> float:
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]


def _whole(chain: VirtualChain, aim: EndAim) -> bool:
    return aim.orientation is not None and not chain.end_is_twister


def _turn(axis: Vector, end: Quaternion, aim: EndAim, whole: bool) -> float:
    if whole:
        return twist_angle(multiply(aim.nearest(end), conjugate(end)), axis)
    return _turn_to_direction(axis, end, aim.direction)


def _turn_to_direction(axis: Vector, end: Quaternion, direction: Vector) -> float:
    """The turn [rad] about `axis` that brings the end's +Y nearest to `direction`."""
    now, wanted = reject(rotate(end, Y), axis), reject(direction, axis)
    if length(now) <= NO_LEVER or length(wanted) <= NO_LEVER:
        return 0.0
    return signed_angle(now, wanted, axis)


def _with_end_twist(chain: VirtualChain, angles: list[float], aim: EndAim) -> list[float]:
    if chain.end_is_twister and aim.orientation is not None:
        angles[-1] = end_twist(chain.models[-1], chain.bases(angles)[-2], aim.orientation, aim.symmetric)
    return angles
