"""How far each bone of new chains rotates in a look to the side: set so that no bone twists far, or looks
alone.
"""

from math import degrees, isclose, radians

import bpy
import numpy as np
from mathutils import Vector

from ...solvers.bones.sharing import MIDDLE, STEP, LookingBones
from ..bones.axes import REVOLUTE
from ..bones.hanging import HangingBones
from ..chains import chain as build
from ..chains.measure import is_of_bones

UP = Vector((0, 0, 1))
# [rad] looks to the side in which bones are within their bounds: as far as a human's neck rotates, and half
# of the way to the side
WIDE, ASIDE = radians(80), radians(45)


def spread(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> None:
    """Sets *Look From* of a new chain to the least value from its middle up at which no bone exceeds its
    bound (`LookingBones`) in a wide look, or to the whole spine if the chain has too few bones.
    """
    if (bones := _bones(rig, chain)) is not None:
        look = chain.share * min(WIDE, chain.widest_look)
        _set(chain, bones, look, look)


def narrow(chain: bpy.types.PropertyGroup) -> None:
    """Sets *Widest Look* of a chain without limits to as far as a human's neck rotates, if its only bone must
    do all of a look.
    """
    if _has_one_bone(chain) and is_of_bones(chain, chain.solver) and not has_limits(chain):
        chain.widest_look = WIDE


def spread_parts(
    rig: bpy.types.Object, torso: bpy.types.PropertyGroup | None, head: bpy.types.PropertyGroup
) -> None:
    """Sets *Look From* of the chains of a torso and of a head. Raises the torso's share if the head has too
    few bones, at most until all bones of both rotate alike. Without a torso narrows the look of a head of one
    bone.
    """
    if torso is None:
        narrow(head)
        spread(rig, head)
        return
    head_bones, torso_bones = _bones(rig, head), _bones(rig, torso)
    if head_bones is None or torso_bones is None:
        spread(rig, head)
        spread(rig, torso)
        return
    even_part = len(torso_bones.axes) / (len(torso_bones.axes) + len(head_bones.axes))
    for look in (ASIDE, WIDE):
        torso.share = _least_share(
            head_bones,
            both=head.share * look,
            followed=look - torso.dead_zone,
            first=torso.share,
            even_part=even_part,
        )
    both = head.share * WIDE
    by_torso = torso.share * (WIDE - torso.dead_zone)
    _set(torso, torso_bones, by_torso, both)
    _set(head, head_bones, both - by_torso, both)


def _least_share(
    head_bones: LookingBones, both: float, followed: float, first: float, even_part: float
) -> float:
    """The least share of the torso at which no bone of the head exceeds its bound in a look; if there is
    none, the share at which all bones of both rotate alike.

    Args:
        head_bones: The bones of the head's chain.
        both: Angle [rad] by which torso and head rotate together.
        followed: Angle [rad] of the look without the torso's dead zone: the torso does its share of it.
        first: Least share to try.
        even_part: Part of the angle `both` that the torso does if all bones rotate alike.
    """
    last = max(even_part * both / followed, first)
    shares = [*np.arange(first, last, STEP).tolist(), last]
    return next(
        (share for share in shares if head_bones.look_from(both - share * followed, both) is not None), last
    )


def sentence(chain: bpy.types.PropertyGroup) -> str:
    """How a new chain of a character shares a look, as part of a sentence, if it is not as usual; else ""."""
    if not is_of_bones(chain, chain.solver):
        return ""
    if _has_one_bone(chain):
        # the property has single precision
        is_narrow = isclose(chain.widest_look, WIDE, rel_tol=1e-6)
        says = f"its only bone rotates by all of a look, so Widest Look is {degrees(WIDE):.0f} degrees"
        return says if is_narrow else ""
    look_from = chain.options.expressive.look_from
    if look_from < MIDDLE + STEP / 2:
        return ""
    return f"Look From is {look_from:.2f}, since with so few bones a bone would rotate too far"


def _has_one_bone(chain: bpy.types.PropertyGroup) -> bool:
    return len({joint.bone for joint in chain.joints}) == 1


def has_limits(chain: bpy.types.PropertyGroup) -> bool:
    """Whether any joint of a chain has limits."""
    return any(map(build.has_limits, chain.joints))


def _set(chain: bpy.types.PropertyGroup, bones: LookingBones, look: float, whole: float) -> None:
    """Sets *Look From* of a chain whose bones rotate by `look` [rad] together, in a look by `whole` [rad]."""
    value = bones.look_from(look, whole) if len(bones.axes) > 1 else MIDDLE
    chain.options.expressive.look_from = 1.0 if value is None else value


def _bones(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> LookingBones | None:
    """The bones of a chain that share a look about the vertical; None if one of them has limits or locked
    axes, or if the solver does not keep the rotations of bones.
    """
    names = list(dict.fromkeys(joint.bone for joint in chain.joints))
    is_free = len(chain.joints) == len(REVOLUTE) * len(names) and not has_limits(chain)
    if not is_free or not is_of_bones(chain, chain.solver):
        return None
    inertias = HangingBones(rig).inertias(names)
    up = np.array((rig.matrix_world.to_quaternion().inverted() @ UP).normalized())
    frames = np.array([rig.data.bones[name].matrix_local.to_3x3() for name in names])
    return LookingBones(np.array([inertias[name] for name in names]).reshape(-1, 3, 3), up @ frames)
