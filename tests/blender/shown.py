"""The shown pose of a live rig, evaluated by Blender and compared with Limber's values. In addition, no
handler may raise.
"""

import sys
import traceback
from math import degrees

import bpy
import numpy as np
import pytest
from limber.character.fixed_steps import STEP
from limber.rig.live import live
from limber.rig.scene.goal import forward_axis
from limber.rig.showing import proxy
from mathutils import Matrix, Quaternion, Vector

from tests.blender.rigs import looking_chain, make_active

AXES = {"X": Vector((1, 0, 0)), "Y": Vector((0, 1, 0)), "Z": Vector((0, 0, 1))}


@pytest.fixture(autouse=True)
def no_handler_raises():
    """Makes the test fail if a handler raises, since Blender only prints the exception and continues."""
    raised = []
    hook, sys.excepthook = (
        sys.excepthook,
        lambda *error: raised.append("".join(traceback.format_exception(*error))),
    )
    yield raised
    sys.excepthook = hook
    assert not raised, "\n".join(raised)


def depsgraph():
    return bpy.context.evaluated_depsgraph_get()


def evaluated(thing):
    return thing.evaluated_get(depsgraph())


def shown_basis(rig, name: str) -> Quaternion:
    """Rotation of a bone against its rest pose, from the shown pose alone."""
    bone = evaluated(rig).pose.bones[name]
    parent = bone.parent
    if parent is None:
        local = bone.bone.matrix_local.inverted() @ bone.matrix
    else:
        local = (
            (parent.bone.matrix_local.inverted() @ bone.bone.matrix_local).inverted()
            @ parent.matrix.inverted()
            @ bone.matrix
        )
    return local.to_quaternion()


def pose(rig) -> list[Matrix]:
    """All shown pose matrices."""
    return [bone.matrix.copy() for bone in evaluated(rig).pose.bones]


def farthest(first: list[Matrix], second: list[Matrix]) -> float:
    return max(float(np.abs(np.array(a) - np.array(b)).max()) for a, b in zip(first, second, strict=True))


def authored(rig) -> list[tuple]:
    """All channels of the original rig, which belong to the user."""
    return [
        (
            tuple(bone.rotation_euler),
            tuple(bone.rotation_quaternion),
            tuple(bone.location),
            tuple(bone.scale),
            bone.rotation_mode,
        )
        for bone in rig.pose.bones
    ]


def missed(rig, chain) -> float:
    """The angle [degrees] by which the shown viewing axis misses the target."""
    scene = evaluated(rig)
    matrix = scene.matrix_world @ scene.pose.bones[chain.end].matrix
    eye = matrix @ Vector((0, chain.eye * rig.data.bones[chain.end].length, 0))
    look = matrix.to_3x3() @ Vector(forward_axis(chain))
    return degrees(look.angle(evaluated(chain.target).matrix_world.translation - eye))


def session(rig, chain):
    return live.session(rig, chain)


def settle(scene=None) -> None:
    """Runs the clock, in its own time, until nothing moves."""
    scene = scene or bpy.context.scene
    bpy.context.view_layer.update()
    now = 1000.0
    for _ in range(2000):
        now += STEP
        if not live.advance_clock(scene, depsgraph(), now):
            bpy.context.view_layer.update()  # what was shown last may be the target of another chain
            if not live.advance_clock(scene, depsgraph(), now):
                return
    raise AssertionError("the clock never stops")


def go_live(rig, chain, settled: bool = True):
    bpy.context.view_layer.objects.active = rig
    rig.limber.active_chain = list(rig.limber.chains).index(chain)
    assert bpy.ops.limber.live() == {"FINISHED"}
    if settled:
        settle()
    return session(rig, chain)


def choose(chain, **values) -> None:
    """Sets properties as the interface does, which notifies Blender of the change."""
    for name, value in values.items():
        setattr(chain, name, value)
    chain.id_data.update_tag()


def as_good_as_unfiltered(*chains) -> None:
    """Sets limits that no motion of a test approaches."""
    for chain in chains:
        for joint in chain.joints:
            joint.velocity, joint.acceleration, joint.jerk = 1e4, 1e8, 1e12


def traces() -> list[str]:
    """All data that live motion leaves in a file while it shows a pose; none may exist afterwards."""
    found = [f"object {thing.name}" for thing in bpy.data.objects if proxy.MARK in thing]
    found += [
        f"armature {data.name}"
        for data in bpy.data.armatures
        if proxy.MARK in data or data.name.startswith(proxy.PROXY_NAME)
    ]
    found += [f"scene {scene.name}" for scene in bpy.data.scenes if scene.name.startswith(proxy.PROXY_NAME)]
    for thing in bpy.data.objects:
        if thing.type == "ARMATURE" and thing.pose:
            found += [
                f"{thing.name} {b.name} {c.name}"
                for b in thing.pose.bones
                for c in b.constraints
                if c.name.startswith("Limber")
            ]
    return found


def world_of_end(rig, bone: str) -> Matrix:
    """World matrix of a bone as shown."""
    scene = evaluated(rig)
    return scene.matrix_world @ scene.pose.bones[bone].matrix


def shortfall(rig, wanted, bone: str) -> tuple[float, float]:
    """The angle [degrees] and the distance [m] by which the shown end misses its goal.

    Args:
        rig: The armature object.
        wanted: The goal's settings: of a chain, or of one of its ends.
        bone: The end's bone.
    """
    matrix, target = world_of_end(rig, bone), evaluated(wanted.target).matrix_world
    tip = matrix @ Vector((0, wanted.eye * rig.data.bones[bone].length, 0))
    look = matrix.to_3x3() @ Vector(forward_axis(wanted))
    angle = distance = 0.0
    if wanted.goal == "POINT":
        angle = degrees(look.angle(target.translation - tip))
    elif wanted.goal in {"DIRECTION", "AIM"}:
        axis = AXES[wanted.target_axis[1]] * (-1 if wanted.target_axis[0] == "-" else 1)
        angle = degrees(look.angle(target.to_3x3() @ axis))
    if wanted.goal in {"ORIENTATION", "FRAME"}:
        turns = [target.to_quaternion()]
        if wanted.symmetric:
            turns.append(turns[0] @ Quaternion(Vector(forward_axis(wanted)), np.pi))
        between = [degrees(matrix.to_quaternion().rotation_difference(turn).angle) for turn in turns]
        angle = min(min(one, 360 - one) for one in between)
    if wanted.goal in {"POSITION", "FRAME", "AIM"}:
        distance = (target.translation - tip).length
    return angle, distance


def seeing_rig():
    """A live rig that looks at its target, and its chain."""
    rig, chain = looking_chain()
    rig.pose.bones["lower"].rotation_euler.x = 0.3
    go_live(rig, chain)
    return rig, chain


def twins() -> list:
    return [thing for thing in bpy.data.objects if proxy.MARK in thing]


def assert_held(rig, chain, shown, *words: str) -> None:
    """Asserts that the pose is held, and that a sentence names the fault and the remedy."""
    settle()
    assert farthest(shown, pose(rig)) < 1e-5
    for word in words:
        assert word in session(rig, chain).problem


def assert_looks(rig, chain) -> None:
    settle()
    assert session(rig, chain).problem == ""
    assert missed(rig, chain) < 0.1


def edit(rig, deed) -> None:
    """Changes bones in Edit Mode, with a frame change in between, and returns to Pose Mode."""
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    deed(rig.data.edit_bones)
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(bpy.context.scene.frame_current + 1)
    settle()
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.view_layer.update()
