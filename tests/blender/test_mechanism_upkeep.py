"""Tests the data of mechanisms that are kept while Blender runs: they follow undo, save and other live
movers, and no work is repeated.
"""

import bpy
import numpy as np
import pytest

from tests.blender import at_hand
from tests.blender import mechanisms as those
from tests.blender.following import follower, hips
from tests.blender.four_bars import boned
from tests.blender.rigs import keyed, looking_chain, make_active, target
from tests.blender.robots import until
from tests.blender.shown import no_handler_raises, settle  # noqa: F401
from tests.blender.test_mechanism_carries import FRAMES, moving_platform

RODS = {"Rocker": 0.02, "Rocker Shaft": 0.02}  # [m] displacements by an edit


def shape(owner) -> np.ndarray:
    """Positions of joints on their bodies when the mechanism was read."""
    return np.array([joint.in_parent.position for joint in those.session(owner).reading.mechanism.joints])


def test_a_mechanism_that_is_live_again_by_undo_is_as_it_was_then(undo_step):
    owner = those.add("four_bar")
    name = owner.name
    undo_step("mechanism")
    bpy.ops.limber.live()
    undo_step("live")
    first = shape(owner)
    bpy.ops.limber.end_live()
    undo_step("end")
    for rod, by in RODS.items():
        bpy.data.objects[rod].location.x += by
    bpy.context.view_layer.update()
    bpy.ops.limber.set_rest_pose()
    undo_step("edit")
    bpy.ops.limber.live()
    undo_step("live with the edit")
    assert np.abs(shape(owner) - first).max() > 0.01
    for _ in range(3):
        bpy.ops.ed.undo()
    owner = bpy.data.objects[name]
    assert owner.limber.mechanism.live
    those.clock(3)
    assert np.abs(shape(owner) - first).max() < 1e-9


@pytest.mark.every_blender
def test_a_live_mechanisms_robot_is_sent_once_a_frame_and_not_between_frames(monkeypatch):
    from limber.rig.robot import links, sending

    owner = those.add("neck", place=(0.0, 0.0, 0.0))
    owner.limber.device.port = "virtual"
    bpy.ops.limber.live()
    bpy.ops.limber.connect()
    until(
        lambda: links.status(owner) is not None and links.status(owner).state.name == "DISARMED",
        "the robot is connected",
    )
    sent, send = [], sending.send
    monkeypatch.setattr(
        sending, "send", lambda rig, *now: (sent.append(bpy.context.scene.frame_current), send(rig, *now))
    )
    for frame in range(2, 6):
        bpy.context.scene.frame_set(frame)
    bpy.context.scene.frame_set(6, subframe=0.5)
    links.disconnect_all()
    assert sent == [2, 3, 4, 5]


@pytest.mark.every_blender
def test_an_export_tells_the_frames_in_which_targets_cannot_be_met(tmp_path, capfd):
    owner = those.add("neck")
    kept = owner.limber.mechanism
    keyed(kept.goals[0].target, (1, 12), "rotation_euler", (0.9, 1.2, 0.4))
    kept.frame_start, kept.frame_end = 1, 12
    bpy.context.scene.frame_set(1)
    bpy.ops.limber.live()
    for motor in kept.motors:
        motor.velocity, motor.acceleration, motor.jerk = 10.0, 1e4, 1e6
    bpy.ops.limber.export_motion(filepath=str(tmp_path / "motion.json"), format="json", rate=24)
    said = capfd.readouterr().out
    assert "a goal could not be followed. " in said
    assert "cannot be met, 'Head' is" in said


def test_a_saved_file_has_no_constraint_of_a_live_mechanism(tmp_path):
    those.add("stewart")
    bpy.ops.limber.live()
    path = tmp_path / "saved.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    held = [
        thing.name
        for thing in bpy.data.objects
        if any(one.name.startswith("Limber") for one in thing.constraints)
    ]
    assert held, "live goes on after saving"
    with bpy.data.libraries.load(str(path)) as (found, taken):
        taken.objects = list(found.objects)
    assert not [
        thing.name
        for thing in taken.objects
        if thing and any(one.name.startswith("Limber") for one in thing.constraints)
    ]


def test_a_body_that_follows_on_a_platform_is_baked_with_the_platform_moving():
    rig, source = follower()
    make_active(rig)
    owner, platform = moving_platform()
    rig.parent = platform
    rig.matrix_parent_inverse = platform.matrix_world.inverted()
    bpy.context.view_layer.update()
    make_active(rig)
    bpy.ops.limber.live()
    make_active(owner)
    bpy.ops.limber.live()
    names = (list(rig.pose.bones.keys()), list(source.pose.bones.keys()))
    first = hips_apart(rig, source)
    rig.limber.retarget.frame_start, rig.limber.retarget.frame_end = FRAMES.start, FRAMES.stop - 1
    make_active(rig)
    assert bpy.ops.limber.bake() == {"FINISHED"}
    assert owner.limber.mechanism.live, names
    strayed = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        strayed.append(float((hips_apart(rig, source) - first).length))
    assert max(strayed) < 0.1  # it is a frame late; with the platform at rest it would be .22


def hips_apart(rig, source):
    from tests.blender.figures import CMU, XSENS

    return hips(rig, XSENS) - hips(source, CMU)


def chain_on_bodies():
    """A live mechanism of bones, and a chain on two of them; returns the armature and the chain."""
    arms, closure = boned()
    closure.kind = "revolute"
    make_active(arms)
    bpy.ops.object.mode_set(mode="POSE")
    arms.data.bones.active = arms.data.bones["crank"]
    bpy.ops.limber.add_motors()
    arms.limber.mechanism.drive = "MOTORS"
    arms, chain = looking_chain(arms, "crank", "coupler", at=target((0.4, -1.0, 0.5)))
    return arms, chain


@pytest.mark.every_blender
@pytest.mark.parametrize("first", ["chain", "mechanism"])
def test_a_chain_of_bones_that_are_bodies_of_a_live_mechanism_says_so_and_leaves_them_to_it(
    first, monkeypatch
):
    from limber.rig.live import live

    arms, chain = chain_on_bodies()
    for what in (first, "mechanism" if first == "chain" else "chain"):
        make_active(arms)
        at_hand.live(chain if what == "chain" else arms.limber.mechanism)
    those.clock(2)
    assert (
        "is a body of mechanism 'Rig', which is live and moves it: end the one Live or the other"
        in live.session(arms, chain).problem
    )
    syncs, sync = [], live.sync
    monkeypatch.setattr(live, "sync", lambda: (syncs.append(1), sync()))
    for k in range(5):
        arms.limber.mechanism.motors[0].value = 0.02 * k
        arms.update_tag()
        those.clock(1, 100.0 + k / 60)
    assert len(syncs) <= 1, "the two do not wrestle for the last place among the constraints"
    at_hand.end_live(arms.limber.mechanism)
    settle()
    assert live.session(arms, chain).problem == ""


def test_where_only_one_of_two_that_are_live_ends_the_robot_is_disarmed():
    from limber.rig.robot import links, sending

    arms, _ = chain_on_bodies()
    arms.limber.chains.clear()
    arms.limber.mechanism.drive = "TARGETS"
    those.with_idle_goal(arms)
    make_active(arms)
    bpy.ops.object.mode_set(mode="EDIT")
    neck = arms.data.edit_bones.new("neck")
    neck.head, neck.tail = (1.0, 0.0, 0.0), (1.0, 0.0, 0.1)
    bpy.ops.object.mode_set(mode="POSE")
    arms.pose.bones["neck"].rotation_mode = "XYZ"
    arms.pose.bones["neck"].lock_location = (True, True, True)
    arms, chain = looking_chain(arms, "neck", at=target((1.2, -1.0, 0.5), name="Seen"))
    for k, joint in enumerate(chain.joints):
        joint.servo = 10 + k
    arms.limber.device.port = "virtual"
    bpy.ops.limber.live()
    at_hand.live(arms.limber.mechanism)
    bpy.ops.limber.connect()
    until(
        lambda: links.status(arms) is not None and links.status(arms).state.name == "DISARMED",
        "the robot is connected",
    )
    bpy.ops.limber.arm()
    until(lambda: (sending.heartbeat(), links.status(arms).state.name)[1] == "ARMED", "the robot is armed")
    at_hand.end_live(arms.limber.mechanism)
    sending.heartbeat()
    until(
        lambda: links.status(arms).state.name == "DISARMED",
        "what is authored may be far from where the motors are",
    )
    links.disconnect_all()


def test_motors_that_follow_targets_say_where_they_are_at_rest_while_nothing_is_live():
    from limber.rig.robot import values

    owner = those.add("neck")
    kept = owner.limber.mechanism
    for motor in kept.motors:
        motor.value = 0.3
    bpy.ops.limber.live()
    bpy.ops.limber.end_live()
    assert [motor.value for motor in kept.motors] == pytest.approx([0.0] * 3, abs=1e-5)
    assert list(values.shown(owner).values()) == pytest.approx([0.0] * 3, abs=1e-5)
    kept.drive = "MOTORS"
    kept.motors[0].value = 0.2
    bpy.ops.limber.live()
    bpy.ops.limber.end_live()
    assert kept.motors[0].value == pytest.approx(0.2), "what is told stays"
