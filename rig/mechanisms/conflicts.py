"""Conflicts over the poses of a mechanism's bodies with keys, drivers, constraints, or another live
mechanism.
"""

from collections.abc import Collection, Iterable

import bpy
from bpy.utils import escape_identifier

from ..blender import actions
from ..blender.errors import RigError
from . import assembled, pose_channels
from .authored_mechanism import Part
from .owners import has_mechanism
from .ownership import bodies, role_of

PLACING = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")
OWN = "Limber"  # beginning of the names of Limber's own constraints
BOUNDS = "LIMIT_"  # beginning of the types of constraints that change nothing within their limits


def refuse_held(movers: Iterable[Part]) -> None:
    """Raises RigError if keyframes, drivers or a constraint would override the transforms written to bodies
    and joints.
    """
    for part in movers:
        holder = pose_channels.holder(part)
        role = "Object" if part.role == "CARRIED" else "Body"
        if (path := _animated(part, holder)) is not None:
            raise RigError(
                f"{role} '{part.object_name if not part.bone else part.bone}' {path}, which would take it"
                " back at the next frame: remove them there first, and animate afterwards"
            )
        for constraint in holder.constraints:
            if (
                not constraint.mute
                and constraint.influence > 0.0
                and not constraint.name.startswith(OWN)
                and not constraint.type.startswith(BOUNDS)
            ):
                raise RigError(
                    f"{role} '{part.name}' is held by its constraint '{constraint.name}': apply it or mute it"
                    " first"
                )


def _animated(part: Part, holder: bpy.types.Object | bpy.types.PoseBone) -> str | None:
    """Which channel of a part is keyed or driven, as part of a sentence; None if none is."""
    obj = holder.id_data
    start = f'pose.bones["{escape_identifier(part.bone)}"].' if part.bone else ""
    paths = {start + channel: channel.partition("_")[0] for channel in PLACING}
    for action, slot in actions.playing(obj):
        for curve in actions.fcurves(action, slot):
            if curve.data_path in paths and not curve.mute:
                return f"has keys on its {paths[curve.data_path]} (action '{action.name}')"
    for driver in obj.animation_data.drivers if obj.animation_data else ():
        if driver.data_path in paths and not driver.mute:
            return f"has drivers on its {paths[driver.data_path]}"
    return None


def refuse_taken(owner: bpy.types.Object) -> None:
    """Raises RigError, naming both mechanisms, if another live mechanism moves an object that this one moves
    as well.
    """
    moved_uids = {body.session_uid for body in bodies(owner) if role_of(body) == "MOVES"}
    for other in bpy.data.objects:
        if (
            other == owner
            or not has_mechanism(other)
            or not other.limber.mechanism.live
            or (mechanism := assembled.stored(other)) is None
        ):
            continue
        for part in mechanism.reading.parts:
            if part.role == "MOVES" and not part.bone and part.uid in moved_uids:
                raise RigError(
                    f"Mechanism '{other.name}' is live and moves '{part.name}', a body of '{owner.name}' as"
                    " well: press End Live there first, or give each mechanism bodies and joints of its own"
                )


def why_taken(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, bodies: Collection[str]) -> str:
    """Why a chain cannot move while a live mechanism moves these bones, with the remedy; "" if it can."""
    taken = next((joint.bone for joint in chain.joints if joint.bone in bodies), None) if bodies else None
    if taken is None:
        return ""
    return (
        f"Bone '{taken}' of chain '{chain.name}' is a body of mechanism '{rig.name}', which is live and moves"
        " it: end the one Live or the other"
    )
