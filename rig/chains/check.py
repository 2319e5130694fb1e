"""Check of a chain: problems of its setup, with the remedies."""

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite

import bpy
import numpy as np

from ...solvers.kinematics import rotations
from ...solvers.kinematics.skeleton import Skeleton, SkeletonError
from ..blender.errors import Finding, RigError
from ..blender.overrides import why_not_editable
from ..blender.presence import why_unevaluated
from ..bones import axes, imported_robot
from ..bones.joint_axes import joint_axes
from ..bones.limit_faults import range_faults, rate_faults
from ..scene.dependencies import Dependencies, depends_on_objects_alone
from ..scene.goal import (
    LOOKS,
    ORIENTS,
    ChainEnd,
    ends_of,
    moved_by_chain,
    no_target,
    tool_frame,
    why_no_target,
    with_goal,
)
from . import chain as build
from . import check_bones, kept_posture, postures
from .skeleton import ChainReader

# second singular value of the gaze's Jacobian [per rad] up to which all joints count as moving the gaze in
# one direction
SAME_DIRECTION = 1e-3


def check(context: bpy.types.Context, rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> list[Finding]:
    """Findings on a chain; first those that prevent it from going live."""
    findings = _findings(context, rig, chain)
    if not any(finding.blocks for finding in findings):
        try:
            skeleton = build.skeleton_now(rig, chain)
            findings += [finding for end in with_goal(chain) for finding in _gaze_directions(end, skeleton)]
        except (RigError, SkeletonError) as error:
            findings.append(Finding(str(error), True))
    return sorted(findings, key=lambda finding: not finding.blocks)


def why_not_live(context: bpy.types.Context, rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> str:
    """The first finding that prevents the chain from going live; "" if nothing does."""
    return next((finding.sentence for finding in _findings(context, rig, chain) if finding.blocks), "")


def _findings(
    context: bpy.types.Context, rig: bpy.types.Object, chain: bpy.types.PropertyGroup
) -> list[Finding]:
    findings = [*_rig(context, rig)]
    reader = None
    try:
        reader = ChainReader(rig, chain)
    except RigError as error:
        findings.append(Finding(str(error), True))
    findings += [*_joints(rig, chain), *_servos(rig, chain)]
    if reader:
        findings += [
            *_shared_bones(rig, chain, reader),
            *check_bones.check(rig, chain, reader),
            *_postures(chain, reader),
        ]
    findings += [*_gaze(context, rig, chain), *_keying(context)]
    return findings


def _rig(context: bpy.types.Context, rig: bpy.types.Object) -> Iterator[Finding]:
    if why := why_not_editable(rig):
        yield Finding(why, True)
    if why := why_unevaluated(rig, context.view_layer):
        yield Finding(f"Armature '{rig.name}' {why}", True)
    if why := why_no_pose(rig):
        yield Finding(why)


def why_no_pose(rig: bpy.types.Object) -> str:
    """Why an armature does not show its pose at all, with the remedy; "" if it does."""
    if rig.data.pose_position != "REST":
        return ""
    return (
        f"Armature '{rig.name}' is in Rest Position, so no pose shows: press Pose Position in its Data"
        " properties"
    )


def _joints(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> Iterator[Finding]:
    for joint in chain.joints:
        label = f"Joint {joint.label}"
        value = "position" if axes.is_prismatic(joint.axis) else "angle"
        if faults := list(range_faults(joint.lower, joint.upper, value)):
            yield from (Finding(f"{label}: {fault}", True) for fault in faults)
        elif joint.lower > joint.upper:
            yield Finding(f"{label}: its smallest {value} is above its largest: exchange them", True)
        elif joint.lower == joint.upper:
            yield Finding(
                f"{label}: its smallest {value} is its largest, so it cannot move: widen them, or lock the"
                " axis and match joints"
            )
        # an imported robot has the limits of its motors, which may exclude the zero of its model
        elif (joint.lower > 0 or joint.upper < 0) and not _is_motor(rig, joint):
            rest = axes.value_text(joint.axis, 0.0)
            yield Finding(
                f"{label}: its limits exclude the rest pose: widen them to include {rest}, or change the"
                " bone's rest pose"
            )
        yield from (Finding(f"{label}: {fault}", True) for fault in rate_faults(joint))
        bone = rig.pose.bones.get(joint.bone)
        if bone and joint.axis not in joint_axes(bone):
            how, need = (
                ("moves along", ", with a Limit Location")
                if axes.is_prismatic(joint.axis)
                else ("rotates about", "")
            )
            yield Finding(
                f"{label} {how} an axis that is locked: if that is a mistake, unlock it (bone's Transform"
                f" panel){need}, else press Match Joints"
            )


def _is_motor(rig: bpy.types.Object, joint: bpy.types.PropertyGroup) -> bool:
    """Whether a joint comes from a robot's file: then its limits are those of the motor and need not contain
    the rest pose.
    """
    bone = rig.pose.bones.get(joint.bone)
    return bone is not None and imported_robot.motor(bone, joint.axis) is not None


def _servos(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> Iterator[Finding]:
    first: dict[int, str] = {}
    for other in rig.limber.chains:
        for joint in other.joints:
            label = joint.label
            if joint.servo < 0:
                continue
            if joint.servo in first and (
                other.uid == chain.uid or first[joint.servo] in {j.label for j in chain.joints}
            ):
                yield Finding(
                    f"Joints {first[joint.servo]} and {label} share servo {joint.servo}: give each its own"
                    " number"
                )
            first.setdefault(joint.servo, label)
    for joint in chain.joints:
        if joint.servo >= 0 and joint.min_us >= joint.max_us:
            yield Finding(f"Joint {joint.label}: its shortest pulse is not below its longest: exchange them")


def _shared_bones(
    rig: bpy.types.Object, chain: bpy.types.PropertyGroup, reader: ChainReader
) -> Iterator[Finding]:
    for other in rig.limber.chains:
        if other.uid != chain.uid:
            for bone in sorted({joint.bone for joint in other.joints} & set(reader.free)):
                yield Finding(
                    f"Bone '{bone}' moves in chain '{other.name}' too: remove one of the two chains, and make"
                    " it again",
                    True,
                )


def _gaze_directions(end: ChainEnd, skeleton: Skeleton) -> Iterator[Finding]:
    """A finding if all joints that move an end move its gaze in the same direction, so that it cannot look
    both sideways and up; only for ends whose goal is a look or an orientation.
    """
    if end.settings.goal not in LOOKS | ORIENTS:
        return
    path = [k for k in skeleton.path(end.number) if skeleton.joints[k].upper > skeleton.joints[k].lower]
    # [rad] poses to test: in a single pose the joints could be aligned by chance
    for bend in (0.0, 0.3, -0.5):
        angles = skeleton.clamp([bend + 0.1 * k for k in range(len(skeleton))])
        angular, _ = skeleton.jacobian(angles, end.number)
        rotation, _ = skeleton.end_pose(skeleton.forward(angles), end.number)
        spread = np.linalg.svd(
            np.cross(angular.T[path], rotations.rotate(rotation, rotations.Y)), compute_uv=False
        )
        if len(spread) > 1 and spread[1] > SAME_DIRECTION:
            return
    yield Finding(
        f"{end.subject} can move its gaze in one direction only: unlock another axis of its bones if it was"
        " locked by mistake, or choose another axis to look along"
    )


def _postures(chain: bpy.types.PropertyGroup, reader: ChainReader) -> Iterator[Finding]:
    for number, posture in enumerate(chain.postures):
        is_used = (chain.base == "POSTURE" and number == kept_posture.kept_index(chain)) or (
            chain.base == "BLEND" and posture.weight > 0.0
        )
        if posture.action is None:
            yield Finding(kept_posture.deleted(chain), is_used)
        elif not postures.covers(posture.action, reader):
            yield Finding(postures.foreign(posture.action, chain), is_used)
    if chain.base in {"POSTURE", "BLEND"} and not chain.postures:
        yield Finding(kept_posture.none_stored(chain), True)


def _gaze(
    context: bpy.types.Context, rig: bpy.types.Object, chain: bpy.types.PropertyGroup
) -> Iterator[Finding]:
    for end in ends_of(chain):
        try:
            tool_frame(end, 1.0)
        except RigError as error:
            yield Finding(str(error), True)
    try:
        build.goal_kinds(chain)
    except RigError as error:
        yield Finding(str(error), True)
    if why := build.why_not_solver(rig, chain):
        yield Finding(why, True)
    for end in with_goal(chain):
        yield from _target(context, rig, chain, end)
    watched = min(chain.watch, len(chain.targets))
    for number in range(len(chain.targets) + 1):
        if number != watched:
            for finding in _target(context, rig, chain, ends_of(chain, number)[0]):
                yield replace(finding, blocks=False)


def _target(
    context: bpy.types.Context, rig: bpy.types.Object, chain: bpy.types.PropertyGroup, end: ChainEnd
) -> Iterator[Finding]:
    target = end.target
    if target is None:
        yield Finding(no_target(end), True)
        return
    how = moved_by_chain(target, chain, rig, Dependencies(), {joint.bone for joint in chain.joints})
    if how:
        yield Finding(f"The chain moves its own target '{target.name}' ({how}): choose another target", True)
    elif why := why_no_target(target, context.scene, context.view_layer):
        yield Finding(why, True)
        return
    # no finding on targets that depend on objects alone: while live, Limber's constraints keep them evaluated
    elif (target.bone or not depends_on_objects_alone(target.obj)) and (
        why := why_unevaluated(target.obj, context.view_layer)
    ):
        yield Finding(f"Target '{target.name}' {why}")
    if not all(map(isfinite, target.obj.matrix_world.translation)):
        yield Finding(
            f"The position of target '{target.name}' is not a number: clear its location, its drivers or its"
            " constraints",
            True,
        )


def _keying(context: bpy.types.Context) -> Iterator[Finding]:
    if context.preferences.edit.use_visual_keying:
        yield Finding(
            "Visual Keying is on and would key the warped pose: switch it off in Preferences > Animation >"
            " Keyframes"
        )
