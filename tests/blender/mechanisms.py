"""Mechanisms for tests in a real Blender."""

import bpy
import numpy as np

from tests.blender.rigs import make_active

FRAME = 1 / 60  # [s] duration of a frame


def add(kind: str, place=(0.5, 0.2, 0.1)):
    """A mechanism with its settings, whose owner is active."""
    bpy.context.scene.cursor.location = place
    bpy.ops.limber.add_mechanism(kind=kind)
    bpy.context.view_layer.update()
    return bpy.context.active_object


def update():
    bpy.context.view_layer.update()
    return bpy.context.evaluated_depsgraph_get()


def clock(ticks: int = 1, start: float = 100.0) -> None:
    """Does the work of Blender's timer while nothing plays."""
    from limber.rig.live import live

    for k in range(ticks):
        live.advance_clock(bpy.context.scene, update(), time=start + k * FRAME)
    update()


def settle(owner, most: int = 400) -> None:
    """Ticks until the motors have arrived."""
    for k in range(most):
        clock(1, 100.0 + k * FRAME)
        if session(owner).outputs.at_rest:
            return
    raise AssertionError(f"not at rest after {most} ticks: {session(owner).outputs}")


def set_rest_pose(owner) -> None:
    """Makes the pose of this frame the mechanism's rest pose."""
    make_active(owner)
    bpy.ops.limber.set_rest_pose()


def collected(name: str = "Sketch"):
    """Moves the content of the scene's own collection to a new collection, and returns that."""
    made, root = bpy.data.collections.new(name), bpy.context.scene.collection
    root.children.link(made)
    for thing in list(root.objects):
        made.objects.link(thing)
        root.objects.unlink(thing)
    return made


def with_idle_goal(owner):
    """The same mechanism with a goal that requires nothing, so that it can go live in its pose."""
    kept = owner.limber.mechanism
    goal = kept.goals.add()
    goal.target, goal.position_weight, goal.rotation_weight = box("idle"), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if kept.use_bones:
        goal.bone = owner.data.bones[0].name
    else:
        joint = kept.motors[0].joint
        goal.body = (
            joint.rigid_body_constraint.object2 if joint.rigid_body_constraint else joint.limber.part.second
        )
    return owner


def session(owner):
    from limber.rig.live import live

    return live.session(owner, owner.limber.mechanism)


def world(thing) -> np.ndarray:
    """World matrix (4, 4) as shown."""
    return np.array(thing.evaluated_get(update()).matrix_world)


def shown(owner) -> dict[str, np.ndarray]:
    """Shown world matrices of the objects with a mesh in the mechanism's collection."""
    return {
        thing.name: world(thing) for thing in owner.users_collection[0].all_objects if thing.type == "MESH"
    }


def furthest(one: dict, other: dict) -> float:
    """The largest difference between entries of matrices with equal keys."""
    return max(float(np.abs(one[name] - other[name]).max()) for name in one)


def box(name: str, place=(0.0, 0.0, 0.0), kind: str = ""):
    """A cube; if `kind` is given, a rigid body: ACTIVE or PASSIVE."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(-0.01, -0.01, -0.01), (0.01, 0.01, 0.01), (0.01, -0.01, 0.01)], [], [(0, 1, 2)])
    thing = bpy.data.objects.new(name, mesh)
    thing.location = place
    bpy.context.scene.collection.objects.link(thing)
    if kind:
        make_active(thing)
        bpy.ops.rigidbody.object_add(type=kind)
    return thing


def constraint(name: str, kind: str, first, second, place=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0)):
    """An empty with one of Blender's rigid body constraints."""
    empty = bpy.data.objects.new(name, None)
    empty.location, empty.rotation_euler = place, turn
    bpy.context.scene.collection.objects.link(empty)
    make_active(empty)
    bpy.ops.rigidbody.constraint_add(type=kind)
    held = empty.rigid_body_constraint
    held.object1, held.object2 = first, second
    return empty


def joint(name: str, kind: str, first, second, place=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0)):
    """An empty with one of Limber's joints."""
    empty = bpy.data.objects.new(name, None)
    empty.location, empty.rotation_euler = place, turn
    bpy.context.scene.collection.objects.link(empty)
    part = empty.limber.part
    part.kind, part.first, part.second = kind, first, second
    return empty
