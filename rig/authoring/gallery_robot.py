"""Adds a robot of the gallery to the scene: imported from its model, with gaze, postures, servos, device and
a moving target.
"""

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from math import sin
from textwrap import wrap

import bpy
from mathutils import Vector

from ...files.plain import json_of
from ...hardware.presets import PRESETS
from ...hardware.protocols.table import BUILT_IN
from ...hardware.servo_shortfalls import short_joints
from ...robots.gallery.description import Description, Servo, check
from ...robots.gallery.fields import Fields
from ...robots.gallery.full_model import Progress
from ...robots.robot_files import RobotFiles, read_files
from ...solvers.kinematics import rotations
from ..blender.errors import RigError
from ..blender.file_reading import in_steps
from ..bones import axes, imported_robot
from ..bones.imported_robot import pose_joints
from ..chains import kept_posture, postures
from ..properties import servo_units
from ..robot.device import describe
from ..showing.thumbnails import gallery
from . import chains, forward, gallery_folders, gallery_neck
from .first_lamp import lamp
from .robot_import import ImportedRobot, all_or_nothing, importing

# solver of a head that closed loops move: its chain is a single bone, which has no shape that could be kept
NEAREST = "priorities"
LINE = 90  # number of characters per line in About This Robot
KEY = "limber_robot"  # custom property of an armature of the gallery: texts of About This Robot, as JSON
BALL = 0.12  # radius of the target, as a share of the amplitude of its swing


@dataclass(frozen=True)
class Joints:
    """Joints and links of an imported robot.

    Attributes:
        joints: Name of a joint in the model -> (bone, link record).
        bones: Link -> bone.
    """

    joints: Mapping[str, tuple[str, imported_robot.LinkRecord]]
    bones: Mapping[str, str]

    @classmethod
    def of(cls, rig: bpy.types.Object) -> "Joints":
        """The joints of an imported robot; raises RigError as `imported_robot.records`."""
        records = imported_robot.records(rig)
        joints = {
            record.branch.joint.name: (name, record)
            for name, record in records
            if record.axis and record.branch.joint is not None
        }
        return cls(joints, {record.branch.link: name for name, record in records})

    def of_axis(self, bone: str, axis: str) -> str:
        """Name of the joint for an axis of a bone; "" if there is none."""
        return next(
            (
                name
                for name, (bone_name, record) in self.joints.items()
                if bone_name == bone and imported_robot.axis_of(record) == axis
            ),
            "",
        )


def adding(
    context: bpy.types.Context, robot: Description, files: RobotFiles
) -> Generator[Progress, None, ImportedRobot]:
    """Adds a robot of the gallery to the scene in a collection of its own, active and selected. A generator
    that yields its progress, and returns the result. If it raises an error or is closed, nothing has changed.

    Args:
        context: Blender's context, in Object Mode.
        robot: Description of the robot.
        files: The robot's model, or the maker's own with all meshes, from the description's root link.

    Raises:
        UrdfError: the description or the model cannot be used; the message names file and field.
        RigError: the robot cannot be imported, or a chain cannot be made.
    """
    _check_hardware(robot)
    check(robot, files.robot)
    with all_or_nothing():
        position = lamp.free_position(context.scene)
        imported = yield from importing(context, files, True, "AUTO", True)
        rig = imported.rig
        rig.name = rig.data.name = rig.users_collection[0].name = robot.name
        rig.data.display_type = "STICK"
        rig.location = position
        rig.data[KEY] = json.dumps(
            {key: getattr(robot, key) for key in ("name", "maker", "licence", "source", "notes")}
        )
        device = rig.limber.device
        device.protocol, device.baudrate = robot.protocol, robot.baudrate
        joints = Joints.of(rig)
        pose_joints(rig, robot.pose)
        if robot.gaze.neck is None:
            pose_joints(rig, next(iter(robot.postures.values()), {}))
        _put_on_ground(context, rig)
        for name, limb in robot.limbs.items():
            _chain(rig, [joints.bones[limb.root], joints.bones[limb.end]], name)
        chain = _gaze(context, rig, joints, robot)
        _give_servos(rig, joints, robot)
        _narrow_to_servos(rig)
        rig.limber.active_chain = list(rig.limber.chains).index(chain)
        for part in rig.children:
            part.hide_select = True  # so that a click on the robot keeps its armature active
    return imported


def reading(robot: Description, is_watched: bool) -> Generator[Progress, None, RobotFiles]:
    """Reads a gallery robot's model, or the maker's model with all meshes if the user has chosen or
    downloaded one. A generator of steps; `is_watched`: whether a user waits at a window, as for
    `FileReading`. Raises UrdfError if the model cannot be used.
    """
    model = gallery_folders.full_model(robot) or robot.model
    progress = Progress(0.0, f"Reading {model.name}")
    return (yield from in_steps(is_watched, progress, read_files, str(model), robot.root, True, "AUTO", None))


def about(rig: bpy.types.Object) -> list[str]:
    """Texts about a gallery robot: its maker, licence and source, and its notes.

    Raises:
        RigError: the custom property with the texts was changed and cannot be read.
    """
    try:
        stored = json_of(rig.data[KEY])
        head = [
            f"{stored['name']}, by {stored['maker']}",
            f"Licence: {stored['licence']}",
            *wrap(f"Source: {stored['source']}", LINE),
        ]
        return [
            *head,
            *(
                line
                for note in stored["notes"]
                for line in wrap(str(note), LINE, initial_indent="- ", subsequent_indent="  ")
            ),
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise RigError(
            f"Armature '{rig.name}': its custom property '{KEY}' was changed: add the robot again"
        ) from error


def _check_hardware(robot: Description) -> None:
    """Raises UnknownNameError if Limber does not know the protocol or the model of a servo."""
    fields = Fields(robot.file, {})
    if robot.protocol not in BUILT_IN:
        raise fields.unknown("device.protocol", robot.protocol, "protocol", BUILT_IN)
    for joint, servo in robot.servos.items():
        if servo.model not in PRESETS:
            raise fields.unknown(f"servos.{joint}.model", servo.model, "servo model", PRESETS)


def _chain(rig: bpy.types.Object, bones: list[str], name: str) -> bpy.types.PropertyGroup:
    """Makes a chain of the joints of one bone, or from one bone to another, without servos."""
    chain = chains.new_chain(rig, bones)
    chain.name = name
    for joint in chain.joints:
        joint.servo = -1
    return chain


def _gaze(
    context: bpy.types.Context, rig: bpy.types.Object, joints: Joints, robot: Description
) -> bpy.types.PropertyGroup:
    """Makes the chain with which the robot looks at a target, with its postures and its target."""
    gaze = robot.gaze
    if gaze.neck is None:
        pose = pose_joints
        chain = _chain(rig, [joints.bones[gaze.root], joints.bones[gaze.end]], "Gaze")
        look = rotations.rotate(_link_rotation(rig, gaze.end), rotations.unit(gaze.forward))
        forward.point(chain, rig, chain.end, Vector(look))
        chain.eye = gaze.eye
    else:
        pose = gallery_neck.pose
        chain = _chain(rig, [gallery_neck.add(context, rig, gaze.end, gaze.neck)], "Gaze")
        chain.forward_axis, chain.up, chain.eye = "+Y", "+Z", 1.0
        chain.solver = NEAREST
    chain.base = "POSTURE"
    chain.target = _target(context, rig, robot)
    for name, values in robot.postures.items():
        pose(rig, values)
        gallery.give_picture(rig, chain, postures.store(rig, chain, _free_name(name, rig)))
    kept_posture.choose(chain, 0)
    pose(rig, next(iter(robot.postures.values()), {}))
    return chain


def _free_name(posture: str, rig: bpy.types.Object) -> str:
    """Name for a posture's action, with the robot's name added if another action has the posture's name."""
    return posture if posture not in bpy.data.actions else f"{posture}, {rig.name}"


def _put_on_ground(context: bpy.types.Context, rig: bpy.types.Object) -> None:
    """Moves the robot up or down, so that its lowest point is at the height 0."""
    context.view_layer.update()
    depsgraph = context.evaluated_depsgraph_get()
    shown = [part.evaluated_get(depsgraph) for part in rig.children]
    lowest = min(
        ((part.matrix_world @ Vector(corner)).z for part in shown for corner in part.bound_box), default=0.0
    )
    rig.location.z -= lowest
    context.view_layer.update()


def _link_rotation(rig: bpy.types.Object, link: str) -> rotations.Quaternion:
    """Orientation of a link in armature space, all joints at 0."""
    tree, _ = imported_robot.tree_of(rig)
    return next(
        frame.rotation
        for branch, frame in zip(tree.branches, tree.frames({}), strict=True)
        if branch.link == link
    )


def _target(context: bpy.types.Context, rig: bpy.types.Object, robot: Description) -> bpy.types.Object:
    """Makes the target, a ball with keyframes that swings in front of the robot."""
    gaze = robot.gaze
    centre = Vector(gaze.target)
    aside = Vector((-centre.y, centre.x, 0.0)).normalized()

    def position(phase: float) -> Vector:
        return (
            rig.location
            + centre
            + gaze.swing * (sin(phase) * aside + 0.4 * sin(2 * phase + 0.3) * Vector((0, 0, 1)))
        )

    ball = lamp.ball(lamp.rounds(context.scene, position), BALL * gaze.swing)
    lamp.fly_for_ever(ball)
    context.scene.collection.objects.unlink(ball)
    rig.users_collection[0].objects.link(ball)
    ball.name = f"{robot.name} Target"
    return ball


def _give_servos(rig: bpy.types.Object, joints: Joints, robot: Description) -> None:
    """Assigns the description's servos: to joints of chains and motors of the mechanism; for other joints, to
    new auxiliary values.
    """
    assigned = set()
    for chain in rig.limber.chains:
        for joint in chain.joints:
            name = joints.of_axis(joint.bone, joint.axis)
            if name in robot.servos:
                _set_servo(joint, robot.servos[name], joints.joints[name][1], robot.protocol)
                assigned.add(name)
    for motor in rig.limber.mechanism.motors:
        motor.servo = -1
        if motor.bone in robot.servos:
            _set_servo(motor, robot.servos[motor.bone], None, robot.protocol)
            assigned.add(motor.bone)
    for name, servo in robot.servos.items():
        if name not in assigned:
            _add_value(rig, name, servo, *joints.joints[name])


def _narrow_to_servos(rig: bpy.types.Object) -> None:
    """Narrows joint limits of the model to the ranges of the servos."""
    ranges = {joint.name: (low, high) for joint, low, high in short_joints(describe(rig))}
    for chain in rig.limber.chains:
        for joint in chain.joints:
            low, high = ranges.get(joint.label, (joint.lower, joint.upper))
            joint.lower, joint.upper = max(joint.lower, low), min(joint.upper, high)


def _set_servo(
    settings: bpy.types.PropertyGroup, servo: Servo, record: imported_robot.LinkRecord | None, protocol: str
) -> None:
    """Sets the servo of a joint or a motor, with the calibration and the rate limits of the servo's model.
    `record`: record of the joint's bone, with the sign of its channel; None for a motor.
    """
    sign = record.sign if record is not None else 1
    settings.gear = servo.gear
    servo_units.use_preset(settings, PRESETS[servo.model], protocol, speeds=True)
    settings.servo, settings.reverse = servo.id, sign * servo.direction < 0
    if servo.zero is not None:
        settings.zero_us = servo.zero
    lower, upper = sorted((sign * settings.lower, sign * settings.upper))
    settings.min_us, settings.max_us = servo.span or _span(servo, settings.zero_us, lower, upper)


def _span(servo: Servo, zero: float, lower: float, upper: float) -> tuple[float, float]:
    """(lowest, highest) raw position at a joint's limits [rad], within the servo's range; that whole range if
    it does not contain them. `zero`: raw position at 0.
    """
    model = PRESETS[servo.model]
    ends = sorted(zero + servo.direction * servo.gear * model.per_radian * value for value in (lower, upper))
    low, high = (min(max(end, model.lowest), model.highest) for end in ends)
    return (low, high) if low < high else (model.lowest, model.highest)


def _add_value(
    rig: bpy.types.Object, name: str, servo: Servo, bone: str, record: imported_robot.LinkRecord
) -> None:
    """Adds a servo that follows the posed channel of a joint that is in no chain, such as a gripper."""
    device, model = rig.limber.device, PRESETS[servo.model]
    value = device.auxiliaries.add()
    axis = imported_robot.axis_of(record)
    value.name, value.owner = name, rig
    value.path = f"{rig.pose.bones[bone].path_from_id(axes.channel(axis))}[{axes.index(axis)}]"
    value.low, value.high = record.span
    zero = model.zero if servo.zero is None else servo.zero
    per_value = servo.direction * record.sign * servo.gear * model.per_radian
    value.at_low, value.at_high = zero + per_value * value.low, zero + per_value * value.high
    limits = model.limits(value.low, value.high, servo.gear)
    value.velocity, value.acceleration, value.jerk = limits.velocity, limits.acceleration, limits.jerk
    value.servo = servo.id
