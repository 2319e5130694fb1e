"""Switches on rig properties that let a head follow its neck, so that a spine can share a look."""

import bpy

from ..bones import carried, constrained, driving

SAME = 1e-4  # [rad] rotation relative to its parent below which a bone counts as at rest


def joined(rig: bpy.types.Object, path: list[str]) -> list[str]:
    """Sets the rig properties that decide whether bones of a path (root first) follow their parents, so that
    they do; returns texts about the changes.

    The visible pose does not change: rigs with animation are not changed, and a bone that would rotate keeps
    its property. A chain works without this function, but then the bone's control has to make the whole look.
    """
    if _is_animated(rig):
        return []
    changes = []
    for name in path:
        bone = rig.pose.bones[name]
        constraint, carrier = constrained.moving_constraint(bone), carried.carrier(bone, path)
        is_turned = constraint is not None and carrier is not None and not carrier.is_local
        if is_turned and _rests(bone) and (change := driving.switch_off(rig, constraint)):
            changes.append(change)
    return changes


def _is_animated(rig: bpy.types.Object) -> bool:
    """Whether a rig has an action or NLA tracks."""
    data = rig.animation_data
    return data is not None and (data.action is not None or len(data.nla_tracks) > 0)


def _rests(bone: bpy.types.PoseBone) -> bool:
    """Whether a bone is at rest relative to its parent."""
    inherited = bone.parent.matrix @ bone.parent.bone.matrix_local.inverted() @ bone.bone.matrix_local
    return inherited.to_quaternion().rotation_difference(bone.matrix.to_quaternion()).angle < SAME
