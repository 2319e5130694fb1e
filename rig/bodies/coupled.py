"""A body's coupled limits as constraints of the whole-body solver."""

from collections.abc import Collection

import bpy

from ...solvers.whole_body.body import Coupling
from ..blender.errors import RigError


def couplings(retarget: bpy.types.PropertyGroup, joint_keys: Collection[tuple[str, str]]) -> list[Coupling]:
    """The coupled limits of a body whose joints are `joint_keys`, as (bone, axis).

    Raises:
        RigError: a limit has no joint, names a joint that the body does not move, or its lower bound is above
            the upper one.
    """
    return [_coupling(limit, joint_keys) for limit in retarget.coupled_limits]


def _coupling(limit: bpy.types.PropertyGroup, joint_keys: Collection[tuple[str, str]]) -> Coupling:
    limit_text = f"Coupled limit '{limit.name}'"
    if not limit.joints:
        raise RigError(f"{limit_text} has no joint: add its joints with +, or remove the limit")
    if limit.lower > limit.upper:
        raise RigError(f"{limit_text}: its Min is above its Max: exchange them")
    factors: dict[str, float] = {}
    for joint in limit.joints:
        label = joint.label
        if joint.key not in joint_keys:
            raise RigError(
                f"{limit_text}: no joint of the body is '{label}': choose an unlocked axis of a bone that follows,"
                " or remove the joint"
            )
        factors[label] = factors.get(label, 0.0) + joint.factor
    return Coupling(f"coupled limit '{limit.name}'", factors, limit.lower, limit.upper)
