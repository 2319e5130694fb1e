"""Tests persons seen by trackers, through OSC: live chains in Blender have the same motion as in the
player.
"""

import socket

import bpy
import numpy as np
import pytest
from limber.character.file.reading import read
from limber.inputs.words import order_of
from limber.player.directing import Director
from limber.player.performance import Performance
from limber.player.playhead import Playhead
from limber.rig.live import live, persons
from limber.rig.live.movers import movers_of
from limber.rig.robot import remote

from tests.blender.behaviours import add_states, add_transition
from tests.blender.osc_sender import packet
from tests.blender.remote.remote_control import problem, sending
from tests.blender.rigs import looking_chain, target
from tests.blender.shown import go_live

END = 60


@pytest.fixture
def watching():
    """A live chain with idle motion that looks at the camera, which is at a desk, once a person is seen."""
    camera = bpy.data.objects.new("Desk Camera", bpy.data.cameras.new("Camera"))
    bpy.context.scene.collection.objects.link(camera)
    camera.location, camera.rotation_euler = (0.3, -0.2, 0.1), (1.4, 0.1, 0.2)
    rig, chain = looking_chain(at=target())
    chain.targets.add().target = camera
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, END
    idle, *attentive = add_states("Idle", "Attending", "Close")
    idle.sets_influence, idle.influence = True, 0.2
    for state in attentive:
        state.look_at, state.seconds = camera, 0.2
    for begin, end, cause, number in (
        ("Idle", "Attending", "seen", 0.0),
        ("Attending", "Close", "nearer", 1.0),
        ("Close", "Attending", "farther", 1.2),
        ("Close", "Idle", "lost", 0.1),
    ):
        add_transition(begin, end, cause=cause, seconds=number, distance=number)
    return rig, chain


def sightings() -> dict[int, list[tuple[float, ...]]]:
    """Messages before each frame: a person approaches, another one stands behind; then nobody."""
    return {
        frame: [
            (1.0, 0.05, 0.02 * frame - 0.3, -0.1, 2.4 - 0.06 * frame, 0.9),
            (2.0, 0.05, 0.4, 0.0, 3.0, 1.0),
        ]
        for frame in range(6, 34, 2)
    }


@pytest.mark.every_blender
def test_who_is_seen_is_looked_at_in_blender_as_in_the_player(watching, tmp_path):
    rig, chain = watching
    scene, path = bpy.context.scene, tmp_path / "Scene.limber"
    assert bpy.ops.limber.export_character(filepath=str(path)) == {"FINISHED"}
    scene.frame_set(END // 2)
    go_live(rig, chain)
    assert bpy.ops.limber.rehearse() == {"FINISHED"}
    performance = Performance(read(path), (), scene.limber_behaviour.seed)
    director, dt = Director(performance, Playhead(10.0)), scene.render.fps_base / scene.render.fps
    states = []
    with sending(rig) as send:
        for frame in range(1, END + 1):
            for numbers in sightings().get(frame, ()):
                single = np.array(numbers, np.float32).tolist()
                send(packet("/limber/seen/Desk_Camera", *single))
                director.obey(order_of("seen/Desk_Camera", single), "OSC")
            scene.frame_set(frame)
            director.tick(dt if frame > 1 else 0.0, (frame - 1) * dt)
            assert problem(rig) == ""
            (entry,) = performance.character.chains
            here = list(live.session(rig, chain).outputs.angles)
            assert np.abs(performance.outputs(entry).angles - here).max() <= 1e-9
            states.append(performance.state)
    assert list(dict.fromkeys(states)) == ["Idle", "Attending", "Close"]
    assert states[-1] == "Idle"
    assert persons.of(scene).positions == director.persons.positions


def test_of_several_persons_at_once_each_counts(watching):
    """The nearest person is noticed, though the newest message is about another one."""
    rig, _ = watching
    with sending(rig) as send:
        rows = [(1.0, 0.0, 0.0, 0.0, 0.8, 1.0), (2.0, 0.0, 0.0, 0.0, 3.0, 1.0)]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for row in rows:
                sender.sendto(packet("/limber/seen/Door", *row), ("127.0.0.1", rig.limber.remote.port))
        send(packet("/limber/influence/head", 1.0))
        while len(persons.of(bpy.context.scene)._persons) < 2:
            remote.look()
    assert persons.of(bpy.context.scene).senses.distance == pytest.approx(0.8)


def test_the_panel_lists_the_address_of_a_camera_that_is_a_target(watching):
    rig, _ = watching
    assert "/limber/seen/Desk_Camera id age x y distance confidence" in remote.addresses(movers_of(rig))


def test_a_distance_that_is_none_is_said(watching):
    rig, _ = watching
    with sending(rig) as send:
        send(packet("/limber/seen/Door", 1.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    assert "send metres above 0" in problem(rig)


def test_a_camera_that_is_not_there_is_said_with_those_that_are(watching):
    rig, _ = watching
    with sending(rig) as send:
        for _ in range(2):  # it remains for as long as that tracker sends
            send(packet("/limber/seen/Desk_Camrea", 1.0, 0.0, 0.0, 0.0, 1.0, 1.0))
        assert "'Desk_Camrea'" in problem(rig)
        assert "there is 'Desk Camera'" in problem(rig)
    assert persons.of(bpy.context.scene).senses.distance == 1.0, "persons are noticed all the same"
