"""Stored postures: pose assets, which Blender's own pose library shows and applies too."""

from collections.abc import Mapping

import bpy
import numpy as np
from bpy.utils import escape_identifier
from mathutils import Euler, Quaternion

from ..blender import actions, item_keys
from ..blender.errors import RigError
from . import axes, kept_posture
from .axes import JointKey, is_euler
from .channels import MOTORS
from .paths import bone_names
from .skeleton import ChainReader

MOTOR_JOINTS = "limber_motors"  # custom property of a posture's action
FRAME = 1  # of the only key in each channel; a pose asset has no time
CHANNELS = {"QUATERNION": ("rotation_quaternion", 4), "AXIS_ANGLE": ("rotation_axis_angle", 4)}
EULER = ("rotation_euler", 3)


def store(rig, chain, name: str) -> bpy.types.Action:
    """Makes a pose asset of the chain's bones as posed, and selects it.

    Raises:
        RigError: a bone of the chain is missing.
    """
    names = bone_names(rig.pose.bones, chain)
    values = {}
    for bone in (rig.pose.bones[name] for name in names):
        channel, size = CHANNELS.get(bone.rotation_mode, EULER)
        for index in range(size):
            values[bone.name, channel, index] = getattr(bone, channel)[index]
    for bone_name, axis in _prismatic(chain):
        values[bone_name, axes.channel(axis), axes.index(axis)] = axes.value(rig.pose.bones[bone_name], axis)
    return make(rig, chain, name, values)


def make(owner, mover, name: str, values: Mapping[tuple[str, str, int], float]) -> bpy.types.Action:
    """Makes a pose asset, and selects it in a mover's list.

    Args:
        owner: The object that the mover moves.
        mover: The mover's settings.
        name: Name of the posture.
        values: Values by bone ("": the object itself), channel and index.
    """
    action = bpy.data.actions.new(name)
    curves = actions.writable_fcurves(action, owner)
    for (bone, channel, index), value in values.items():
        actions.put_keys(curves, _path(bone, channel), index, bone or MOTORS, [FRAME], [value])
    action.asset_mark()
    action.asset_data.description = f"Posture of {owner.name}, {mover.label}"
    _list(mover, action, adopted=False)
    return action


def tell_motors(action: bpy.types.Action, joints: Mapping[str, JointKey]) -> None:
    """Stores in an action which joint and axis each motor's F-curve belongs to, by its data path, since indices of motors change and differ
    between mechanisms.
    """
    action[MOTOR_JOINTS] = {path: f"{axis} {joint}" for path, (joint, axis) in joints.items()}


def motor_paths(action: bpy.types.Action) -> dict[JointKey, str] | None:
    """Data path of the F-curve of each motor's joint and axis; None for a posture of an older version of Limber, which does not store
    them.
    """
    stored = action.get(MOTOR_JOINTS)
    if stored is None:
        return None
    parts = ((path, text.partition(" ")) for path, text in stored.items())
    return {(joint, axis): path for path, (axis, _, joint) in parts}


def adopt(mover, action: bpy.types.Action) -> None:
    """Adds an existing pose asset to a mover's list and selects it. `mover`: its settings.

    Raises:
        RigError: the asset is in the list already.
    """
    if any(posture.action == action for posture in mover.postures):
        raise RigError(f"Posture '{action.name}' is in the list of {mover.in_sentence} already: select it there")
    _list(mover, action, adopted=True)


def _list(mover, action, adopted: bool) -> None:
    posture = mover.postures.add()
    posture.name = action.name  # overrides identify items of a list by their names
    posture.action, posture.adopted = action, adopted
    kept_posture.enlist(mover, posture)
    kept_posture.choose(mover, len(mover.postures) - 1)


def remove(mover, index: int) -> None:
    """Removes a posture from a mover's list. A pose asset that Store Posture made loses its asset mark, and is deleted where nothing else
    uses it."""
    kept_posture.modernise(mover.id_data)  # the mover may come from an older file
    posture = mover.postures[index]
    action, adopted = posture.action, posture.adopted
    was_kept = kept_posture.place(mover) == index
    _move_keys(mover, {k: k - (k > index) if k != index else None for k in range(len(mover.postures))})
    mover.postures.remove(index)
    if was_kept:
        kept_posture.choose(mover, index)
    if action is None or adopted or not action.is_editable or _is_listed(action):
        return
    action.asset_clear()  # also removes its fake user
    if not action.users:
        bpy.data.actions.remove(action)


def move(mover, index: int, by: int) -> int:
    """Moves a posture up (-1) or down (+1) in a mover's list, with its keys; returns its new index."""
    place = index + by
    if not 0 <= place < len(mover.postures):
        return index
    kept_posture.modernise(mover.id_data)  # the mover may come from an older file
    _move_keys(mover, {index: place, place: index})
    mover.postures.move(index, place)
    return place


def _move_keys(mover, places: dict[int, int | None]) -> None:
    own = mover.path_from_id()
    item_keys.follow(mover.id_data, f"{own}.postures", places)


def _is_listed(action) -> bool:
    lists = (mover for thing in bpy.data.objects for mover in kept_posture.lists_on(thing))
    return any(posture.action == action for mover in lists for posture in mover.postures)


def apply(rig, chain, action: bpy.types.Action) -> list[tuple[str, str, int]]:
    """Poses the chain's bones as in the posture, whatever the bones' rotation mode.

    Returns:
        The channels that it has set: bone, property, index (-1: all).

    Raises:
        RigError: a bone is missing, or the posture has no channel of the chain's bones.
    """
    curves = actions.fcurves(action)
    posed = []
    for bone in (rig.pose.bones[name] for name in bone_names(rig.pose.bones, chain)):
        if is_euler(bone):
            found = euler(curves, bone.name, bone.rotation_mode, tuple(bone.rotation_euler))
            if found:
                bone.rotation_euler = found
        else:
            found = quaternion(curves, bone.name)
            if found and bone.rotation_mode == "QUATERNION":
                bone.rotation_quaternion = found
            elif found:
                axis, angle = found.to_axis_angle()
                bone.rotation_axis_angle = (angle, *axis)
        if found:
            posed.append((bone.name, CHANNELS.get(bone.rotation_mode, EULER)[0], -1))
    for name, axis in _prismatic(chain):
        value = displacement(curves, name, axis)
        if value is not None:
            getattr(rig.pose.bones[name], axes.channel(axis))[axes.index(axis)] = value
            posed.append((name, axes.channel(axis), axes.index(axis)))
    if not posed:
        raise RigError(foreign(action, chain))
    return posed


def key(owner, channels: list[tuple[str, str, int]]) -> None:
    """Keys the channels that `apply` has set, as auto-keying does."""
    for bone, channel, index in channels:
        owner.keyframe_insert(_path(bone, channel), index=index, group=bone or MOTORS)


def _prismatic(chain) -> list[tuple[str, str]]:
    return [joint.key for joint in chain.joints if axes.is_prismatic(joint.axis)]


def displacement(curves, name: str, axis: str) -> float | None:
    """Value [m] of a prismatic joint in an action; None: the action has none."""
    curve = actions.find(curves, _path(name, axes.channel(axis)), axes.index(axis))
    return curve.evaluate(FRAME) if curve else None


def angles(action: bpy.types.Action, reader: ChainReader, otherwise: np.ndarray) -> np.ndarray:
    """Joint values (n,) [rad; prismatic joints m] of a posture, in the skeleton's order; values of `otherwise` (n,) for joints without a
    channel.

    Raises:
        RigError: the posture has no channel of any bone of the chain.
    """
    curves = actions.fcurves(action)
    values, rotations = otherwise.copy(), {name: euler(curves, name, order, None) for name, order in reader.orders.items()}
    is_known = any(rotations.values())
    for k, (name, axis) in enumerate(reader.joint_keys):
        if axes.is_prismatic(axis):
            value = displacement(curves, name, axis)
            is_known |= value is not None
        else:
            value = rotations[name][axes.index(axis)] if rotations[name] else None
        if value is not None:
            values[k] = value
    if not is_known:
        raise RigError(foreign(action))
    return values


def covers(action: bpy.types.Action, reader: ChainReader) -> bool:
    """Whether a pose asset has a channel of any of the chain's joints."""
    curves = actions.fcurves(action)
    return any(euler(curves, name, order, None) for name, order in reader.orders.items()) or any(
        displacement(curves, name, axis) is not None for name, axis in reader.joint_keys if axes.is_prismatic(axis)
    )


def euler(curves, name: str, order: str, otherwise: tuple | None) -> list[float | None] | None:
    """Euler angles [rad] of a bone in an action, with `otherwise` (or None) for missing angles; None if all are missing."""
    found = [actions.find(curves, _path(name, "rotation_euler"), index) for index in range(3)]
    if any(found):
        return [curve.evaluate(FRAME) if curve else otherwise[k] if otherwise else None for k, curve in enumerate(found)]
    turn = _rotation(curves, name)
    if turn is None:
        return None
    return list(turn.to_euler(order, Euler(otherwise, order)) if otherwise else turn.to_euler(order))


def quaternion(curves, name: str) -> Quaternion | None:
    """Rotation of a bone in an action, for a bone without Euler order, with 0 for missing components; None if the action does not rotate
    the bone.
    """
    turn = _rotation(curves, name)
    if turn is not None:
        return turn
    angles = euler(curves, name, "XYZ", (0.0, 0.0, 0.0))
    return Euler(angles).to_quaternion() if angles else None


def _rotation(curves, name: str) -> Quaternion | None:
    """Rotation that is stored as quaternion or as axis-angle; all four components are needed."""
    for channel, _ in CHANNELS.values():
        parts = [actions.find(curves, _path(name, channel), part) for part in range(4)]
        if all(parts):
            first, *rest = (part.evaluate(FRAME) for part in parts)
            turn = Quaternion((first, *rest)) if channel == "rotation_quaternion" else Quaternion(rest, first)
            return turn.normalized()
    return None


def _path(bone: str, channel: str) -> str:
    """Data path from the object. `bone`: "" for a channel of the object itself."""
    if not bone:
        return channel
    return f'pose.bones["{escape_identifier(bone)}"].{channel}'


def foreign(action, mover=None) -> str:
    """Error message for a posture that has no value for any joint of a mover, given by its settings."""
    of_mover = f" of {mover.in_sentence}" if mover is not None else ""
    return f"Posture '{action.name}' has no values for the joints{of_mover}: it was stored for another chain or mechanism, select its own"
