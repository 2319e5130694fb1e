"""Stored postures: pose assets, which Blender's own pose library shows and applies as well."""

import bpy
import numpy as np
from bpy.utils import escape_identifier
from mathutils import Quaternion

from . import actions
from .errors import RigError
from .skeleton import ChainReader, path_names

FRAME = 1  # of the one key in each channel: any other would do, a pose asset has no time
KEYED = {"QUATERNION": ("rotation_quaternion", 4), "AXIS_ANGLE": ("rotation_axis_angle", 4)}


def active(chain) -> bpy.types.Action:
    """The pose asset of the posture selected in the list.

    Raises:
        RigError: there is none, or its asset was deleted.
    """
    if not chain.postures:
        raise RigError(f"Chain '{chain.name}' has no stored posture: pose the rig and press Store Posture, or choose another base")
    posture = chain.postures[min(chain.active_posture, len(chain.postures) - 1)]
    if posture.action is None:
        raise RigError(
            f"The pose asset of a posture of chain '{chain.name}' was deleted: remove the posture from the list, or select another"
        )
    return posture.action


def store(rig, chain, name: str) -> bpy.types.Action:
    """Makes a pose asset of the chain's bones as they are posed, and selects it.

    Raises:
        RigError: a bone of the chain is missing.
    """
    names = path_names(rig.pose.bones, chain.root, chain.end)
    action = bpy.data.actions.new(name)
    curves = actions.writable_fcurves(action, rig)
    for bone in (rig.pose.bones[name] for name in names):
        channel, size = KEYED.get(bone.rotation_mode, ("rotation_euler", 3))
        for index in range(size):
            actions.put_keys(curves, _path(bone.name, channel), index, bone.name, [FRAME], [getattr(bone, channel)[index]])
    action.asset_mark()
    chain.postures.add().action = action
    chain.active_posture = len(chain.postures) - 1
    return action


def remove(chain, index: int) -> None:
    """Takes a posture from the chain's list; its asset goes too when nothing else uses it."""
    action = chain.postures[index].action
    chain.postures.remove(index)
    chain.active_posture = max(0, min(chain.active_posture, len(chain.postures) - 1))
    if action is None:
        return
    action.asset_clear()
    action.use_fake_user = False
    if not action.users:
        bpy.data.actions.remove(action)


def apply(rig, chain, action: bpy.types.Action) -> None:
    """Poses the chain's bones as the posture says.

    Raises:
        RigError: the posture has no angle for any bone of the chain.
    """
    posed = 0
    curves = actions.fcurves(action)
    for bone in (rig.pose.bones[name] for name in path_names(rig.pose.bones, chain.root, chain.end)):
        for channel in ("rotation_euler", "rotation_quaternion", "rotation_axis_angle"):
            values = getattr(bone, channel)
            for index in range(len(values)):
                curve = actions.find(curves, _path(bone.name, channel), index)
                if curve:
                    values[index] = curve.evaluate(FRAME)
                    posed += 1
    if not posed:
        raise RigError(_foreign(action, chain.name))


def angles(action: bpy.types.Action, reader: ChainReader, otherwise: np.ndarray) -> np.ndarray:
    """The posture's angles (n,) [rad] in the skeleton's order; `otherwise` where it says nothing of a bone.

    Raises:
        RigError: it says nothing of any bone of the chain.
    """
    curves = actions.fcurves(action)
    found, values = 0, otherwise.copy()
    for k, (name, axis) in enumerate(reader.places):
        index = "XYZ".index(axis)
        curve = actions.find(curves, _path(name, "rotation_euler"), index)
        if curve:
            values[k] = curve.evaluate(FRAME)
        else:
            turn = [actions.find(curves, _path(name, "rotation_quaternion"), part) for part in range(4)]
            if not all(turn):
                continue
            values[k] = Quaternion([part.evaluate(FRAME) for part in turn]).to_euler(reader.orders[name])[index]
        found += 1
    if not found:
        raise RigError(_foreign(action, ""))
    return values


def _path(bone: str, channel: str) -> str:
    return f'pose.bones["{escape_identifier(bone)}"].{channel}'


def _foreign(action, chain: str) -> str:
    of_chain = f" of chain '{chain}'" if chain else ""
    return f"Posture '{action.name}' has no angles for the bones{of_chain}: it was stored for another chain, select one of this chain"
