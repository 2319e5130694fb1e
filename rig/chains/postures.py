"""Stored postures: pose assets, which Blender's pose library shows and applies too."""

from collections.abc import Mapping, Sequence

import bpy
import numpy as np
from bpy.utils import escape_identifier

from ...solvers.kinematics.rotations import IDENTITY, Quaternion
from ..blender import actions, item_keys
from ..blender.errors import RigError
from ..bones import axes, rotation_modes
from ..bones.axes import JointKey
from ..bones.channels import MOTORS, PARTS
from ..bones.paths import bone_names
from ..bones.rotation_modes import Spans
from . import kept_posture
from .skeleton import ChainReader

MOTOR_JOINTS = "limber_motors"  # custom property of a posture's action with the joint of each motor's F-curve
FRAME = 1  # frame of the only key in each channel, since a pose asset has no time


def store(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, name: str) -> bpy.types.Action:
    """Stores the authored pose of the chain's bones (rotations, and positions of prismatic joints) as a pose
    asset, adds that to the chain's postures and selects it.

    Raises:
        RigError: a bone of the chain is missing.
    """
    names = bone_names(rig.pose.bones, chain)
    values = {}
    for bone in (rig.pose.bones[name] for name in names):
        channel = rotation_modes.channel(bone.rotation_mode)
        values |= {
            (bone.name, channel, index): value for index, value in enumerate(rotation_modes.stored(bone))
        }
    for bone_name, axis in _prismatic(chain):
        values[bone_name, axes.channel(axis), axes.index(axis)] = rig.pose.bones[bone_name].location[
            axes.index(axis)
        ]
    return make(rig, chain, name, values)


def make(
    owner: bpy.types.ID,
    mover: bpy.types.PropertyGroup,
    name: str,
    values: Mapping[tuple[str, str, int], float],
) -> bpy.types.Action:
    """Makes a pose asset, and selects it in a mover's list.

    Args:
        owner: The object that the mover moves.
        mover: The mover's settings.
        name: Name of the posture.
        values: (bone ("": the object itself), channel, index) -> value.
    """
    action = pose_asset(owner, name, values, f"Posture of {owner.name}, {mover.label}")
    _append(mover, action, adopted=False)
    return action


def pose_asset(
    owner: bpy.types.ID, name: str, values: Mapping[tuple[str, str, int], float], description: str
) -> bpy.types.Action:
    """Makes a pose asset without adding it to a mover's list; arguments as for `make`."""
    action = bpy.data.actions.new(name)
    curves = actions.writable_fcurves(action, owner)
    for (bone, channel, index), value in values.items():
        actions.put_keys(curves, _path(bone, channel), index, bone or MOTORS, [FRAME], [value])
    action.asset_mark()
    action.asset_data.description = description
    return action


def store_motor_joints(action: bpy.types.Action, joints: Mapping[str, JointKey]) -> None:
    """Stores in an action which motor each F-curve belongs to, since data paths contain motors' indices,
    which change and differ between mechanisms. `joints`: data path of the F-curve -> (joint, axis) of its
    motor.
    """
    action[MOTOR_JOINTS] = {path: f"{axis} {joint}" for path, (joint, axis) in joints.items()}


def motor_paths(action: bpy.types.Action) -> dict[JointKey, str] | None:
    """(joint, axis) of each motor -> data path of its F-curve; None for a posture of an older version of
    Limber, which does not store them.
    """
    stored = action.get(MOTOR_JOINTS)
    if stored is None:
        return None
    parts = ((path, text.partition(" ")) for path, text in stored.items())
    return {(joint, axis): path for path, (axis, _, joint) in parts}


def adopt(mover: bpy.types.PropertyGroup, action: bpy.types.Action) -> None:
    """Adds an existing pose asset to a mover's list and selects it. `mover`: its settings.

    Raises:
        RigError: the asset is in the list already.
    """
    if any(posture.action == action for posture in mover.postures):
        raise RigError(
            f"Posture '{action.name}' is in the list of {mover.in_sentence} already: select it there"
        )
    _append(mover, action, adopted=True)


def _append(mover: bpy.types.PropertyGroup, action: bpy.types.Action, adopted: bool) -> None:
    """Appends a pose asset to a mover's list and selects it; `adopted`: the asset existed before."""
    posture = mover.postures.add()
    posture.name = action.name  # overrides identify items of a list by their names
    posture.action, posture.adopted = action, adopted
    kept_posture.enlist(mover, posture)
    kept_posture.choose(mover, len(mover.postures) - 1)


def remove(mover: bpy.types.PropertyGroup, index: int) -> None:
    """Removes a posture and its keys from a mover's list; if it was the chosen one, its neighbour is chosen.
    A pose asset that Store Posture made loses its asset mark unless another list has it, and is deleted if
    nothing else uses it.
    """
    kept_posture.modernise(mover.id_data)  # the mover may come from an older file
    posture = mover.postures[index]
    action, adopted = posture.action, posture.adopted
    was_kept = kept_posture.kept_index(mover) == index
    _move_keys(mover, {k: k - (k > index) if k != index else None for k in range(len(mover.postures))})
    mover.postures.remove(index)
    if was_kept:
        kept_posture.choose(mover, index)
    if action is None or adopted or not action.is_editable or _is_listed(action):
        return
    action.asset_clear()  # also removes its fake user
    if not action.users:
        bpy.data.actions.remove(action)


def move(mover: bpy.types.PropertyGroup, index: int, by: int) -> int:
    """Moves a posture up (`by` -1) or down (1) in a mover's list, with its keys; returns its new index, which
    is the old one at the end of the list.
    """
    new_index = index + by
    if not 0 <= new_index < len(mover.postures):
        return index
    kept_posture.modernise(mover.id_data)  # the mover may come from an older file
    _move_keys(mover, {index: new_index, new_index: index})
    mover.postures.move(index, new_index)
    return new_index


def _move_keys(mover: bpy.types.PropertyGroup, new_indices: dict[int, int | None]) -> None:
    """Moves the keyframes of a mover's postures to new indices in the list; None removes them."""
    mover_path = mover.path_from_id()
    item_keys.follow(mover.id_data, f"{mover_path}.postures", new_indices)


def _is_listed(action: bpy.types.Action) -> bool:
    """Whether an action is in the list of postures of any mover in the file."""
    lists = (mover for obj in bpy.data.objects for mover in kept_posture.lists_on(obj))
    return any(posture.action == action for mover in lists for posture in mover.postures)


def apply(
    rig: bpy.types.Object, chain: bpy.types.PropertyGroup, action: bpy.types.Action
) -> list[tuple[str, str, int]]:
    """Poses the chain's bones as in the posture, in any rotation mode.

    Returns:
        The channels that it has set: bone, property, index (-1: all).

    Raises:
        RigError: a bone is missing, or the posture has no channel of the chain's bones.
    """
    curves = actions.fcurves(action)
    posed = []
    for bone in (rig.pose.bones[name] for name in bone_names(rig.pose.bones, chain)):
        channel = rotation_modes.channel(bone.rotation_mode)
        if channel_values := rotation(curves, bone.name, bone.rotation_mode, rotation_modes.stored(bone)):
            setattr(bone, channel, channel_values)
            posed.append((bone.name, channel, -1))
    for name, axis in _prismatic(chain):
        value = displacement(curves, name, axis)
        if value is not None:
            getattr(rig.pose.bones[name], axes.channel(axis))[axes.index(axis)] = value
            posed.append((name, axes.channel(axis), axes.index(axis)))
    if not posed:
        raise RigError(foreign(action, chain))
    return posed


def key(owner: bpy.types.ID, channels: list[tuple[str, str, int]]) -> None:
    """Inserts keyframes at the current frame.

    Args:
        owner: The object.
        channels: Bone ("": the object itself), property, and index of its component (-1: all) of each.
    """
    for bone, channel, index in channels:
        owner.keyframe_insert(_path(bone, channel), index=index, group=bone or MOTORS)


def _prismatic(chain: bpy.types.PropertyGroup) -> list[tuple[str, str]]:
    return [joint.key for joint in chain.joints if axes.is_prismatic(joint.axis)]


def displacement(curves: bpy.types.bpy_prop_collection, name: str, axis: str) -> float | None:
    """Value [m] of a prismatic joint in an action; None if the action has none."""
    curve = actions.find(curves, _path(name, axes.channel(axis)), axes.index(axis))
    return curve.evaluate(FRAME) if curve else None


def angles(action: bpy.types.Action, reader: ChainReader, otherwise: np.ndarray) -> np.ndarray:
    """Joint values (n,) [rad; prismatic joints m] of a posture, in the skeleton's order; values of
    `otherwise` (n,) for joints without a channel.

    Raises:
        RigError: the posture has no channel of any bone of the chain.
    """
    curves = actions.fcurves(action)
    values = otherwise.copy()
    rotations = {
        part.name: hinges(curves, part.name, part.mode, part.spans) for part in reader.parts if part.mode
    }
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
    """Whether a pose asset has values for any of the chain's joints."""
    curves = actions.fcurves(action)
    return any(hinges(curves, name, mode) for name, mode in reader.modes.items()) or any(
        displacement(curves, name, axis) is not None
        for name, axis in reader.joint_keys
        if axes.is_prismatic(axis)
    )


def hinges(
    curves: bpy.types.bpy_prop_collection, name: str, mode: str, spans: Spans = ()
) -> list[float | None] | None:
    """Angles [rad] that an action stores for the hinges of a bone with this rotation mode, None for missing
    ones; None if all are missing.

    Of several sets of angles that give the same rotation, one within `spans`, the hinges' limits [rad], is
    returned; (): without limits.
    """
    angles, stored_rotation = _stored_rotation(curves, name, mode)
    if stored_rotation is None:
        return angles
    return list(
        rotation_modes.angles_of(
            stored_rotation, rotation_modes.hinge_order(mode), spans=spans or rotation_modes.UNLIMITED
        )
    )


def rotation(
    curves: bpy.types.bpy_prop_collection, name: str, mode: str, otherwise: Sequence[float]
) -> tuple[float, ...] | None:
    """Values in an action for the rotation channel of a bone with a rotation mode; None if the action does
    not rotate the bone.

    Values stored in this mode are returned unchanged; values of other modes are converted, nearest to the
    values `otherwise`, which also replace missing Euler angles.
    """
    stored_values = _stored(curves, name, rotation_modes.channel(mode))
    if None not in stored_values:
        return tuple(stored_values)
    angles, stored_rotation = _stored_rotation(curves, name, mode)
    if angles is not None:
        is_euler, order = mode not in rotation_modes.CHANNELS, rotation_modes.hinge_order(mode)
        last = (
            otherwise
            if is_euler
            else rotation_modes.angles_of(rotation_modes.quaternion(mode, otherwise), order)
        )
        known = tuple(last[k] if angle is None else angle for k, angle in enumerate(angles))
        if is_euler:
            return known
        stored_rotation = rotation_modes.from_angles(known, order)
    return rotation_modes.numbers(mode, stored_rotation, otherwise) if stored_rotation is not None else None


def quaternion(curves: bpy.types.bpy_prop_collection, name: str, mode: str) -> Quaternion | None:
    """Rotation (unit quaternion) that an action stores for a bone with a rotation mode, with 0 for missing
    Euler angles; None if the action does not rotate the bone.
    """
    channel_values = rotation(curves, name, mode, rotation_modes.numbers(mode, IDENTITY))
    return rotation_modes.quaternion(mode, channel_values) if channel_values is not None else None


def _stored_rotation(
    curves: bpy.types.bpy_prop_collection, name: str, mode: str
) -> tuple[list[float | None] | None, Quaternion | None]:
    """Rotation stored in an action for a bone with a rotation mode: (Euler angles [rad] with None for missing
    ones, None) or (None, quaternion), for which all four components are needed; (None, None) if the action
    does not rotate the bone.
    """
    angles = _stored(curves, name, rotation_modes.EULER)
    known = angles if any(angle is not None for angle in angles) else None
    if known is not None and mode not in rotation_modes.CHANNELS:
        return known, None
    for other, channel in rotation_modes.CHANNELS.items():
        numbers = _stored(curves, name, channel)
        if None not in numbers:
            return None, rotation_modes.quaternion(other, numbers)
    return known, None


def _stored(curves: bpy.types.bpy_prop_collection, name: str, channel: str) -> list[float | None]:
    """Values of a bone's rotation channel in an action; None for missing components."""
    channel_curves = (
        actions.find(curves, _path(name, channel), index) for index in range(len(PARTS[channel]))
    )
    return [curve.evaluate(FRAME) if curve else None for curve in channel_curves]


def _path(bone: str, channel: str) -> str:
    """Data path of a bone's channel from its object; `bone` is "" for a channel of the object itself."""
    if not bone:
        return channel
    return f'pose.bones["{escape_identifier(bone)}"].{channel}'


def foreign(action: bpy.types.Action, mover: bpy.types.PropertyGroup | None = None) -> str:
    """Error message for a posture that has no value for any joint of a mover; `mover`: the mover's
    settings.
    """
    of_mover = f" of {mover.in_sentence}" if mover is not None else ""
    return (
        f"Posture '{action.name}' has no values for the joints{of_mover}: it was stored for another chain or"
        " mechanism, select its own"
    )
