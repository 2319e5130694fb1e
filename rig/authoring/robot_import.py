"""Import of a robot's file as an armature: a bone for each link; the joint's axis is one of the bone's axes,
and the bone's other axes are locked.

Posing a bone by hand moves the joint, and the bone's channel is the joint's value, with the same axis and
zero. The sign differs for some bones, so that they point to the next joint.
"""

import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import pi

import bpy

from ...robots.faces import UpAxis
from ...robots.gallery.full_model import Progress
from ...robots.marks import closures_text
from ...robots.model import Robot
from ...robots.record import LinkRecord, to_text
from ...robots.robot_files import RobotFiles, read_files
from ...robots.tree import LinkTree
from ...solvers.kinematics import rotations
from ..blender.counting import counted, merged, named
from ..bones.axes import INDEX
from ..bones.imported_robot import KEY, channel, pose_joints, record_of, records
from ..chains.postures import pose_asset
from ..mechanisms.bones import file_mechanism
from . import robot_meshes, robot_size
from .mechanism.build import from_closures

# axis of a bone's joint ("": none) -> Euler order in which that axis is first or last, so that a matrix gives
# angles up to 180 degrees
ORDERS = {"X": "XYZ", "Y": "YXZ", "": "XYZ"}
SOME_BONES = 30  # number of bones made in one step of the import
BONE_NAME = 63  # largest length of a bone's name [bytes]


@dataclass(frozen=True)
class ImportedRobot:
    """Result of the import of a robot."""

    rig: bpy.types.Object
    sentence: str
    warnings: tuple[str, ...]


def import_robot(
    context: bpy.types.Context,
    path: str | os.PathLike,
    root: str = "",
    with_meshes: bool = True,
    up_axis: UpAxis = "AUTO",
    arguments: Mapping[str, str] | None = None,
    close_loops: bool = True,
) -> ImportedRobot:
    """Imports a robot in a collection of its own, active and selected. If it raises an error, nothing was
    imported.

    Args:
        context: Blender's context.
        path: The URDF, xacro or MJCF file.
        root: Link that becomes the root; "": the file's own root.
        with_meshes: Whether to import the links' visuals.
        up_axis: Up axis of DAE and glTF files; see `read_collada` and `read_gltf`.
        arguments: Texts for the arguments of a xacro file, by name.
        close_loops: Whether to make a mechanism of the loops that the file marks.

    Raises:
        UrdfError: the file cannot be used, or has no such link.
        RigError: the loops that the file marks make no mechanism.
    """
    return import_read(
        context,
        read_files(str(path), root, with_meshes, up_axis, arguments),
        with_meshes,
        up_axis,
        close_loops,
    )


def import_read(
    context: bpy.types.Context,
    files: RobotFiles,
    with_meshes: bool = True,
    up_axis: UpAxis = "AUTO",
    close_loops: bool = True,
) -> ImportedRobot:
    """As `import_robot`, for files that are already read."""
    steps = importing(context, files, with_meshes, up_axis, close_loops)
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            imported: ImportedRobot = ended.value
            return imported


def importing(
    context: bpy.types.Context, files: RobotFiles, with_meshes: bool, up_axis: UpAxis, close_loops: bool
) -> Generator[Progress, None, ImportedRobot]:
    """As `import_robot`, for files that are already read: a generator that yields its progress and returns
    the result. If it is closed early, the scene has not changed.
    """
    robot, tree = files.robot, files.tree
    if context.object is not None and context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    with all_or_nothing():
        rig, bones = yield from _armature(files)
        collection = bpy.data.collections.new(robot.name)
        collection.objects.link(rig)
        warnings = [*robot_size.of_joints(robot), *robot.warnings]
        if with_meshes:
            warnings += yield from robot_meshes.adding(files, rig, bones, collection, up_axis)
        yield from _prepare_pose(tree, rig, bones)
        _store_postures(robot, rig)
        # the collection is linked to the scene last, so that no redraw evaluates an incomplete robot
        context.scene.collection.children.link(collection)
        closures = closures_text(robot) if close_loops else ""
        if closures:
            yield Progress(1.0, "Closing loops")
            warnings += from_closures(rig, closures)[1]
    for selected_object in context.selected_objects:
        selected_object.select_set(False)
    context.view_layer.objects.active = rig
    rig.select_set(True)
    pinned = [joint.name for joint in tree.joints if joint.clamp(0.0)]
    if pinned:
        warnings.append(
            f"0 is outside the limits of {counted(len(pinned), 'joint')} ({named(pinned)}): the nearest"
            " inside is shown"
        )
    warnings = merged(warnings)
    return ImportedRobot(rig, _sentence(tree, rig, len(robot.postures), warnings), tuple(warnings))


def _sentence(tree: LinkTree, rig: bpy.types.Object, stored: int, warnings: list[str]) -> str:
    """Sentence on what was imported, with the first warning. `stored`: number of postures in the file."""
    sentence = (
        f"Robot '{rig.name}': {counted(len(tree.branches), 'link')}, {counted(len(tree.joints), 'joint')},"
        f" root '{tree.root}'"
    )
    if stored:
        sentence += f", {counted(stored, 'posture')} as pose assets"
    if rig.limber.mechanism.closures_file:
        mechanism, _, _ = file_mechanism(rig, rig.limber.mechanism.closures_file)
        loops, motors = sum(joint.closes for joint in mechanism.joints), len(mechanism.actuators)
        sentence += f", {counted(loops, 'closed loop')} with {counted(motors, 'motor')}"
    if not warnings:
        return sentence
    more = counted(len(warnings) - 1, "more warning")
    return f"{sentence}; {warnings[0]}" + (f", and {more} in the Info editor" if len(warnings) > 1 else "")


@contextmanager
def all_or_nothing() -> Iterator[None]:
    """Context manager that removes all new data-blocks, of the kinds that an import makes, if an exception is
    raised or the generator around it is closed.
    """
    kinds = (
        "objects",
        "armatures",
        "meshes",
        "materials",
        "images",
        "collections",
        "scenes",
        "actions",
        "texts",
        "curves",
    )
    before = {data_block.session_uid for kind in kinds for data_block in getattr(bpy.data, kind)}
    try:
        yield
    except BaseException:
        bpy.data.batch_remove(
            [
                data_block
                for kind in kinds
                for data_block in getattr(bpy.data, kind)
                if data_block.session_uid not in before
            ]
        )
        raise


@contextmanager
def _scene_of_its_own(obj: bpy.types.Object) -> Iterator[None]:
    """Context manager that makes an object active in a temporary scene, so that the user's mode and selection
    stay as they are.
    """
    scene = bpy.data.scenes.new("Limber import")
    scene.collection.objects.link(obj)
    view_layer = scene.view_layers[0]
    view_layer.objects.active = obj
    try:
        with bpy.context.temp_override(
            scene=scene, view_layer=view_layer, object=obj, active_object=obj, selected_objects=[obj]
        ):
            yield
    finally:
        scene.collection.objects.unlink(obj)
        bpy.data.scenes.remove(scene)


def bone_names(links: list[str]) -> list[str]:
    """Bone names for links: the links' names, cut to Blender's maximum length, and made unique."""
    names: list[str] = []
    taken: set[str] = set()
    for link in links:
        name, number = _cut(link, BONE_NAME), 0
        while name in taken:
            number += 1
            name = f"{_cut(link, BONE_NAME - 4)}.{number:03d}"
        taken.add(name)
        names.append(name)
    return names


def _cut(name: str, most: int) -> str:
    """The beginning of a name, of at most `most` bytes in UTF-8."""
    return name.encode()[:most].decode(errors="ignore")


def _armature(files: RobotFiles) -> Generator[Progress, None, tuple[bpy.types.Object, list[str]]]:
    """Makes the armature object with its bones, without linking it to a collection. A generator: it yields
    its progress, and returns the object with the bones' names in the tree's order.
    """
    robot, branches = files.robot, files.tree.branches
    data = bpy.data.armatures.new(robot.name)
    rig = bpy.data.objects.new(robot.name, data)
    data[KEY] = robot.name
    rig.show_in_front = True  # otherwise the meshes would hide the bones
    names = bone_names([branch.link for branch in branches])
    for first in range(0, len(names), SOME_BONES):
        with _scene_of_its_own(rig):
            bpy.ops.object.mode_set(mode="EDIT")
            for k in range(first, min(first + SOME_BONES, len(names))):
                branch, shape = branches[k], files.shapes[k]
                bone = data.edit_bones.new(names[k])
                bone.head = shape.head
                bone.tail = rotations.add(
                    shape.head, rotations.rotate(shape.rotation, (0.0, shape.length, 0.0))
                )
                bone.align_roll(rotations.rotate(shape.rotation, rotations.Z))
                bone.parent = data.edit_bones[names[branch.parent]] if branch.parent >= 0 else None
                bone.use_connect = False
                bone[KEY] = to_text(branch, shape.axis, shape.sign)
            bpy.ops.object.mode_set(mode="OBJECT")
        yield Progress(first / len(names), "Making bones")
    return rig, names


def _prepare_pose(tree: LinkTree, rig: bpy.types.Object, names: list[str]) -> Iterator[Progress]:
    """Locks axes without joints, and gives each joint its limits, its mimic driver, and a value within the
    limits. A generator that yields its progress.
    """
    bone_of = {
        branch.joint.name: name
        for branch, name in zip(tree.branches, names, strict=True)
        if branch.joint is not None
    }
    for k, name in enumerate(names):
        if k % SOME_BONES == 0:
            yield Progress(k / len(names), "Making joints")
        bone = rig.pose.bones[name]
        record = record_of(bone.bone)
        # a bone of Blender moves along all axes, so all are locked; the joint's own is unlocked below
        bone.rotation_mode = ORDERS[record.axis]
        bone.lock_location = bone.lock_rotation = bone.lock_scale = (True, True, True)
        if not record.axis:
            continue
        joint = record.branch.joint
        if joint.mimic is not None:
            _follow(rig, bone, record, rig.pose.bones[bone_of[joint.mimic.joint]])
            continue
        (bone.lock_rotation if joint.is_rotary else bone.lock_location)[INDEX[record.axis]] = False
        _limit(bone, record)
    pose_joints(rig, {name: value for name, value in tree.resting().items() if value})


def _store_postures(robot: Robot, rig: bpy.types.Object) -> None:
    """Makes a pose asset of each posture that the robot's file stores."""
    bones_and_records = {
        record.branch.joint.name: (bone, record) for bone, record in records(rig) if record.axis
    }
    for name, values in robot.postures.items():
        of_bones = {}
        for joint, value in values.items():
            bone, record = bones_and_records.get(joint, ("", None))
            if record is not None and record.branch.joint.mimic is None:
                of_bones[bone, channel(record), INDEX[record.axis]] = record.sign * value
        pose_asset(rig, name, of_bones, f"Posture of {rig.name}, from its file")


def _limit(bone: bpy.types.PoseBone, record: LinkRecord) -> None:
    """Adds the joint's limits as a constraint, which also limits posing by hand.

    No constraint is added if the joint lacks a limit, or has one of 180 degrees or more, since such angles
    cannot be read from a pose; the chain has these limits.
    """
    joint, (lower, upper) = record.branch.joint, record.span
    if joint.lower is None or joint.upper is None or (joint.is_rotary and not -pi < lower <= upper < pi):
        return
    constraint = bone.constraints.new("LIMIT_ROTATION" if joint.is_rotary else "LIMIT_LOCATION")
    constraint.owner_space = "LOCAL"
    constraint.use_transform_limit = True
    letter = record.axis.lower()
    for switch in (f"use_limit_{letter}",) if joint.is_rotary else (f"use_min_{letter}", f"use_max_{letter}"):
        setattr(constraint, switch, True)
    setattr(constraint, f"min_{letter}", lower)
    setattr(constraint, f"max_{letter}", upper)
    constraint.show_expanded = False


def _follow(
    rig: bpy.types.Object, bone: bpy.types.PoseBone, record: LinkRecord, leader: bpy.types.PoseBone
) -> None:
    """Adds a driver that moves a mimic joint by the channel of its leader."""
    mimic, leader_record = record.branch.joint.mimic, record_of(leader.bone)
    curve = bone.driver_add(channel(record), INDEX[record.axis])
    variable = curve.driver.variables.new()
    variable.name = "leader"
    target = variable.targets[0]
    target.id = rig
    target.data_path = f"{leader.path_from_id(channel(leader_record))}[{INDEX[leader_record.axis]}]"
    curve.driver.type = "SCRIPTED"
    curve.driver.expression = (
        f"leader * {record.sign * leader_record.sign * mimic.multiplier!r} + {record.sign * mimic.offset!r}"
    )
