"""ERIK's two phases.

The forward phase (Algorithms 8 to 14) goes from the end, which holds the target, down to the root: the
child's basis is the orientation that a link must reach. The rotation that the link's joint cannot perform
within limits is added to the link's own basis, which its parent must reach. What is left at the root
displaces the root's basis. The backward phase (Algorithms 15 to 18) goes from the fixed root up to the
end.
"""

import math
from collections.abc import Sequence

from ..kinematics.rotations import (
    IDENTITY,
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
    wrap,
)
from ..tolerances import SAME_ANGLE
from ..virtual_chain.chain import VirtualChain
from ..virtual_chain.joint_model import JointModel


def forward_phase(
    chain: VirtualChain,
    posture_bases: Sequence[Quaternion],
    target: Quaternion,
    edge_offset: float,
    end_from_target: bool = True,
) -> tuple[list[float], list[Quaternion]]:
    """Forward phase: angles (n,) [rad] and bases (n + 1,) of the chain, solved from the end, which is at the
    target, to the root. Angles are within limits, except bends that a roll by pi has reversed.

    Args:
        chain: The virtual chain.
        posture_bases: Bases (n + 1,) of the warped posture.
        target: The end's orientation; of a symmetric end the roll nearer to the posture's.
        edge_offset: Angle [rad] by which joints at a limit are moved inwards; 0 switches AvoidEdges off.
        end_from_target: Whether the end's basis is the target without the end's own rotation. If False, as
            printed in the paper, it stays that of the posture.
    """
    models = chain.models
    end = len(models) - 1
    bases = list(posture_bases)
    bases[end + 1] = target
    angles = [0.0] * len(models)
    for k in range(end, -1, -1):
        model = models[k]
        # Lines 2 to 9 rotate and roll the link's basis until its parent's direction and its pitch axis are
        # those of the posture. The result is the posture's basis.
        basis = posture_bases[k]
        # Lines 10 to 25 (a search for a roll, and its propagation to the parents) change nothing: each
        # parent's own rotation resets it.
        if k < end:
            _roll_children(chain, k, basis, bases, angles)
        child = bases[k + 1]
        if model.is_twister:
            # Yaw and roll of Algorithm 11 are about the same axis and together form the twist. The limit of a
            # symmetric end's roll to half a revolution (lines 35 to 38) is implied by the choice of the
            # target: the nearer of its two rolls.
            angle = model.safe_twist(twist_angle(multiply(conjugate(basis), child), model.axis))
        else:
            angle = model.local_swing(rotate(conjugate(basis), rotate(child, model.segment)))[0]
        if edge_offset:
            angle = model.off_edge(angle, edge_offset)
        angles[k] = angle
        # FinishForward: the printed QDiff nearly doubles the error; the basis is the child's without the
        # link's own rotation. The paper does this for all links except the end, whose basis stays the
        # posture's; the aim then lacks the error that BWCD left.
        bases[k] = multiply(child, conjugate(model.rotation(angle))) if k < end or end_from_target else basis
    return angles, bases


def _roll_children(
    chain: VirtualChain, k: int, basis: Quaternion, bases: list[Quaternion], angles: list[float]
) -> None:
    """Lines 26 to 33: rolls all links after link `k`, in `bases` and `angles`, until the link's own axis has
    the same direction in its child's basis as in its own, as seen along the link. Before a twister, only
    opposite directions are corrected, by a roll by pi.

    The paper prints the child's axis, with which twisters in the middle of the chain are rolled away.
    """
    model = chain.models[k]
    direction = rotate(bases[k + 1], model.segment)
    axis, child_axis = rotate(basis, model.axis), rotate(bases[k + 1], model.axis)
    if chain.models[k + 1].is_twister:
        if dot(axis, child_axis) < 0.0:
            _propagate_roll_up(chain, k, math.pi, bases, angles, flip=True)
        return
    axis, child_axis = reject(axis, direction), reject(child_axis, direction)
    # The paper prints the opposite condition, but without a projection there is no angle to measure.
    if length(axis) > SAME_ANGLE and length(child_axis) > SAME_ANGLE:
        roll = signed_angle(child_axis, axis, direction)
        if abs(roll) > SAME_ANGLE:
            _propagate_roll_up(chain, k, roll, bases, angles, flip=abs(roll) > math.pi - SAME_ANGLE)


def _propagate_roll_up(
    chain: VirtualChain, k: int, roll: float, bases: list[Quaternion], angles: list[float], flip: bool
) -> None:
    """Algorithm 10: rolls the basis of each link after link `k` by `roll` [rad] about its parent's direction;
    `flip` (a roll by pi) reverses the signs of the bends. `bases` and `angles` are changed in place.
    """
    for j in range(k + 1, len(chain)):
        bases[j] = multiply(bases[j], about(chain.models[j].parent, roll))
        if flip and not chain.models[j].is_twister:
            angles[j] = -angles[j]


def backward_phase(
    chain: VirtualChain,
    angles: Sequence[float],
    bases: Sequence[Quaternion],
    target: Quaternion | None,
    symmetric: bool,
) -> list[float]:
    """Backward phase: angles (n,) [rad] within limits, solved from the fixed root to the end.

    Args:
        chain: The virtual chain.
        angles: The forward phase's angles (n,).
        bases: The forward phase's bases (n + 1,): each link aims at its child's basis (tau is that basis, not
            the end's target as printed).
        target: The end's orientation, for the end's twist; None if its roll is free.
        symmetric: Whether the end is equally good when rolled by pi.
    """
    models = chain.models
    end = len(models) - 1
    solved = list(angles)
    basis = parent_basis = IDENTITY
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


def end_twist(
    model: JointModel, basis: Quaternion, target: Quaternion, symmetric: bool, before: float = 0.0
) -> float:
    """Angle of the twister at the end, within limits, that is nearest to the target or, for a symmetric end,
    to the target rolled by pi. Of two equally near angles, the one nearer to `before` [rad] is used.

    Used for BWTwist (Algorithm 17) after Backward, BWCD and CCD alike. The paper's version ignores symmetric
    ends and limits, which leaves orientation errors of up to .45. The twist part of the difference equals
    what Algorithm 17 measures if the directions agree, and is the optimum if they do not.
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


def _roll_child(
    chain: VirtualChain, k: int, basis: Quaternion, child: Quaternion, child_angle: float
) -> Quaternion:
    """BackwardChildRoll (Algorithm 16): the child's basis rolled about its link until its axis is
    perpendicular to the twister's.

    Only the basis of a hinge perpendicular to its parent is rolled, by the smaller of the two possible rolls;
    others are unchanged.
    """
    twister, model = chain.models[k], chain.models[k + 1]
    if model.is_twister or abs(dot(model.axis, twister.axis)) > SAME_ANGLE:
        return child
    direction = rotate(multiply(child, model.rotation(child_angle)), model.segment)
    desired = cross(rotate(basis, twister.axis), direction)
    axis = reject(rotate(child, model.axis), direction)
    if length(desired) <= SAME_ANGLE or length(axis) <= SAME_ANGLE:
        return child
    roll = signed_angle(axis, desired, direction)
    if abs(roll) > 0.5 * math.pi:
        roll -= math.copysign(math.pi, roll)
    return multiply(about(direction, roll), child)


def _swing(
    chain: VirtualChain,
    k: int,
    basis: Quaternion,
    bases: Sequence[Quaternion],
    desired: Vector,
    angles: Sequence[float],
) -> float:
    """Lines 11 to 24 of Algorithm 15: of the two angles [rad] at the desired latitude, the one that brings
    the link nearer to `desired` or, if both are equally near, to the child's link. The end has no child: its
    angle is the one in the hemisphere of `desired`.
    """
    model = chain.models[k]
    local = rotate(conjugate(basis), desired)
    angle, other = model.local_swing(local)
    if k == len(chain) - 1:
        return angle
    # all in the joint's frame
    link, other_link = (rotate(model.rotation(each), model.segment) for each in (angle, other))
    gain = dot(other_link, local) - dot(link, local)
    if abs(gain) <= SAME_ANGLE:
        child_link = multiply(bases[k + 1], chain.models[k + 1].rotation(angles[k + 1]))
        local_child = rotate(conjugate(basis), rotate(child_link, model.segment))
        gain = dot(other_link, local_child) - dot(link, local_child)
    return other if gain > SAME_ANGLE else angle


def _twist_parent(
    chain: VirtualChain, k: int, parent_basis: Quaternion, child: Quaternion, desired: Vector, angle: float
) -> tuple[float, float]:
    """Lines 25 to 38 of Algorithm 15: the parent twister's angle, within limits, that carries the swung link
    onto the desired direction.

    Returns this angle and the link's. The printed alignment of axes gives the same if the link is
    perpendicular to its axis; this holds for every axis. The opposite bend with the parent half a rotation
    further is equivalent: the one within limits that rolls the child least is used. If neither is within
    limits, the parent is at the limit nearest to the first.
    """
    model, parent = chain.models[k], chain.models[k - 1]
    local = rotate(conjugate(parent_basis), desired)

    def twist_for(bend: float) -> float:
        link = rotate(model.rotation(bend), model.segment)
        across, wanted_across = reject(link, parent.axis), reject(local, parent.axis)
        if length(across) <= SAME_ANGLE or length(wanted_across) <= SAME_ANGLE:
            # straight chain: only the child's roll determines the twist
            return twist_angle(multiply(conjugate(parent_basis), child), parent.axis)
        return signed_angle(across, wanted_across, parent.axis)

    def agreement(twist: float, bend: float) -> float:
        turned = multiply(parent_basis, multiply(parent.rotation(twist), model.rotation(bend)))
        return abs(sum(a * b for a, b in zip(turned, child, strict=True)))

    first = parent.within(twist_for(angle))
    opposite = model.opposite(angle)
    if opposite is not None:
        second = parent.within(twist_for(opposite))
        if second is not None and (
            first is None or agreement(second, opposite) > agreement(first, angle) + SAME_ANGLE
        ):
            return second, opposite
    return (parent.safe_angle(twist_for(angle)) if first is None else first), angle
