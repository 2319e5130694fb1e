"""Finds joints of an object by their names in motion files, with the channels that store their values.

Files of a robot's manufacturer name a joint as its URDF does; Limber names it by its bone and axis. The sign
of an imported robot's bone may differ from the URDF joint's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import bpy

from . import axes, channels, imported_robot
from .channels import Channel
from .joint_axes import joint_axes

JOINT = ("joint", "jnt")  # words that are ignored in the names of joints
SourceKey = tuple[str, str, str]  # uid of the chain or mechanism ("": none), bone or joint, axis


@dataclass(frozen=True)
class FileJoint:
    """A joint or motor, as motion files name it.

    Attributes:
        names: Names of the joint in files, the maker's first.
        key: Identifies the joint, as `SourceKey`.
        channel: Channel that stores the authored value; None for a bone that rotates by quaternion or
            axis-angle, whose channels store the values of all its joints together.
        sign: 1 or -1: factor from a value in files to the channel's value.
        servo: ID of the servo; -1 without a servo.
        motor: Index of the mechanism's motor; -1 for a bone's joint.
        lower, upper: Limits [rad or m] of the channel's value.
    """

    names: tuple[str, ...]
    key: SourceKey
    channel: Channel | None
    sign: float = 1.0
    servo: int = -1
    motor: int = -1
    lower: float = -float("inf")
    upper: float = float("inf")

    @property
    def name(self) -> str:
        """The joint's name in written files."""
        return self.names[0]

    @property
    def is_prismatic(self) -> bool:
        return axes.is_prismatic(self.key[2])


def file_joints(rig: bpy.types.Object) -> list[FileJoint]:
    """All motors of an object's mechanism, and joints of an armature; without joints of bones that no chain
    moves if the mechanism consists of bones, since motors move these.

    Raises:
        RigError: the stored record of an imported robot was edited.
    """
    settings = rig.limber.mechanism
    joints = list(_motors(rig, settings)) if settings.uid else []
    if rig.type != "ARMATURE":
        return joints
    of_chains = {joint.key: (chain.uid, joint) for chain in rig.limber.chains for joint in chain.joints}
    keys = list(of_chains)
    # a mechanism made of bones moves them by its motors, which are in the list already
    if not (settings.uid and settings.use_bones):
        keys += [
            (bone.name, axis)
            for bone in rig.pose.bones
            for axis in joint_axes(bone)
            if (bone.name, axis) not in of_chains
        ]
    for bone, axis in keys:
        # a chain's list keeps the joints of a deleted bone
        if bone in rig.pose.bones:
            joints.append(_of_bone(rig, bone, axis, *of_chains.get((bone, axis), ("", None))))
    return joints


def _motors(rig: bpy.types.Object, settings: bpy.types.PropertyGroup) -> Iterator[FileJoint]:
    for k, motor in enumerate(settings.motors):
        record = (
            _record(rig, motor.bone, motor.axis)
            if motor.joint is None and not settings.closures_file
            else None
        )
        named = record.branch.joint.name if record else motor.bone
        names = tuple(dict.fromkeys((named, motor.name, motor.label)))
        sign = float(record.sign) if record else 1.0
        yield FileJoint(
            names,
            (settings.uid, motor.bone, motor.axis),
            channels.of_motor(rig, k),
            sign,
            motor.servo,
            k,
            motor.lower,
            motor.upper,
        )


def _of_bone(
    rig: bpy.types.Object, bone: str, axis: str, uid: str, joint: bpy.types.PropertyGroup
) -> FileJoint:
    record, label = _record(rig, bone, axis), axes.label(bone, axis)
    names = [record.branch.joint.name, label] if record else [label]
    if len(joint_axes(rig.pose.bones[bone])) == 1:
        names.append(bone)
    sign, servo = float(record.sign) if record else 1.0, joint.servo if joint is not None else -1
    limits = (joint.lower, joint.upper) if joint is not None else record.span if record else ()
    return FileJoint(
        tuple(dict.fromkeys(names)),
        (uid, bone, axis),
        channels.of_bone(rig, (bone, axis)),
        sign,
        servo,
        -1,
        *limits,
    )


def _record(rig: bpy.types.Object, bone: str, axis: str) -> imported_robot.LinkRecord | None:
    """Record of the imported link whose joint moves a bone about or along an axis; None if there is none."""
    pose_bone = rig.pose.bones.get(bone) if rig.type == "ARMATURE" else None
    return imported_robot.motor(pose_bone, axis) if pose_bone is not None else None


def match(
    names: Sequence[tuple[str, int]],
    joints: Sequence[FileJoint],
    others: Sequence[Mapping[str, Sequence[str]]] = (),
) -> dict[str, FileJoint]:
    """Matches a file's joints to the robot's joints; returns name in the file -> the robot's joint.
    Joints without a match are left out.

    A joint is matched by one of its names, else by a name that differs only in case or punctuation, else by
    another name that the file's joint may have, else by its servo's ID. The rest is matched by names without
    namespace and the word "joint", but only if these identify all joints that are left. For a joint that the
    file names by Limber's own label, the sign is 1: the file's values already have the channel's sign.

    Args:
        names: (name, ID of its servo or -1) of each joint in the file.
        joints: The robot's joints.
        others: Other names that joints of the file may have, by their names; earlier mappings take
            precedence.
    """
    matches: dict[str, FileJoint] = {}
    taken: set[int] = set()  # indices of joints that have been matched
    for of_file, of_joint in (
        (lambda name, _: (name,), lambda joint: joint.names),
        (lambda name, _: (_plain(name),), _plain_names),
        *((partial(_plain_others, other), _plain_names) for other in others),
        (lambda _, servo: (servo,), lambda joint: [joint.servo] if joint.servo >= 0 else []),
    ):
        indices_by_key: dict[str | int, list[int]] = {}
        for k, joint in enumerate(joints):
            for key in of_joint(joint):
                indices_by_key.setdefault(key, []).append(k)
        for name, servo in names:
            keys = of_file(name, servo) if name not in matches else ()
            index = next((k for key in keys for k in indices_by_key.get(key, ()) if k not in taken), None)
            if index is not None:
                taken.add(index)
                joint = joints[index]
                is_own_label = name == axes.label(*joint.key[1:]) != joint.name
                matches[name] = replace(joint, sign=1.0) if is_own_label else joint
    return matches | _by_bare_names([name for name, _ in names if name not in matches], joints, taken)


def _by_bare_names(
    names: Sequence[str], joints: Sequence[FileJoint], taken: set[int]
) -> dict[str, FileJoint]:
    """Name in the file -> joint, for joints that are not `taken`. Only the bare names are compared; see
    `_bare`. Empty unless each name identifies exactly one joint, since the file may otherwise be another
    robot's.
    """
    if len(names) > len(joints) - len(taken):
        return {}
    bare_names = {_bare(name): name for name in names} | {"": ""}
    by_name: dict[str, set[int]] = {}
    for k, joint in enumerate(joints):
        for bare in map(_bare, joint.names):
            by_name.setdefault(bare, set()).add(k)
    matching = {name: by_name.get(bare, set()) - taken for bare, name in bare_names.items() if bare}
    if len(matching) < len(names) or any(len(indices) != 1 for indices in matching.values()):
        return {}
    return {name: joints[min(indices)] for name, indices in matching.items()}


def _bare(name: str) -> str:
    """The last part of a name's path, without the word "joint" and separators, in lower case; "" if only a
    number is left.
    """
    words = re.split(r"[\W_]+", name.rpartition("/")[2].casefold())
    bare = "".join(word for word in words if word not in JOINT)
    return "" if bare.isdecimal() else bare


def _plain_names(joint: FileJoint) -> Iterator[str]:
    return map(_plain, joint.names)


def _plain_others(others: Mapping[str, Sequence[str]], name: str, _: int) -> Iterator[str]:
    return map(_plain, others.get(name, ()))


def _plain(name: str) -> str:
    """A name in lower case, without punctuation."""
    return re.sub(r"[\W_]+", "", name).casefold()
