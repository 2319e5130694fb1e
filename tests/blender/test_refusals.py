"""Tests that buttons that cannot do their work name the fault and the remedy: each sentence is caused
once.
"""

import bpy
import pytest
from limber.operators.robot.scan import LIMBER_OT_change_servo
from limber.operators.subject import rig_of

from tests.blender.checking import refuses_live, sentences
from tests.blender.figures import XSENS, figure
from tests.blender.four_bars import four_bar, owned
from tests.blender.modal import Window, step_by_step
from tests.blender.posing import stored
from tests.blender.rigs import build, looking_chain, make_active, target
from tests.blender.robots import arm, connect, on_bus, robot_rig
from tests.blender.shown import go_live, session, settle
from tests.blender.test_retarget_trouble import follower, problem


def said(chain) -> str:
    return "\n".join(sentences(chain.id_data, chain))


def refused(words: str, operator: str, **options) -> None:
    with pytest.raises(RuntimeError, match=words):
        getattr(bpy.ops.limber, operator)(**options)


@pytest.fixture
def chain():
    return looking_chain()[1]


def test_what_has_no_bones_gets_no_coupled_limits_and_is_named():
    four_bar()
    owner = owned()
    make_active(owner)
    for operator in ("add_coupled_limit", "add_coupled_joint"):
        refused(
            f"'{owner.name}' is no armature, so it has no bones: click the armature of a character or robot",
            operator,
        )


# --- bones and joints


@pytest.mark.every_blender
def test_a_bone_that_is_moved_along_its_parents_axes_is_named(rig, chain):
    bone = rig.pose.bones["middle"]
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["middle"].use_connect = False
    bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones["middle"].use_local_location = False
    bone.location = (0.0, 0.05, 0.0)
    words = (
        "Bone 'middle' is moved along other axes than its own: switch on Local Location in the bone's"
        " Relations"
    )
    assert words in said(chain)
    refuses_live(words)


@pytest.mark.every_blender
def test_a_bone_that_may_slide_without_a_joint_is_named(rig, chain):
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["middle"].use_connect = False
    bpy.ops.object.mode_set(mode="POSE")
    held = rig.pose.bones["middle"].constraints.new("LIMIT_LOCATION")
    held.owner_space = "LOCAL"
    held.use_min_y = held.use_max_y = True
    held.max_y = 0.1
    rig.pose.bones["middle"].lock_location = (True, False, True)
    assert (
        "Bone 'middle' can move along Y without a joint: lock its location there, or press Match Joints"
        in said(chain)
    )


def test_a_joint_that_is_there_twice_is_named(rig, chain):
    again = chain.joints.add()
    again.bone, again.axis = chain.joints[2].bone, chain.joints[2].axis
    refuses_live("is there twice: remove one of the two")


@pytest.mark.every_blender
def test_a_bone_that_is_connected_cannot_slide_and_is_named(rig, chain):
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["middle"].use_connect = True
    bpy.ops.object.mode_set(mode="POSE")
    next(joint for joint in chain.joints if joint.bone == "middle").axis = "LINEAR_Y"
    refuses_live(
        "Bone 'middle' is connected to its parent, so it cannot move along an axis: disconnect it in Edit"
        " Mode (Alt P)"
    )


@pytest.mark.every_blender
def test_a_scaled_parent_that_not_all_bones_inherit_is_named():
    rig = build({"stand": "", "neck": "XYZ", "head": "XZ"})
    rig.data.bones["head"].inherit_scale = "NONE"
    rig, chain = looking_chain(rig, "neck", "head")
    rig.pose.bones["stand"].scale = (2.0, 2.0, 2.0)
    bpy.ops.limber.live()
    assert (
        session(rig, chain).problem
        == "A parent of bone 'neck' is scaled, and not all bones of chain 'head' inherit it: clear it"
    )


# --- postures


def test_a_posture_is_taken_once_and_must_be_a_pose_asset(rig, chain):
    first = stored(rig, "First")
    refused(
        "Posture 'First' is in the list of chain 'head' already: select it there",
        "add_posture",
        name=first.name,
    )
    refused(
        "'Nobody' is no pose asset of this file: make one in the pose library, or press Store Posture",
        "add_posture",
        name="Nobody",
    )


def test_a_posture_at_the_end_of_the_list_stays_and_it_is_said(rig, chain, capfd):
    stored(rig, "Only")
    assert bpy.ops.limber.move_posture(direction="UP") == {"CANCELLED"}
    assert bpy.ops.limber.move_posture(direction="DOWN") == {"CANCELLED"}
    told = capfd.readouterr().out
    assert "The posture is the first in the list already" in told
    assert "The posture is the last in the list already" in told


# --- the table of solvers


@pytest.mark.every_blender
def test_a_column_that_is_not_in_the_table_is_answered_with_those_that_are(rig, chain):
    bpy.ops.limber.compare_solvers()
    refused("There is no column 'beauty': choose one of name, ", "sort_comparison", column="beauty")


# --- retarget


def test_a_source_that_is_no_armature_or_has_no_pose_is_named():
    rig = figure(XSENS, "Body")
    rig.limber.retarget.source = target()
    refused("Source 'Target' is no armature: choose one", "pair_bones")


@pytest.mark.every_blender
def test_pairs_of_two_trees_are_named():
    rig, _ = follower(is_live=False)
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["Head"].parent = None
    bpy.ops.object.mode_set(mode="OBJECT")
    for pair in rig.limber.retarget.pairs:
        pair.calibrated = True
    refused("have no common ancestor: remove the pairs of one of the trees", "live")


@pytest.mark.every_blender
def test_a_body_that_follows_is_not_calibrated_from_its_pose():
    rig, _ = follower()
    rig.limber.retarget.calibrate_from = "POSE"
    refused("While it follows, the target does not show its own pose: press End Live", "calibrate_pairs")
    refused("Body of 'Body' is live already: press End Live to leave", "live")
    bpy.ops.limber.end_live()
    refused("Body of 'Body' is not live: press Start Live to follow", "end_live")


@pytest.mark.every_blender
def test_a_pair_that_is_switched_off_while_the_body_is_baked_ends_the_bake_and_is_named(monkeypatch):
    from limber.operators.output.bake import LIMBER_OT_bake

    rig, _ = follower()
    window = step_by_step(monkeypatch, LIMBER_OT_bake, everything=False)
    window.start()
    window.send("TIMER")
    window.send("TIMER")
    for pair in rig.limber.retarget.pairs:
        pair.enabled = pair.target in {"Pelvis", "T8"}
    while window.send("TIMER") == {"RUNNING_MODAL"}:
        pass
    assert window.reports[-1][0] == "ERROR"
    assert "does not move any more as it did in the frames before" in window.reports[-1][1]


@pytest.mark.every_blender
def test_a_body_all_of_whose_axes_are_locked_has_no_joint_and_is_told():
    rig, _ = follower(is_live=False)
    for bone in rig.pose.bones:
        bone.lock_rotation = (True, True, True)
    bpy.ops.limber.live()
    assert "No joint moves any of the paired bones against" in problem()
    assert "unlock their rotation axes, or pair other bones" in problem()


@pytest.mark.every_blender
def test_bones_that_are_all_at_one_place_tell_no_size():
    rig, source = follower(is_live=False)
    make_active(source)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in source.data.edit_bones:
        bone.use_connect = False
    for bone in source.data.edit_bones:
        bone.head, bone.tail = (0.0, 0.0, 0.0), (0.0, 0.0, 0.1)
    bpy.ops.object.mode_set(mode="OBJECT")
    make_active(rig)
    refused(
        "The paired bones of one body are all at one position, so its size is unknown: pair other bones",
        "calibrate_pairs",
    )


# --- the robot's buttons


@pytest.mark.every_blender
def test_buttons_that_lack_a_choice_ask_for_it(rig, chain):
    refused("No port is named: give one, such as virtual or /dev/ttyUSB0", "choose_port")
    refused("No baud rate is named: choose 115200.*, or type one", "choose_baudrate")
    refused(
        "Protocol '' on port 'COM3' is nothing that a scan finds: take a row of its list",
        "use_found",
        port="COM3",
    )
    rig.limber.device.port = ""
    refused(
        "No port is chosen: choose one in the panel, or All Serial Ports",
        "scan",
        where="DEVICE",
        protocols={"dynamixel"},
    )
    refused("No scan is going on", "cancel_scan")
    refused(
        "'bpy.data.nothing' names no property of this file: right-click one",
        "add_auxiliary",
        path="bpy.data.nothing",
    )


@pytest.mark.every_blender
def test_a_property_that_is_no_number_is_named(rig, chain):
    refused(
        "'location' of 'Rig' is no number: choose a single one, as location",
        "add_auxiliary",
        path='bpy.data.objects["Rig"].location',
    )


@pytest.mark.every_blender
def test_a_chain_without_joints_is_given_no_servo(rig, chain):
    chain.joints.clear()
    refused("Chain 'head' has no joint: press Match Joints", "assign_servo", servo=3)


@pytest.mark.every_blender
def test_every_joint_of_a_servo_is_there_once(rig, chain):
    bpy.ops.limber.add_channel()
    for _ in range(len(chain.joints) - len(rig.limber.device.channels[0].shares)):
        bpy.ops.limber.add_share()
    refused("Every joint drives this servo already", "add_share")


def test_limits_that_are_exchanged_keep_the_robot_from_being_connected(rig, chain):
    chain.joints[1].lower, chain.joints[1].upper = 0.5, -0.5
    refused("its smallest value is above its largest: exchange Min and Max", "connect")


@pytest.mark.parametrize(
    ("field", "said"),
    [("lower", "Min is nan"), ("upper", "Max is nan"), ("jerk", "its jerk limit must be above 0")],
)
def test_a_limit_that_is_no_number_is_refused_by_its_joint_and_field_wherever_it_is_used(
    rig, chain, field, said
):
    joint = chain.joints[1]
    setattr(joint, field, float("nan"))
    refused(f"Joint {joint.label}: {said}", "connect")
    refused(f"Joint {joint.label}: {said}", "live")
    assert any(sentence.startswith(f"Joint {joint.label}: {said}") for sentence in sentences(rig, chain))


def test_check_names_a_limit_that_is_infinite(rig, chain):
    chain.joints[1].upper = float("inf")  # Blender stores its largest number instead
    assert sentences(rig, chain) == [
        f"Joint {chain.joints[1].label}: Max is 3.40282e+38: enter its largest angle again, a number of at"
        " most 1e+09"
    ]


def test_a_limit_that_stops_being_a_number_while_live_is_told_by_its_joint_and_field(rig, chain):
    now = go_live(rig, chain)
    chain.joints[1].upper = float("nan")
    rig.update_tag()
    settle()
    assert now.problem == f"joint '{chain.joints[1].label}': its upper limit is nan: give it a finite number"
    chain.joints[1].upper = float("inf")  # Blender stores its largest number instead
    rig.update_tag()
    settle()
    assert now.problem.startswith(f"joint '{chain.joints[1].label}': its upper limit of 3.4")
    assert "is too far: narrow it" in now.problem


def test_a_port_moves_one_armature_alone(rig, chain):
    for joint in chain.joints:
        joint.lower, joint.upper = -0.7, 0.7
    with on_bus(rig, dict.fromkeys((joint.servo for joint in chain.joints), 2048.0), "dynamixel") as bus:
        other, _ = robot_rig(build({"pan": "Y", "tilt": "X"}, name="Turret"), port=bus.port)
        other.limber.device.protocol = "dynamixel"
        refused(
            f"Port {bus.port} moves 'Rig' already: disconnect that one, or choose another port",
            "connect",
        )
        make_active(rig)


def test_a_robot_on_a_network_moves_one_armature_alone_however_its_address_is_written():
    for port in ("localhost:9", "LocalHost:9"):
        bpy.ops.limber.add_robot(robot="so100")
        rig = bpy.context.active_object
        rig.limber.device.protocol, rig.limber.device.port = "reachy_mini", port
        for joint in rig.limber.chains[0].joints:
            joint.servo += 9
        if port == "localhost:9":
            bpy.ops.limber.connect()
    refused(f"Port {port} moves 'SO-100' already", "connect")


def test_a_robot_on_a_network_has_no_baud_rate_to_choose(rig):
    rig.limber.device.protocol = "reachy_mini"
    refused(
        "A robot on a network has no baud rate: choose a protocol of a serial port first",
        "choose_baudrate",
        baudrate=9600,
    )


def test_a_servo_that_no_scan_has_found_is_not_changed(rig):
    window = Window(LIMBER_OT_change_servo, protocol="feetech_sts", baudrate=0, servo=0)
    assert window.invoke(bpy.context, None) == {"CANCELLED"}
    assert window.reports == [
        ("ERROR", "No servo is named: press Scan, then Change Servo beside one that was found")
    ]


@pytest.mark.every_blender
def test_a_robot_that_moves_is_not_connected_anew():
    rig, _ = robot_rig()
    arm(rig)
    refused("The robot is moving: disarm it first", "reconnect")


def test_a_park_pose_is_chosen_before_the_robot_parks(rig, chain):
    connect(rig)
    refused("There is no park pose: press Store Park Pose under Set Up > Options", "park")


@pytest.mark.every_blender
def test_a_park_pose_of_other_bones_is_named(rig, chain):
    rig.limber.device.park = bpy.data.actions.new("Wave")
    connect(rig)
    refused("Posture 'Wave' contains none of the robot's joints: press Store Park Pose, or choose", "park")


# --- what is live, what is not


def test_what_was_not_done_yet_is_asked_for(rig, chain):
    refused("The motion of 'Rig' was not checked yet: press Check Motion", "mark_findings")
    refused("Chain 'head' is not live: press Start Live to follow", "end_live")
    refused("No imported robot is active: import its file first", "import_closures")


@pytest.mark.every_blender
def test_a_mechanism_says_where_it_stands():
    from tests.blender import mechanisms as those

    owner = those.add("four_bar")
    refused("is part of mechanism 'Four-Bar' already: select another object", "new_mechanism")
    refused("Mechanism 'Four-Bar' is not live: press Start Live to follow", "end_live")
    bpy.ops.limber.live()
    refused("Mechanism 'Four-Bar' is live already: press End Live to leave", "live")
    bpy.ops.limber.end_live()
    thing = bpy.data.objects["Coupler"]
    make_active(thing)
    assert owner.limber.mechanism.uid
    bpy.ops.object.mode_set(mode="EDIT")
    refused("Leave this mode first: Live starts in Object Mode or Pose Mode", "live")
    bpy.ops.object.mode_set(mode="OBJECT")


def test_connect_says_what_is_missing_where_nothing_has_a_servo():
    build({"base": "Z", "head": "X"})
    refused("This armature has no chain: select bones in Pose Mode and press New Chain", "connect")
    _, chain = looking_chain()
    for joint in chain.joints:
        joint.servo = -1
    refused(
        f"No joint or motor of '{chain.id_data.name}' has a servo: give one its servo under Robot > Set Up",
        "connect",
    )


def test_motors_and_goals_ask_for_a_joint_or_body_if_none_is_active():
    four_bar()
    owner = owned()
    settings, motors = owner.limber.mechanism, len(owner.limber.mechanism.motors)
    make_active(owner)
    assert rig_of(bpy.context) == owner  # it is in use now, and stays so
    bpy.context.view_layer.objects.active = None
    refused("No object is active: click a joint of the mechanism, or bones in Pose Mode", "add_motors")
    refused("No object is active: click the body that follows the goal", "add_mechanism_goal")
    assert len(settings.motors) == motors
    assert not settings.goals


def test_a_new_chain_of_bones_that_the_armature_does_not_have_names_them(rig):
    make_active(rig)
    bpy.ops.object.mode_set(mode="POSE")
    refused("'Rig' has no bone 'tail': choose Root and End", "new_chain", root="base", end="tail")
    assert len(rig.limber.chains) == 1
