"""What the tab offers while a robot is connected: its ghost, and the way back after Stop, button after button in one place."""

import bpy
import pytest

from tests.blender.drawing import drawn
from tests.blender.robots import connect, robot_rig, state, until

pytestmark = pytest.mark.every_blender


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
    """The next step's operator, the robot panel's buttons down to the first sentence, and the height [lines] of the next step."""
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


def test_after_stop_the_way_back_is_two_clicks_on_the_next_steps_button(armed):
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


def test_in_the_robot_panel_the_buttons_of_a_state_are_above_its_sentences(armed):
    from limber.panels.robot.robot import LIMBER_PT_robot

    for verb, there in (("limber.disarm", "ARMED"), ("limber.clear_fault", "FAULT")):
        until(lambda there=there: state(armed) == there, "it is there")
        shown = drawn(LIMBER_PT_robot)
        assert shown.order.index(verb) < shown.order.index(shown.labels[0])
        bpy.ops.limber.stop()


def test_every_state_of_a_robot_has_a_button_for_what_its_sentence_asks():
    from types import SimpleNamespace

    from limber.hardware.safety import State
    from limber.rig.authoring.next_step import _of_status

    for each in State:
        for asks in (False, True):
            step = _of_status(SimpleNamespace(state=each, needs_confirmation=asks, sentence="so it is"))
            assert step.operator.startswith("limber."), each.name
