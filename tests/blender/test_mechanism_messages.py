"""Tests that impossible properties of a mechanism are named, with the remedy: each sentence of Check, Live
and the buttons is caused once.
"""

import bpy
import pytest
from limber.rig.mechanisms.rest_pose import difference_now

from tests.blender import mechanisms as those
from tests.blender.four_bars import boned, four_bar, owned
from tests.blender.rigs import build, make_active, select
from tests.robots.test_closures import CLOSED, parallelogram


def imported(folder):
    """A robot from a file with closures, but without masses; returns its armature."""
    for name, text in (("robot.urdf", parallelogram()), ("robot.yaml", CLOSED)):
        (folder / name).write_text(text, encoding="utf-8")
    bpy.ops.limber.import_robot(filepath=str(folder / "robot.urdf"))
    rig = bpy.context.active_object
    bpy.ops.limber.import_closures(filepath=str(folder / "robot.yaml"))
    return rig


def says(owner) -> str:
    """Check's sentences, one per line."""
    from limber.rig.authoring.mechanism.check import check

    bpy.context.view_layer.update()
    outcome = check(bpy.context, owner)
    return "\n".join((outcome.sentence, *(finding.sentence for finding in outcome.findings)))


def problem_of(owner) -> str:
    bpy.ops.limber.live()
    return those.session(owner).problem


def test_an_object_without_bones_is_asked_to_have_no_bodies_among_them():
    four_bar()
    owner = owned()
    owner.limber.mechanism.use_bones = True
    assert "has no bones that could be bodies: switch Bones as Bodies off" in says(owner)


@pytest.mark.every_blender
def test_a_mechanism_without_joints_says_what_to_press():
    four_bar()
    owner = owned()
    owner.limber.mechanism.joints.clear()
    assert (
        "has no joints: press Find Joints, or select rigid body constraints or joint empties and press +"
        " under Joints" in says(owner)
    )


@pytest.mark.every_blender
def test_a_closure_of_a_bone_with_itself_or_with_one_that_is_gone_is_named():
    rig, closure = boned()
    closure.second = closure.first
    assert "Closure 'coupler = rocker' joins bone 'coupler' to itself: choose two bones" in says(rig)
    closure.second = "tail"
    assert "its second bone 'tail' is not in armature 'Rig': choose another bone" in says(rig)


@pytest.mark.every_blender
def test_a_closure_needs_two_selected_bones_and_bodies_that_are_bones():
    rig, _ = boned()
    select(rig, "coupler")
    with pytest.raises(
        RuntimeError, match=f"Select the two bones of '{rig.name}' that meet, in Pose Mode: 1 selected now"
    ):
        bpy.ops.limber.add_closure()
    other = build({"coupler": "X"}, name="Other")
    select(other, "coupler")
    select(rig, "coupler")
    bpy.ops.object.mode_set(mode="OBJECT")
    other.select_set(True)
    bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones.active = rig.data.bones["coupler"]
    assert len(bpy.context.selected_pose_bones) == 2
    with pytest.raises(RuntimeError, match="1 selected now"):
        bpy.ops.limber.add_closure()
    rig.limber.mechanism.use_bones = False
    with pytest.raises(
        RuntimeError,
        match="Bodies of this mechanism are objects: join them by rigid body constraints or empties",
    ):
        bpy.ops.limber.add_closure()


def test_a_second_motor_of_a_joint_is_refused():
    four_bar()
    owned()
    with pytest.raises(RuntimeError, match="Joint 'pin A' has a motor already: remove that first"):
        bpy.ops.limber.add_motors()


def test_a_second_motor_of_a_bone_is_refused():
    rig, _ = boned()
    rig.data.bones.active = rig.data.bones["crank"]
    bpy.ops.limber.add_motors()
    with pytest.raises(RuntimeError, match="Bone 'crank' has a motor already: remove that first"):
        bpy.ops.limber.add_motors()


def test_a_bone_and_an_object_of_one_name_are_told_apart_by_renaming_one():
    rig, _ = boned()
    crank = those.box("crank", (0.3, 0.0, 0.0), "ACTIVE")
    pin = those.joint("pin", "revolute", None, crank)
    make_active(rig)
    pin.select_set(True)
    bpy.ops.limber.add_mechanism_joints()
    assert "Bone and object are both named 'crank': give one of them another name" in says(rig)


@pytest.mark.every_blender
def test_motors_that_no_longer_fit_their_joint_say_what_to_press():
    pins = four_bar(those.joint, "revolute")
    owner = owned()
    pins["A"].limber.part.kind = "universal"
    assert (
        "Joint 'pin A' has 2 degrees of freedom, and motors for other ones: remove its motors, then select it"
        " and press + under Motors" in says(owner)
    )
    pins["A"].limber.part.kind = "fixed"
    assert (
        "its joint is fixed and leaves nothing to move: remove the motor, or choose another kind of joint"
        in says(owner)
    )
    pins["A"].limber.part.kind = "NONE"
    assert "Motor 'pin A' has no joint any more: remove the motor, or bring the joint back" in says(owner)


@pytest.mark.every_blender
def test_a_motor_on_an_axis_that_its_joint_no_longer_has_is_named():
    pins = four_bar(those.joint, "revolute")
    pins["A"].limber.part.kind = "spherical"
    owner = owned()
    pins["A"].limber.part.kind = "revolute"
    assert "about which the joint does not move: remove the motor, and add it again" in says(owner)


def test_check_says_where_no_motor_is_and_where_motors_follow_from_others():
    four_bar()
    owner = owned()
    owner.limber.mechanism.motors.clear()
    assert "There is no motor: select a joint and press + under Motors" in says(owner)
    assert "1 degree of freedom is left with the motors held (of" in says(owner)
    for pin in ("pin A", "pin D"):
        make_active(bpy.data.objects[pin])
        bpy.ops.limber.add_motors()
    assert "1 of 2 motors follows from the others: they work, but must agree on the robot" in says(owner)


@pytest.mark.every_blender
def test_goals_name_what_they_lack():
    owner = those.add("stewart")
    goal = owner.limber.mechanism.goals[0]
    body, stranger = goal.body, those.box("stranger")
    goal.body = stranger
    assert (
        f"Goal '{goal.name}': 'stranger' is no body of the mechanism and on none: choose one that has a joint"
        in problem_of(owner)
    )
    goal.body = None
    those.clock()
    assert (
        f"Goal '{goal.name}' has no body: choose the body that is to follow" in those.session(owner).problem
    )
    goal.body, goal.bone = body, "nose"
    those.clock()
    assert (
        f"Goal '{goal.name}': bone 'nose' is no body of the mechanism: choose another one"
        in those.session(owner).problem
    )
    goal.bone = ""
    those.clock()
    assert those.session(owner).problem == ""


@pytest.mark.every_blender
def test_a_centre_of_mass_of_a_robot_whose_file_tells_no_mass_is_refused(tmp_path):
    rig = imported(tmp_path)
    rig.limber.mechanism.drive = "TARGETS"
    goal = rig.limber.mechanism.goals.add()
    goal.does, goal.target = "CENTRE", those.box("there")
    assert (
        "no body has a mass: give bodies meshes, or select them and set Mass From to Own in the Mechanism"
        " panel, or choose another goal" in problem_of(rig)
    )


def test_a_robot_of_a_file_with_closures_is_not_to_be_scaled(tmp_path):
    rig = imported(tmp_path)
    rig.scale = (2.0, 2.0, 2.0)
    assert "is scaled, and its robot's file has lengths in metres: clear the scale (Alt S)" in says(rig)


def test_a_motor_that_is_given_a_joint_of_no_mechanism_while_live_is_named():
    owner = those.add("four_bar")
    bpy.ops.limber.live()
    owner.limber.mechanism.motors[0].joint = those.box("stranger")
    those.clock()
    assert (
        "has no joint any more: press End Live, and remove the motor or bring the joint back"
        in those.session(owner).problem
    )


@pytest.mark.every_blender
def test_a_motor_whose_limits_are_exchanged_is_named_with_both():
    owner = those.add("four_bar")
    motor = owner.limber.mechanism.motors[0]
    motor.lower, motor.upper = 0.5, -0.5
    assert "its lower limit 29 degrees is above its upper limit -29 degrees: exchange them" in says(owner)


@pytest.mark.parametrize("kind", ["four_bar", "stewart", "neck"])
def test_a_body_on_which_a_live_mechanism_is_mounted_is_named_when_it_is_deleted(kind):
    owner = those.add(kind)
    bpy.ops.limber.live()
    base = those.session(owner).reading.base_part
    bpy.data.objects.remove(bpy.data.objects[base.object_name])
    those.clock()
    assert (
        f"'{base.object_name}' was deleted while it is live, so it does not move: undo that, or press"
        " End Live" in those.session(owner).problem
    )


@pytest.mark.every_blender
def test_a_joint_that_meets_an_object_elsewhere_is_named():
    pins = four_bar(those.joint, "revolute")
    beside = bpy.data.objects.new("beside", None)
    beside.matrix_world = pins["C"].matrix_basis
    bpy.context.scene.collection.objects.link(beside)
    owner = owned()
    pins["C"].limber.part.meets = beside
    assert (
        "'beside' is not in the rest pose of mechanism 'Mechanism', which is older: press Set Rest Pose"
        in says(owner)
    )
    those.set_rest_pose(owner)
    assert "Joint 'pin C' is to meet 'beside', which is not on body 'rocker': parent it to that" in says(
        owner
    )


def test_a_mechanism_that_cannot_follow_from_the_start_stays_where_it_is_authored():
    owner = those.add("stewart")
    before = those.shown(owner)
    owner.limber.mechanism.goals[0].target = None
    bpy.ops.limber.live()
    those.clock(3)
    assert "has no target" in those.session(owner).problem
    assert those.furthest(before, those.shown(owner)) < 1e-5


@pytest.mark.parametrize("scale", [(2.0, 2.0, 2.0), (-1.0, 1.0, 1.0)])
def test_a_mechanism_that_was_scaled_is_told_which_scale_to_clear(scale):
    owner = those.add("delta")
    bpy.ops.limber.live()
    session = those.session(owner)
    assert "scaled" not in session.remark
    owner.scale = scale
    bpy.context.scene.frame_set(2)
    assert (
        "'Base' was scaled since live began, and a mechanism keeps its lengths: clear the scale"
        in session.remark
    )
    owner.scale = (1.0, 1.0, 1.0)
    bpy.context.scene.frame_set(3)
    assert "scaled" not in session.remark
    bpy.ops.limber.end_live()
    assert difference_now(owner) == ""
    owner.scale = scale
    bpy.context.view_layer.update()
    assert f"'{owner.name}' is scaled: if that is new, clear its scale first (Alt S)" in difference_now(owner)
