"""Tests mechanisms made from the scene: Blender's constraints, empties, bones, files; and what is refused."""

import bpy
import numpy as np
import pytest

from tests.blender import mechanisms as those
from tests.blender.four_bars import ABOUT_Y, boned, four_bar, owned
from tests.blender.rigs import build, make_active


def go_live(motor: str = "pin A"):
    """A mechanism of the scene's joints, driven by a motor, live; returns its owner."""
    owner = owned(motor)
    owner.limber.mechanism.drive = "MOTORS"
    bpy.ops.limber.live()
    return owner


def distance(one: str, other: str) -> float:
    return float(
        np.linalg.norm(
            those.world(bpy.data.objects[one])[:3, 3] - those.world(bpy.data.objects[other])[:3, 3]
        )
    )


def test_blenders_own_hinges_make_a_mechanism_that_turns():
    four_bar()
    owner = go_live()
    owner.limber.mechanism.motors[0].value = 0.7
    those.settle(owner)
    assert abs(distance("crank", "coupler") - 0.05) < 1e-6, "the coupler's origin is on the crank's pin"
    assert those.world(bpy.data.objects["coupler"])[0, 3] == pytest.approx(0.05 * np.sin(0.7), abs=1e-6)


@pytest.mark.parametrize("make", [lambda: (four_bar(), owned())[1], lambda: boned()[0]])
def test_a_goal_that_is_added_while_no_body_is_active_says_what_to_choose(make, capfd):
    owner = make()
    make_active(owner)
    bpy.ops.limber.add_mechanism_goal()
    goal = owner.limber.mechanism.goals[-1]
    part = "Bone" if owner.limber.mechanism.use_bones else "Body"
    assert (goal.body, goal.bone) == (None, "")
    assert f"so goal '{goal.name}' has none: choose its {part} and Target" in capfd.readouterr().out


def test_empties_with_a_joint_of_limbers_own_do_as_well():
    four_bar(those.joint, "revolute")
    owner = go_live()
    owner.limber.mechanism.motors[0].value = 0.7
    those.settle(owner)
    assert those.world(bpy.data.objects["coupler"])[0, 3] == pytest.approx(0.05 * np.sin(0.7), abs=1e-6)


@pytest.mark.every_blender
@pytest.mark.parametrize(
    ("kind", "joint_kind", "settings"),
    [
        ("HINGE", "revolute", {}),
        ("SLIDER", "prismatic", {}),
        ("POINT", "spherical", {}),
        ("FIXED", "fixed", {}),
        ("PISTON", "cylindrical", {}),
        ("GENERIC", "free", {}),
        ("GENERIC", "universal", dict.fromkeys(("lin_x", "lin_y", "lin_z", "ang_z"), 0.0)),
        ("GENERIC", "planar", dict.fromkeys(("lin_z", "ang_x", "ang_y"), 0.0)),
        ("GENERIC", "cartesian", dict.fromkeys(("ang_x", "ang_y", "ang_z"), 0.0)),
        ("GENERIC_SPRING", "revolute", dict.fromkeys(("lin_x", "lin_y", "lin_z", "ang_x", "ang_y"), 0.0)),
    ],
)
def test_each_of_blenders_constraints_is_the_joint_that_it_looks_like(kind, joint_kind, settings):
    from limber.rig.mechanisms.joints import joints

    held = those.constraint(
        "joint", kind, those.box("one", kind="PASSIVE"), those.box("other", kind="ACTIVE")
    ).rigid_body_constraint
    for axis, value in settings.items():
        setattr(held, f"use_limit_{axis}", True)
        setattr(held, f"limit_{axis}_lower", value)
        setattr(held, f"limit_{axis}_upper", value)
    (found,) = joints(bpy.context.scene.collection.all_objects)
    assert found.aligned_kind.kind == joint_kind


@pytest.mark.every_blender
def test_a_sliders_limits_hold_its_motor():
    one, other = those.box("one", kind="PASSIVE"), those.box("other", kind="ACTIVE")
    held = those.constraint("slide", "SLIDER", one, other).rigid_body_constraint
    held.use_limit_lin_x, held.limit_lin_x_lower, held.limit_lin_x_upper = True, -0.02, 0.03
    owner = go_live("slide")
    owner.limber.mechanism.motors[0].value = 0.5
    those.settle(owner)
    assert those.world(other)[0, 3] == pytest.approx(0.03, abs=1e-6)


def test_blenders_motor_constraint_makes_the_joint_beside_it_a_motor():
    one, other = those.box("one", kind="PASSIVE"), those.box("other", kind="ACTIVE")
    those.constraint("hinge", "HINGE", one, other)
    make_active(those.constraint("drive", "MOTOR", one, other))
    bpy.ops.limber.new_mechanism()
    owner = bpy.context.active_object
    assert [motor.bone for motor in owner.limber.mechanism.motors] == ["hinge"]


def test_scaled_parented_and_mirrored_bodies_keep_their_shape():
    four_bar(those.joint, "revolute", bodies="")
    holder = bpy.data.objects.new("holder", None)
    bpy.context.scene.collection.objects.link(holder)
    holder.scale, holder.location = (2.0, 2.0, 2.0), (0.3, 0.0, 0.0)
    bpy.context.view_layer.update()
    for name, scale in (("coupler", (3.0, 1.0, 0.5)), ("rocker", (-1.0, 1.0, 1.0))):
        thing = bpy.data.objects[name]
        thing.parent = holder
        thing.matrix_parent_inverse = holder.matrix_world.inverted()
        thing.scale = scale
    # a body whose parent is also a moving body
    bpy.data.objects["coupler"].parent = bpy.data.objects["crank"]
    bpy.context.view_layer.update()
    before = {name: those.world(bpy.data.objects[name]) for name in ("crank", "coupler", "rocker")}
    owner = go_live()
    now = {name: those.world(bpy.data.objects[name]) for name in before}
    assert those.furthest(before, now) < 1e-5
    owner.limber.mechanism.motors[0].value = 0.7
    those.settle(owner)
    for name, was in before.items():
        size = np.linalg.svd(those.world(bpy.data.objects[name])[:3, :3], compute_uv=False)
        assert np.abs(size - np.linalg.svd(was[:3, :3], compute_uv=False)).max() < 1e-5, name
        assert np.sign(np.linalg.det(those.world(bpy.data.objects[name]))) == np.sign(np.linalg.det(was))
    shown = {name: those.world(bpy.data.objects[name]) for name in before}
    bpy.ops.limber.bake()
    bpy.context.scene.frame_set(5)
    assert those.furthest(shown, {name: those.world(bpy.data.objects[name]) for name in before}) < 1e-4


@pytest.mark.every_blender
def test_a_sheared_body_is_named():
    four_bar()
    holder = bpy.data.objects.new("holder", None)
    bpy.context.scene.collection.objects.link(holder)
    holder.scale = (1.0, 1.0, 3.0)
    crank = bpy.data.objects["crank"]
    crank.parent, crank.rotation_euler = holder, (0.0, 0.6, 0.0)
    with pytest.raises(RuntimeError, match="'crank' is sheared"):
        go_live()


def refused(match: str, motor: str = "pin A") -> None:
    with pytest.raises(RuntimeError, match=match):
        go_live(motor)


@pytest.mark.every_blender
def test_a_joint_that_joins_nothing_or_one_body_with_itself_is_named():
    pins = four_bar()
    pins["C"].rigid_body_constraint.object2 = pins["C"].rigid_body_constraint.object1
    refused("Joint 'pin C' joins body 'coupler' to itself")
    pins["C"].rigid_body_constraint.object1 = pins["C"].rigid_body_constraint.object2 = None
    refused("Joint 'pin C' joins nothing")


def test_a_motor_on_a_fixed_joint_is_refused():
    those.constraint("weld", "FIXED", those.box("one", kind="PASSIVE"), those.box("other", kind="ACTIVE"))
    refused("'weld' is fixed and leaves nothing to move", "weld")


def test_two_grounded_bodies_that_contradict_name_the_worst_joint():
    pins = four_bar()
    gap = bpy.data.objects.new("far", None)
    bpy.context.scene.collection.objects.link(gap)
    gap.location, gap.parent = (0.5, 0.0, 0.0), bpy.data.objects["coupler"]
    gap.rotation_euler = ABOUT_Y
    bpy.data.objects["rocker"].rigid_body.type = "PASSIVE"
    pin = pins["C"]
    make_active(pin)
    bpy.ops.rigidbody.constraint_remove()
    part = pin.limber.part
    part.kind, part.first, part.second, part.meets = (
        "revolute",
        bpy.data.objects["rocker"],
        bpy.data.objects["coupler"],
        gap,
    )
    refused("cannot be assembled: joint 'pin C' stays open by [0-9.]+ mm")


@pytest.mark.every_blender
def test_a_generic_constraint_that_is_no_joint_says_what_it_frees():
    held = those.constraint(
        "loose", "GENERIC", those.box("one", kind="PASSIVE"), those.box("other", kind="ACTIVE")
    ).rigid_body_constraint
    for axis in ("lin_z", "ang_x", "ang_y", "ang_z"):
        setattr(held, f"use_limit_{axis}", True)
        setattr(held, f"limit_{axis}_lower", 0.0)
        setattr(held, f"limit_{axis}_upper", 0.0)
    refused("'loose' moves along X, moves along Y, which no kind of joint does", "loose")


@pytest.mark.every_blender
def test_check_says_that_a_balls_angular_limits_are_not_kept():
    from limber.rig.authoring.mechanism.check import check

    held = those.constraint(
        "socket", "GENERIC", those.box("one", kind="PASSIVE"), those.box("other", kind="ACTIVE")
    ).rigid_body_constraint
    for axis in ("lin_x", "lin_y", "lin_z"):
        setattr(held, f"use_limit_{axis}", True)
        setattr(held, f"limit_{axis}_lower", 0.0)
        setattr(held, f"limit_{axis}_upper", 0.0)
    bpy.ops.limber.new_mechanism()
    owner = bpy.context.active_object

    def said() -> bool:
        findings = check(bpy.context, owner).findings
        return any(
            "'socket' rotates about all axes, so its angular limits are ignored" in one.sentence
            for one in findings
        )

    assert not said()
    held.use_limit_ang_z = True
    assert said()


@pytest.mark.every_blender
def test_check_names_loose_bodies_rods_without_length_limits_that_exclude_the_start_and_missing_targets():
    from limber.rig.authoring.mechanism.check import check

    four_bar(those.joint, "revolute")
    those.box("alone", (1.0, 0.0, 0.0), "ACTIVE")
    nothing = those.box("nothing", (0.0, 0.0, 0.05), "ACTIVE")
    for name, body in (("one end", "crank"), ("other end", "coupler")):
        those.joint(name, "spherical", nothing, bpy.data.objects[body], (0.0, 0.0, 0.05))
    those.collected()
    owner = owned()
    motor = owner.limber.mechanism.motors[0]
    motor.lower, motor.upper = 0.2, 0.9
    owner.limber.mechanism.goals.add().name = "empty"
    said = "\n".join(finding.sentence for finding in check(bpy.context, owner).findings)
    for wanted in (
        "'alone' has no joint",
        "'nothing' has no length",
        "is at 0 in the rest pose",
        "'empty' has no target",
        "physics",
    ):
        assert wanted in said, said


@pytest.mark.every_blender
def test_a_centre_of_mass_without_masses_says_so():
    owner = those.add("stewart")
    goal = owner.limber.mechanism.goals[0]
    goal.does = "CENTRE"
    bpy.ops.limber.live()
    assert those.session(owner).problem == "", (
        "bodies without a rigid body weigh what the volume of their meshes says"
    )
    for thing in owner.users_collection[0].all_objects:
        if thing.type == "MESH":
            make_active(thing)
            bpy.ops.rigidbody.object_add(type="PASSIVE" if thing.name == "Base" else "ACTIVE")
            thing.rigid_body.mass = 0.001
    make_active(owner)
    assert those.session(owner).outputs.is_closed


def test_a_joint_deleted_while_live_is_named_and_everything_stands_still(undo_step):
    owner = those.add("stewart")
    undo_step("added")
    bpy.ops.limber.live()
    undo_step("live")
    shown = those.shown(owner)
    bpy.data.objects.remove(bpy.data.objects["Leg 3"])
    owner.limber.mechanism.goals[0].target.location.z += 0.02
    those.clock(10)
    assert "'Leg 3' was deleted while it is live" in those.session(owner).problem
    assert those.furthest(shown, those.shown(owner)) < 1e-6
    bpy.ops.limber.end_live()


def test_a_target_that_hangs_on_what_follows_it_is_refused():
    owner = those.add("stewart")
    owner.limber.mechanism.goals[0].target.parent = bpy.data.objects["Platform"]
    bpy.ops.limber.live()
    assert "depends on 'Platform', which follows it" in those.session(owner).problem


def test_bones_with_a_closure_are_a_mechanism():
    rig, closure = boned()
    closure.kind = "revolute"
    kept = rig.limber.mechanism
    rig.data.bones.active = rig.data.bones["crank"]
    bpy.ops.limber.add_motors()
    kept.drive = "MOTORS"
    before = [np.array(bone.matrix) for bone in rig.pose.bones]
    bpy.ops.limber.live()
    kept.motors[0].value = 0.5
    those.settle(rig)
    shown = rig.evaluated_get(those.update()).pose.bones
    assert (shown["coupler"].tail - shown["rocker"].tail).length < 1e-6
    assert (shown["crank"].tail - rig.data.bones["crank"].tail_local).length > 0.02
    moved = {bone.name: np.array(bone.matrix) for bone in shown}
    bpy.ops.limber.end_live()
    bpy.context.view_layer.update()
    assert (
        max(
            np.abs(np.array(bone.matrix) - was).max()
            for bone, was in zip(rig.pose.bones, before, strict=True)
        )
        < 1e-6
    )
    bpy.ops.limber.live()
    bpy.ops.limber.bake()
    bpy.context.scene.frame_set(3)
    for name, was in moved.items():
        assert np.abs(np.array(rig.pose.bones[name].matrix) - was).max() < 1e-4, name


@pytest.mark.parametrize("size", [0.02, 1.0, 50.0])
def test_the_owner_of_a_new_mechanism_is_shown_in_proportion_to_it(size: float):
    pins = four_bar()
    for thing in bpy.data.objects:
        thing.location *= size
    bpy.context.view_layer.update()
    make_active(pins["A"])
    bpy.ops.limber.new_mechanism()
    width = 0.2 * size  # [m] width of the four-bar
    assert 0.1 * width < bpy.context.active_object.empty_display_size < 0.2 * width


def test_joints_of_another_mechanism_are_none_of_an_object_beside_its_collection():
    bpy.ops.limber.add_mechanism()
    lone = bpy.data.objects.new("Lone", None)
    bpy.context.scene.collection.objects.link(lone)
    make_active(lone)
    with pytest.raises(RuntimeError, match="has no joint"):
        bpy.ops.limber.new_mechanism()
    rig = build({"arm": "X"})
    make_active(rig)
    assert bpy.ops.limber.new_mechanism() == {"FINISHED"}
    assert rig.limber.mechanism.use_bones
