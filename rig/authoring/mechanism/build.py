"""Creates mechanisms in the scene: from the gallery, from existing joints, or from a robot's
closures file.
"""

from collections.abc import Sequence
from math import radians
from uuid import uuid4

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ....robots.gallery.mechanism import Recipe, RecipeBody, RecipeJoint, RecipeMotor
from ...blender import item_keys
from ...blender.errors import RigError
from ...bones import axes
from ...mechanisms import bones, joints
from ...mechanisms.joint_kinds import dof_axes
from ...mechanisms.ownership import add_joint, ends
from .motors import add_motor, add_motors, file_motors

SIDES = 8  # number of sides of the prism that draws a bar
TITLE = "Mechanism"  # name of a new owner
OWNER_SHARE = 0.15  # half the width of the cross that displays the owner, as a share of the mechanism's size
ARROWS = 0.025  # [m] display size of a joint's empty
COLOURS = {"GROUND": (0.25, 0.27, 0.3, 1.0), "MOVES": (0.85, 0.55, 0.2, 1.0)}


def make(owner: bpy.types.Object) -> bpy.types.PropertyGroup:
    """Makes an object the owner of a mechanism, by a new `uid`; returns the mechanism's settings."""
    settings = owner.limber.mechanism
    settings.uid = uuid4().hex
    return settings


def add(recipe: Recipe, position: Sequence[float] = (0.0, 0.0, 0.0)) -> bpy.types.Object:
    """Builds a mechanism of the gallery in a collection of its own; returns its owner, an empty."""
    collection = bpy.data.collections.new(recipe.title)
    bpy.context.scene.collection.children.link(collection)
    owner = bpy.data.objects.new(recipe.title, None)
    owner.empty_display_size = 0.05
    owner.location = position
    collection.objects.link(owner)
    settings = make(owner)
    bodies = {body.name: _body(body, owner, collection) for body in recipe.bodies}
    joint_by_name = {joint.name: _joint(joint, bodies, owner, collection) for joint in recipe.joints}
    for joint in joint_by_name.values():
        add_joint(owner, joint)
    for motor in recipe.motors:
        _motor(settings, owner, motor, joint_by_name[motor.joint])
    targets = {}
    for goal_recipe in recipe.goals:
        goal = settings.goals.add()
        goal.name, goal.does = goal_recipe.body, goal_recipe.does
        goal.position_weight, goal.rotation_weight = goal_recipe.position, goal_recipe.rotation
        if goal_recipe.does == "CENTRE":
            goal.name, goal.target = f"{goal_recipe.body} Weight", targets[goal_recipe.body]
            continue
        goal.body = bodies[goal_recipe.body]
        goal.target = targets[goal_recipe.body] = target_at(
            goal_recipe.body, bodies[goal_recipe.body].matrix_basis, collection
        )
        goal.target.parent = owner
    settings.drive, settings.steady = recipe.drive, recipe.steady
    return owner


def target_at(name: str, matrix: Matrix, collection: bpy.types.Collection) -> bpy.types.Object:
    """A new empty with position and rotation of a world matrix, as the target of the body `name`."""
    target = bpy.data.objects.new(f"{name} Target", None)
    target.empty_display_type, target.empty_display_size = "CUBE", 0.02
    position, rotation, _ = matrix.decompose()
    target.matrix_basis = Matrix.LocRotScale(position, rotation, None)
    collection.objects.link(target)
    return target


def _body(body: RecipeBody, owner: bpy.types.Object, collection: bpy.types.Collection) -> bpy.types.Object:
    """Makes the mesh object of a body: a block around its points, or bars between them."""
    origin = Vector(body.points[0])
    vertices: list[Vector] = []
    faces: list[tuple[int, ...]] = []
    if body.is_block:
        _block(vertices, faces, np.array(body.points) - np.array(origin))
    else:
        for start, end in zip(body.points, body.points[1:], strict=False):
            _bar(vertices, faces, Vector(start) - origin, Vector(end) - origin, body.thick / 2)
    mesh = bpy.data.meshes.new(body.name)
    mesh.from_pydata(vertices, [], faces)
    body_object = bpy.data.objects.new(body.name, mesh)
    body_object.color = COLOURS[body.role]
    body_object.location, body_object.parent = origin, owner
    body_object.limber.part.role = body.role
    collection.objects.link(body_object)
    return body_object


def _block(vertices: list, faces: list, points: np.ndarray) -> None:
    """Adds the axis-aligned box around points (n, 3) [m] to a mesh's `vertices` and `faces`."""
    (a, b, c), (x, y, z) = points.min(0), points.max(0)
    vertices += [
        Vector(corner)
        for corner in ((a, b, c), (x, b, c), (x, y, c), (a, y, c), (a, b, z), (x, b, z), (x, y, z), (a, y, z))
    ]
    faces += [(3, 2, 1, 0), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]


def _bar(vertices: list, faces: list, start: Vector, end: Vector, radius: float) -> None:
    """Adds a bar with flat ends between two points [m] to a mesh's `vertices` and `faces`."""
    along = end - start
    rotation = along.to_track_quat("Z", "Y").to_matrix() if along.length else Matrix.Identity(3)
    first = len(vertices)
    for at in (start, end):
        for k in range(SIDES):
            angle = 2.0 * np.pi * k / SIDES
            vertices.append(at + rotation @ Vector((radius * np.cos(angle), radius * np.sin(angle), 0.0)))
    ring = range(SIDES)
    faces.append(tuple(first + k for k in reversed(ring)))
    faces.append(tuple(first + SIDES + k for k in ring))
    faces += [
        (first + k, first + (k + 1) % SIDES, first + SIDES + (k + 1) % SIDES, first + SIDES + k) for k in ring
    ]


def _joint(
    joint: RecipeJoint, bodies: dict, owner: bpy.types.Object, collection: bpy.types.Collection
) -> bpy.types.Object:
    """Makes the empty of a joint between two of the `bodies` (name -> object)."""
    z = Vector(joint.z).normalized()
    x = Vector(joint.x) if joint.x else (Vector((1, 0, 0)) if abs(z.x) < 0.9 else Vector((0, 1, 0)))
    x = (x - x.dot(z) * z).normalized()
    joint_object = bpy.data.objects.new(joint.name, None)
    joint_object.empty_display_type = "SPHERE" if joint.kind == "spherical" else "ARROWS"
    joint_object.empty_display_size = ARROWS / 3 if joint.kind == "spherical" else ARROWS
    joint_object.matrix_basis = (
        Matrix.Translation(joint.at) @ Matrix((x, z.cross(x), z)).transposed().to_4x4()
    )
    joint_object.parent = owner
    part = joint_object.limber.part
    part.kind, part.first, part.second = joint.kind, bodies.get(joint.first), bodies.get(joint.second)
    collection.objects.link(joint_object)
    return joint_object


def _motor(
    settings: bpy.types.PropertyGroup, owner: bpy.types.Object, motor: RecipeMotor, joint: bpy.types.Object
) -> None:
    """Adds a motor to a joint; a recipe has its limits in degrees, or in metres for prismatic joints."""
    scale = 1.0 if axes.is_prismatic(motor.axis) else radians(1.0)
    new_motor = add_motor(
        settings, owner, motor.axis, joint=joint, limits=(scale * motor.lower, scale * motor.upper)
    )
    if motor.rates is not None:
        new_motor.velocity, new_motor.acceleration, new_motor.jerk = (scale * rate for rate in motor.rates)


def from_closures(rig: bpy.types.Object, text: str) -> tuple[int, tuple[str, ...]]:
    """Makes an imported robot's links bodies of a mechanism, with the closures and motors of a closures file;
    earlier motors are removed.

    Args:
        rig: The armature object.
        text: Content of the file.

    Returns:
        Number of loops that were closed, and warnings as sentences.

    Raises:
        RigError: the armature was not imported, or the text cannot be used or names neither loops nor motors;
            nothing has changed then.
    """
    mechanism, _, _ = bones.file_mechanism(rig, text)
    loops = sum(joint.closes for joint in mechanism.joints)
    if not loops and not mechanism.actuators:
        raise RigError(
            f"Armature '{rig.name}': the file closes no loop and names no motor, so write closed_loop and"
            " name_mot in it." + "".join(f" {warning}." for warning in mechanism.warnings)
        )
    settings = make(rig)
    settings.closures_file, settings.use_bones = text, True
    with item_keys.following(settings, "motors", "key"):
        settings.motors.clear()
        for joint in mechanism.actuators:
            file_motors(settings, rig, joint)
    return loops, mechanism.warnings


def owner_in(collection: bpy.types.Collection, joint_objects: list) -> bpy.types.Object:
    """A new empty in a collection, to own a mechanism of joint objects; its display size is in proportion to
    the largest extent, along an axis, of the joint objects and their bodies.
    """
    bodies = [body for joint in joint_objects for body in ends(joint) if body is not None]
    positions = np.array([obj.matrix_world.translation for obj in (*joint_objects, *bodies)])
    owner = bpy.data.objects.new(TITLE, None)
    owner.empty_display_size = OWNER_SHARE * np.ptp(positions, axis=0).max() or 0.1
    collection.objects.link(owner)
    return owner


def from_scene(owner: bpy.types.Object, joint_objects: list) -> bpy.types.PropertyGroup:
    """Makes a mechanism from joint objects, with motors on joints that Blender's Motor constraints drive.
    Call `check_joints` first.
    """
    settings = make(owner)
    for joint_object in joint_objects:
        add_joint(owner, joint_object)
    pairs = joints.driven_pairs(joint_objects)
    for joint in joints.joints(joint_objects):
        if {body.session_uid if body else 0 for body in (joint.first, joint.second)} in pairs and dof_axes(
            joint.aligned_kind.kind
        ):
            add_motors(owner, joint.frame_object)
    return settings
