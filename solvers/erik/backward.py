"""ERIK's backward phase: from the fixed root up to the end (Algorithms 15 to 18). Knows no Blender."""

import math
from collections.abc import Sequence

from ..kinematics.rotations import (
    Quaternion,
    Vector,
    about,
    conjugate,
    cross,
    dot,
    length,
    multiply,
    reject,
    rotate,
    signed_angle,
    twist_angle,
    unit,
    wrap,
)
from ..tolerances import SAME_ANGLE
from .chain import VirtualChain
from .joint_model import JointModel


def backward_phase(
    chain: VirtualChain, angles: Sequence[float], bases: Sequence[Quaternion], target: Quaternion | None, symmetric: bool
) -> list[float]:
    """Angles (n,) within limits, found from the root at its own position outward.

    Args:
        chain: The virtual chain.
        angles: The forward phase's angles (n,).
        bases: The forward phase's bases (n + 1,): each link aims at its child's (tau is not the end's target, as printed, but that basis).
        target: The end's orientation, for the end's twist; None: its roll is free.
        symmetric: The end may be rolled by pi.
    """
    models = chain.models
    end = len(models) - 1
    solved = list(angles)
    basis: Quaternion = (1.0, 0.0, 0.0, 0.0)
    parent_basis = basis
    for k, model in enumerate(models):
        child = bases[k + 1]
        if model.is_twister:
            if k == end:
                if target is not None:
                    solved[k] = end_twist(model, basis, target, symmetric)
            else:
                child = _roll_child(chain, k, basis, child, solved[k + 1])
                solved[k] = model.safe_twist(twist_angle(multiply(conjugate(basis), child), model.axis))
        else:
            desired = rotate(child, model.segment)
            angle = _swing(chain, k, basis, bases, desired, angles)
            if k > 0 and models[k - 1].is_twister:
                solved[k - 1], angle = _twist_parent(chain, k, parent_basis, child, desired, angle)
                basis = multiply(parent_basis, models[k - 1].rotation(solved[k - 1]))
            solved[k] = angle
        parent_basis, basis = basis, multiply(basis, model.rotation(solved[k]))
    return solved


def end_twist(model: JointModel, basis: Quaternion, target: Quaternion, symmetric: bool, before: float = 0.0) -> float:
    """The end twister's angle within limits that comes nearest to the target or, when symmetric, to its half roll; of equals the one nearer
    to what it was `before`.

    Stands for BWTwist (Algorithm 17) after Backward, BWCD and CCD alike: printed there without the symmetric end and without limits, which
    leaves orientation errors up to .45. The twist part of the difference is what Algorithm 17 measures where the directions agree, and
    the best there is where they do not.
    """
    twist = twist_angle(multiply(conjugate(basis), target), model.axis)
    best, least = 0.0, (math.inf, math.inf)
    for desired in (twist, twist + math.pi) if symmetric else (twist,):
        safe = model.safe_angle(desired)
        error = abs(wrap(safe - desired))
        cost = (error if error > SAME_ANGLE else 0.0, abs(safe - before))
        if cost < least:
            best, least = safe, cost
    return best


def _roll_child(chain: VirtualChain, k: int, basis: Quaternion, child: Quaternion, child_angle: float) -> Quaternion:
    """BackwardChildRoll (Algorithm 16): the child's basis rolled about its link until its axis is perpendicular to the twister's.

    Which it is for a hinge that is perpendicular to its parent; others keep their basis. Of the two rolls the smaller.
    """
    twister, model = chain.models[k], chain.models[k + 1]
    if model.is_twister or abs(dot(model.axis, twister.axis)) > SAME_ANGLE:
        return child
    direction = rotate(multiply(child, model.rotation(child_angle)), model.segment)
    desired = cross(rotate(basis, twister.axis), direction)
    axis = reject(rotate(child, model.axis), direction)
    if length(desired) <= SAME_ANGLE or length(axis) <= SAME_ANGLE:
        return child
    roll = signed_angle(axis, unit(desired), direction)
    if abs(roll) > 0.5 * math.pi:
        roll -= math.copysign(math.pi, roll)
    return multiply(about(direction, roll), child)


def _swing(chain: VirtualChain, k: int, basis: Quaternion, bases: Sequence[Quaternion], desired: Vector, angles: Sequence[float]) -> float:
    """Lines 11 to 24 of Algorithm 15: of the angles at the desired latitude the one nearer to the direction, else to the child's link."""
    model = chain.models[k]
    angle, other = model.local_swing(rotate(conjugate(basis), desired))
    if k == len(chain) - 1:
        return angle
    link = rotate(multiply(basis, model.rotation(angle)), model.segment)
    other_link = rotate(multiply(basis, model.rotation(other)), model.segment)
    gain = dot(other_link, desired) - dot(link, desired)
    if abs(gain) <= SAME_ANGLE:
        child_link = rotate(multiply(bases[k + 1], chain.models[k + 1].rotation(angles[k + 1])), model.segment)
        gain = dot(other_link, child_link) - dot(link, child_link)
    return other if gain > SAME_ANGLE else angle


def _twist_parent(
    chain: VirtualChain, k: int, parent_basis: Quaternion, child: Quaternion, desired: Vector, angle: float
) -> tuple[float, float]:
    """Lines 25 to 38 of Algorithm 15: the parent twister's angle, within limits, that carries the swung link onto the desired direction.

    The printed alignment of axes is the same where the link is perpendicular to its axis; this holds for every axis. Half a turn further
    the opposite bend does as well: of both the one within limits that rolls the child least.
    """
    model, parent = chain.models[k], chain.models[k - 1]
    local = rotate(conjugate(parent_basis), desired)

    def twist_for(bend: float) -> float:
        link = rotate(model.rotation(bend), model.segment)
        across, wanted_across = reject(link, parent.axis), reject(local, parent.axis)
        if length(across) <= SAME_ANGLE or length(wanted_across) <= SAME_ANGLE:  # straight: only the child's roll tells
            return twist_angle(multiply(conjugate(parent_basis), child), parent.axis)
        return signed_angle(across, wanted_across, parent.axis)

    def agreement(twist: float, bend: float) -> float:
        turned = multiply(parent_basis, multiply(parent.rotation(twist), model.rotation(bend)))
        return abs(sum(a * b for a, b in zip(turned, child, strict=True)))

    first = parent.within(twist_for(angle))
    opposite = model.opposite(angle)
    if opposite is not None:
        second = parent.within(twist_for(opposite))
        if second is not None and (first is None or agreement(second, opposite) > agreement(first, angle) + SAME_ANGLE):
            return second, opposite
    return (parent.safe_angle(twist_for(angle)) if first is None else first), angle
