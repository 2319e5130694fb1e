"""Tests the buttons of the tab while a robot is connected: its ghost, and the recovery after Stop, with each
button at the same position.
"""

from dataclasses import replace
from types import SimpleNamespace

import bpy
import pytest

from tests.blender.drawing import drawn
from tests.blender.robots import connect, robot_rig, state, until
from tests.blender.shown import choose


@pytest.fixture
def armed():
    """The armature of a robot that follows it."""
    rig, _ = robot_rig()
    bpy.ops.limber.live()
    connect(rig)
    bpy.ops.limber.arm()
    until(lambda: state(rig) == "ARMED", "it is armed")
    return rig


def offered(rig) -> tuple[str, list[str], int]:
    """The next step's operator, the robot panel's buttons down to the first sentence, and the height [lines]
    of the next step.
    """
    from limber.panels.authoring.next_step import LIMBER_PT_next_step
    from limber.panels.robot.robot import LIMBER_PT_robot

    step, panel = drawn(LIMBER_PT_next_step), drawn(LIMBER_PT_robot)
    _, verb = step.operators  # after Stop
    return verb, panel.operators, len(step.order)


def test_the_virtual_robots_ghost_is_shown_when_it_is_connected():
    view = bpy.context.window_manager.limber_view
    view.ghost = False
    rig, _ = robot_rig()
    connect(rig)
    assert view.ghost
    view.ghost = False
    assert state(rig) == "DISARMED"
    assert not view.ghost, "who switches it off has it off"


def test_after_stop_the_way_back_is_two_clicks_on_the_next_steps_button(armed, monkeypatch):
    from limber.panels import settling

    monkeypatch.setattr(settling, "SETTLES", 0.0)
    _, _, height = offered(armed)
    bpy.ops.limber.stop()
    until(lambda: state(armed) == "FAULT", "it is stopped")
    verb, buttons, stopped_height = offered(armed)
    assert verb == "limber.clear_fault"
    assert "limber.clear_fault" in buttons
    assert stopped_height == height, "what is below does not move"
    bpy.ops.limber.clear_fault()
    until(lambda: state(armed) == "DISARMED", "the fault is cleared")
    verb, _, cleared_height = offered(armed)
    assert verb == "limber.arm"
    assert cleared_height == height


def test_after_stop_clear_fault_comes_before_everything_else_that_could_be_next(armed):
    from limber.rig.authoring.next_step import next_step

    bpy.ops.limber.stop()
    until(lambda: state(armed) == "FAULT", "it is stopped")
    bpy.ops.limber.end_live()
    assert next_step(armed, False).operator == "limber.clear_fault"


@pytest.mark.parametrize(("text", "pressed"), [((0, 0, 0), ["limber.stop"]), ((1, 1, 1), [])])
def test_on_its_red_stop_has_bright_letters_in_a_theme_of_dark_ones_too(armed, text: tuple, pressed: list):
    from limber.panels.authoring.next_step import LIMBER_PT_next_step

    colours = bpy.context.preferences.themes[0].user_interface.wcol_tool
    usual = tuple(colours.text)
    colours.text = text
    try:
        assert drawn(LIMBER_PT_next_step).pressed == pressed
    finally:
        colours.text = usual


def test_in_the_robot_panel_the_buttons_of_a_state_are_above_its_sentences(armed):
    from limber.panels.robot.robot import LIMBER_PT_robot

    for verb, there in (("limber.disarm", "ARMED"), ("limber.clear_fault", "FAULT")):
        until(lambda there=there: state(armed) == there, "it is there")
        shown = drawn(LIMBER_PT_robot)
        assert shown.order.index(verb) < shown.order.index(shown.labels[0])
        bpy.ops.limber.stop()


@pytest.mark.every_blender
def test_every_state_of_a_robot_has_a_button_for_what_its_sentence_asks():
    from types import SimpleNamespace

    from limber.hardware.safety import State
    from limber.rig.authoring.next_step import _of_status

    for each in State:
        for asks in (False, True):
            step = _of_status(SimpleNamespace(state=each, needs_confirmation=asks, sentence="so it is"))
            assert step.operator.startswith("limber."), each.name


def test_a_robot_that_is_being_connected_has_a_button_in_the_place_of_connect_which_does_nothing():
    from limber.hardware.safety import State
    from limber.rig.authoring.next_step import next_step
    from limber.rig.robot import links, sending

    rig, _ = robot_rig()
    bpy.ops.limber.live()
    connect(rig)
    sending.robots[rig.session_uid].status = replace(links.status(rig), state=State.CONNECTING)
    assert next_step(rig, False).operator == "limber.wait"
    with pytest.raises(RuntimeError, match="Wait a moment: this button lets the robot move"):
        bpy.ops.limber.wait()


def test_a_button_that_moves_a_motor_comes_a_second_after_another_was_in_its_place(monkeypatch):
    from limber.panels import settling
    from limber.panels.settling import settled
    from limber.rig.events import handlers

    now, redraws = [10.0], []
    monkeypatch.setattr(settling, "monotonic", lambda: now[0])
    monkeypatch.setattr(handlers, "redraw_in", redraws.append)
    assert settled("limber.connect") == "limber.connect"
    assert settled("limber.wait") == "limber.wait", "it is being connected"
    now[0] += 0.5
    assert settled("limber.arm") == "limber.wait"
    assert redraws == [pytest.approx(0.5)], "Blender draws again when it has settled"
    now[0] += 0.4
    assert settled("limber.arm") == "limber.wait"
    now[0] += 0.1
    assert settled("limber.arm") == "limber.arm"
    assert settled("limber.disarm") == "limber.disarm", "what moves nothing comes at once"
    assert settled("limber.arm") == "limber.wait"


@pytest.mark.every_blender
def test_a_pose_beyond_the_servos_range_is_said_where_the_robot_is_said_to_follow(armed):
    from limber.panels.robot.robot import LIMBER_PT_robot
    from limber.rig.authoring.next_step import next_step
    from limber.rig.robot import sending

    assert next_step(armed, False).sentence.startswith("The robot follows")
    robot = sending.robots[armed.session_uid]
    joint = robot.link.device.joints[0]
    robot.short = ((joint, -0.1, 0.1),)
    robot.angles[0] = 0.5
    said = (
        f"The pose is beyond the servos' range ({joint.name}): narrow the joints' limits, or correct the"
        " servos' ranges"
    )
    assert next_step(armed, False).sentence == said
    assert said in drawn(LIMBER_PT_robot).said
    robot.angles[0] = 0.1
    assert next_step(armed, False).sentence.startswith("The robot follows")


@pytest.mark.every_blender
def test_a_chain_that_cannot_follow_is_said_where_the_robot_is_said_to_follow(armed):
    from limber.rig.authoring.next_step import next_step
    from limber.rig.live import live

    chain = armed.limber.chains[0]
    target = chain.target
    choose(chain, target=armed)
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(2)
    step = next_step(armed, False)
    assert step.operator == "limber.disarm"
    assert step.sentence == live.session(armed, chain).problem
    assert "choose another target" in step.sentence
    choose(chain, target=target)
    bpy.context.scene.frame_set(3)
    assert next_step(armed, False).sentence.startswith("The robot follows")


@pytest.mark.every_blender
def test_another_scene_says_where_the_robot_is_and_goes_there(armed):
    from limber.operators.robot.robot import LIMBER_OT_go_to_robot
    from limber.rig.authoring.next_step import next_step

    here, other = bpy.context.scene, bpy.data.scenes.new("Elsewhere")
    with bpy.context.temp_override(scene=other):
        step = next_step(None, False)
    assert step.operator == "limber.go_to_robot"
    assert step.sentence.startswith(f"The robot of '{armed.name}' is in scene '{here.name}'. Armed")
    # A Blender without a window may crash as its scene is exchanged.
    shown = SimpleNamespace(scene=other, window=SimpleNamespace(scene=other))
    assert LIMBER_OT_go_to_robot.why_not(shown) == ""
    LIMBER_OT_go_to_robot.run(SimpleNamespace(report=lambda *_: None), shown)
    assert shown.window.scene == here


@pytest.mark.every_blender
def test_figures_are_drawn_again_only_when_they_have_changed(armed):
    from limber.rig.robot import links, sending

    robot = sending.robots[armed.session_uid]
    assert links.figures_changed(1.0)
    assert not links.figures_changed(2.0), "the robot is still"
    first, *others = robot.status.positions
    robot.status = replace(robot.status, positions=(first + 1e-6, *others))
    assert not links.figures_changed(3.0), "a change that no figure shows"
    robot.status = replace(robot.status, positions=(first + 0.1, *others))
    assert links.figures_changed(4.0)
    assert links.figures_age(5.0) == pytest.approx(1.0)


def test_what_an_operator_has_changed_is_drawn_at_once(armed, monkeypatch):
    from limber.rig.events import handlers

    redraws = []
    monkeypatch.setattr(handlers, "redraw", lambda: redraws.append("all"))
    bpy.ops.limber.disconnect()
    assert redraws == ["all"], "no ghost is left behind"
