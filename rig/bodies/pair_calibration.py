"""Calibration of the bone pairs of a body that follows a motion: rotation offsets, scale and the height of
feet, from the poses of its source and of the body, the target.
"""

from collections.abc import Mapping

import bpy
import numpy as np

from ...solvers.kinematics import rotations
from ..blender.errors import RigError
from . import calibration, names, soles, source, standing
from .calibration import BodyPose, Calibration
from .pairing import checked, is_streamed, path_to_root, stream_of


def calibrate(
    rig: bpy.types.Object, retarget: bpy.types.PropertyGroup, depsgraph: bpy.types.Depsgraph
) -> float:
    """Computes and stores the rotation offset of each enabled pair, the scale, and the heights of feet;
    returns the scale.

    Raises:
        RigError: the pairs cannot be used; the body's pose is to be used and is not shown, since the body is
            live; or the pose or size of source or target is not known.
    """
    if retarget.live and retarget.calibrate_from == "POSE":
        raise RigError(
            "While it follows, the target does not show its own pose: press End Live, pose it like the"
            " source, calibrate"
        )
    pairs = checked(rig, retarget)
    name_pairs = [names.Pair(pair.source, pair.target) for pair in pairs]
    target_names = {pair.target for pair in name_pairs}
    # the two bodies may differ in their unpaired bones, so lengths are compared from pair to pair
    parents = {
        name: next((bone for bone in path_to_root(rig, name)[1:] if bone in target_names), None)
        for name in target_names
    }
    new_calibration = (_from_stream if is_streamed(retarget) else _from_source)(
        rig, retarget, name_pairs, parents, depsgraph
    )
    for pair, offset in zip(pairs, new_calibration.offsets, strict=True):
        pair.offset = rotations.from_matrix(offset.tolist())
        pair.calibrated = True
    retarget.scale = new_calibration.scale
    _store_foot_heights(rig, retarget, pairs, depsgraph)
    return new_calibration.scale


def _from_source(
    rig: bpy.types.Object,
    retarget: bpy.types.PropertyGroup,
    pairs: list[names.Pair],
    parents: Mapping[str, str | None],
    depsgraph: bpy.types.Depsgraph,
) -> Calibration:
    """Calibration from a source armature: from both rest poses, or from both current poses."""
    source_names, target_names = [pair.source for pair in pairs], [pair.target for pair in pairs]
    if retarget.calibrate_from == "POSE":
        poses = (
            BodyPose(*source.posed(retarget.source, source_names, depsgraph)),
            BodyPose(*source.posed(rig, target_names, depsgraph)),
        )
        method = calibration.from_poses
    else:
        poses = (
            BodyPose(*source.at_rest(retarget.source, source_names)),
            BodyPose(*source.at_rest(rig, target_names)),
        )
        method = calibration.from_rest
    for armature, pose in zip((retarget.source, rig), poses, strict=True):
        if not np.isfinite(pose.rotation).all():
            raise RigError(
                f"'{armature.name}' or a bone of it is scaled to nothing: clear its scale (Alt S), then"
                " calibrate"
            )
    return method(pairs, parents, *poses)


def _from_stream(
    rig: bpy.types.Object,
    retarget: bpy.types.PropertyGroup,
    pairs: list[names.Pair],
    parents: Mapping[str, str | None],
    depsgraph: bpy.types.Depsgraph,
) -> Calibration:
    """Calibration from a stream. From rest poses: a humanoid is assumed to be in its T-pose; other links are
    assumed to be sent relative to the target's rest pose and at its scale. From current poses: the newest
    received values are used.
    """
    source_names, target_names = [pair.source for pair in pairs], [pair.target for pair in pairs]
    stream = stream_of(retarget)
    target_rest = BodyPose(*source.at_rest(rig, target_names))
    if retarget.calibrate_from == "POSE":
        sent, _ = stream.posed(source_names)
        lost = [
            name for name, rotation in zip(source_names, sent, strict=True) if not np.isfinite(rotation).all()
        ]
        if lost:
            raise RigError(
                f"Nothing has come for '{lost[0]}' yet: send it while you calibrate, or switch its pair off"
            )
        target_pose = BodyPose(*source.posed(rig, target_names, depsgraph))
    else:
        sent, target_pose = np.broadcast_to(np.eye(3), target_rest.rotation.shape), target_rest
    scale = retarget.scale
    if set(source_names) <= set(stream.humanoid.bones):
        t_pose = BodyPose(np.broadcast_to(np.eye(3), sent.shape), stream.humanoid.t_pose(source_names))
        rest_calibration = calibration.from_rest(pairs, parents, t_pose, target_rest)
        if retarget.calibrate_from != "POSE":
            return rest_calibration
        scale = rest_calibration.scale
    return Calibration(sent.swapaxes(1, 2) @ target_pose.rotation, scale)


def _store_foot_heights(
    rig: bpy.types.Object, retarget: bpy.types.PropertyGroup, pairs: list, depsgraph: bpy.types.Depsgraph
) -> None:
    """Stores the heights [m] of the feet's bones while the feet stand: the source's above its origin, from
    its animation or a performer's current pose; the target's above its soles, at rest. They count as unknown
    if no feet are paired, or if the performer's are not received.
    """
    parts = calibration.parts_of([names.Pair(pair.source, pair.target) for pair in pairs])
    feet = [
        pair for pair, part in zip(pairs, parts, strict=True) if pair.plant or (part and part.name == "foot")
    ]
    source_names = [pair.source for pair in feet]
    if feet and is_streamed(retarget):
        # positions are not finite until the performer has sent them, and some senders send rotations only
        heights = stream_of(retarget).posed(source_names)[1][:, 2]
        retarget.foot_heights_known = bool(np.isfinite(heights).all())
        retarget.source_foot_height = float(heights.min()) if retarget.foot_heights_known else 0.0
    elif feet:
        retarget.foot_heights_known = True
        retarget.source_foot_height = standing.height(retarget.source, source_names, depsgraph)
    else:
        retarget.foot_heights_known = False
    if retarget.foot_heights_known:
        retarget.foot_height = soles.ankle(rig, [pair.target for pair in feet])
