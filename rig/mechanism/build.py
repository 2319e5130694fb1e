"""Making mechanisms in the scene: ready ones, and one of what is there already."""

from itertools import repeat
from math import radians
from uuid import uuid4

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .. import axes, servo_units, urdf_robot
from ..chains import SLIDE_SPEEDS, fit_servo
from ..errors import RigError
from ..joint_axes import joint_axes, limits
from . import bones, joints
from .members import groups, is_joint, members, owner_among, role_of
from .recipe import Body, Joint, Motor, Recipe
from .shapes import freedoms

SIDES = 8  # of a bar
USUAL_SLIDE = 0.1  # [m] either way of a slide without limits: what a small linear servo or a belt can do
FARTHEST = 1e3  # [rad or m] of a motor without limits: a robot needs numbers
TITLE = "Mechanism"
ARROWS = 0.025  # [m] of a joint's empty
COLOURS = {"GROUND": (0.25, 0.27, 0.3, 1.0), "MOVES": (0.85, 0.55, 0.2, 1.0)}


def make(owner, collection=None):
    """The mechanism of an object, empty; its joints are in the collection. Returns what is kept of it."""
    kept = owner.limber.mechanism
    kept.uid = uuid4().hex
    kept.collection = collection
    scene = bpy.context.scene
    kept.frame_start, kept.frame_end = scene.frame_start, scene.frame_end
    return kept


def add(recipe: Recipe, place=(0.0, 0.0, 0.0)):
    """Builds a ready mechanism in a collection of its own; returns its owner, an empty."""
    collection = bpy.data.collections.new(recipe.title)
    bpy.context.scene.collection.children.link(collection)
    owner = bpy.data.objects.new(recipe.title, None)
    owner.empty_display_size = 0.05
    owner.location = place
    collection.objects.link(owner)
    kept = make(owner, collection)
    bodies = {body.name: _body(body, owner, collection) for body in recipe.bodies}
    placed = {joint.name: _joint(joint, bodies, owner, collection) for joint in recipe.joints}
    for motor in recipe.motors:
        _motor(kept, owner, motor, placed[motor.joint])
    for wanted in recipe.goals:
        goal = kept.goals.add()
        goal.name, goal.does, goal.body = wanted.body, wanted.does, bodies[wanted.body]
        goal.place_weight, goal.turn_weight = wanted.place, wanted.turn
        goal.target = target_at(wanted.body, bodies[wanted.body].matrix_basis, collection)
        goal.target.parent = owner
    kept.drive, kept.steady = recipe.drive, recipe.steady
    return owner


def target_at(name: str, matrix, collection):
    """An empty for a body to follow."""
    made = bpy.data.objects.new(f"{name} Target", None)
    made.empty_display_type, made.empty_display_size = "CUBE", 0.02
    place, turn, _ = matrix.decompose()
    made.matrix_basis = Matrix.LocRotScale(place, turn, None)
    collection.objects.link(made)
    return made


def _body(body: Body, owner, collection):
    origin = Vector(body.points[0])
    vertices: list[Vector] = []
    faces: list[tuple[int, ...]] = []
    for start, end in zip(body.points, body.points[1:], strict=False):
        _bar(vertices, faces, Vector(start) - origin, Vector(end) - origin, body.thick / 2)
    mesh = bpy.data.meshes.new(body.name)
    mesh.from_pydata(vertices, [], faces)
    made = bpy.data.objects.new(body.name, mesh)
    made.color = COLOURS[body.role]
    made.location, made.parent = origin, owner
    made.limber.part.role = body.role
    collection.objects.link(made)
    return made


def _bar(vertices: list, faces: list, start: Vector, end: Vector, radius: float) -> None:
    """Adds a bar with flat ends between two points."""
    along = end - start
    turn = along.to_track_quat("Z", "Y").to_matrix() if along.length else Matrix.Identity(3)
    first = len(vertices)
    for at in (start, end):
        for k in range(SIDES):
            angle = 2.0 * np.pi * k / SIDES
            vertices.append(at + turn @ Vector((radius * np.cos(angle), radius * np.sin(angle), 0.0)))
    ring = range(SIDES)
    faces.append(tuple(first + k for k in reversed(ring)))
    faces.append(tuple(first + SIDES + k for k in ring))
    faces += [(first + k, first + (k + 1) % SIDES, first + SIDES + (k + 1) % SIDES, first + SIDES + k) for k in ring]


def _joint(joint: Joint, bodies: dict, owner, collection):
    z = Vector(joint.z).normalized()
    x = Vector(joint.x) if joint.x else (Vector((1, 0, 0)) if abs(z.x) < 0.9 else Vector((0, 1, 0)))
    x = (x - x.dot(z) * z).normalized()
    made = bpy.data.objects.new(joint.name, None)
    made.empty_display_type = "SPHERE" if joint.kind == "spherical" else "ARROWS"
    made.empty_display_size = ARROWS / 3 if joint.kind == "spherical" else ARROWS
    made.matrix_basis = Matrix.Translation(joint.at) @ Matrix((x, z.cross(x), z)).transposed().to_4x4()
    made.parent = owner
    part = made.limber.part
    part.kind, part.first, part.second = joint.kind, bodies.get(joint.first), bodies.get(joint.second)
    collection.objects.link(made)
    return made


def _motor(kept, owner, motor: Motor, joint) -> None:
    scale = 1.0 if axes.slides(motor.axis) else radians(1.0)
    add_motor(kept, owner, motor.axis, joint=joint, limits=(scale * motor.lower, scale * motor.upper))


def add_motor(kept, owner, axis: str, joint=None, bone: str = "", seen: str = "", limits=(-np.inf, np.inf)):
    """A motor on a freedom of a joint, with the joint's limits [rad or m], and a servo's usual ones where it has none; returns it.

    Args:
        axis: The freedom's axis in the joint's own frame, as its kind has it.
        seen: The same axis as people see it, for the motor's name.
    """
    taken = [motor.servo for motor in kept.motors] + [joint.servo for chain in owner.limber.chains for joint in chain.joints]
    made = kept.motors.add()
    made.bone, made.axis, made.joint = joint.name if joint else bone, axis, joint
    made.name = axes.label(made.bone, seen or axis)
    servo_units.make_usual(made, owner.limber.device.protocol)
    if axes.slides(axis):
        made.velocity, made.acceleration, made.jerk = SLIDE_SPEEDS
        made.lower, made.upper = -USUAL_SLIDE, USUAL_SLIDE
    lower, upper = limits
    if np.isfinite(lower):
        made.lower = max(lower, -FARTHEST)
    if np.isfinite(upper):
        made.upper = min(upper, FARTHEST)
    if axes.slides(axis):
        fit_servo(made)
    made.servo = max(taken, default=-1) + 1
    return made


def add_motors(owner, joint) -> list:
    """Motors on all freedoms of a joint's object.

    Raises:
        RigError: it is no joint of the mechanism, has motors already, or leaves no freedom.
    """
    kept = owner.limber.mechanism
    found = next((one for one in joints.joints(members(owner)) if one.thing == joint), None)
    if found is None:
        raise RigError(f"Object '{joint.name}' is no joint of mechanism '{owner.name}': select a joint of its collection")
    if any(motor.joint == joint for motor in kept.motors):
        raise RigError(f"Joint '{joint.name}' has a motor already: remove that first")
    moved = freedoms(found.shape.kind)
    if not moved:
        raise RigError(f"Joint '{joint.name}' is fixed and leaves nothing to move: choose another joint, or another kind for it")
    limited = _spans(found.lower, found.upper)
    return [
        add_motor(kept, owner, axis, joint=joint, seen=found.shape.seen(axis), limits=span)
        for axis, span in zip(moved, limited, strict=False)
    ]


def _spans(lower, upper):
    """Limits of each freedom; endless where a joint has none at all."""
    return zip(lower, upper, strict=True) if lower else repeat((-np.inf, np.inf))


def add_bone_motors(owner, name: str) -> list:
    """Motors on all freedoms of the joint on which a bone hangs.

    Raises:
        RigError: it has motors already, leaves no freedom, or moves as no kind of joint does.
    """
    kept, pose_bone = owner.limber.mechanism, owner.pose.bones[name]
    of_file = bones.file_joint(owner, name) if kept.closures_file else None
    if any(motor.joint is None and motor.bone == (of_file.name if of_file else name) for motor in kept.motors):
        raise RigError(f"Bone '{name}' has a motor already: remove that first")
    if of_file is not None:
        return _file_motors(kept, owner, of_file)
    found = joint_axes(pose_bone)
    if not found:
        raise RigError(f"All axes of bone '{name}' are locked: unlock the axis that the motor moves")
    shape = bones.bone_shape(name, found)
    made = [add_motor(kept, owner, axis, bone=name, seen=shape.seen(axis)) for axis in freedoms(shape.kind)]
    if len(found) == 1:
        made[0].lower, made[0].upper = limits(pose_bone, found[0])
        if axes.slides(found[0]):
            fit_servo(made[0])
        record = urdf_robot.motor(pose_bone, found[0])
        if record is not None and record.branch.joint.velocity:
            made[0].velocity = record.branch.joint.velocity
    return made


def from_closures(rig, text: str) -> tuple[str, ...]:
    """Makes an imported robot's links the bodies of its mechanism, closed as the text of its closures' file says, with the motors that this
    names. Returns what was read otherwise than it is written, as sentences.

    Raises:
        RigError: the armature was not imported, or the text cannot be used; nothing has changed then.
    """
    mechanism, _, _ = bones.file_mechanism(rig, text)
    kept = make(rig)
    kept.closures_file, kept.use_bones = text, True
    kept.motors.clear()
    for joint in mechanism.actuators:
        _file_motors(kept, rig, joint)
    return mechanism.warnings


def _file_motors(kept, rig, joint) -> list:
    """Motors on a joint of a robot's file, with the limits and the speed that this tells."""
    found = next(
        record for _, record in urdf_robot.records(rig) if record.branch.joint is not None and record.branch.joint.name == joint.name
    )
    told, shown = found.branch.joint, urdf_robot.axis_of(found)
    made = []
    for axis, span in zip(freedoms(joint.kind), _spans(joint.lower, joint.upper), strict=False):
        is_as_told = len(freedoms(joint.kind)) == 1 and shown and axes.slides(shown) == axes.slides(axis)
        motor = add_motor(kept, rig, axis, bone=joint.name, seen=shown if is_as_told else "", limits=span)
        if told.velocity and axes.slides(axis) == (told.kind == "prismatic"):
            motor.velocity = told.velocity
        made.append(motor)
    return made


def joints_around(thing, scene) -> tuple:
    """The collection in which an object's mechanism would be, and the joints there that are no other mechanism's.

    In the scene's own collection all sketches are mixed: where some joints there are a mechanism's already, only those that hang together
    with the object are meant.
    """
    world = scene.rigidbody_world
    passing = [world.collection, world.constraints] if world else []  # Blender's own: what is in them takes part in its physics
    collection = next((one for one in thing.users_collection if one not in passing and one != scene.collection), scene.collection)
    there = [one for one in (collection.objects if collection == scene.collection else collection.all_objects) if is_joint(one)]
    free = [joint for joint in there if owner_among(joint, scene) is None]
    if collection == scene.collection and len(free) < len(there):
        uid = thing.session_uid
        near = [group for group in groups(free) if group.has(uid) or uid in group.grounds]
        free = [joint for joint in free if any(joint.session_uid in group.joints for group in near)]
    return collection, free


def check_joints(collection, found: list, scene) -> None:
    """Whether joints can make a mechanism of their own.

    Raises:
        RigError: there is none, one cannot be read, or one moves a body of another mechanism.
    """
    if not found:
        raise RigError(
            f"Collection '{collection.name}' has no joint that is no mechanism's yet: add rigid body constraints to it (Physics), or"
            " empties with a Joint of Limber's, or select one of those"
        )
    for one in joints.joints(found):
        for body in (one.first, one.second):
            other = owner_among(body, scene) if body is not None and role_of(body) == "MOVES" else None
            if other is not None:
                raise RigError(
                    f"Joint '{one.name}' holds '{body.name}', a body of mechanism '{other.name}': link the joint to collection"
                    f" '{other.limber.mechanism.collection.name}', where it is part of that"
                )


def collection_for(found: list, collection, scene):
    """The collection of a new mechanism with these joints: for those of the scene's own a new one, in which they are as well."""
    if collection != scene.collection:
        return collection
    made = bpy.data.collections.new(TITLE)
    scene.collection.children.link(made)
    for joint in found:
        made.objects.link(joint)
    return made


def owner_in(collection):
    """An empty to own the mechanism of a collection."""
    owner = bpy.data.objects.new(TITLE, None)
    owner.empty_display_size = 0.1
    collection.objects.link(owner)
    return owner


def from_scene(owner, collection, found: list):
    """A mechanism of joints in a collection, with motors where Blender's own Motor constraints are. They were checked."""
    kept = make(owner, collection)
    kept.anchor = found[0]
    pairs = joints.driven_pairs(found)
    for one in joints.joints(found):
        if {thing.session_uid if thing else 0 for thing in (one.first, one.second)} in pairs and freedoms(one.shape.kind):
            add_motors(owner, one.thing)
    return kept
