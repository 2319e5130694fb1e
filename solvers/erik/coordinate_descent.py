"""Coordinate descent of ERIK: BWCD (backward coordinate descent) from the root, CCD (cyclic coordinate
descent) from the end (section 3.2, Algorithms 19 to 22).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..coordinate_descent import SweepStart, Tool, pull_of_frames, pull_of_vectors, sweep
from ..goals import nearer_roll
from ..kinematics.rotations import Quaternion, Vector, Y, dot, rotate
from ..tolerances import SAME_ANGLE
from ..virtual_chain.chain import VirtualChain
from .parameters import Hyperparameters
from .phases import end_twist


@dataclass(frozen=True)
class EndAim:
    """Desired direction or orientation of the end, for coordinate descent."""

    direction: Vector  # desired direction of the end's +Y
    orientation: Quaternion | None  # the end's whole target; None if its roll is free
    symmetric: bool  # whether the end is equally good when rolled by pi

    def gain(self, end: Quaternion) -> float:
        """Cosine of the angle between the end's direction and the target."""
        return dot(rotate(end, Y), self.direction)

    def nearest(self, end: Quaternion) -> Quaternion:
        """The target orientation or, for a symmetric end, the target rolled by pi, whichever is nearer to the
        end's orientation.
        """
        assert self.orientation is not None
        return nearer_roll(self.orientation, end, self.symmetric)


def aims(aim: EndAim, end: Quaternion, precision: float) -> bool:
    """Whether (1 - cos of the error of the end's direction) / 2 is within `precision` (CCDTest, Algorithm
    20).
    """
    return 0.5 * (1.0 - aim.gain(end)) <= precision


class _Swept(NamedTuple):
    """Result of one sweep; the angles are changed in place."""

    end: Quaternion
    moved: float  # [rad] largest rotation of a joint
    aims: bool  # whether the end met the desired direction before the sweep ended; False with `whole`


def _sweep(
    chain: VirtualChain,
    angles: list[float],
    aim: EndAim,
    hyper: Hyperparameters,
    limited: Callable[[int, float], float],
    tip_first: bool,
    whole: bool,
) -> _Swept:
    """One sweep, from the end with `tip_first`, else from the root: each joint rotates toward the direction,
    or with `whole` the orientation, and is then moved to the angle that `limited` allows. Without `whole` it
    ends as soon as the end looks along the direction. `angles` (n,) [rad] are changed in place.
    """
    bases = chain.bases(angles)
    count = len(chain)
    tool = Tool(bases[-1])
    moved, is_aim_met = 0.0, False

    def move(k: int, axis: Vector, position: Vector) -> float | None:
        nonlocal moved, is_aim_met
        is_aim_met = not whole and aims(aim, tool.rotation, hyper.ccd_precision)
        if is_aim_met:
            return None
        if whole:
            rotation_angle = pull_of_frames(axis, tool.rotation, aim.nearest(tool.rotation)).best_rotation
        else:
            rotation_angle = pull_of_vectors(axis, rotate(tool.rotation, Y), aim.direction).best_rotation
        before, angles[k] = (
            angles[k],
            limited(k, angles[k] + rotation_angle if abs(rotation_angle) > SAME_ANGLE else angles[k]),
        )
        moved = max(moved, abs(angles[k] - before))
        return angles[k] - before

    axes = [rotate(basis, model.axis) for basis, model in zip(bases, chain.models, strict=False)]
    sweep(
        SweepStart(axes, None, range(-1, count - 1), [False] * count, [(0,)] * count, [tool]), move, tip_first
    )
    return _Swept(tool.rotation, moved, is_aim_met)


def bwcd_posture(
    chain: VirtualChain, posture: Sequence[float], aim: EndAim, hyper: Hyperparameters
) -> list[float]:
    """Algorithm 19: the posture's angles (n,) [rad] after rotating joints until the end looks along the
    target, in at most `max_bwcd_iterations` sweeps; limits are not enforced.
    """
    angles = list(posture)
    for _ in range(hyper.max_bwcd_iterations):
        if _sweep(chain, angles, aim, hyper, lambda k, angle: angle, tip_first=False, whole=False).aims:
            break
    return angles


def bwcd_solution(
    chain: VirtualChain,
    angles: Sequence[float],
    aim: EndAim,
    hyper: Hyperparameters,
    twist_before: float = 0.0,
) -> list[float]:
    """Algorithm 21: angles (n,) [rad] within limits, after rotating joints from the root until the end looks
    along the target, in at most `max_bwcd_iterations` sweeps, and then twisting the end.

    The paper does not mention clamping; here angles stay within limits. A chain without a twister at its end
    cannot correct its roll by a twist, so its joints rotate toward the whole orientation instead. Of two end
    twists with equal errors the one nearer to `twist_before` [rad] is used.
    """
    solved = list(angles)
    whole = _whole(chain, aim)
    for _ in range(hyper.max_bwcd_iterations):
        swept = _sweep(
            chain,
            solved,
            aim,
            hyper,
            lambda k, angle: chain.models[k].safe_angle(angle),
            tip_first=False,
            whole=whole,
        )
        if swept.aims or swept.moved <= SAME_ANGLE:
            break
    return _with_end_twist(chain, solved, aim, twist_before)


def ccd(chain: VirtualChain, angles: Sequence[float], aim: EndAim, hyper: Hyperparameters) -> list[float]:
    """Algorithm 22: angles (n,) [rad] within limits after rotating joints from the end toward the root, in at
    most `max_ccd_iterations` sweeps, and then twisting the end. With `hyper.avoid_edges` rotated joints are
    moved off their limits (`JointModel.off_edge`).
    """
    solved = list(angles)
    whole = _whole(chain, aim)
    edge = hyper.disturbance if hyper.avoid_edges else 0.0

    def limited(k: int, angle: float) -> float:
        safe = chain.models[k].safe_angle(angle)
        return chain.models[k].off_edge(safe, edge) if edge else safe

    last = 0.0
    for _ in range(hyper.max_ccd_iterations):
        swept = _sweep(chain, solved, aim, hyper, limited, tip_first=True, whole=whole)
        gain = abs(dot_quaternions(aim.nearest(swept.end), swept.end)) if whole else aim.gain(swept.end)
        if swept.aims or abs(gain - last) <= hyper.ccd_precision:
            break
        last = gain
    return _with_end_twist(chain, solved, aim)


def dot_quaternions(p: Quaternion, q: Quaternion) -> float:
    """Inner product of two quaternions, the cosine of half the angle between two unit ones."""
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]


def _whole(chain: VirtualChain, aim: EndAim) -> bool:
    """Whether sweeps rotate joints toward the whole orientation, since no twist of the end can correct the
    roll.
    """
    return aim.orientation is not None and not chain.end_is_twister


def _with_end_twist(
    chain: VirtualChain, angles: list[float], aim: EndAim, before: float = 0.0
) -> list[float]:
    """Returns `angles` (n,) [rad]; if the end is a twister and its roll is not free, its twist toward the
    orientation is stored in them first. `before` as for `end_twist`.
    """
    if chain.end_is_twister and aim.orientation is not None:
        angles[-1] = end_twist(
            chain.models[-1], chain.bases(angles)[-2], aim.orientation, aim.symmetric, before
        )
    return angles
