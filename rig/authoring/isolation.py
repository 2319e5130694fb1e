"""Rigs' own switches that let a head follow its neck: set where a look is to be shared along a spine."""

from ..reading import carried, constrained, driving

SAME = 1e-4  # [rad] rotation that is not seen


def joined(rig, end: str) -> list[str]:
    """Lets the bones that lead to an end follow their parents, where a property of the rig drives whether they do; returns texts about the
    changes.

    Nothing that is seen changes: a rig with animation stays as it is, and so does a bone that its parent would rotate otherwise. A chain
    accounts for these; but the rig's switch spares its controls the whole look.
    """
    if _is_animated(rig):
        return []
    names, changes = [end], []
    for bone in rig.pose.bones[end].parent_recursive:
        names.insert(0, bone.name)
        constraint = constrained.mover(bone)
        if constraint is None:
            continue
        carrier = carried.carrier(bone, names)
        if carrier is None:
            break
        if not carrier.is_local and _rests(bone) and (change := driving.switch_off(rig, constraint)):
            changes.append(change)
    return changes


def _is_animated(rig) -> bool:
    data = rig.animation_data
    return data is not None and (data.action is not None or len(data.nla_tracks) > 0)


def _rests(bone) -> bool:
    """Whether a bone has the rotation that its parent gives it."""
    inherited = bone.parent.matrix @ bone.parent.bone.matrix_local.inverted() @ bone.bone.matrix_local
    return inherited.to_quaternion().rotation_difference(bone.matrix.to_quaternion()).angle < SAME
