"""Tests that other programs set targets, influence and weights over a real socket."""

import socket
import time
from contextlib import suppress
from math import radians

import bpy
import pytest
from limber.inputs.packets import Message, messages
from limber.rig.blender.limber_version import limber_version
from limber.rig.chains import kept_posture
from limber.rig.live import live
from limber.rig.live.movers import movers_of
from limber.rig.robot import remote
from mathutils import Euler, Quaternion, Vector

from tests.blender import mechanisms
from tests.blender.drawing import drawn
from tests.blender.osc_sender import bundle, free_port, packet, sending_to, words
from tests.blender.posing import stored
from tests.blender.remote.remote_control import PATIENCE, problem
from tests.blender.rigs import looking_chain
from tests.blender.robots import until
from tests.blender.shown import go_live, missed, no_handler_raises, settle  # noqa: F401


@pytest.mark.every_blender
def test_a_live_chain_follows_a_target_that_is_sent(rig, send):
    chain = rig.limber.chains[0]
    go_live(rig, chain)
    send(packet("/limber/target/head", -0.4, -0.5, 0.6))
    bpy.context.view_layer.update()
    assert live.scene_updated(bpy.context.scene, bpy.context.evaluated_depsgraph_get()), "the clock has work"
    settle()
    assert tuple(chain.target.matrix_world.translation) == pytest.approx((-0.4, -0.5, 0.6))
    assert missed(rig, chain) < 0.1


def test_influence_and_weights_are_set_within_their_range(rig, send):
    chain = rig.limber.chains[0]
    stored(rig, "Bowed Low")
    send(bundle(packet("/limber/influence/head", 0.25), packet("/limber/weight/head/Bowed_Low", 7.0)))
    assert chain.influence == 0.25
    assert chain.postures[0].weight == 1.0
    send(packet("/limber/weight/head/Bowed Low", 0.5))
    assert chain.postures[0].weight == 0.5
    assert problem(rig) == ""


@pytest.mark.every_blender
def test_postures_targets_and_values_are_chosen_by_name(rig, send):
    chain = rig.limber.chains[0]
    stored(rig, "Proud")
    stored(rig, "Bowed Low")
    chain.base = "RIG"
    send(words("/limber/posture/head", "Proud"))
    assert (chain.base, kept_posture.active(chain).name) == ("POSTURE", "Proud")
    send(packet("/limber/posture/head/Bowed_Low", 1))
    assert kept_posture.active(chain).name == "Bowed Low"
    send(packet("/limber/posture/head/Proud", 0))
    assert kept_posture.active(chain).name == "Bowed Low", "a button that is let go does nothing"
    moon = bpy.data.objects.new("Moon", None)
    bpy.context.scene.collection.objects.link(moon)
    chain.targets.add().target = moon
    send(words("/limber/look", "Moon"))
    assert chain.watch == 1
    send(words("/limber/target/head", chain.target.name))
    assert chain.watch == 0
    send(packet("/limber/share/head", 0.25))
    assert chain.share == 0.25
    value = rig.limber.device.auxiliaries.add()
    value.name, value.owner, value.path = "Glow", rig, '["glow"]'
    rig["glow"] = 0.0
    send(packet("/limber/value/Glow", 0.5))
    assert rig["glow"] == 0.5
    assert problem(rig) == ""
    send(words("/limber/target/head", "Sun"))
    assert "Chain 'head' has no target 'Sun'" in problem(rig)


@pytest.mark.every_blender
def test_the_scene_goes_to_a_time_of_its_own(rig, send):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 11, 60, 24
    for seconds, frame in ((1.0, 35), (-1.0, 11), (100.0, 60)):
        send(packet("/limber/seek", seconds))
        assert scene.frame_current == frame
    send(packet("/limber/pause"))
    assert problem(rig) == "", "it does not play"


@pytest.mark.every_blender
def test_the_scenes_clip_is_played_by_the_name_that_its_file_will_have_and_no_other(rig, send):
    send(words("/limber/play", "Dance"))
    assert f"there is no clip 'Dance': there is '{rig.name}'" in problem(rig)
    send(words("/limber/play", rig.name))
    assert problem(rig) == ""
    bpy.ops.screen.animation_cancel(restore_frame=False)


def test_a_program_that_asks_whether_blender_runs_is_answered(rig, send):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asker.setblocking(False)
        asker.sendto(packet("/limber/ping"), ("127.0.0.1", rig.limber.remote.port))
        give_up, answer = time.monotonic() + PATIENCE, b""
        while not answer:
            assert time.monotonic() < give_up
            remote.look()
            with suppress(BlockingIOError):
                answer = asker.recv(100)
    assert list(messages(answer)) == [Message("/limber/pong", (limber_version(), ""))]
    assert problem(rig) == ""


@pytest.mark.every_blender
def test_what_is_for_a_character_without_blender_is_said(rig, send):
    send(packet("/limber/quit"))
    assert "to a character that plays without Blender" in problem(rig)


@pytest.mark.every_blender
@pytest.mark.parametrize("word", ["confirm", "release", "disarm", "clear", "connect"])
def test_what_only_a_person_orders_is_said(rig, send, word):
    send(packet(f"/limber/{word}"))
    assert "is for a person alone" in problem(rig)


def test_names_with_spaces_may_come_with_underscores(rig, send):
    rig.limber.chains[0].name = "Left Eye"
    send(packet("/limber/influence/Left_Eye", 0.5))
    assert rig.limber.chains[0].influence == 0.5


def test_weights_of_a_chain_with_slashes_in_its_name_are_set(rig, send):
    stored(rig, "Up/Down")
    rig.limber.chains[0].name = "L/R eye"
    send(packet("/limber/weight/L/R_eye/Up/Down", 0.5))
    assert problem(rig) == ""
    assert rig.limber.chains[0].postures[0].weight == 0.5


@pytest.mark.parametrize("order", [("head", "head/eye"), ("head/eye", "head")])
def test_of_two_chains_whose_names_an_address_begins_with_the_longer_name_counts(rig, send, order):
    rig.limber.chains.add().target = bpy.data.objects.new("Of the Other Chain", None)
    for chain, name in zip(rig.limber.chains, order, strict=True):
        chain.name = name
    longer = next(chain for chain in rig.limber.chains if chain.name == "head/eye")
    send(packet("/limber/target/head/eye", 0.5, 0.5, 0.5))
    assert problem(rig) == ""
    assert tuple(longer.target.location) == (0.5, 0.5, 0.5)


def test_weights_of_a_mechanisms_postures_are_set_by_its_objects_name_from_the_panels_addresses():
    from limber.panels.robot.remote import LIMBER_PT_remote

    owner = mechanisms.add("neck")
    kept = owner.limber.mechanism
    kept.drive, kept.base = "MOTORS", "BLEND"
    for name, value in (("Rest", 0.0), ("Bowed Low", 0.01)):
        kept.motors[0].value = value
        bpy.ops.limber.store_posture(name=name)
    kept.motors[0].value = 0.0
    bpy.ops.limber.live()
    lines = list(filter(None, drawn(LIMBER_PT_remote).labels))
    assert [line for line in lines if "weight" in line] == [
        "/limber/weight/Push-Rod_Neck/Rest v",
        "/limber/weight/Push-Rod_Neck/Bowed_Low v",
    ]
    owner.limber.remote.port = free_port()
    assert bpy.ops.limber.remote() == {"FINISHED"}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(
            packet("/limber/weight/Push-Rod_Neck/Bowed_Low", 0.5), ("127.0.0.1", owner.limber.remote.port)
        )
        until(remote.look, "the weight has come")
        assert problem(owner) == ""
        mechanisms.settle(owner)
        assert mechanisms.session(owner).values()[kept.motors[0].bone, kept.motors[0].axis] == pytest.approx(
            0.005, abs=1e-6
        )
        sender.sendto(
            packet("/limber/weight/Push-Rod_Neck/Proud", 0.5), ("127.0.0.1", owner.limber.remote.port)
        )
        until(remote.look, "the next weight has come")
    assert problem(owner) == "Mechanism 'Push-Rod Neck' has no posture 'Proud': it has 'Rest', 'Bowed Low'"


@pytest.mark.every_blender
def test_a_mechanisms_goals_are_moved_and_rotated_by_their_names():
    owner = mechanisms.add("stewart")
    goal = owner.limber.mechanism.goals[0]
    goal.name = "Top Plate"
    bpy.ops.limber.live()
    owner.limber.remote.port = free_port()
    bpy.ops.limber.remote()
    turn = Quaternion((0.0, 0.0, 1.0), radians(5.0))
    place = goal.target.matrix_world.translation + Vector((0.01, 0.0, 0.01))
    with sending_to(remote.heard(owner)) as send:
        for kind, numbers in (("target", place), ("rotation", turn)):
            send(packet(f"/limber/{kind}/Stewart_Platform/Top_Plate", *numbers))
        assert remote.look()
    assert problem(owner) == ""
    bpy.context.view_layer.update()
    mechanisms.settle(owner)
    shown = goal.body.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world
    assert (shown.translation - place).length < 1e-5
    assert shown.to_quaternion().rotation_difference(turn).angle < 1e-4


def test_a_target_is_rotated_in_the_world_whatever_its_parent_and_rotation_mode_and_about_unlocked_axes_alone(
    rig, send
):
    target = rig.limber.chains[0].target
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.rotation_euler, parent.scale = (0.3, 0.7, -0.2), (2.0, 2.0, 2.0)
    target.parent, target.scale = parent, (1.0, 3.0, 1.0)
    turn = Euler((0.5, -0.4, 0.9)).to_quaternion()
    for mode in ("XYZ", "ZXY", "QUATERNION", "AXIS_ANGLE"):
        target.rotation_mode = mode
        target.rotation_euler = target.rotation_quaternion[:3] = (0.0, 0.0, 0.0)
        bpy.context.view_layer.update()
        place = target.matrix_world.translation.copy()
        send(packet("/limber/rotation/head", *turn))
        bpy.context.view_layer.update()
        assert target.matrix_world.to_quaternion().rotation_difference(turn).angle < 1e-3, mode
        assert (target.matrix_world.translation - place).length < 1e-6
        assert tuple(target.scale) == (1.0, 3.0, 1.0)
    target.rotation_mode, target.lock_rotation[1] = "XYZ", True
    target.rotation_euler = (0.0, 0.25, 0.0)
    send(packet("/limber/rotation/head", *turn))
    assert target.rotation_euler.y == 0.25
    assert target.rotation_euler.x != 0.0


@pytest.mark.every_blender
def test_the_panel_lists_addresses_that_work(rig, send):
    stored(rig, "Bowed Low")
    rig.limber.remote.allow_arm = True
    for line in remote.addresses(movers_of(rig))[:-1]:
        address, *numbers = line.split(" ")
        send(packet(address, *(0.5 for _ in numbers)))
        assert problem(rig) == "", line


@pytest.mark.every_blender
@pytest.mark.parametrize(
    ("said", "words"),
    [
        (packet("/limber/target/hed", 1, 2, 3), "'Rig' has no chain or mechanism 'hed': it has 'head'"),
        (packet("/limber/target/head", 1, 2), "'/limber/target/head' has 2 numbers, and 3 were expected"),
        (packet("/limber/influence/head", float("nan")), "something that is no number"),
        (packet("/limber/target/head", 1e30, 0.0, 0.0), "or beyond 1e+06"),
        (packet("/limber/weight/head/Proud", 1), "Chain 'head' has no posture 'Proud': it has none"),
        (packet("/limber/target/head/hand", 1, 2, 3), "Chain 'head' has no goal 'hand': it has none"),
        (packet("/limber/influence/head/hand", 1), "'Rig' has no chain 'head/hand': it has 'head'"),
        (
            packet("/limber/rotation/head", 0, 0, 0, 0),
            "'/limber/rotation/head' has a quaternion without length: send w x y z of length 1",
        ),
        (
            packet("/limber/rotation/head", 1, 0, 0),
            "'/limber/rotation/head' has 3 numbers, and 4 were expected",
        ),
        (packet("/limber/posture/head", 1), "is no address that is known"),
        (words("/limber/influence/head", "half"), "'/limber/influence/head' has a text among its arguments"),
        (packet("/limber/arm"), "tick Allow Arming"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(rig, send, said: bytes, words: str):
    chain = rig.limber.chains[0]
    before = tuple(chain.target.location), chain.influence
    send(said)
    assert words in problem(rig)
    assert (tuple(chain.target.location), chain.influence) == before
    send(packet("/limber/influence/head", 0.5))
    assert problem(rig) == "", "what is good takes the sentence away"


def test_messages_for_others_are_told_until_one_for_limber_has_come(rig):
    rig.limber.remote.port = free_port()
    bpy.ops.limber.remote()
    with sending_to(remote.heard(rig)) as sent:
        sent(packet("/target/head", 1, 2, 3))
        assert remote.look(), "the panel is to be drawn again"
        assert (
            problem(rig)
            == "'/target/head' is not for Limber: addresses begin with /limber/, see the list below"
        )
        assert not remote.look()
        sent(packet("/limber/influence/head", 0.5))
        remote.look()
        sent(packet("/accelerometer", 1, 2, 3))
        assert not remote.look()
        assert problem(rig) == ""


@pytest.mark.every_blender
def test_a_chain_without_a_target_says_so(rig, send):
    rig.limber.chains[0].target = None
    send(packet("/limber/target/head", 1, 2, 3))
    assert "has no target: choose the object" in problem(rig)


@pytest.mark.every_blender
def test_orders_go_on_after_renaming_and_undo_and_end_with_the_armature(rig, send, undo_step):
    undo_step("before")
    rig.name = "Renamed"
    undo_step("renamed")
    send(packet("/limber/influence/head", 0.5))
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    bpy.context.view_layer.objects.active = rig
    port = rig.limber.remote.port
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(packet("/limber/influence/head", 0.125), ("127.0.0.1", port))
        give_up = time.monotonic() + PATIENCE
        while not remote.look():
            assert time.monotonic() < give_up
    assert rig.limber.chains[0].influence == 0.125
    bpy.data.objects.remove(rig)
    remote.look()
    assert not remote.is_listening()


@pytest.mark.every_blender
def test_nothing_listens_before_it_is_asked_for_nor_after_a_file_was_opened(rig, reopen):
    with pytest.raises(RuntimeError, match="Nothing listens: press Remote Control"):
        bpy.ops.limber.end_remote()
    rig.limber.remote.port = free_port()
    bpy.ops.limber.remote()
    with pytest.raises(RuntimeError, match="It listens already"):
        bpy.ops.limber.remote()
    reopen()
    assert not remote.is_listening()
    bpy.ops.limber.remote()
    bpy.ops.limber.end_remote()
    assert not remote.is_listening()


def test_other_computers_are_heard_only_where_blender_may_go_online_and_a_taken_port_is_named(rig):
    rig.limber.remote.host = "nowhere"
    with pytest.raises(RuntimeError, match="'nowhere' is no address to listen on"):
        bpy.ops.limber.remote()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        rig.limber.remote.host, rig.limber.remote.port = "127.0.0.1", other.getsockname()[1]
        with pytest.raises(RuntimeError, match=r"of 127\.0\.0\.1 cannot be listened on"):
            bpy.ops.limber.remote()
    rig.limber.remote.host = "0.0.0.0"
    if bpy.app.online_access:
        pytest.skip("this Blender may go online")
    with pytest.raises(RuntimeError, match="Allow Online Access"):
        bpy.ops.limber.remote()


@pytest.mark.every_blender
def test_a_target_of_another_file_stays_where_it_is(rig, send, tmp_path):
    chain = rig.limber.chains[0]
    path = tmp_path / "props.blend"
    bpy.data.libraries.write(str(path), {chain.target})
    with bpy.data.libraries.load(str(path), link=True) as (_, into):
        into.objects = [chain.target.name]
    chain.target = next(thing for thing in bpy.data.objects if thing.library)
    send(packet("/limber/target/head", 1, 2, 3))
    assert "is linked from another file" in problem(rig)
    with pytest.raises(RuntimeError, match="is linked from another file"):
        bpy.ops.limber.move_with_mouse()


def test_a_long_address_is_wrapped_after_its_slashes():
    from limber.panels.robot.remote import LIMBER_PT_remote

    owner = mechanisms.add("stewart")
    owner.limber.mechanism.goals[0].name = "The Upper Plate of the Stewart Platform"
    lines = list(filter(None, drawn(LIMBER_PT_remote).labels))
    assert lines[:2] == ["/limber/target/Stewart_Platform/", "The_Upper_Plate_of_the_Stewart_Platform x y z"]


def test_the_panels_addresses_end_with_those_of_the_robot_which_may_not_be_armed_at_first():
    rig, _ = looking_chain()
    assert remote.addresses(movers_of(rig))[-2:] == ["/limber/stop", "/limber/arm"]
    assert rig.limber.remote.allow_arm is False
