"""Records the positions of all buttons of the tab while a robot is connected, arms, follows, holds, has a
fault, is tried, and is disconnected; and the drawings while it is armed and at rest.
"""

import sys
import time
from dataclasses import replace
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import tabs
from hand import Hand

from robots import HELD, reached

STILL = 2.5  # [s] figures are updated at least once per second
SCALE = 0.7  # scale of the interface, so that all panels are visible
# [pixels] distance of two samples: rows are 14 high, so a shift by a pixel moves some button to another
# sample
STEP = 5
COLUMNS = (0.25, 0.7)  # shares of the sidebar's width
SHOWN = ("LIMBER_PT_next_step", "LIMBER_PT_live", "LIMBER_PT_robot", "LIMBER_PT_feedback", "LIMBER_PT_motion")
LONG = (
    "Servo 3 reports that it is hotter than it may be, and that its supply is lower than it should be: let it"
    " cool, check its supply"
)


def sidebar_drawn(stage):
    """Has the sidebar drawn again, and waits for this, which takes a while on a busy machine."""
    drawn: list[str] = []
    handle = bpy.types.SpaceView3D.draw_handler_add(drawn.append, ("UI",), "UI", "POST_PIXEL")
    stage.redraw()
    yield from stage.until(lambda: drawn)
    bpy.types.SpaceView3D.draw_handler_remove(handle, "UI")
    yield 0.2


def buttons(stage, hand: Hand, before: dict):
    """Buttons under the mouse down two columns of the sidebar, by position; an empty text for no button. One
    that differs from the button `before` is read again, since a busy machine may show the last one late.
    """
    yield from sidebar_drawn(stage)
    region = stage.region("UI")
    names = {}
    for across in COLUMNS:
        for y in range(region.y + region.height - 1, region.y, -STEP):
            position = int(region.x + across * region.width), y
            names[position] = yield from hand.under(position)
            if names[position] != before.get(position, names[position]):
                names[position] = yield from hand.under(position)
    return names


def _columns(names: dict) -> list[list[str]]:
    """Names of the buttons down each column; "next step" for the first button after Stop, and an empty text
    for messages.
    """
    columns: dict[int, list[str]] = {}
    for (x, _), name in names.items():
        columns.setdefault(x, []).append("" if "show_message" in name else name)
    return [_without_the_step(column) for column in columns.values()]


def _without_the_step(column: list[str]) -> list[str]:
    stop = max(index for index, name in enumerate(column) if "limber.stop" in name)
    first = next(index for index in range(stop + 1, len(column)) if column[index])
    step = column[first]
    last = next(index for index in range(first, len(column)) if column[index] != step)
    return [*column[:first], *["next step"] * (last - first), *column[last:]]


def count_drawings(stage) -> list[str]:
    """A list to which the kind of a region of the 3D view is added whenever it is drawn."""
    drawn: list[str] = []
    for kind in ("WINDOW", "UI"):
        handle = bpy.types.SpaceView3D.draw_handler_add(drawn.append, (kind,), kind, "POST_PIXEL")
        stage.at_end.callback(bpy.types.SpaceView3D.draw_handler_remove, handle, kind)
    return drawn


def stand_still(stage, rig):
    """Arms the robot, waits until it has arrived, and records the drawings while its state and figures are
    constant.
    """
    links = stage.part("rig.robot.links")
    yield from reached(stage, rig, "ARMED", bpy.ops.limber.arm)
    drawn, texts = count_drawings(stage), []
    connected = stage.part("rig.robot.sending").ConnectedRobot
    look = connected.look

    def note(robot) -> bool:
        changed = look(robot)
        texts.extend([links.status(rig).sentence] if changed else [])
        return changed

    connected.look = note
    while True:
        yield from stage.until(lambda: links.figures_age(time.monotonic()) > STILL, HELD)
        drawn.clear()
        texts.clear()
        since = links.figures_age(time.monotonic())
        yield STILL
        if not texts and links.figures_age(time.monotonic()) > since:
            stage.facts["drawn while it is still"] = list(drawn)
            connected.look = look
            return


def play(stage):
    hand = Hand(stage)
    links, safety = stage.part("rig.robot.links"), stage.part("hardware.safety")
    budget, sentences = stage.part("rig.live.budget"), stage.part("hardware.sentences")
    tabs.empty(stage, *SHOWN)
    bpy.context.preferences.view.ui_scale = SCALE
    stage.maximise()
    with stage.context():
        bpy.ops.limber.add_demo_lamp()
        bpy.ops.limber.live()
    rig = bpy.context.view_layer.objects.active
    stage.open_tab()
    yield 0.5

    seen = {}
    under_mouse = {}

    def note(name: str):
        under_mouse.update((yield from buttons(stage, hand, under_mouse)))
        seen[name] = _columns(under_mouse)
        stage.photograph(f"still_{name}")

    yield from note("before")
    stage.facts["buttons"] = len({name for column in seen["before"] for name in column if name})
    with stage.context():
        bpy.ops.limber.connect()
    yield from stage.until(lambda: links.status(rig).state is safety.State.DISARMED)
    yield from sidebar_drawn(stage)
    # by then Arm has this position, whatever the samples have reached
    yield stage.part("panels.settling").SETTLES
    yield from note("connected")

    robot, known = stage.part("rig.robot.sending").ConnectedRobot, links.status(rig)
    look = robot.look
    stage.at_end.callback(setattr, robot, "look", look)
    robot.look = lambda _robot: False  # so that the robot has the state set by the play

    def say(state: str, fault: str = "NONE", **more):
        status = (
            known
            if state == "DISARMED"
            else replace(known, state=safety.State[state], fault=safety.Fault[fault])
        )
        device = links.link(rig).device
        said = sentences.sentence(status.state, status.fault, "", device)
        stage.part("rig.robot.sending").robots[rig.session_uid].status = replace(
            status, sentence=said, **more
        )

    say("ARMED")
    yield from note("armed")
    say("HOLDING")
    yield from note("holding")
    say("SETUP")
    yield from note("wiggles")
    say("WORKER_LOST", "WORKER_DIED")
    yield from note("fault")
    say("ARMED", warnings=(LONG, LONG))
    budget.clock.steps = 3
    yield from note("slow")
    budget.forget()
    robot.look = look
    yield from stand_still(stage, rig)
    drawn = count_drawings(stage)
    with stage.context():
        bpy.ops.limber.disconnect()
    yield from stage.until(lambda: "WINDOW" in drawn)
    yield from note("disconnected")
    stage.facts["moved"] = {
        name: [
            (a, b)
            for was, now in zip(seen["before"], columns, strict=True)
            for a, b in zip(was, now, strict=True)
            if a != b
        ]
        for name, columns in seen.items()
    }
