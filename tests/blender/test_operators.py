"""Tests that every button and property has a name, a tooltip, correct undo, and a reason if it is
greyed out.
"""

from collections.abc import Iterator

import bpy
import pytest

from tests.blender.enumerations import enumerations, offered
from tests.blender.modal import Window
from tests.blender.rigs import UPRIGHT, build, looking_chain, make_active, target

pytestmark = pytest.mark.every_blender

CHANGING = {  # operators that change the file: each is one step in the undo history
    "add_demo_lamp",
    *("add_ready_set", "add_to_behaviour", "remove_from_behaviour", "move_in_behaviour", "mask_joint"),
    *("rehearse", "end_rehearsal", "add_lid", "remove_lid", "add_lid_value"),
    "add_robot",
    "add_robot_folder",
    "choose_damping",
    "import_lerobot",
    "reset_solver_settings",
    "zero_pose",
    "keep_takes",
    "restore_takes",
    "use_motion_style",
    "load_motion_style",
    "mark_findings",
    "clear_marks",
    "import_robot",
    "import_from_robot",
    "import_motion",
    "new_chain",
    "eyes_head_torso",
    "remove_chain",
    "import_joint_limits",
    "match_joints",
    "use_new_settings",
    "store_posture",
    "use_pose",
    "use_posture",
    "pose_from_points",
    "use_scene_range",
    "move_posture",
    "mirror_posture",
    "add_posture",
    "apply_posture",
    "remove_posture",
    "live",
    "end_live",
    "live_all",
    "end_live_all",
    "bake",
    "choose_port",
    "add_end",
    "remove_end",
    "make_target",
    "add_target",
    "remove_target",
    "look_into_camera",
    "move_with_mouse",
    "pick_forward_axis",
    "use_solver",
    "add_auxiliary",
    "add_channel",
    "add_share",
    "assign_servo",
    "choose_baudrate",
    "choose_protocol_file",
    "choose_share",
    "end_puppeteer",
    "end_range",
    "end_record",
    "key_pose",
    "load_calibration",
    "puppeteer",
    "store_park_pose",
    "remove_auxiliary",
    "remove_channel",
    "remove_share",
    "restore_calibration",
    "set_end",
    "set_zero",
    "use_found",
    "use_preset",
    "which_joint",
    "pair_bones",
    "add_coupled_joint",
    "add_coupled_limit",
    "add_pair",
    "remove_coupled_joint",
    "remove_coupled_limit",
    "remove_pair",
    "calibrate_pairs",
    "add_zone",
    "remove_zone",
}
GONE = {"use_character", "load_character", "save_character"}  # operators that only name their replacements
NEEDING_A_CHAIN = {
    "add_end",
    "remove_end",
    "make_target",
    "add_target",
    "remove_target",
    "look_into_camera",
    "move_with_mouse",
    "pick_forward_axis",
    "use_solver",
    "compare_solvers",
    "sort_comparison",
    "copy_comparison",
    "remove_chain",
    "check_chain",
    "match_joints",
    "store_posture",
    "add_posture",
    "apply_posture",
    "remove_posture",
    "move_posture",
    "mirror_posture",
    "live",
    "end_live",
    "live_all",
    "end_live_all",
    "bake",
    "use_motion_style",
    "load_motion_style",
    "use_scene_range",
}
MECHANISM = {  # operators of mechanisms
    "add_mechanism",
    "new_mechanism",
    "assemble_mechanism",
    "add_motors",
    "remove_motor",
    "add_mechanism_goal",
    "remove_mechanism_goal",
    "add_closure",
    "close_named_loops",
    "align_joint",
    "keep_goal_offset",
    "key_support",
    "remove_closure",
    "import_closures",
    "set_rest_pose",
    "go_to_rest_pose",
    "add_mechanism_joints",
    "find_mechanism_joints",
    "remove_mechanism_joint",
}
OF_MECHANISMS = {"check_mechanism", *MECHANISM}
GALLERY = {"add_robot", "add_robot_folder", "install_robot_meshes", "import_from_robot"}
BEHAVIOUR = {  # operators of the scene's behaviour
    "check_behaviour",
    *("add_ready_set", "add_to_behaviour", "remove_from_behaviour", "move_in_behaviour", "mask_joint"),
    *("rehearse", "end_rehearsal", "send_event", "enter_state"),
}
WITHOUT_A_RIG = {
    "cancel_scan",
    "go_to_robot",
    "show_message",
    "wait",
    "add_demo_lamp",
    "clear_marks",
    "export_character",
    "check_character",
    *GALLERY,
    *BEHAVIOUR,
}  # operators that do not act on the active armature
BUILT_IN = {
    "rna_type",
    "bl_idname",
    "bl_label",
    "bl_description",
    "bl_options",
    "bl_translation_context",
    "bl_undo_group",
}


def names() -> list[str]:
    return sorted(dir(bpy.ops.limber))


def operator(name):
    return getattr(bpy.ops.limber, name)


def rna(name):
    return operator(name).get_rna_type()


def groups() -> list:
    from limber.registration import classes
    from limber.rig.robot import view as robot_view

    kept = [
        cls
        for cls in classes()
        if issubclass(cls, bpy.types.PropertyGroup) and ".rig.properties." in cls.__module__
    ]
    return [cls.bl_rna for cls in kept if cls is not robot_view.LimberView]  # that one belongs to the session


def test_every_operator_has_a_label_of_its_own_and_a_tooltip():
    labels = [rna(name).name for name in names()]
    assert len(set(labels)) == len(labels) > 15
    for name in names():
        assert rna(name).description.strip(), name
        assert not rna(name).description.endswith("."), f"{name}: Blender adds the full stop"


def test_every_tooltip_of_a_class_and_of_its_properties_is_on_one_line_without_a_full_stop():
    from limber.registration import classes

    for name, text in (each for cls in classes() for each in tooltips(cls)):
        assert text == " ".join(text.split()), f"{name}: Blender shows its line breaks"
        assert not text.endswith("."), f"{name}: Blender adds the full stop"


def tooltips(cls: type) -> Iterator[tuple[str, str]]:
    """(name, tooltip) of a registered class, of its properties and of their choices, as Blender has them."""
    is_operator = issubclass(cls, bpy.types.Operator)
    cls_rna = rna(cls.__name__.removeprefix("LIMBER_OT_")) if is_operator else cls.bl_rna
    yield cls.__name__, cls_rna.description if is_operator else getattr(cls, "bl_description", "")
    # Blender's own properties are those of the class's base in Blender
    for prop in {*cls_rna.properties} - {*(cls_rna.base.properties if cls_rna.base else ())}:
        yield f"{cls.__name__}.{prop.identifier}", prop.description
        for item in prop.enum_items if prop.type == "ENUM" else ():
            yield f"{cls.__name__}.{prop.identifier}: {item.identifier}", item.description


def test_every_property_of_an_operator_has_a_tooltip():
    for name in names():
        for prop in rna(name).properties:
            if prop.identifier not in BUILT_IN:
                assert prop.description.strip(), f"{name}.{prop.identifier}"


def test_every_property_in_the_file_has_a_name_and_a_tooltip():
    for group in groups():
        for prop in group.properties:
            if prop.identifier not in BUILT_IN:
                assert prop.name.strip(), f"{group.identifier}.{prop.identifier}"
                assert prop.description.strip(), f"{group.identifier}.{prop.identifier}"
    assert bpy.types.Object.bl_rna.properties["limber"].description


def test_every_choice_has_a_tooltip():
    for group, name in enumerations(looking_chain()[0].limber):
        for key, _, description, _ in offered(group, name):
            assert description.strip(), f"{type(group).__name__}.{name}: {key}"


def test_every_property_in_the_file_can_be_overridden():
    for group in groups():
        for prop in group.properties:
            if prop.identifier not in BUILT_IN | {
                "name"
            }:  # Blender's own properties of joints and postures: the new index of an item
                assert prop.is_overridable, f"{group.identifier}.{prop.identifier}"


def test_operators_that_change_the_file_are_steps_in_the_undo_history_and_others_are_not():
    undone = {
        name
        for name in names()
        if "UNDO" in getattr(getattr(bpy.types, f"LIMBER_OT_{name}"), "bl_options", set())
    }
    assert undone ^ (CHANGING | MECHANISM) == set(), (
        "a new operator that changes the file has UNDO and is in CHANGING or MECHANISM"
    )


def refusal(name) -> str:
    with pytest.raises(RuntimeError) as error:
        operator(name)()
    return str(error.value)


def test_without_an_armature_every_button_says_to_click_one():
    for name in set(names()) - {"stop", "import_robot", *OF_MECHANISMS, *WITHOUT_A_RIG, *GONE}:
        assert "No armature is active: click the armature of a character or robot" in refusal(name), name
    make_active(target())
    assert "No armature is active" in refusal("check_chain")


def test_without_a_mechanism_every_button_that_needs_one_says_how_to_make_it():
    for name in OF_MECHANISMS - {"add_mechanism", "new_mechanism", "import_closures", "close_named_loops"}:
        assert "press Add Mechanism" in refusal(name), name


def test_without_a_chain_every_button_that_needs_one_says_how_to_make_it():
    build(UPRIGHT)
    for name in NEEDING_A_CHAIN:
        assert "press New Chain" in refusal(name), name


def test_a_long_operator_asks_for_what_it_needs_unless_the_call_gives_that():
    class Asking(Window):
        """A window without a file browser, which only a Blender with a window can open."""

        def _ask(self, context):
            return {"RUNNING_MODAL"}

    operator = bpy.types.LIMBER_OT_install_robot_meshes
    asking, given = Asking(operator), Asking(operator, filepath="")
    assert (asking.invoke(bpy.context, None), asking.reports) == ({"RUNNING_MODAL"}, [])
    assert given.invoke(bpy.context, None) == {"CANCELLED"}
    assert "No folder is chosen" in given.reports[0][1]


def test_a_new_joint_has_what_a_hobby_servo_can_do():
    from math import degrees

    joint = build(UPRIGHT).limber.chains.add().joints.add()
    assert [round(degrees(getattr(joint, word))) for word in ("velocity", "acceleration", "jerk")] == [
        180,
        900,
        9000,
    ]
    assert (joint.zero_us, joint.min_us, joint.max_us, joint.on_silence) == (1500, 500, 2500, "hold")


def test_a_new_chain_looks_along_its_end_bone_with_the_expressive_solver():
    _, chain = looking_chain()
    assert (chain.forward_axis, chain.up, chain.eye, chain.base, chain.solver, chain.filter) == (
        "+Y",
        "+Z",
        1.0,
        "RIG",
        "expressive",
        "automatic",
    )
    assert not chain.live


def test_leaving_the_dialog_of_an_operator_that_asks_before_it_works_cancels_nothing():
    from limber.operators.stepwise import Stepwise
    from limber.registration import classes

    asking = [cls for cls in classes() if issubclass(cls, Stepwise) and cls.settings]
    assert len(asking) >= 5
    for cls in asking:
        window = Window(cls)
        window._ask = lambda context: {"RUNNING_MODAL"}
        assert Stepwise.invoke(window, bpy.context, None) == {"RUNNING_MODAL"}
        window.cancel(bpy.context)  # as Blender does when Esc closes the dialog
        assert window.reports == []
