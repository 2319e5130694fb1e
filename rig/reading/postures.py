"""Stored postures: pose assets, which Blender's own pose library shows and applies too."""

import bpy
import numpy as np
from bpy.utils import escape_identifier
from mathutils import Euler, Quaternion

from ..blender import actions, item_keys
from ..blender.errors import RigError
from . import axes, kept_posture
from .axes import is_euler
from .paths import bone_names
from .skeleton import ChainReader

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


def make(rig, chain, name: str, values: dict[tuple[str, str, int], float]) -> bpy.types.Action:
    """Makes a pose asset from values by bone, channel and index, and selects it in the chain's list."""
    action = bpy.data.actions.new(name)
    curves = actions.writable_fcurves(action, rig)
    for (bone, channel, index), value in values.items():
        actions.put_keys(curves, _path(bone, channel), index, bone, [FRAME], [value])
    action.asset_mark()
    action.asset_data.description = f"Posture of {rig.name}, {chain.name}"
    _list(chain, action, adopted=False)
    return action


def adopt(rig, chain, action: bpy.types.Action) -> None:
    """Adds an existing pose asset to the chain's list and selects it.

    Raises:
        RigError: it is in the list already, has no channel of the chain's bones, or the chain cannot be read.
    """
    if any(posture.action == action for posture in chain.postures):
        raise RigError(f"Posture '{action.name}' is in the list of chain '{chain.name}' already: select it there")
    if not covers(action, ChainReader(rig, chain)):
        raise RigError(foreign(action, chain.name))
    _list(chain, action, adopted=True)


def _list(chain, action, adopted: bool) -> None:
    posture = chain.postures.add()
    posture.name = action.name  # overrides identify items of a list by their names
    posture.action, posture.adopted = action, adopted
    kept_posture.enlist(chain, posture)
    kept_posture.choose(chain, len(chain.postures) - 1)


def remove(chain, index: int) -> None:
    """Removes a posture from the chain's list. A pose asset that Store Posture made loses its asset mark, and is deleted where nothing else
    uses it."""
    kept_posture.modernise(chain.id_data)  # the chain may come from an older file
    posture = chain.postures[index]
    action, adopted = posture.action, posture.adopted
    was_kept = kept_posture.place(chain) == index
    _move_keys(chain, {k: k - (k > index) if k != index else None for k in range(len(chain.postures))})
    chain.postures.remove(index)
    if was_kept:
        kept_posture.choose(chain, index)
    if action is None or adopted or not action.is_editable or _is_listed(action):
        return
    action.asset_clear()  # also removes its fake user
    if not action.users:
        bpy.data.actions.remove(action)


def move(chain, index: int, by: int) -> int:
    """Moves a posture up (-1) or down (+1) in the chain's list, with its keys; returns its new index."""
    place = index + by
    if not 0 <= place < len(chain.postures):
        return index
    kept_posture.modernise(chain.id_data)  # the chain may come from an older file
    _move_keys(chain, {index: place, place: index})
    chain.postures.move(index, place)
    return place


def _move_keys(chain, places: dict[int, int | None]) -> None:
    own = chain.path_from_id()
    item_keys.follow(chain.id_data, f"{own}.postures", places)


def _is_listed(action) -> bool:
    rigs = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    return any(posture.action == action for rig in rigs for chain in rig.limber.chains for posture in chain.postures)


def apply(rig, chain, action: bpy.types.Action) -> list[tuple[str, str, int]]:
    """Poses the chain's bones as in the posture, whatever their rotation mode.

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
        raise RigError(foreign(action, chain.name))
    return posed


def key(rig, channels: list[tuple[str, str, int]]) -> None:
    """Keys the channels that `apply` has set, as auto-keying does."""
    for name, channel, index in channels:
        rig.pose.bones[name].keyframe_insert(channel, index=index, group=name)


def _prismatic(chain) -> list[tuple[str, str]]:
    return [(joint.bone, joint.axis) for joint in chain.joints if axes.is_prismatic(joint.axis)]


def displacement(curves, name: str, axis: str) -> float | None:
    """Value [m] of a prismatic joint in an action; None where it has none."""
    curve = actions.find(curves, _path(name, axes.channel(axis)), axes.index(axis))
    return curve.evaluate(FRAME) if curve else None


def angles(action: bpy.types.Action, reader: ChainReader, otherwise: np.ndarray) -> np.ndarray:
    """Joint values (n,) [rad; prismatic joints m] of a posture, in the skeleton's order; `otherwise` (n,) where it has no channel.

    Raises:
        RigError: it has no channel of any bone of the chain.
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
        raise RigError(foreign(action, ""))
    return values


def covers(action: bpy.types.Action, reader: ChainReader) -> bool:
    """Whether a pose asset has channels of the chain's joints."""
    curves = actions.fcurves(action)
    return any(euler(curves, name, order, None) for name, order in reader.orders.items()) or any(
        displacement(curves, name, axis) is not None for name, axis in reader.joint_keys if axes.is_prismatic(axis)
    )


def euler(curves, name: str, order: str, otherwise: tuple | None) -> list[float | None] | None:
    """Euler angles [rad] of a bone in an action, `otherwise` (or None) for those that it lacks; None where it lacks all."""
    found = [actions.find(curves, _path(name, "rotation_euler"), index) for index in range(3)]
    if any(found):
        return [curve.evaluate(FRAME) if curve else otherwise[k] if otherwise else None for k, curve in enumerate(found)]
    turn = _rotation(curves, name)
    if turn is None:
        return None
    return list(turn.to_euler(order, Euler(otherwise, order)) if otherwise else turn.to_euler(order))


def quaternion(curves, name: str) -> Quaternion | None:
    """Rotation of a bone in an action, for a bone without Euler order; None where it has none. Missing angles are 0."""
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
    return f'pose.bones["{escape_identifier(bone)}"].{channel}'


def foreign(action, chain: str) -> str:
    of_chain = f" of chain '{chain}'" if chain else ""
    return f"Posture '{action.name}' has no angles for the bones{of_chain}: it was stored for another chain, select one of this chain"
