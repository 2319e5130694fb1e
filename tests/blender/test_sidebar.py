"""Tests the tab: a beginner's panels are first and open, all others are closed and in groups, and F3 finds
the operators of panels, too.
"""

import bpy
import pytest
from limber import registration
from limber.operators import subject
from limber.rig.live import live
from limber.rig.scene.goal import CUSTOM

from tests.blender.drawing import drawn
from tests.blender.four_bars import four_bar, owned
from tests.blender.rigs import looking_chain, make_active

pytestmark = pytest.mark.every_blender

FIRST = ["Next Step", "Chain", "Postures", "Gaze", "Live", "Robot"]
# Operators that act on one of several items named in a panel, or that are in Blender's own menus.
NAMED_BY_PANELS = {
    *("add_demo_lamp", "add_robot", "add_robot_folder", "install_robot_meshes"),  # in its menu
    *("import_robot", "import_from_robot", "add_mechanism"),  # at the top of the menu
    *(
        "use_motion_style",
        "use_solver",
        "sort_comparison",
        "copy_comparison",
        "move_posture",
        "use_scene_range",
    ),
    *(
        "choose_port",
        "choose_baudrate",
        "choose_protocol_file",
        "read_protocol_file",
        "use_found",
        "change_servo",
        "assign_servo",
    ),
    *(
        "add_share",
        "remove_share",
        "choose_share",
        "wiggle",
        "which_joint",
        "let_go",
        "jog",
        "test_joint",
        "set_zero",
        "set_end",
    ),
    *("confirm_joint", "show_message", "wait"),
    *("add_ready_set", "add_to_behaviour", "remove_from_behaviour", "move_in_behaviour", "mask_joint"),
    *("send_event", "enter_state"),
}


def panels() -> list[type]:
    """Panels of the tab, in the order of registration."""
    return [
        cls
        for cls in registration.classes()
        if issubclass(cls, bpy.types.Panel) and cls.bl_space_type == "VIEW_3D" and cls.bl_region_type == "UI"
    ]


def is_closed(cls: type) -> bool:
    return "DEFAULT_CLOSED" in (getattr(cls, "bl_options", None) or set())


def test_six_panels_are_open_at_the_top_and_all_else_is_closed():
    top = sorted(
        (cls for cls in panels() if not getattr(cls, "bl_parent_id", "")), key=lambda cls: cls.bl_order
    )
    assert [cls.bl_label for cls in top if not is_closed(cls)] == FIRST
    assert [cls.bl_label for cls in top[: len(FIRST)]] == FIRST
    mechanism = {
        "LIMBER_PT_mechanism_goals",
        "LIMBER_PT_mechanism_motors",
        "LIMBER_PT_mechanism_closures",
    }  # in a panel that is closed
    assert [
        cls.__name__
        for cls in panels()
        if getattr(cls, "bl_parent_id", "") and not is_closed(cls) and cls.__name__ not in mechanism
    ] == []


def test_a_live_lamp_has_eighteen_headers_at_most():
    bpy.ops.limber.add_demo_lamp()
    bpy.ops.limber.live()
    seen: set[str] = set()
    for cls in panels():
        parent = getattr(cls, "bl_parent_id", "")
        opened = not parent or (
            parent in seen and not is_closed(next(other for other in panels() if other.__name__ == parent))
        )
        poll = getattr(cls, "poll", None)
        if opened and (poll is None or poll(bpy.context)):
            seen.add(cls.__name__)
    assert len(seen) <= 18, sorted(seen)


@pytest.mark.parametrize("look", ["+Y", CUSTOM])
@pytest.mark.parametrize("goal", ["POINT", "ORIENTATION", "POSITION", "FRAME"])
def test_gaze_has_four_fields_at_most(goal: str, look: str):
    from limber.panels.authoring.gaze import LIMBER_PT_gaze

    _, chain = looking_chain()
    chain.goal, chain.forward_axis = goal, look
    fields = [name for _, name in drawn(LIMBER_PT_gaze).settings]
    assert fields[:2] == ["goal", "target"]
    assert fields[-1] == "influence"
    assert len(fields) <= 4


def test_what_gaze_does_not_show_is_in_its_settings():
    from limber.panels.authoring.gaze import LIMBER_PT_gaze, LIMBER_PT_gaze_settings
    from limber.rig.properties.chains import LimberGoal

    rig, chain = looking_chain()
    chain.target = rig  # its bones can be chosen, too
    shown: set[str] = set()
    for goal in ("POINT", "DIRECTION", "ORIENTATION", "POSITION", "FRAME"):
        for roll in ("FREE", "UPRIGHT"):
            chain.goal, chain.roll = goal, roll
            for chain.forward_axis in ("+Y", "CUSTOM"):
                shown |= {
                    name
                    for panel in (LIMBER_PT_gaze, LIMBER_PT_gaze_settings)
                    for _, name in drawn(panel).settings
                }
    assert (
        set(LimberGoal.__annotations__) - {"weight"} <= shown
    )  # the weight is beside those of the additional goals


def test_recording_has_move_with_mouse_beside_it():
    from limber.panels.output.bake import LIMBER_PT_record

    looking_chain()
    bpy.ops.limber.live()
    assert {"limber.record_live", "limber.move_with_mouse"} <= set(drawn(LIMBER_PT_record).operators)


def test_the_lines_of_live_are_as_many_before_as_while_it_is_live():
    from limber.panels.live.live import LIMBER_PT_live

    looking_chain()
    before = drawn(LIMBER_PT_live)
    bpy.ops.limber.live()
    now = drawn(LIMBER_PT_live)
    assert len(now.order) == len(before.order)
    assert any(label.startswith("Aim error") for label in now.labels)


def test_what_is_live_and_finds_no_solution_is_not_said_to_be_off():
    from limber.panels.live.live import LIMBER_PT_live

    rig, _ = looking_chain()
    assert "Not live" in drawn(LIMBER_PT_live).labels
    bpy.ops.limber.live()
    live.session(rig, rig.limber.chains[0]).record.outputs = None
    assert "No solution" in drawn(LIMBER_PT_live).labels


def test_the_scenes_range_is_chosen_for_a_mechanism_whose_body_alone_was_clicked(monkeypatch):
    four_bar()
    kept = owned().limber.mechanism
    kept.bake_end = 30
    make_active(bpy.data.objects["crank"])
    monkeypatch.setattr(subject, "_in_use", "")
    assert bpy.ops.limber.use_scene_range() == {"FINISHED"}
    assert kept.bake_end == bpy.context.scene.frame_end
    assert bpy.ops.limber.use_scene_range() == {"CANCELLED"}


def test_closures_are_not_drawn_where_bodies_that_are_to_be_bones_are_none():
    from limber.panels.mechanism.items import LIMBER_PT_mechanism_closures

    four_bar()
    owner = owned()
    owner.limber.mechanism.use_bones = True
    assert not LIMBER_PT_mechanism_closures.poll(bpy.context)
    with pytest.raises(RuntimeError, match="join them by rigid body constraints or empties"):
        bpy.ops.limber.add_closure()


def test_f3_finds_every_operator_whose_context_is_there():
    """Blender's search goes through menus."""
    from limber.operators.successors import Successor
    from limber.panels import menus

    registered = {
        cls.bl_idname.partition(".")[2]
        for cls in registration.classes()
        if issubclass(cls, bpy.types.Operator) and not issubclass(cls, Successor)
    }
    offered = [verb for menu in menus.SUBMENUS for verb in menu.operators]
    assert len(offered) == len(set(offered))
    assert set(offered) == registered - NAMED_BY_PANELS, (
        "a new operator is in panels/menus.py; if it needs an argument, in NAMED_BY_PANELS"
    )
    assert registered >= NAMED_BY_PANELS
    looking_chain()
    shown = [drawn(menu).operators for menu in menus.SUBMENUS]
    assert {verb.partition(".")[2] for verbs in shown for verb in verbs} == set(offered)
    for place, draw in menus.MENU_ENTRIES.items():
        assert draw in getattr(bpy.types, place)._dyn_ui_initialize()
