"""Tests a mechanism's list of postures of its motors, with the same buttons, names and keyframes as a
chain's.
"""

import bpy
import pytest
from limber import api
from limber.rig.authoring.next_step import next_step
from limber.rig.blender import actions
from limber.rig.chains import kept_posture
from limber.rig.live import live
from limber.rig.live.movers import mover_of

from tests.blender import mechanisms
from tests.blender.following import follower
from tests.blender.mechanisms import clock, session, settle
from tests.blender.rigs import looking_chain, make_active

NAMES = ("Rest", "Left", "Right")
VALUES = ((0.0, 0.0, 0.0), (0.01, 0.004, 0.006), (0.004, 0.01, 0.006))


@pytest.fixture
def owner():
    """A neck on push rods that its motors drive, with three postures, none of which is its current one."""
    made = mechanisms.add("neck")
    kept = made.limber.mechanism
    kept.drive = "MOTORS"
    for name, values in zip(NAMES, VALUES, strict=True):
        turn_to(made, values)
        assert bpy.ops.limber.store_posture(name=name) == {"FINISHED"}
    turn_to(made, (0.002, 0.001, 0.003))
    kept.base = "POSTURE"
    return made


def turn_to(owner, values) -> None:
    for motor, value in zip(owner.limber.mechanism.motors, values, strict=False):
        motor.value = value


def set_values(owner) -> list[float]:
    return [motor.value for motor in owner.limber.mechanism.motors]


def choose(owner, name: str) -> None:
    kept = owner.limber.mechanism
    kept.shown_posture = [posture.action.name for posture in kept.postures].index(name)


def expected(owner, name: str) -> list[float]:
    return list(VALUES[NAMES.index(name)])[: len(owner.limber.mechanism.motors)]


def live_values(owner) -> list[float]:
    return list(session(owner).values().values())


def go_live(owner) -> None:
    make_active(owner)
    assert bpy.ops.limber.live() == {"FINISHED"}


@pytest.mark.every_blender
def test_live_keeps_the_chosen_posture_and_changes_to_another_within_the_motors_limits(owner):
    choose(owner, "Left")
    go_live(owner)
    settle(owner)
    assert live_values(owner) == pytest.approx(expected(owner, "Left"), abs=1e-6)
    choose(owner, "Right")
    clock(2)
    assert live_values(owner) != pytest.approx(expected(owner, "Right"), abs=1e-4), "no motor jumps"
    settle(owner)
    assert live_values(owner) == pytest.approx(expected(owner, "Right"), abs=1e-6)
    assert session(owner).problem == ""


def test_a_blend_of_postures_is_their_weighted_mean_and_the_rest_is_the_motors_own_value(owner):
    kept = owner.limber.mechanism
    kept.base = "BLEND"
    kept.postures[1].weight, kept.postures[2].weight = 0.5, 0.25
    go_live(owner)
    settle(owner)
    own = set_values(owner)
    parts = zip(expected(owner, "Left"), expected(owner, "Right"), own, strict=True)
    assert live_values(owner) == pytest.approx(
        [0.5 * left + 0.25 * right + 0.25 * mine for left, right, mine in parts], abs=1e-6
    )


def test_keyframes_on_the_posture_hold_and_survive_a_sorted_list(owner):
    kept = owner.limber.mechanism
    for frame, name in ((1, "Left"), (10, "Right")):
        choose(owner, name)
        kept.keyframe_insert("posture", frame=frame)
    assert {
        point.interpolation
        for curve in actions.fcurves(*actions.playing(owner)[0])
        for point in curve.keyframe_points
    } == {"CONSTANT"}
    make_active(owner)
    bpy.ops.limber.move_posture(direction="UP")
    kept_names = []
    for frame in (5, 15):
        bpy.context.scene.frame_set(frame)
        kept_names.append(kept_posture.active(kept).name)
    assert kept_names == ["Left", "Right"]


@pytest.mark.every_blender
def test_a_bake_holds_the_posture_of_each_frame(owner):
    kept = owner.limber.mechanism
    for frame, name in ((1, "Left"), (5, "Right")):
        choose(owner, name)
        kept.keyframe_insert("posture", frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 60
    scene.frame_set(1)
    go_live(owner)
    assert bpy.ops.limber.bake() == {"FINISHED"}
    assert not kept.live
    for frame, name in ((1, "Left"), (60, "Right")):
        scene.frame_set(frame)
        assert set_values(owner) == pytest.approx(expected(owner, name), abs=1e-5)


def test_a_posture_is_applied_to_the_motors_values_and_keyed_by_auto_keying(owner):
    choose(owner, "Right")
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    assert bpy.ops.limber.apply_posture() == {"FINISHED"}
    assert set_values(owner) == pytest.approx(expected(owner, "Right"))
    paths = {curve.data_path for curve in actions.fcurves(*actions.playing(owner)[0])}
    assert paths == {f"limber.mechanism.motors[{k}].value" for k in range(len(set_values(owner)))}


def test_a_key_on_a_removed_posture_becomes_no_other_ones_and_live_says_so(owner):
    kept = owner.limber.mechanism
    choose(owner, "Left")
    bpy.ops.limber.remove_posture()
    assert [posture.action.name for posture in kept.postures] == ["Rest", "Right"]
    assert "Left" not in bpy.data.actions
    kept.keyframe_insert("posture", frame=1)
    choose(owner, "Right")
    bpy.ops.limber.remove_posture()
    bpy.context.scene.frame_set(2)
    go_live(owner)
    assert (
        f"Mechanism '{owner.name}' is to keep a posture that was removed from its list"
        in session(owner).problem
    )
    make_active(owner)
    assert bpy.ops.limber.use_pose() == {"FINISHED"}
    settle(owner)
    assert session(owner).problem == ""
    assert live_values(owner) == pytest.approx(set_values(owner), abs=1e-6)


def test_scripts_store_postures_of_a_mechanism_too(owner):
    kept = owner.limber.mechanism
    turn_to(owner, VALUES[1])
    action = api.store_posture(owner, kept, "Nod")
    assert kept_posture.active(kept) == action
    assert list(mover_of(owner, kept).in_posture(action).values()) == pytest.approx(expected(owner, "Left"))
    kept.motors.clear()
    with pytest.raises(api.RigError, match="has no motor"):
        api.store_posture(owner, kept, "None")


def test_targets_give_the_motors_values_and_a_posture_stores_them(owner):
    kept = owner.limber.mechanism
    kept.drive, kept.base = "TARGETS", "RIG"
    go_live(owner)
    kept.goals[0].target.rotation_euler.x += 0.1
    settle(owner)
    shown = live_values(owner)
    assert shown != pytest.approx(set_values(owner), abs=1e-4)
    bpy.ops.limber.store_posture(name="Turned")
    assert list(mover_of(owner, kept).in_posture(bpy.data.actions["Turned"]).values()) == pytest.approx(
        shown, abs=1e-6
    )
    kept.base = "POSTURE"
    assert "Targets give the motors' values" in mover_of(owner, kept).posture_remark


def test_a_removed_motor_leaves_the_others_their_keyframes_postures_and_park_pose(owner):
    kept = owner.limber.mechanism
    for servo, motor in enumerate(kept.motors):
        motor.servo = servo
        motor.keyframe_insert("value", frame=1)
    bpy.ops.limber.store_park_pose()
    before, others = set_values(owner), expected(owner, "Left")[1:]
    make_active(owner)
    kept.active_motor = 0
    assert bpy.ops.limber.remove_motor() == {"FINISHED"}
    mover = mover_of(owner, kept)
    assert list(mover.in_posture(bpy.data.actions["Left"]).values()) == pytest.approx(others)
    assert list(mover.in_posture(owner.limber.device.park).values()) == pytest.approx(before[1:])
    turn_to(owner, (0.03, 0.03))
    bpy.context.scene.frame_set(1)
    assert set_values(owner) == pytest.approx(before[1:])
    paths = {curve.data_path for curve in actions.fcurves(*actions.playing(owner)[0])}
    assert paths == {f"limber.mechanism.motors[{k}].value" for k in range(len(kept.motors))}


def test_a_motor_removed_from_a_copy_of_the_mechanism_leaves_the_postures_of_the_original(owner):
    copy = owner.copy()
    bpy.context.scene.collection.objects.link(copy)
    make_active(copy)
    copy.limber.mechanism.active_motor = 0
    assert bpy.ops.limber.remove_motor() == {"FINISHED"}
    left = bpy.data.actions["Left"]
    assert list(mover_of(owner, owner.limber.mechanism).in_posture(left).values()) == pytest.approx(
        expected(owner, "Left")
    )
    assert list(mover_of(copy, copy.limber.mechanism).in_posture(left).values()) == pytest.approx(
        expected(owner, "Left")[1:]
    )


def test_motors_in_another_order_keep_their_postures_and_those_of_other_joints_are_refused(owner):
    kept = owner.limber.mechanism
    before = mover_of(owner, kept).in_posture(bpy.data.actions["Left"])
    kept.motors.move(0, 2)
    assert mover_of(owner, kept).in_posture(bpy.data.actions["Left"]) == pytest.approx(before)
    bpy.data.actions["Left"]["limber_motors"] = {
        path: f"{text} elsewhere" for path, text in bpy.data.actions["Left"]["limber_motors"].items()
    }
    assert mover_of(owner, kept).in_posture(bpy.data.actions["Left"]) == {}


def test_what_has_no_postures_says_why(owner):
    kept = owner.limber.mechanism
    choose(owner, "Left")
    with pytest.raises(RuntimeError, match=f"Mechanism '{owner.name}' has no left and right"):
        bpy.ops.limber.mirror_posture()
    bpy.data.actions.new("Walk").asset_mark()
    with pytest.raises(
        RuntimeError, match=f"'Walk' has no values for the joints of mechanism '{owner.name}'"
    ):
        bpy.ops.limber.add_posture(name="Walk")
    kept.motors.clear()
    with pytest.raises(RuntimeError, match="has no motor: select a joint and press \\+ under Motors"):
        bpy.ops.limber.store_posture(name="None")
    rig, _ = follower()
    make_active(rig)
    with pytest.raises(RuntimeError, match="keeps no postures, since it follows a motion"):
        bpy.ops.limber.store_posture(name="None")


def test_next_step_says_why_a_motors_value_shows_nothing_and_its_button_changes_that(owner):
    choose(owner, "Left")
    go_live(owner)
    step = next_step(owner, False)
    assert step.operator == "limber.use_pose"
    assert step.sentence.startswith("Posing mechanism 'Push-Rod Neck' shows nothing: it keeps posture 'Left'")
    assert bpy.ops.limber.use_pose() == {"FINISHED"}
    settle(owner)
    assert live_values(owner) == pytest.approx(set_values(owner), abs=1e-6)
    assert next_step(owner, False).operator == "limber.connect"


def test_an_armature_with_a_chain_and_a_mechanism_stores_each_ones_postures_by_its_own_buttons(owner):
    rig, chain = looking_chain()
    make_active(rig)
    bpy.ops.limber.store_posture(name="Lean")
    assert [posture.action.name for posture in chain.postures] == ["Lean"]
    with bpy.context.temp_override(limber_mover=owner.limber.mechanism):
        bpy.ops.limber.store_posture(name="Up")
    assert [posture.action.name for posture in chain.postures] == ["Lean"]
    assert [posture.action.name for posture in owner.limber.mechanism.postures] == [*NAMES, "Up"]


@pytest.mark.every_blender
def test_postures_are_kept_in_the_file_and_undone(owner, reopen):
    name = owner.name
    choose(owner, "Right")
    reopen()
    owner = bpy.data.objects[name]
    kept = owner.limber.mechanism
    assert [posture.action.name for posture in kept.postures] == list(NAMES)
    assert kept_posture.active(kept).name == "Right"
    assert [item[1] for item in kept_posture.items(kept, bpy.context)] == list(NAMES)
    go_live(owner)
    settle(owner)
    assert live_values(owner) == pytest.approx(expected(owner, "Right"), abs=1e-6)
    assert live.live_movers() != []
