"""Tests loops that cannot move: Check and Live name the misaligned hinge, its angle, and the correcting
rotation. Live names what it lacks.
"""

from math import degrees, radians

import bpy
import numpy as np
import pytest
from limber.panels.mechanism.mechanisms import LIMBER_PT_mechanism
from mathutils import Euler, Matrix, Vector

from tests.blender import mechanisms as those
from tests.blender.drawing import drawn
from tests.blender.four_bars import arms, boned, four_bar, owned
from tests.blender.rigs import make_active, select
from tests.blender.test_mechanism_messages import says

POSES = [Euler((0.0, 0.0, 0.0)), Euler((0.7, -0.3, 1.9)), Euler((-2.1, 1.2, 0.4))]


def turned_about(thing, axis, angle: float) -> None:
    """Rotates an object about an axis of the world through its own position."""
    bpy.context.view_layer.update()
    place = Matrix.Translation(thing.matrix_world.translation)
    thing.matrix_world = (
        place @ Matrix.Rotation(angle, 4, Vector(axis)) @ place.inverted() @ thing.matrix_world
    )
    bpy.context.view_layer.update()


def posed_four_bar(pose: Euler, make=those.joint, kind: str = "revolute"):
    """A four-bar in some pose in the world; returns its owner."""
    pins = four_bar(make, kind, bodies="" if make is those.joint else "ACTIVE")
    owner = owned()
    bpy.context.view_layer.update()
    matrix = Matrix.LocRotScale(Vector((0.3, -0.2, 0.5)), pose, None)
    for thing in [
        *pins.values(),
        *(bpy.data.objects[name] for name in ("ground", "crank", "coupler", "rocker")),
    ]:
        thing.matrix_world = matrix @ thing.matrix_world
    bpy.context.view_layer.update()
    those.set_rest_pose(owner)
    return owner, matrix


@pytest.mark.parametrize("angle", [20.0, 45.0, 90.0])
@pytest.mark.parametrize("name", ["pin B", "pin C"])
def test_a_hinge_that_is_far_off_is_named_with_its_axis(name, angle):
    owner, _ = posed_four_bar(Euler((0.0, 0.0, 0.0)))
    turned_about(bpy.data.objects[name], (1.0, 0.0, 0.0), radians(angle))
    those.set_rest_pose(owner)
    said = says(owner)
    assert f"Hinge '{name}' is off by {angle:.0f} degrees" in said
    assert "its axis lies along (0.0000, 1.0000, 0.0000) in the world" in said, "and no number is -0.0000"
    assert "one more joint" not in said


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0)])
def test_four_hinges_along_the_wrong_axis_are_named_with_the_right_one(axis):
    owner, _ = posed_four_bar(Euler((0.0, 0.0, 0.0)))
    assert "lies flat" not in says(owner)
    for name in ("pin A", "pin B", "pin C", "pin D"):
        turned_about(
            bpy.data.objects[name],
            *((1.0, 0.0, 0.0), radians(90.0)) if axis[2] else ((0.0, 0.0, 1.0), radians(90.0)),
        )
    those.set_rest_pose(owner)
    said = says(owner)
    assert (
        "Hinges 'pin A', 'pin B', 'pin C', 'pin D' have axes along ({:.4f}, {:.4f}, {:.4f})".format(*axis)
        in said
    )
    assert "rotate them, so that their axes lie along (0.0000, 1.0000, 0.0000) in the world" in said


@pytest.mark.parametrize("pose", POSES, ids=lambda pose: f"{degrees(pose.x):.0f}")
@pytest.mark.parametrize(("make", "kind"), [(those.joint, "revolute"), (those.constraint, "HINGE")])
def test_the_hinge_that_is_off_is_named_by_check_and_by_live(make, kind, pose, capfd):
    owner, matrix = posed_four_bar(pose, make, kind)
    assert "cannot move" not in says(owner)
    assert "is off by" not in says(owner)
    turned_about(bpy.data.objects["pin C"], matrix.to_3x3() @ Vector((1.0, 0.0, 0.0)), radians(3.0))
    assert "'pin C' of 'Mechanism' is not where the rest pose has it" in says(owner)
    those.set_rest_pose(owner)
    said = says(owner)
    x, y, z = matrix.to_3x3() @ Vector((0.0, 1.0, 0.0))
    assert (
        "Hinge 'pin C' is off by 3 degrees from the axis that the others of its loop let it rotate about, so"
        " none of" in said
    )
    assert (
        "none of 'pin A', 'pin B', 'pin C', 'pin D' can move, and motor 'pin A Z' is locked: rotate it, so"
        " that its axis lies along (" in said
    )
    axis = np.array([float(number) for number in said.split("lies along (")[1].split(")")[0].split(",")])
    assert np.abs(axis - (x, y, z)).max() < 1e-3
    assert "Give the loop another degree of freedom" not in said
    owner.limber.mechanism.drive = "MOTORS"
    make_active(owner)
    bpy.ops.limber.live()
    assert "Hinge 'pin C' is off by 3 degrees" in capfd.readouterr().out


@pytest.mark.every_blender
@pytest.mark.parametrize("pose", POSES, ids=lambda pose: f"{degrees(pose.x):.0f}")
def test_the_hinge_that_is_off_is_turned_right_by_a_button(pose, undo_step):
    owner, matrix = posed_four_bar(pose)
    pin = bpy.data.objects["pin B"]
    turned_about(pin, matrix.to_3x3() @ Vector((0.6, 0.0, 0.8)), radians(5.0))
    those.set_rest_pose(owner)
    make_active(bpy.data.objects["pin A"])
    with pytest.raises(
        RuntimeError,
        match="The axis of joint 'pin A' is as its loop needs it: the one that is off is 'pin B'",
    ):
        bpy.ops.limber.align_joint()
    make_active(pin)
    assert "limber.align_joint" in drawn(LIMBER_PT_mechanism).operators
    undo_step("off")
    bpy.ops.limber.align_joint()
    undo_step("aligned")
    assert "is off by" not in says(owner)
    assert "cannot move" not in says(owner)
    with pytest.raises(RuntimeError, match="no loop is held by a single axis that is off"):
        bpy.ops.limber.align_joint()
    bpy.ops.ed.undo()
    assert "Hinge 'pin B' is off by 5 degrees" in says(bpy.data.objects["Mechanism"])


def test_a_bone_whose_hinge_is_off_is_named():
    rig, _ = boned()
    rig.data.bones.active = rig.data.bones["crank"]
    bpy.ops.limber.add_motors()
    rig.limber.mechanism.closures[0].kind, rig.limber.mechanism.closures[0].axis = "revolute", "X"
    assert "is off by" not in says(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["crank"].roll += radians(4.0)
    bpy.ops.object.mode_set(mode="POSE")
    assert "Hinge 'crank' is off by 4 degrees" in says(rig)


@pytest.mark.parametrize("pose", POSES, ids=lambda pose: f"{degrees(pose.x):.0f}")
@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_a_loop_of_bones_drawn_in_any_plane_moves(kind, pose):
    rig = arms()
    bpy.ops.object.mode_set(mode="EDIT")
    matrix = Matrix.LocRotScale(Vector((0.3, -0.2, 0.5)), pose, None)
    drawn = [
        (bone, matrix @ bone.head, matrix @ bone.tail, matrix.to_3x3() @ bone.z_axis)
        for bone in rig.data.edit_bones
    ]
    for bone, head, tail, z in drawn:
        bone.use_connect = False
        bone.head, bone.tail = head, tail
        bone.align_roll(z)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.limber.new_mechanism()
    select(rig, "coupler", "rocker")
    rig.data.bones.active = rig.data.bones["rocker"]
    bpy.ops.limber.add_closure()
    closure = rig.limber.mechanism.closures[0]
    closure.kind, closure.axis = kind, "X"
    select(rig)
    rig.data.bones.active = rig.data.bones["crank"]
    bpy.ops.limber.add_motors()
    said = says(rig)
    assert "cannot move" not in said
    assert "is off by" not in said
    kept = rig.limber.mechanism
    kept.drive, kept.motors[0].value = "MOTORS", 0.3
    bpy.ops.limber.live()
    those.settle(rig)
    assert those.session(rig).remark == ""
    assert those.session(rig).outputs.values == pytest.approx((0.3,), abs=1e-6)


def spherical_loop(seed: int):
    """Four hinges whose axes meet in one point, within single precision; returns the owner."""
    dice = np.random.default_rng(seed)
    middle = Vector(dice.normal(size=3).tolist())
    ways = [Vector(way.tolist()).normalized() for way in dice.normal(size=(4, 3))]
    bodies = [
        those.box(name, middle + 0.1 * way)
        for name, way in zip(("ground", "crank", "coupler", "rocker"), ways, strict=True)
    ]
    bodies[0].limber.part.role = "GROUND"
    for k, way in enumerate(ways):
        place = middle + (0.1 + 0.05 * k) * way
        those.joint(
            f"pin {k}",
            "revolute",
            bodies[k],
            bodies[(k + 1) % 4],
            place,
            way.to_track_quat("Z", "Y").to_euler(),
        )
    return owned("pin 0")


@pytest.mark.parametrize("seed", range(6))
def test_a_spherical_loop_moves_and_its_hinge_that_is_off_is_named(seed):
    owner = spherical_loop(seed)
    said = says(owner)
    assert "mobility 1 with 1 motor" in said
    assert "cannot move" not in said
    assert "is off by" not in said
    pin = bpy.data.objects[f"pin {seed % 4}"]
    turned_about(pin, pin.matrix_world.to_3x3() @ Vector((0.6, 0.8, 0.0)), radians(2.0))
    those.set_rest_pose(owner)
    assert f"Hinge '{pin.name}' is off by 2 degrees" in says(owner)


def test_live_says_that_it_needs_a_motor():
    four_bar()
    make_active(bpy.data.objects["pin A"])
    bpy.ops.limber.new_mechanism()
    with pytest.raises(
        RuntimeError, match="'Mechanism' has no motor: select a joint and press \\+ under Motors"
    ):
        bpy.ops.limber.live()


def test_live_says_that_it_needs_a_goal_unless_motors_or_a_driven_body_say_where():
    four_bar()
    owner = owned()
    with pytest.raises(
        RuntimeError,
        match="'Mechanism' has no goal: select a body and press \\+ under Goals, give one the role Driven",
    ):
        bpy.ops.limber.live()
    bpy.data.objects["rocker"].limber.part.role = "DRIVEN"
    assert bpy.ops.limber.live.poll()
    bpy.data.objects["rocker"].limber.part.role = "AUTO"
    assert not bpy.ops.limber.live.poll()
    owner.limber.mechanism.drive = "MOTORS"
    assert bpy.ops.limber.live.poll()
