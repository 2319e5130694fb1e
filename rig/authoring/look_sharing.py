"""How far each bone of new chains rotates in a look to the side: set so that no bone twists far, or looks
alone.
"""

from math import degrees, isclose, radians
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from ...character.attention import CarriedLook
from ...character.chain.settings import ChainSettings
from ...solvers.bones.sharing import MIDDLE, STEP, LookingBones
from ..bones.axes import REVOLUTE
from ..bones.hanging import HangingBones
from ..chains import chain as build
from ..chains.measure import is_of_bones

UP = Vector((0, 0, 1))
# [rad] looks in which no bone may exceed its bound (see `LookingBones`): as far to the side as a human's neck
# rotates, and half of 90 degrees
WIDE, ASIDE = radians(80), radians(45)


def spread(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> None:
    """Sets *Look From* of a new chain to the least value from its middle up at which no bone exceeds its
    bound (`LookingBones`) in a wide look, or to the whole spine if the chain has too few bones.
    """
    if (bones := _bones(rig, chain)) is not None:
        look = _taken(chain.share, min(WIDE, chain.widest_look), _carried(chain))
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
    few bones, at most until all bones of both rotate alike; then the torso follows small changes too. Without
    a torso narrows the look of a head of one bone.
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
    split = _split(torso_bones, head_bones, torso, head)
    torso.share, torso.dead_zone = split.torso_share, split.dead_zone
    _set(torso, torso_bones, *split.of_torso(WIDE))
    _set(head, head_bones, *split.of_head(WIDE))


class _Split(NamedTuple):
    """How a look is split between the chains of a torso and of a head, which the torso carries.

    Attributes:
        torso_share: Share of the look that the torso follows.
        head_share: Share of the rest that the head follows.
        head_carried: How far what the head carries can look.
        dead_zone: Angle [rad] of the look that the torso may leave out, depending on where the target was.
    """

    torso_share: float
    head_share: float
    head_carried: CarriedLook
    dead_zone: float

    def of_torso(self, look: float) -> tuple[float, float]:
        """The largest rotation [rad] of the torso in a look by an angle [rad], and that of both together."""
        torso = self.torso_share * look
        return torso, torso + _taken(self.head_share, look - torso, self.head_carried)

    def of_head(self, look: float) -> tuple[float, float]:
        """The largest rotation [rad] of the head in a look by an angle [rad], and that of both together."""
        torso = self.torso_share * (look - self.dead_zone)
        head = _taken(self.head_share, look - torso, self.head_carried)
        return head, head + torso

    def fits(self, torso: LookingBones, head: LookingBones) -> bool:
        """Whether no bone exceeds its bound in looks to the side."""
        return all(
            torso.look_from(*self.of_torso(look)) is not None
            and head.look_from(*self.of_head(look)) is not None
            for look in (ASIDE, WIDE)
        )


def _split(
    torso_bones: LookingBones,
    head_bones: LookingBones,
    torso: bpy.types.PropertyGroup,
    head: bpy.types.PropertyGroup,
) -> _Split:
    """The split with the least share of the torso at which no bone exceeds its bound: with the torso's dead
    zone, else without it. If there is none, the split in which all bones of both rotate alike.
    """
    by_head = head.share * len(torso_bones.axes)
    even_share = max(by_head / (by_head + len(head_bones.axes)), torso.share)
    shares = [*np.arange(torso.share, even_share, STEP).tolist(), even_share]
    carried = _carried(head)
    splits = [_Split(share, head.share, carried, zone) for zone in (torso.dead_zone, 0.0) for share in shares]
    return next((split for split in splits if split.fits(torso_bones, head_bones)), splits[-1])


def _taken(share: float, look: float, carried: CarriedLook) -> float:
    """The largest angle [rad] by which a chain rotates in a look to one side by `look` [rad].

    Args:
        share: Share of the look that the chain follows.
        look: Angle [rad] of the look.
        carried: How far what the chain carries can look; the chain also takes what that cannot reach.
    """
    rest = (1.0 - share) * look
    return look - min(abs(carried.within(aside, 0.0)[0]) for aside in (rest, -rest))


def _carried(chain: bpy.types.PropertyGroup) -> CarriedLook:
    return ChainSettings.of(chain).carried


def sentence(chain: bpy.types.PropertyGroup) -> str:
    """Part of a sentence on *Look From* or *Widest Look* of a new chain that was set because the chain has
    few bones, with that reason; "" if neither was, or if the solver does not keep the rotations of bones.
    """
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
    """Whether all joints of a chain are of one bone."""
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
