"""A mechanism's motors are at zero in its sketch, at whatever frame it is read, however its bodies are keyed."""

from math import atan2, degrees, radians

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.blender import mechanisms as those
from tests.blender.four_bars import PLACES, boned, four_bar, owned
from tests.blender.rigs import build, make_active

BODIES = ("crank", "coupler", "rocker")
CLOSED = 2e-6  # [m] what single precision leaves of a joint that holds
NEAR = 2e-5  # [rad] keys in single precision
SAYS = "press Set Zero at the frame of the sketch"


def sketched(make=those.joint, kind: str = "revolute"):
    """A four-bar with a motor, not live; returns its owner."""
    four_bar(make, kind, bodies="" if make is those.joint else "ACTIVE")
    owner = owned()
    kept = owner.limber.mechanism
    kept.drive, kept.frame_start, kept.frame_end = "MOTORS", 1, 25
    motor = kept.motors[0]
    motor.velocity, motor.acceleration, motor.jerk = 20.0, 400.0, 1e5
    if world := bpy.context.scene.rigidbody_world:
        world.enabled = False
    return owner


def key_motor(owner, *keys: tuple[int, float]) -> None:
    for frame, value in keys:
        owner.limber.mechanism.motors[0].value = value
        owner.keyframe_insert("limber.mechanism.motors[0].value", frame=frame)


def bake(owner) -> None:
    make_active(owner)
    bpy.ops.limber.bake_mechanism()


def baked(owner=None):
    """A four-bar whose crank was baked from the sketch to 60 degrees; returns its owner."""
    owner = owner or sketched()
    key_motor(owner, (1, 0.0), (25, radians(60.0)))
    bpy.context.scene.frame_set(1)
    bake(owner)
    return owner


def go_live(owner, frame: int) -> None:
    bpy.context.scene.frame_set(frame)
    make_active(owner)
    bpy.ops.limber.mechanism_live()


def angle(name: str = "crank") -> float:
    """[rad] of a body about the Y axis, as it is shown."""
    shown = those.world(bpy.data.objects[name])
    return atan2(shown[0, 2], shown[0, 0])


def gap() -> float:
    """[m] how far the pins between shown bodies are open."""
    ends = {"B": ("crank", "coupler"), "C": ("coupler", "rocker")}
    start = {"crank": "A", "coupler": "B", "rocker": "D"}
    worst = 0.0
    for pin, pair in ends.items():
        at = [(those.world(bpy.data.objects[name]) @ (*np.subtract(PLACES[pin], PLACES[start[name]]), 1.0))[:3] for name in pair]
        worst = max(worst, float(np.linalg.norm(at[0] - at[1])))
    return worst


def said(owner) -> str:
    from limber.rig.mechanism.check import check

    those.update()
    return "\n".join(finding.sentence for finding in check(bpy.context, owner).findings)


@pytest.mark.parametrize("make", [(those.joint, "revolute"), (those.constraint, "HINGE")], ids=["empties", "rigid bodies"])
@pytest.mark.parametrize("frame", [1, 13, 25])
def test_a_motor_says_the_same_of_the_same_pose_at_whatever_frame_live_is_pressed(make, frame):
    owner = baked(sketched(*make))
    bpy.context.scene.frame_set(frame)
    value, was = owner.limber.mechanism.motors[0].value, angle()
    assert value == pytest.approx(was, abs=NEAR)
    go_live(owner, frame)
    assert those.session(owner).outputs.values[0] == pytest.approx(value, abs=NEAR)
    assert angle() == pytest.approx(was, abs=NEAR), "it shows the right place at once"
    assert gap() < CLOSED
    bpy.context.scene.frame_set(20)
    assert angle() == pytest.approx(owner.limber.mechanism.motors[0].value, abs=NEAR)


def follow(owner):
    """Lets the crank follow a target's turn about the Y axis; returns the target."""
    kept = owner.limber.mechanism
    kept.drive = "TARGETS"
    goal = kept.goals.add()
    goal.does, goal.body, goal.target = "ORIENTATION", bpy.data.objects["crank"], those.box("wanted")
    return goal.target


def test_motion_that_is_baked_again_from_any_frame_is_the_same_motion():
    owner, scene = sketched(), bpy.context.scene
    target = follow(owner)
    for frame, turn in ((1, 0.0), (25, radians(60.0))):
        target.rotation_euler.y = turn
        target.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(1)
    bake(owner)

    def motion() -> list:
        found = []
        for frame in range(1, 26, 4):
            scene.frame_set(frame)
            found.append({name: those.world(bpy.data.objects[name]) for name in BODIES})
        return found

    first = motion()
    for frame in (25, 13):
        scene.frame_set(frame)
        bake(owner)
        assert max(those.furthest(one, other) for one, other in zip(first, motion(), strict=True)) < 1e-4
        assert angle() == pytest.approx(owner.limber.mechanism.motors[0].value, abs=NEAR)
    assert degrees(angle()) == pytest.approx(60.0, abs=5.0)


def test_limits_hold_from_the_sketch_on_at_whatever_frame_live_is_pressed():
    owner = baked()
    kept = owner.limber.mechanism
    kept.motors[0].lower, kept.motors[0].upper = radians(-80.0), radians(80.0)
    follow(owner).rotation_euler.y = radians(120.0)
    go_live(owner, 25)
    those.settle(owner)
    assert degrees(angle()) == pytest.approx(80.0, abs=0.01)


@pytest.mark.parametrize("drive", ["MOTORS", "TARGETS"])
def test_whole_turns_that_were_baked_are_counted_at_whatever_frame_live_is_pressed(drive):
    owner = those.add("four_bar")
    kept = owner.limber.mechanism
    kept.frame_start, kept.frame_end = 1, 49
    motor = kept.motors[0]
    motor.velocity, motor.acceleration, motor.jerk = 50.0, 5000.0, 1e6
    key_motor(owner, (1, 0.0), (49, radians(-800.0)))
    bpy.context.scene.frame_set(1)
    bake(owner)
    kept.drive = drive
    for frame in (49, 25):
        bpy.context.scene.frame_set(frame)
        told = motor.value
        assert told < -3.5
        go_live(owner, frame)
        assert those.session(owner).outputs.values[0] == pytest.approx(told, abs=1e-4)
        bpy.ops.limber.end_mechanism_live()


def test_a_sketch_without_keys_is_edited_as_ever_and_its_zero_follows():
    owner = sketched()
    go_live(owner, 1)
    bpy.ops.limber.end_mechanism_live()
    rocker, pin = bpy.data.objects["rocker"], bpy.data.objects["pin D"]
    rocker.location.x = pin.location.x = 0.22
    those.update()
    go_live(owner, 7)
    assert those.session(owner).outputs.values == (0.0,)
    assert those.world(rocker)[0, 3] == pytest.approx(0.22, abs=1e-6)
    assert SAYS not in said(owner)


def test_what_was_kept_goes_through_saving_and_renaming(reopen):
    owner = baked()
    for name in (*BODIES, "ground", "pin A", "pin C"):
        bpy.data.objects[name].name = f"my {name}"
    bpy.context.scene.frame_set(25)
    name = owner.name
    reopen()
    owner = bpy.data.objects[name]
    go_live(owner, 25)
    assert degrees(those.session(owner).outputs.values[0]) == pytest.approx(60.0, abs=0.01)
    assert degrees(angle("my crank")) == pytest.approx(60.0, abs=0.01)
    assert SAYS not in said(owner)


def test_a_copy_of_the_whole_has_the_same_zero():
    owner = baked()
    bpy.context.scene.frame_set(25)
    for thing in [
        owner,
        *(bpy.data.objects[name] for name in (*BODIES, "ground")),
        *map(bpy.data.objects.get, [f"pin {k}" for k in "ABCD"]),
    ]:
        thing.select_set(True)
    bpy.ops.object.duplicate()
    copy = next(thing for thing in bpy.context.selected_objects if thing.limber.mechanism.uid)
    assert copy != owner
    for each in (copy, owner):
        go_live(each, 25)
        assert degrees(those.session(each).outputs.values[0]) == pytest.approx(60.0, abs=0.01)
        bpy.ops.limber.end_mechanism_live()


def test_undo_of_a_bake_takes_back_what_it_kept(undo_step):
    owner = sketched()
    undo_step("made")
    name = owner.name
    before = bpy.data.objects["crank"].limber.part.zero
    key_motor(owner, (1, 0.3), (25, 0.9))
    undo_step("keyed")
    bake(owner)
    assert bpy.data.objects["crank"].limber.part.zero != before
    undo_step("baked")
    bpy.ops.ed.undo()
    assert bpy.data.objects["crank"].limber.part.zero == before
    go_live(bpy.data.objects[name], 25)
    assert those.session(bpy.data.objects[name]).outputs.values[0] == pytest.approx(0.9, abs=NEAR)


def test_a_ground_that_is_keyed_takes_everything_along_and_nothing_else_changes():
    owner = sketched()
    ground = bpy.data.objects["ground"]
    ground.keyframe_insert("location", frame=1)
    ground.location = (1.0, 0.5, 0.2)
    ground.keyframe_insert("location", frame=25)
    go_live(owner, 25)
    assert those.session(owner).problem == ""
    assert those.session(owner).outputs.values[0] == pytest.approx(0.0, abs=NEAR)
    assert np.abs(those.world(bpy.data.objects["rocker"])[:3, 3] - (1.2, 0.5, 0.2)).max() < 1e-5
    assert gap() < CLOSED


@pytest.mark.parametrize("is_before", [True, False])
def test_joints_on_a_driven_body_with_keys_are_where_the_sketch_has_them(is_before):
    def key() -> None:
        rocker.keyframe_insert("rotation_euler", frame=1)
        rocker.rotation_euler.y = -0.2
        rocker.keyframe_insert("rotation_euler", frame=25)
        bpy.context.scene.frame_set(1)

    four_bar(those.joint, "revolute", bodies="")
    rocker = bpy.data.objects["rocker"]
    rocker.limber.part.role = "DRIVEN"
    if is_before:
        key()
    owner = owned()
    if not is_before:
        key()
    go_live(owner, 25)
    assert gap() < CLOSED
    at_once = angle()
    assert angle("rocker") == pytest.approx(-0.2, abs=NEAR)
    bpy.context.scene.frame_set(1)
    assert abs(angle()) < 1e-4, "the sketch is a pose of it"
    for frame in range(2, 26):
        bpy.context.scene.frame_set(frame)
    those.settle(owner)
    assert angle() == pytest.approx(at_once, abs=1e-3)
    assert SAYS not in said(owner)


def test_bodies_that_were_keyed_by_hand_where_joints_do_not_hold_begin_at_the_sketch():
    owner = sketched()
    coupler = bpy.data.objects["coupler"]
    coupler.keyframe_insert("location", frame=1)
    coupler.location.x += 0.03
    coupler.keyframe_insert("location", frame=25)
    owner.limber.mechanism.motors[0].value = 0.4
    go_live(owner, 25)
    assert angle() == pytest.approx(0.4, abs=NEAR)
    assert gap() < CLOSED


def test_bodies_that_were_keyed_by_hand_near_another_assembly_begin_in_that_of_the_sketch():
    owner = sketched()
    for name, turn in (("coupler", 1.3), ("rocker", -2.0)):  # beyond the line through their outer pins
        thing = bpy.data.objects[name]
        thing.keyframe_insert("rotation_euler", frame=1)
        thing.rotation_euler.y = turn
        thing.keyframe_insert("rotation_euler", frame=25)
    go_live(owner, 25)
    assert abs(angle("rocker")) < 1e-3


def test_a_body_on_a_bone_is_where_it_was_moved_to_by_hand_before_the_bone_was_keyed():
    four_bar(those.joint, "revolute", bodies="")
    rocker, pin, rig = bpy.data.objects["rocker"], bpy.data.objects["pin D"], build({"neck": "X"})
    rig.location = (0.3, 0.2, 0.1)
    those.update()
    world = rocker.matrix_world.copy()
    rocker.parent, rocker.parent_type, rocker.parent_bone = rig, "BONE", "neck"
    those.update()
    rocker.matrix_world = world
    rocker.limber.part.role = "DRIVEN"
    owner = owned()
    rocker.matrix_world = Matrix.Translation((0.02, 0.0, 0.0)) @ world
    pin.location.x += 0.02
    bone = rig.pose.bones["neck"]
    bone.rotation_mode = "XYZ"
    for frame, turn in ((1, 0.0), (25, 0.1)):
        bone.rotation_euler.x = turn
        bone.keyframe_insert("rotation_euler", frame=frame)
    go_live(owner, 25)
    joint = those.session(owner).reading.mechanism.joint["pin D"]
    assert np.abs(joint.in_child.place).max() < 1e-6
    assert SAYS not in said(owner)


def test_a_sketch_that_was_edited_before_it_was_keyed_is_not_what_was_kept():
    owner = sketched()
    for name in ("rocker", "pin D"):
        bpy.data.objects[name].location.x = 0.22
    rocker = bpy.data.objects["rocker"]
    rocker.keyframe_insert("location", frame=1)
    those.update()
    assert "where 'rocker' is in the sketch" in said(owner)
    go_live(owner, 1)
    assert those.world(rocker)[0, 3] == pytest.approx(0.22, abs=1e-6)
    assert those.session(owner).outputs.values[0] == pytest.approx(0.0, abs=NEAR)


def test_a_body_that_lost_its_keys_somewhere_else_is_not_taken_for_sketched_there():
    owner = baked()
    bpy.context.scene.frame_set(25)
    bpy.data.objects["coupler"].animation_data_clear()
    assert "where 'coupler' is in the sketch" in said(owner)
    go_live(owner, 25)
    assert gap() < CLOSED


def test_a_mechanism_whose_owner_is_keyed_has_the_zero_of_its_sketch():
    owner = those.add("four_bar", place=(0.0, 0.0, 0.0))
    kept = owner.limber.mechanism
    kept.frame_start, kept.frame_end = 1, 25
    key_motor(owner, (1, 0.0), (25, 1.0))
    for frame, place in ((1, 0.0), (25, 1.0)):
        owner.location, owner.rotation_euler.z = (place, place, 0.0), place
        owner.keyframe_insert("location", frame=frame)
        owner.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    bake(owner)
    bpy.context.scene.frame_set(25)
    poses, value = those.shown(owner), kept.motors[0].value
    go_live(owner, 25)
    assert those.session(owner).outputs.values[0] == pytest.approx(value, abs=NEAR)
    assert those.furthest(poses, those.shown(owner)) < 1e-4
    assert SAYS not in said(owner)


def test_an_override_of_a_baked_mechanism_has_its_zero(tmp_path):
    owner = baked(those.add("four_bar", place=(0.0, 0.0, 0.0)))
    kept = owner.limber.mechanism
    bpy.context.scene.frame_set(25)
    value, name = kept.motors[0].value, kept.collection.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.collections = [name]
    linked = wanted.collections[0]
    bpy.context.scene.collection.children.link(linked)
    made = linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    copy = next(thing for thing in made.all_objects if thing.limber.mechanism.uid)
    go_live(copy, 25)
    assert those.session(copy).outputs.values[0] == pytest.approx(value, abs=NEAR)
    bpy.ops.limber.end_mechanism_live()
    bpy.ops.limber.set_mechanism_zero()
    path = tmp_path / "override.blend"
    name = copy.name
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    copy = next(thing for thing in bpy.data.objects if thing.override_library and thing.name == name)
    copy.limber.mechanism.drive = "TARGETS"
    go_live(copy, 1)
    assert those.session(copy).outputs.values[0] == pytest.approx(-value, abs=1e-3), "its own zero was saved with the override"


@pytest.mark.parametrize("is_parented", [True, False])
def test_joints_on_baked_bodies_hold_wherever_their_empties_hang(is_parented):
    owner = sketched()
    if is_parented:
        for pin, body in (("A", "crank"), ("B", "crank"), ("C", "coupler"), ("D", "ground")):
            thing, above = bpy.data.objects[f"pin {pin}"], bpy.data.objects[body]
            thing.parent, thing.matrix_parent_inverse = above, above.matrix_world.inverted()
        those.update()
    baked(owner)
    go_live(owner, 25)
    assert degrees(those.session(owner).outputs.values[0]) == pytest.approx(60.0, abs=0.01)
    assert gap() < CLOSED


def test_a_joint_on_a_baked_body_may_still_be_moved_on_it():
    owner = sketched()
    pin, coupler = bpy.data.objects["pin C"], bpy.data.objects["coupler"]
    pin.parent, pin.matrix_parent_inverse = coupler, coupler.matrix_world.inverted()
    those.update()
    baked(owner)
    bpy.context.scene.frame_set(1)
    pin.location.z += 0.01
    those.update()
    go_live(owner, 1)
    joint = those.session(owner).reading.mechanism.joint["pin C"]
    assert np.abs(np.subtract(joint.in_parent.place, (0.17, 0.0, 0.1))).max() < 1e-5


def test_a_joint_without_keys_may_still_be_moved_while_bodies_have_them():
    owner = baked()
    bpy.context.scene.frame_set(25)
    bpy.data.objects["pin D"].location.y += 0.01  # along its axis
    those.update()
    assert SAYS not in said(owner)
    go_live(owner, 25)
    assert those.session(owner).reading.mechanism.joint["pin D"].in_parent.place[1] == pytest.approx(0.01, abs=1e-6)
    assert degrees(those.session(owner).outputs.values[0]) == pytest.approx(60.0, abs=0.01)


@pytest.mark.parametrize("moved", [("ground",), ("ground", "pin A", "pin D")], ids=["alone", "with its joints"])
def test_a_ground_that_is_moved_under_keyed_bodies_leaves_their_lengths_and_zero_alone(moved):
    owner = baked()
    bpy.context.scene.frame_set(25)
    for name in moved:
        bpy.data.objects[name].location.x += 1.0
    those.update()
    go_live(owner, 25)
    assert gap() < CLOSED
    assert degrees(those.session(owner).outputs.values[0]) == pytest.approx(60.0, abs=0.01)
    assert degrees(angle()) == pytest.approx(60.0, abs=0.01)
    rocker = those.world(bpy.data.objects["rocker"])[0, 3]
    assert rocker == pytest.approx(0.2 if len(moved) == 1 else 1.2, abs=1e-5)


def test_a_mechanism_that_was_saved_live_at_a_keyed_frame_goes_on_with_the_same_zero(reopen):
    owner = baked()
    go_live(owner, 25)
    value, name = those.session(owner).outputs.values[0], owner.name
    shown = {body: those.world(bpy.data.objects[body]) for body in BODIES}
    reopen()
    owner = bpy.data.objects[name]
    assert owner.limber.mechanism.live
    assert those.session(owner).outputs.values[0] == pytest.approx(value, abs=1e-6)
    assert those.furthest(shown, {body: those.world(bpy.data.objects[body]) for body in BODIES}) < 1e-5


def test_set_zero_takes_the_pose_of_this_frame(undo_step):
    owner = baked()
    name = owner.name
    undo_step("baked")
    bpy.context.scene.frame_set(25)
    bpy.ops.limber.set_mechanism_zero()
    undo_step("set")
    owner.animation_data_clear()
    owner.limber.mechanism.drive = "TARGETS"
    for frame, expected in ((25, 0.0), (1, -60.0)):
        go_live(owner, frame)
        assert degrees(those.session(owner).outputs.values[0]) == pytest.approx(expected, abs=0.01)
        bpy.ops.limber.end_mechanism_live()
    bpy.ops.ed.undo()
    owner = bpy.data.objects[name]
    go_live(owner, 25)
    assert degrees(those.session(owner).outputs.values[0]) == pytest.approx(60.0, abs=0.01)


def test_set_zero_is_greyed_out_while_live_and_where_bodies_are_bones():
    owner = sketched()
    go_live(owner, 1)
    with pytest.raises(RuntimeError, match="press End Live first"):
        bpy.ops.limber.set_mechanism_zero()
    bpy.ops.limber.end_mechanism_live()
    rig, _ = boned()
    make_active(rig)
    with pytest.raises(RuntimeError, match="at zero in the armature's rest pose"):
        bpy.ops.limber.set_mechanism_zero()


def test_check_live_and_bake_say_that_a_keyed_mechanism_has_no_zero_of_its_own(capfd):
    owner = baked()
    for thing in bpy.data.objects:
        thing.limber.part.zero = ""  # as in a file of before
    assert SAYS in said(owner)
    bpy.context.scene.frame_set(25)
    make_active(owner)
    capfd.readouterr()
    bpy.ops.limber.mechanism_live()
    assert SAYS in capfd.readouterr().out
    bpy.ops.limber.end_mechanism_live()
    assert SAYS in said(owner), "going live does not make any frame's pose the zero"
    bpy.context.scene.frame_set(1)
    bpy.ops.limber.set_mechanism_zero()
    assert SAYS not in said(owner)
    go_live(owner, 25)
    assert degrees(those.session(owner).outputs.values[0]) == pytest.approx(60.0, abs=0.01)


def test_ready_mechanisms_say_nothing_of_zeros_before_and_after_a_bake():
    for kind in ("neck", "stewart"):
        owner = those.add(kind)
        kept = owner.limber.mechanism
        target = kept.goals[0].target
        target.keyframe_insert("rotation_euler", frame=1)
        target.rotation_euler = (0.1, 0.1, 0.2)
        target.keyframe_insert("rotation_euler", frame=10)
        kept.frame_start, kept.frame_end = 1, 40
        assert SAYS not in said(owner)
        bpy.context.scene.frame_set(1)
        bake(owner)
        bpy.context.scene.frame_set(40)
        keyed, poses = [motor.value for motor in kept.motors], those.shown(owner)
        assert max(map(abs, keyed)) > 0.005
        go_live(owner, 40)
        assert those.furthest(poses, those.shown(owner)) < 1e-3
        assert np.abs(np.subtract(those.session(owner).outputs.values, keyed)).max() < 1e-3
        assert SAYS not in said(owner)
        bpy.ops.limber.end_mechanism_live()


def test_bones_are_at_zero_in_the_rest_pose_at_every_frame():
    rig, closure = boned()
    closure.kind = "revolute"
    kept = rig.limber.mechanism
    rig.data.bones.active = rig.data.bones["crank"]
    bpy.ops.limber.add_motors()
    kept.drive, kept.frame_start, kept.frame_end = "MOTORS", 1, 10
    key_motor(rig, (1, 0.0), (10, 0.5))
    bpy.context.scene.frame_set(1)
    bake(rig)
    bpy.context.scene.frame_set(10)
    value = kept.motors[0].value
    assert value > 0.3
    go_live(rig, 10)
    assert those.session(rig).outputs.values[0] == pytest.approx(value, abs=NEAR)
