"""Tests that no button of the tab changes its position with a robot's state: every panel has the same rows in
every state, connected or not.
"""

from dataclasses import replace
from types import SimpleNamespace

import bpy
import pytest

from tests.blender.drawing import Layout, drawn
from tests.blender.rigs import looking_chain
from tests.blender.robots import connect, robot_rig

pytestmark = pytest.mark.every_blender

SWAPPED = {  # a single button that starts and ends an action
    "limber.end_live": "limber.live",
    "limber.end_record": "limber.record",
    "limber.end_range": "limber.record_range",
}
LONG = (
    "Servo 3 reports that it is hotter than it may be, and that its supply is lower than it should be: let it"
    " cool, check its supply"
)


def panels() -> list[type]:
    from limber.panels.authoring.next_step import LIMBER_PT_next_step
    from limber.panels.live.live import LIMBER_PT_live
    from limber.panels.robot import calibrate, feedback, robot, servos

    asking = [robot.LIMBER_PT_confirm] if robot.LIMBER_PT_confirm.poll(bpy.context) else []
    return [
        *(
            LIMBER_PT_next_step,
            LIMBER_PT_live,
            robot.LIMBER_PT_robot,
            *asking,
            robot.LIMBER_PT_robot_options,
            servos.LIMBER_PT_channels,
        ),
        *(calibrate.LIMBER_PT_calibrate, feedback.LIMBER_PT_feedback, feedback.LIMBER_PT_puppeteer),
    ]


def rows() -> dict[str, list[str]]:
    """Rows of each panel from top to bottom: buttons by their action, text by its words, without the button
    of Next Step.
    """
    found = {}
    for panel in panels():
        assert panel.poll(bpy.context) if hasattr(panel, "poll") else True, (
            f"{panel.__name__} is there before Connect"
        )
        order = drawn(panel).order
        if panel.__name__ == "LIMBER_PT_next_step":
            order[1] = "next step"
        is_button = [verb.startswith("limber.") and verb != "limber.show_message" for verb in order]
        found[panel.__name__] = [
            SWAPPED.get(verb, verb) if button else "text"
            for verb, button in zip(order, is_button, strict=True)
        ]
    return found


def statuses(known):
    """Statuses that a robot may report, by name: every state, the longest fault, and warnings of many
    lines.
    """
    from limber.hardware.safety import Fault, State
    from limber.hardware.sentences import sentence
    from limber.rig.robot import links

    device = links.link(bpy.context.active_object).device
    for state in State:
        fault = Fault.WORKER_DIED if state in links.LOST else Fault.NONE
        said = sentence(state, fault, "", device)
        yield state.name, replace(known, state=state, fault=fault, sentence=said)
    yield (
        "warnings",
        replace(known, state=State.ARMED, sentence="Armed: the robot follows", warnings=(LONG, LONG)),
    )
    yield (
        "detail",
        replace(
            known,
            state=State.FAULT,
            fault=Fault.BLOCKED,
            sentence=sentence(State.FAULT, Fault.BLOCKED, LONG, device),
        ),
    )


@pytest.mark.parametrize("port", ["virtual", "virtual-hobby"])
def test_every_panel_has_the_same_rows_in_every_state_of_the_robot_and_before_connect_and_after_disconnect(
    port: str,
):
    from limber.rig.live import budget
    from limber.rig.robot import links, sending

    rig, _ = robot_rig()
    rig.limber.device.port = port
    bpy.ops.limber.live()
    before = rows()
    connect(rig)
    assert rows() == before, "connected"
    known = links.status(rig)
    for name, status in statuses(known):
        sending.robots[rig.session_uid].status = status
        assert rows() == before, name
    rig.limber.device.baudrate = 9600
    assert rows() == before, "its settings have changed"
    budget.clock.steps = 3
    assert rows() == before, "time is short"
    budget.clock.forget()
    bpy.ops.limber.disconnect()
    assert rows() == before, "disconnected"


def test_live_has_the_same_rows_whatever_keeps_the_chain_from_its_target():
    from limber.rig.live import live

    rig, chain = looking_chain()
    before = drawn(panels()[1]).order
    bpy.ops.limber.live()
    session = live.session(rig, chain)
    for session.record.problem in ("", LONG, 3 * LONG):
        assert len(drawn(panels()[1]).order) == len(before), session.record.problem


def test_a_message_that_is_longer_than_its_place_is_shown_whole_by_its_last_line():
    from limber.rig.robot import links, sending

    rig, _ = robot_rig()
    connect(rig)
    sending.robots[rig.session_uid].status = replace(links.status(rig), warnings=(LONG, LONG, "The last one"))
    (message,) = drawn(panels()[2]).messages
    assert message.text.splitlines()[-1] == "The last one"
    assert bpy.ops.limber.show_message(text=message.text) == {"FINISHED"}


@pytest.mark.parametrize("servos", [0, 1, 6, 7, 30])
def test_a_scan_moves_no_button_however_many_servos_it_finds(monkeypatch, servos: int):
    from limber.hardware.job_events import Found
    from limber.panels.robot import scan as panel
    from limber.panels.robot.servos import LIMBER_PT_channels
    from limber.rig.robot import background_jobs

    robot_rig()
    before = drawn(LIMBER_PT_channels).order
    scan = background_jobs.RunningJob(SimpleNamespace(over=True))
    monkeypatch.setattr(background_jobs, "_scan", scan)
    scan.found = [
        Found("/dev/ttyUSB0", "feetech_sts", 1_000_000, number, f"STS {number}") for number in range(servos)
    ]
    assert drawn(LIMBER_PT_channels).order == before
    assert "limber.scan" in drawn(panel.LIMBER_PT_scan).operators

    seen, pages = [], -(-(servos + 2) // panel.ROWS)
    rows = [lambda box, number=number: box.label(text=f"row {number}") for number in range(servos)]
    for page in range(1, pages + 1):
        layout = Layout()
        panel._draw_page(layout, rows, SimpleNamespace(found_page=page))
        assert len(layout.labels) == panel.ROWS
        seen += [label for label in layout.labels if label]
    assert seen[:servos] == [f"row {number}" for number in range(servos)], "each row is on a page"
