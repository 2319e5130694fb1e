"""ERIK's forward phase: from the end, which holds the target, down to the root (Algorithms 8 to 14). Knows no Blender.

The child's basis is the orientation that a link must reach. The rotation that its joint cannot make within limits goes into the link's own
basis, which its parent must reach, and so on to the root, whose basis ends up displaced.
"""

import math
from collections.abc import Sequence

from ..kinematics.rotations import Quaternion, about, conjugate, dot, length, multiply, reject, rotate, signed_angle, twist_angle
from ..tolerances import SAME_ANGLE
from .chain import VirtualChain


def forward_phase(
    chain: VirtualChain, posture_bases: Sequence[Quaternion], target: Quaternion, edge_offset: float, end_aims: bool = True
) -> tuple[list[float], list[Quaternion]]:
    """Angles (n,) within limits and bases (n + 1,), the last the target, of the chain whose end is on the target.

    Args:
        chain: The virtual chain.
        posture_bases: Bases (n + 1,) of the warped posture.
        target: The end's orientation; of a symmetric end the roll nearer to the posture's.
        edge_offset: How far [rad] to stay off exact limits; 0: AvoidEdges is off.
        end_aims: The end's basis is the target without its own rotation. False, as printed: it stays the posture's.
    """
    models = chain.models
    end = len(models) - 1
    bases = list(posture_bases)
    bases[end + 1] = target
    angles = [0.0] * len(models)
    for k in range(end, -1, -1):
        model = models[k]
        # Lines 2 to 9 rotate and roll the link's basis until its parent's direction and its pitch axis are the posture's: its basis.
        basis = posture_bases[k]
        # Lines 10 to 25 (a search for a roll, and its propagation to the parents) change nothing: each parent's own rotation resets it.
        if k < end:
            _roll_children(chain, k, basis, bases, angles)
        child = bases[k + 1]
        if model.is_twister:
            # Yaw and roll of Algorithm 11 are about the same axis: together they are the twist. That a symmetric end rolls by half a turn
            # at most (lines 35 to 38) is in the choice of the target: the nearer of its two rolls.
            angle = model.safe_twist(twist_angle(multiply(conjugate(basis), child), model.axis))
        else:
            angle = model.local_swing(rotate(conjugate(basis), rotate(child, model.segment)))[0]
        if edge_offset:
            angle = model.off_edge(angle, edge_offset)
        angles[k] = angle
        # FinishForward: as printed, QDiff nearly doubles the error; the basis is the child's without the link's own rotation. Printed is
        # that for all but the end, whose basis stays the posture's: the aim then lacks what BWCD left over.
        bases[k] = multiply(child, conjugate(model.rotation(angle))) if k < end or end_aims else basis
    return angles, bases


def _roll_children(chain: VirtualChain, k: int, basis: Quaternion, bases: list[Quaternion], angles: list[float]) -> None:
    """Lines 26 to 33: roll all that follows link `k` until the link's own axis agrees with its child's basis.

    The axis is the link's own; printed is the child's, which rolls twisters in the middle away.
    """
    model = chain.models[k]
    direction = rotate(bases[k + 1], model.segment)
    own, childs = rotate(basis, model.axis), rotate(bases[k + 1], model.axis)
    if chain.models[k + 1].is_twister:
        if dot(own, childs) < 0.0:
            _propagate_roll_up(chain, k, math.pi, bases, angles, flip=True)
        return
    own, childs = reject(own, direction), reject(childs, direction)
    # Printed is the opposite condition; without a projection there is no angle to measure.
    if length(own) > SAME_ANGLE and length(childs) > SAME_ANGLE:
        roll = signed_angle(childs, own, direction)
        if abs(roll) > SAME_ANGLE:
            _propagate_roll_up(chain, k, roll, bases, angles, flip=abs(roll) > math.pi - SAME_ANGLE)


def _propagate_roll_up(chain: VirtualChain, k: int, roll: float, bases: list[Quaternion], angles: list[float], flip: bool) -> None:
    """Algorithm 10: roll the bases after link `k` up to the end's about their own parent's direction; by pi, bends change sign."""
    for j in range(k + 1, len(chain)):
        bases[j] = multiply(bases[j], about(chain.models[j].parent, roll))
        if flip and not chain.models[j].is_twister:
            angles[j] = -angles[j]
