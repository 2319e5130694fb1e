"""Tests that the heartbeat repeats a robot's last values without reading the scene while the scene is
unchanged.
"""

from dataclasses import replace

import bpy
import pytest
from limber.hardware.link import WorkerLink
from limber.hardware.safety import State
from limber.rig.events import handlers
from limber.rig.properties.robot import DIRECT
from limber.rig.robot import links, sending, value_filters
from limber.rig.robot import values as robot_values
from limber.rig.robot import view as robot_view

from tests.blender.robots import connect, robot_rig, state


@pytest.fixture
def rig(monkeypatch):
    """The armature of a connected robot at rest, in a Blender that notices changes, as one with windows
    does.
    """
    monkeypatch.setattr(sending, "_changes_are_noticed", lambda rig: True)
    rig, _ = robot_rig()
    add_jaw(rig)
    connect(rig)
    bpy.context.view_layer.update()
    beat()
    return rig


def add_jaw(rig) -> None:
    """Adds a custom property that a servo follows at once."""
    rig["jaw"] = 0.0
    jaw = rig.limber.device.auxiliaries.add()
    jaw.name, jaw.owner, jaw.path, jaw.servo, jaw.filter = "Jaw", rig, '["jaw"]', 7, DIRECT
    jaw.low, jaw.high, jaw.at_low, jaw.at_high = 0.0, 1.0, 1000.0, 2000.0


def beat(times: int = 3) -> None:
    for _ in range(times):
        sending.heartbeat()


def sent(rig) -> dict[str, float]:
    """Last values on the way to the robot, by the joints' names."""
    link = links.link(rig)
    return {
        joint.name: motion.position for joint, motion in zip(link.device.joints, link._motion, strict=True)
    }


def count_readings(monkeypatch) -> list:
    readings = []
    read = robot_values.with_rates
    monkeypatch.setattr(
        robot_values, "with_rates", lambda *arguments: readings.append(arguments) or read(*arguments)
    )
    return readings


def test_while_nothing_changes_signs_of_life_go_on_and_the_scene_is_not_read(rig, monkeypatch):
    readings, frame = count_readings(monkeypatch), links.link(rig)._frame
    beat(5)
    assert links.link(rig)._frame == frame + 5
    assert readings == []
    assert state(rig) == "DISARMED"


def test_a_pose_that_changes_is_sent_by_the_next_beat(rig):
    rig.pose.bones["middle"].rotation_euler.x = 0.3
    bpy.context.view_layer.update()
    beat(1)
    assert sent(rig)["middle X"] == pytest.approx(0.3, abs=1e-6)


def test_a_custom_property_that_a_script_sets_is_sent_by_the_next_beat_though_blender_notices_nothing(rig):
    beat()
    rig["jaw"] = 0.6
    beat(1)
    assert sent(rig)["Jaw"] == pytest.approx(0.6)


@pytest.mark.parametrize(
    "tell", [lambda: sending.hold(False), lambda: handlers._render_init(), lambda: handlers._undo_post()]
)
def test_after_what_may_change_values_unnoticed_they_are_read_anew(rig, monkeypatch, tell):
    readings = count_readings(monkeypatch)
    tell()
    beat(1)
    assert len(readings) == 1


def test_a_robot_whose_armature_is_deleted_at_rest_is_disconnected(rig):
    bpy.data.objects.remove(rig)
    bpy.context.view_layer.update()
    beat(1)
    assert not links.is_any_connected()


def test_a_filtered_property_begins_to_move_after_a_rest_as_after_any_beat(rig, monkeypatch):
    """The time at rest does not count as the first step of its filter."""
    steps = []
    step = value_filters.ValueFilters.step
    monkeypatch.setattr(
        value_filters.ValueFilters, "step", lambda self, *given: steps.append(given[3]) or step(self, *given)
    )
    clock = iter(range(0, 10_000))
    monkeypatch.setattr(sending, "monotonic", lambda: 0.01 * next(clock))
    beat(50)
    rig["jaw"] = 0.6
    beat(1)
    assert 0.0 < steps[-1] < 0.1


def test_a_new_state_redraws_the_sidebars_alone_since_a_viewport_s_drawing_may_make_an_armed_robot_hold_still(
    rig, monkeypatch
):
    redraws = []
    monkeypatch.setattr(handlers, "redraw", lambda: redraws.append("all"))
    monkeypatch.setattr(robot_view, "redraw_sidebars", lambda: redraws.append("sidebars"))
    handlers._heartbeat()
    status = replace(links.status(rig), state=State.HOLDING, sentence="Holding still")
    monkeypatch.setattr(WorkerLink, "read_status", lambda link: status)
    redraws.clear()
    handlers._heartbeat()
    assert redraws == ["sidebars"]


@pytest.mark.parametrize("shown", [("ghost",), ("plot",), ()])
def test_a_viewport_is_redrawn_for_a_robot_only_where_it_shows_its_figures(shown, monkeypatch):
    view, tagged = bpy.context.window_manager.limber_view, []
    view.ghost, view.plot = "ghost" in shown, "plot" in shown
    monkeypatch.setattr(robot_view, "_redraw", tagged.append)
    robot_view.redraw_figures()
    robot_view.redraw_sidebars()
    assert tagged == [{"UI", "WINDOW"} if shown else {"UI"}, {"UI"}]
