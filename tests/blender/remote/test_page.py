"""Tests the page of an armature, served from Blender: a browser directs it, and only a press arms a robot."""

import json
import time
from collections.abc import Callable, Iterator

import bpy
import pytest
from limber.hardware.device import VIRTUAL_HOBBY_PORT
from limber.inputs import waiting_orders
from limber.rig.live import live, persons
from limber.rig.robot import links, page

from tests.blender.drawing import drawn
from tests.blender.posing import stored
from tests.blender.robots import connect, state, until
from tests.blender.shown import go_live, no_handler_raises  # noqa: F401

pytest.importorskip("websockets", reason="the websockets library is not in this environment")
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as open_socket

PATIENCE = 60.0  # [s] longest waiting time
newest: dict[ClientConnection, int] = {}  # browser -> number of its newest heartbeat


@pytest.fixture
def browser(rig) -> Iterator[ClientConnection]:
    """A browser that shows the page."""
    rig.limber.remote.page_port = free_port()
    bpy.ops.limber.page()
    address = page.address(rig).replace("http", "ws").replace("/?", "/directing?")
    with open_socket(address, compression=None) as socket:
        yield socket
    page.end_all()


def free_port() -> int:
    import socket

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def obeyed(browser: ClientConnection, **order: object) -> None:
    """Sends a command, and waits until it is executed."""
    browser.send(json.dumps(order))
    give_up = time.monotonic() + PATIENCE
    while not page.look():
        assert time.monotonic() < give_up


def beat(browser: ClientConnection) -> int:
    """Number of a new heartbeat, which a press must contain."""
    last = newest.get(browser, 0)
    shown(browser, lambda _content: newest.get(browser, 0) > last, with_beats=True)
    return newest[browser]


def shown(browser: ClientConnection, condition: Callable[[dict], bool], with_beats: bool = False) -> dict:
    """Waits until a condition holds for the page's content, and returns it."""
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        page.look()
        try:
            content = json.loads(browser.recv(0.05))
        except TimeoutError:
            continue
        newest[browser] = content.get("beat", newest.get(browser, 0))
        if (with_beats or "beat" not in content) and condition(content):
            return content
    raise AssertionError("the page never showed it")


def test_the_page_shows_the_armature_and_directs_it(rig, browser):
    chain = rig.limber.chains[0]
    stored(rig, "Proud")
    content = shown(browser, lambda content: content["chains"][0]["postures"])
    assert (content["character"], content["robots"]) == (rig.name, [])
    assert content["chains"][0]["target"] == chain.target.name
    obeyed(browser, word="posture", names="head/Proud")
    assert chain.base == "POSTURE"
    obeyed(browser, word="influence", names="head", numbers=[0.25])
    assert chain.influence == 0.25
    obeyed(browser, word="target", names="head", numbers=[0.1, 0.2, 0.3])
    assert tuple(chain.target.location) == pytest.approx((0.1, 0.2, 0.3))
    obeyed(browser, word="posture", names="head/Sad")
    assert "no posture 'Sad'" in shown(browser, lambda content: content["said"])["said"][0]


def test_what_is_set_on_the_page_holds_over_a_rehearsed_state_until_the_next_one(rig, browser):
    stored(rig, "Proud")
    behaviour, chain = bpy.context.scene.limber_behaviour, rig.limber.chains[0]
    state = behaviour.states.add()
    state.name, state.sets_influence, state.influence, state.seconds = "Idle", True, 0.25, 0.0
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    chain.targets.add().target = state.look_at = other
    behaviour.states.add().name = "Listening"
    go_live(rig, chain)
    assert bpy.ops.limber.rehearse() == {"FINISHED"}
    bpy.context.scene.frame_set(2)
    first = shown(browser, lambda content: content["chains"][0]["set_by"])["chains"][0]
    assert (first["influence"], first["target"]) == (0.25, "Other")
    assert first["set_by"] == {"influence": "by Idle", "target": "by Idle"}
    obeyed(browser, word="influence", names="head", numbers=[0.75])
    bpy.context.scene.frame_set(3)
    assert live.session(rig, chain).record.ticked[1].influence == 0.75
    after = shown(browser, lambda content: content["chains"][0]["influence"] == 0.75)["chains"][0]
    assert after["set_by"] == {"influence": "set here", "target": "by Idle"}
    obeyed(browser, word="state", names="Idle")
    bpy.context.scene.frame_set(4)
    assert shown(browser, lambda content: content["chains"][0]["influence"] == 0.25)


def test_a_person_who_is_seen_on_the_page_is_perceived_before_a_camera_and_before_none(rig, browser):
    camera = bpy.data.objects.new("Desk", bpy.data.cameras.new("Desk"))
    bpy.context.scene.collection.objects.link(camera)
    rig.limber.chains[0].targets.add().target = camera
    go_live(rig, rig.limber.chains[0])
    assert shown(browser, lambda content: content["cameras"])["cameras"] == ["Desk"]
    obeyed(browser, word="seen", names="", numbers=[-7, 0.0, 0.0, 0.0, 1.5, 1.0])
    scene = bpy.context.scene
    assert persons.of(scene).senses.distance == 1.5
    obeyed(browser, word="seen", names="Desk", numbers=[-7, 0.0, 0.0, 0.0, 0.5, 1.0])
    assert persons.of(scene).senses.distance == 0.5


def test_a_robot_is_armed_by_a_press_and_stopped_at_once(rig, browser):
    obeyed(browser, word="arm", press=beat(browser))
    assert "press Connect" in shown(browser, lambda content: content["said"])["said"][0]
    rig.limber.device.port = "virtual"
    connect(rig)
    until(lambda: state(rig) == "DISARMED", "it is connected")
    content = shown(browser, lambda content: content["robots"])
    assert content["robots"][0]["orders"] == ["arm", "release", "connect"]
    browser.send(json.dumps({"word": "arm", "press": newest[browser] - 1}))
    obeyed(browser, word="state", names="none")
    assert state(rig) == "DISARMED", "a press counts once"
    obeyed(browser, word="arm", press=beat(browser))
    until(lambda: state(rig) in ("ARMING", "ARMED"), "it is armed")
    browser.send(json.dumps({"word": "stop"}))
    until(lambda: state(rig) == "FAULT", "it is stopped, though nobody looks at the page")
    obeyed(browser, word="arm", press=beat(browser))
    assert "cannot be done now" in shown(browser, lambda content: content["said"])["said"][0]
    assert state(rig) == "FAULT"


def test_a_robot_is_made_limp_by_a_press_while_it_is_disarmed(rig, browser):
    rig.limber.device.port = "virtual"
    connect(rig)
    until(lambda: state(rig) == "DISARMED", "it is connected")
    obeyed(browser, word="release", press=beat(browser))
    until(lambda: state(rig) == "LIMP", "it is limp")
    content = shown(browser, lambda content: content["robots"][0]["orders"] == ["disarm"])
    assert content["robots"][0]["sentence"].startswith("Limp: move the robot by hand")
    obeyed(browser, word="disarm")
    until(lambda: state(rig) == "DISARMED", "it is disarmed")
    obeyed(browser, word="arm", press=beat(browser))
    until(lambda: state(rig) == "ARMED", "it is armed")
    obeyed(browser, word="release", press=beat(browser))
    assert "cannot be done now" in shown(browser, lambda content: content["said"])["said"][0]
    assert state(rig) == "ARMED"


def test_the_page_names_the_pose_that_a_person_confirms(rig, browser):
    rig.limber.device.port = VIRTUAL_HOBBY_PORT
    connect(rig)
    until(lambda: state(rig) == "DISARMED", "it is connected")
    assert shown(browser, lambda content: content["robots"])["robots"][0]["pose"] == []
    obeyed(browser, word="arm", press=beat(browser))
    until(lambda: state(rig) == "CONFIRM_POSE", "it asks for its pose")
    pose = shown(browser, lambda content: content["robots"][0]["pose"])["robots"][0]["pose"]
    assert len(pose) == len(links.joint_names(rig))
    assert all(text.startswith(name) for text, name in zip(pose, links.joint_names(rig), strict=True))
    assert all(text.endswith(" degrees") for text in pose)


def test_an_old_press_arms_nothing(rig, browser, monkeypatch):
    rig.limber.device.port = "virtual"
    connect(rig)
    until(lambda: state(rig) == "DISARMED", "it is connected")
    monkeypatch.setattr(waiting_orders, "FRESH", -1.0)
    obeyed(browser, word="arm", press=beat(browser))
    assert "is not done: press again" in shown(browser, lambda content: content["said"])["said"][0]
    assert state(rig) == "DISARMED"


def test_the_page_ends_with_its_button_and_with_the_file(rig, browser, reopen):
    from limber.panels.robot.remote import LIMBER_PT_remote

    assert "limber.end_page" in drawn(LIMBER_PT_remote).order
    bpy.ops.limber.end_page()
    assert page.address(rig) == ""
    assert "limber.page" in drawn(LIMBER_PT_remote).order
    bpy.ops.limber.page()
    assert page.is_served()
    reopen()
    assert not page.is_served()


def test_other_computers_are_served_only_where_blender_may_go_online(rig):
    rig.limber.remote.host = "0.0.0.0"
    with pytest.raises(RuntimeError, match="Blender may not go online"):
        bpy.ops.limber.page()
