"""What is wrong with a chain's set-up, in sentences that say what mends it."""

from dataclasses import dataclass
from math import isfinite

import bpy

from . import chains, twin
from .errors import RigError
from .goal import moved_by_chain, tool_frame
from .postures import active as active_posture
from .skeleton import SCALED, ChainReader, is_euler

IGNORED_CONSTRAINTS = {"LIMIT_ROTATION"}  # its limits are the joints' own


@dataclass(frozen=True)
class Finding:
    """One sentence; `blocks` where the chain cannot work until it is mended."""

    sentence: str
    blocks: bool = False


def check(context, rig, chain) -> list[Finding]:
    """All that is wrong with a chain, the worst first."""
    findings = [
        *_path(rig, chain),
        *_joints(rig, chain),
        *_bones(rig, chain),
        *_constraints(rig, chain),
        *_gaze(context, rig, chain),
        *_keys(context, rig, chain),
    ]
    return sorted(findings, key=lambda finding: not finding.blocks)


def why_not_live(context, rig, chain) -> str:
    """The first thing that keeps a chain from going live, or ""."""
    return next((finding.sentence for finding in check(context, rig, chain) if finding.blocks), "")


def _path(rig, chain):
    if rig.library and not rig.override_library:
        yield Finding(
            f"Armature '{rig.name}' is linked from another file: make a library override of it (Object > Library Override > Make)", True
        )
    try:
        reader = ChainReader(rig, chain)
    except RigError as error:
        yield Finding(str(error), True)
        return
    for other in rig.limber.chains:
        if other.uid != chain.uid:
            for bone in sorted({joint.bone for joint in other.joints} & set(reader.free)):
                yield Finding(f"Bone '{bone}' moves in chain '{other.name}' too: remove its joints from one of the two", True)
    for name in reader.names[1:]:
        bone = rig.data.bones[name]
        if not bone.use_inherit_rotation:
            yield Finding(
                f"Bone '{name}' does not inherit rotation, so the chain breaks there: switch on Inherit Rotation in the bone's Relations",
                True,
            )
        if bone.inherit_scale not in {"FULL", "NONE", "NONE_LEGACY", "ALIGNED", "AVERAGE", "FIX_SHEAR"}:
            yield Finding(f"Bone '{name}' inherits scale as {bone.inherit_scale}: set Inherit Scale to Full")
    if len(reader.places) < 2:
        yield Finding(f"Chain '{chain.name}' has one joint and cannot look both sideways and up: unlock another axis, or add bones")


def _joints(rig, chain):
    for joint in chain.joints:
        label = f"Joint {joint.bone} {joint.axis}"
        bone = rig.pose.bones.get(joint.bone)
        if joint.lower >= joint.upper:
            yield Finding(f"{label}: its smallest angle is not below its largest: exchange them", True)
        elif joint.lower > 0 or joint.upper < 0:
            yield Finding(f"{label}: its limits exclude the rest pose: widen them to include 0 degrees, or change the bone's rest pose")
        for word in ("velocity", "acceleration", "jerk"):
            if not getattr(joint, word) > 0:
                yield Finding(f"{label}: its {word} limit must be above 0: enter what the motor can do", True)
        if joint.min_us >= joint.max_us:
            yield Finding(f"{label}: its shortest pulse is not below its longest: exchange them")
        if bone and bone.lock_rotation["XYZ".index(joint.axis)]:
            yield Finding(f"{label} turns an axis that is locked: unlock it in the bone's Transform panel, or remove the joint")
    servos: dict[int, str] = {}
    for other in rig.limber.chains:
        for joint in other.joints:
            label = f"{joint.bone} {joint.axis}"
            if joint.servo >= 0 and servos.setdefault(joint.servo, label) != label and other.uid == chain.uid:
                yield Finding(f"Joints {servos[joint.servo]} and {label} share servo {joint.servo}: give each its own number")


def _bones(rig, chain):
    joints = {(joint.bone, joint.axis) for joint in chain.joints}
    scale = rig.matrix_world.to_scale()
    if max(scale) - min(scale) > SCALED * max(map(abs, scale)):
        yield Finding(f"Armature '{rig.name}' is scaled unevenly: apply its scale (Object > Apply > Scale)")
    for name in _names(rig, chain):
        bone = rig.pose.bones[name]
        if max(abs(size - 1) for size in bone.scale) > SCALED:
            yield Finding(f"Bone '{name}' is scaled: clear its scale (Pose > Clear Transform > Scale); motors cannot stretch")
        if bone.bone.bbone_segments > 1:
            yield Finding(f"Bone '{name}' bends (Bendy Bones): set its segments to 1, motors turn at joints alone")
        if not is_euler(bone):
            continue
        missing = [axis for axis in chains.free_axes(bone) if (name, axis) not in joints]
        if missing and any(joint.bone == name for joint in chain.joints):
            yield Finding(f"Bone '{name}' may turn about {', '.join(missing)}, and no joint does: lock that axis, or add a joint for it")
        elif missing:
            yield Finding(f"Bone '{name}' is on the path but has no joint: lock its rotation, or make the chain anew")
        elif all(bone.lock_rotation) and name == chain.end:
            yield Finding(f"All axes of the end bone '{name}' are locked: if that is a mistake, unlock one and make the chain anew")


def _constraints(rig, chain):
    on_path = set(_names(rig, chain))
    for name in on_path:
        for constraint in rig.pose.bones[name].constraints:
            if constraint.mute or constraint.name == twin.CONSTRAINT or constraint.type in IGNORED_CONSTRAINTS:
                continue
            stretches = constraint.type in {"STRETCH_TO", "MAINTAIN_VOLUME"}
            yield Finding(
                f"Constraint '{constraint.name}' on bone '{name}' {'stretches the bone' if stretches else 'moves a bone of the chain'}:"
                " mute it while live, Limber goes by the bone's own channels",
                constraint.type == "IK",
            )
    for bone in rig.pose.bones:
        if bone.name in on_path:
            continue
        for constraint in bone.constraints:
            if constraint.type == "IK" and not constraint.mute:
                reached = [bone, *bone.parent_recursive][: constraint.chain_count or None]
                caught = next((part.name for part in reached if part.name in on_path), None)
                if caught:
                    yield Finding(
                        f"Constraint '{constraint.name}' on bone '{bone.name}' moves bone '{caught}' of the chain: mute it or shorten it",
                        True,
                    )


def _gaze(context, rig, chain):
    target = chain.target
    if target is None:
        yield Finding(f"Chain '{chain.name}' has no target: choose the object that it looks at", True)
    else:
        way = moved_by_chain(chain, rig, {joint.bone for joint in chain.joints})
        if way:
            yield Finding(f"The chain moves its own target '{target.name}' ({way}): choose another target", True)
        elif target.name not in context.scene.objects:
            yield Finding(f"Target '{target.name}' is not in scene '{context.scene.name}': link it there, or choose another target", True)
        elif target.name not in context.view_layer.objects:
            yield Finding(f"Target '{target.name}' is in no visible collection, so it does not move: show its collection")
        if not all(map(isfinite, target.matrix_world.translation)):
            yield Finding(f"The place of target '{target.name}' is not a number: clear its location, its drivers or its constraints", True)
    try:
        tool_frame(chain, 1.0)
        if chain.base == "POSTURE":
            active_posture(chain)
    except RigError as error:
        yield Finding(str(error), True)
    if not rig.visible_get(view_layer=context.view_layer):
        yield Finding(f"Armature '{rig.name}' is hidden: show it, Blender does not evaluate hidden armatures")


def _keys(context, rig, chain):
    edit = context.preferences.edit
    if getattr(edit, "use_visual_keying", False):
        yield Finding("Visual Keying is on and would key the warped pose: switch it off in Preferences > Animation > Keyframes")
    names = {joint.bone for joint in chain.joints}
    for driver in rig.animation_data.drivers if rig.animation_data else ():
        bone = next(
            (name for name in names if driver.data_path == f'pose.bones["{bpy.utils.escape_identifier(name)}"].rotation_quaternion'), None
        )
        if bone:
            yield Finding(f"A driver moves the quaternion of bone '{bone}', which turns by Euler angles: drive its Euler rotation instead")


def _names(rig, chain) -> list[str]:
    try:
        return ChainReader(rig, chain).names
    except RigError:
        return []
