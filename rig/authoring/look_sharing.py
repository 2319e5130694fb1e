"""How far each bone of new chains rotates in a look to the side: set so that no bone twists far, or looks
alone.
"""

from math import radians

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


def spread_parts(rig: bpy.types.Object, parts: list[bpy.types.PropertyGroup]) -> None:
    """Sets *Look From* of the chains of a torso, if there is one, and of a head. Raises the torso's share if
    the head has too few bones, at most until all bones of both rotate alike.
    """
    *torsos, head = parts
    above, below = _bones(rig, head), _bones(rig, torsos[0]) if torsos else None
    if above is None or below is None:
        spread(rig, head)
        return
    torso = torsos[0]
    torso.widest_look = head.widest_look = max(torso.widest_look, head.widest_look)
    even = len(below.axes) / (len(above.axes) + len(below.axes))
    for look in (ASIDE, WIDE):
        whole, followed = head.share * look, look - torso.dead_zone
        least = torso.share
        shares = np.arange(least, max(even * whole / followed, least + STEP), STEP).tolist()
        torso.share = next(
            (share for share in shares if above.look_from(whole - share * followed, whole) is not None),
            shares[-1],
        )
    _set(torso, below, torso.share * followed, whole)
    _set(head, above, whole - torso.share * followed, whole)


def sentence(chain: bpy.types.PropertyGroup) -> str:
    """How a new chain of a character shares a look, as part of a sentence, if it is not as usual; else ""."""
    if not is_of_bones(chain, chain.solver):
        return ""
    if len({joint.bone for joint in chain.joints}) == 1:
        return "it has no other bone to share a look with, so this one twists as far as the look is aside"
    look_from = chain.options.expressive.look_from
    if look_from < MIDDLE + STEP / 2:
        return ""
    return f"Look From is {look_from:.2f}, since with so few bones the last one would rotate too far"


def _set(chain: bpy.types.PropertyGroup, bones: LookingBones, look: float, whole: float) -> None:
    """Sets *Look From* of a chain whose bones rotate by `look` [rad] together, in a look by `whole` [rad]."""
    value = bones.look_from(look, whole) if len(bones.axes) > 1 else MIDDLE
    chain.options.expressive.look_from = 1.0 if value is None else value


def _bones(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> LookingBones | None:
    """The bones of a chain that share a look about the vertical; None if one of them has limits or locked
    axes, or if the solver does not keep the rotations of bones.
    """
    names = list(dict.fromkeys(joint.bone for joint in chain.joints))
    is_free = len(chain.joints) == len(REVOLUTE) * len(names) and not any(map(build.has_limits, chain.joints))
    if not is_free or not is_of_bones(chain, chain.solver):
        return None
    inertias = HangingBones(rig).inertias(names)
    up = np.array((rig.matrix_world.to_quaternion().inverted() @ UP).normalized())
    frames = np.array([rig.data.bones[name].matrix_local.to_3x3() for name in names])
    return LookingBones(np.array([inertias[name] for name in names]).reshape(-1, 3, 3), up @ frames)
