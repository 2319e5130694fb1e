"""Limbs whose feet stay where they are while the trunk moves, since inverse kinematics holds them."""

import bpy

from .constrained import acts
from .controls import Controls

SAME = 0.02  # largest gap between bones that meet, as a share of the first bone's length


def is_held(controls: Controls, branch: str, tip: str) -> bool:
    """Whether Inverse Kinematics holds a limb's foot in place.

    Its target does not follow the bone from which the limb branches, nor does it move that bone; and the foot
    begins where it holds the limb, at the tail of the bone with the constraint.

    Args:
        controls: Which bones follow which others.
        branch: Name of the bone of the trunk from which the limb branches.
        tip: Name of the limb's last bone.
    """
    bone, limb = controls.rig.pose.bones[tip], []
    while bone is not None and bone.name != branch:
        limb.append(bone)
        bone = bone.parent
    return bone is not None and any(
        _holds(controls, branch, constraint, len(limb) - k)
        for k, each in enumerate(limb)
        if k == 0 or _meets(each, limb[k - 1])
        for constraint in each.constraints
    )


def _meets(bone: bpy.types.PoseBone, child: bpy.types.PoseBone) -> bool:
    """Whether a bone's child begins at its tail."""
    gap = child.bone.head_local - bone.bone.tail_local
    return bool(gap.length <= SAME * bone.bone.length)


def _holds(controls: Controls, branch: str, constraint: bpy.types.Constraint, length: int) -> bool:
    """Whether a constraint on a bone of a limb, the `length`-th below the branch, holds it."""
    if constraint.type != "IK" or not acts(constraint) or constraint.target is None:
        return False
    if not 0 < constraint.chain_count <= length:
        return False
    target, name = constraint.target, constraint.subtarget
    if target != controls.rig:
        return target.parent != controls.rig
    return name in controls.rig.pose.bones and branch not in (name, *controls.upstream(name))
