"""Settings of new chains: solver, roll, filter, and how far a character's chain looks, or an eye in its
skull. *Use New Settings* gives the chains of earlier versions those that new ones have.
"""

from math import radians, tau

import bpy

from ..bones.controls import Controls
from ..chains.chain import AUTOMATIC
from ..chains.measure import has_balls, is_of_bones
from ..scene.goal import CUSTOM
from . import forward, look_sharing

SOLVER, ROLL, MEASURE, FILTER = "expressive", "POSTURE", "AUTOMATIC", AUTOMATIC
# [rad] Widest Look of new chains of a character without joint limits. For an end with a front it is about the
# range of a head together with a chest; for an end without a front, such as a tentacle's, it is larger, so
# that the look crosses to the other side gradually when the target passes behind.
HEADS_LOOK, WIDEST_LOOK = radians(100), radians(170)
# [rad] range to each side for eyes without limits in the rig: about that of a human eye
EYE_RANGE = radians(45)
EYE_ROLL = radians(5)  # [rad] range of the eye's roll to each side, since human eyes hardly roll
ROUND = tau - 0.01  # [rad] range above which a joint counts as unlimited


def set_solver(chain: bpy.types.PropertyGroup) -> None:
    """Sets solver, shape measure, roll and filter of a new chain."""
    chain.solver, chain.roll = SOLVER, ROLL
    chain.options.measure, chain.filter = MEASURE, FILTER


def set_look(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, has_front: bool, is_part: bool) -> None:
    """Sets the Widest Look of a character's chain without joint limits, and how its bones share a look.

    Args:
        rig: The armature object.
        chain: The chain.
        has_front: Whether something shows the direction that the end faces.
        is_part: Whether the chain is one of several that look together, to the same front.
    """
    if is_of_bones(chain, chain.solver) and not look_sharing.has_limits(chain):
        chain.widest_look = HEADS_LOOK if has_front or is_part else WIDEST_LOOK
    if has_front and not is_part:
        look_sharing.narrow(chain)
    look_sharing.spread(rig, chain)


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


def is_of_earlier_version(chain: bpy.types.PropertyGroup) -> bool:
    """Whether a character's chain still has the shape measure that earlier versions gave new chains, which
    ignores the bones' rotations about their lengths.
    """
    return chain.solver == SOLVER and chain.options.measure == "LINKS" and has_balls(chain)


def use_new_settings(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> None:
    """Gives a chain of an earlier version the shape measure, filter, widest look and sharing of a look (*Look
    From*) that new chains have.
    """
    chain.options.measure, chain.filter = MEASURE, FILTER
    has_front = bool(forward.guess_of(rig, chain).reason)
    set_look(rig, chain, has_front, is_part=_shares_look(rig, chain))


def _shares_look(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> bool:
    """Whether another chain carries this one or is carried by it, by parents or constraints, as the chains of
    torso and head, so that both rotate in a look. Carried chains with joint limits, such as those of eyes, do
    not count.
    """
    controls = Controls(rig)

    def carries(lower: bpy.types.PropertyGroup, upper: bpy.types.PropertyGroup) -> bool:
        return upper.root in rig.pose.bones and lower.end in controls.upstream(upper.root)

    return any(
        carries(other, chain) or (carries(chain, other) and not look_sharing.has_limits(other))
        for other in rig.limber.chains
        if other.uid != chain.uid
    )
