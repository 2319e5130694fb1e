"""How far eyes look in their skull."""

import math

import bpy

from ..chains.measure import is_of_bones
from ..scene.goal import CUSTOM

# [rad] range to each side for eyes without limits in the rig: about that of a human eye
EYE_RANGE = math.radians(45)
EYE_ROLL = math.radians(5)  # [rad] range of the eye's roll to each side, since human eyes hardly roll
ROUND = math.tau - 0.01  # [rad] range above which a joint counts as unlimited


def hold_in_skull(chain: bpy.types.PropertyGroup) -> None:
    """Limits how far an eye of a chain looks and rolls in its skull; narrower limits of the rig stay.

    If the eye looks along an axis of its bone, the bone's joints are its yaw, pitch and roll. If the eye
    looks in another direction, each joint also rolls it. Its range is then what the limits of all joints
    allow in every direction.
    """
    chain.options.expressive.roll = 1.0
    if is_of_bones(chain, chain.solver):
        # shortest rotation to the target: the eye does not counter-roll when the head leans
        chain.roll = "FREE"
    view = chain.forward_axis[1] if chain.forward_axis != CUSTOM else ""
    chain.widest_look = EYE_RANGE
    for joint in chain.joints:
        is_free = joint.upper - joint.lower > ROUND
        if not view and not is_free:
            chain.widest_look = min(chain.widest_look, max(0.0, -joint.lower), max(0.0, joint.upper))
        if view and (is_free or joint.axis == view):
            span = EYE_ROLL if joint.axis == view else EYE_RANGE
            joint.lower, joint.upper = max(joint.lower, -span), min(joint.upper, span)
