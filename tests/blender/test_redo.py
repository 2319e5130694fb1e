"""Adjust Last Operation (F9): an operator runs again for the mover for which its button called it, whichever
mover is in use by then. Repeat Last runs it for the mover in use.
"""

import bpy
import pytest

from tests.blender import mechanisms
from tests.blender.at_hand import about
from tests.blender.makers_rigs import made
from tests.blender.rigs import looking_chain, make_active, select

UNDO = True  # an operator called by a script makes an undo step, as one called by a button does


def adjust(**changed) -> None:
    """Changes properties of the last operator as in the panel Adjust Last Operation: undo, then the same
    operator again.
    """
    for name, value in changed.items():
        setattr(bpy.context.window_manager.operators[-1].properties, name, value)
    with in_view():
        assert bpy.ops.ed.undo_redo("EXEC_DEFAULT", UNDO) == {"FINISHED"}


def in_view():
    """A context of the window's largest area, as Blender's own operators need."""
    window = bpy.context.window_manager.windows[0]
    area = max(window.screen.areas, key=lambda area: area.width * area.height)
    region = next(part for part in area.regions if part.type == "WINDOW")
    return bpy.context.temp_override(window=window, area=area, region=region)


def mechanism():
    return bpy.data.objects["Push-Rod Neck"].limber.mechanism


def chain():
    return bpy.data.objects["Rig"].limber.chains[0]


def names(settings) -> list[str]:
    return [posture.action.name for posture in settings.postures]


@pytest.fixture(autouse=True)
def both(undo_step):
    """A mechanism, and an armature with a chain, which is in use."""
    mechanisms.add("neck").limber.mechanism.drive = "MOTORS"
    rig, _ = looking_chain()
    make_active(rig)
    undo_step("made")


@pytest.mark.every_blender
def test_store_posture_that_is_adjusted_stores_it_for_the_same_mover():
    with about(mechanism()):
        bpy.ops.limber.store_posture("EXEC_DEFAULT", UNDO, name="Up")
    adjust(name="Down")
    assert (names(mechanism()), names(chain())) == (["Down"], [])
    adjust(name="Left")
    assert (names(mechanism()), names(chain())) == (["Left"], [])


def test_a_pose_asset_that_is_chosen_anew_is_added_to_the_same_movers_postures(undo_step):
    with about(mechanism()):
        for name in ("Up", "Down"):
            bpy.ops.limber.store_posture(name=name)
            mechanism().postures[0].adopted = True  # so that the pose asset stays
            bpy.ops.limber.remove_posture()
    undo_step("pose assets")
    with about(mechanism()):
        bpy.ops.limber.add_posture("EXEC_DEFAULT", UNDO, name="Up")
    adjust(name="Down")
    assert (names(mechanism()), names(chain())) == (["Down"], [])


def test_a_new_call_acts_on_the_mover_in_use_not_on_that_of_the_call_before():
    with about(mechanism()):
        bpy.ops.limber.store_posture("EXEC_DEFAULT", UNDO, name="Up")
    bpy.ops.limber.store_posture("EXEC_DEFAULT", UNDO, name="Lean")
    assert (names(mechanism()), names(chain())) == (["Up"], ["Lean"])


def test_repeat_last_acts_on_the_mover_in_use():
    with about(mechanism()):
        bpy.ops.limber.store_posture("EXEC_DEFAULT", UNDO, name="Up")
    with in_view():
        bpy.ops.screen.repeat_last()
    assert (names(mechanism()), names(chain())) == (["Up"], ["Up.001"])


def test_an_operator_whose_mover_was_deleted_meanwhile_says_so():
    with about(mechanism()):
        bpy.ops.limber.store_posture("EXEC_DEFAULT", UNDO, name="Up")
    gone = bpy.context.window_manager.operators[-1].properties
    bpy.data.objects.remove(bpy.data.objects["Push-Rod Neck"])
    with pytest.raises(
        RuntimeError, match="What 'Store Posture' was called for was deleted: press its button again"
    ):
        bpy.ops.limber.store_posture(name="Down", owner_uid=gone.owner_uid, mover_path=gone.mover_path)
    assert names(chain()) == []


def test_the_button_of_a_mover_can_be_adjusted_though_the_mover_in_use_cannot_do_that():
    chain().target = None
    assert not bpy.ops.limber.bake.poll()
    with about(mechanism()):
        bpy.ops.limber.bake("EXEC_DEFAULT", UNDO)
    adjust(everything=True)
    assert {action.name for action in bpy.data.actions if "Baked" in action.name}
    bpy.ops.ed.undo()
    assert not any("Baked" in action.name for action in bpy.data.actions)


def test_a_new_call_for_a_mover_that_cannot_do_it_says_why_though_the_call_before_could_be_adjusted():
    chain().target = None
    with about(mechanism()):
        bpy.ops.limber.bake("EXEC_DEFAULT", UNDO)
    with pytest.raises(RuntimeError, match="Chain 'head' has no target"):
        bpy.ops.limber.bake("EXEC_DEFAULT", UNDO)


def test_a_button_of_a_mover_that_cannot_do_it_stays_grey_though_the_call_before_could_be_adjusted():
    chain().target = None
    with about(mechanism()):
        bpy.ops.limber.bake("EXEC_DEFAULT", UNDO)
    assert bpy.ops.limber.bake.poll()
    with about(chain()):
        assert not bpy.ops.limber.bake.poll()


def test_a_new_call_for_a_mover_without_postures_removes_none_though_the_call_before_could_be_adjusted():
    with about(mechanism()):
        for name in ("Up", "Down"):
            bpy.ops.limber.store_posture(name=name)
        bpy.ops.limber.remove_posture("EXEC_DEFAULT", UNDO)
    with pytest.raises(
        RuntimeError, match="Chain 'head' has no stored posture: pose it and press Store Posture"
    ):
        bpy.ops.limber.remove_posture("EXEC_DEFAULT", UNDO)


def test_a_mover_that_a_script_made_up_is_refused():
    uid = bpy.data.objects["Rig"].session_uid
    for path in ("limber", "name", "location", "limber.chains[7]", "limber.nothing"):
        with pytest.raises(RuntimeError, match="What 'Store Posture' was called for was deleted"):
            bpy.ops.limber.store_posture(name="Down", owner_uid=uid, mover_path=path)


@pytest.mark.every_blender
def test_new_chain_that_is_adjusted_begins_and_ends_at_other_bones(undo_step, capfd):
    rig, _ = made("Mixamo")
    select(rig, "head")
    undo_step("figure")
    pressed(bpy.ops.limber.new_chain)
    assert (
        "Chain from 'lumbar' to 'head' has 12 joints; limbs stand below 'trunk'; it looks along"
        in capfd.readouterr().out
    )
    spans = lambda: [(chain.root, chain.end) for chain in bpy.data.objects["Figure"].limber.chains]  # noqa: E731
    for told, span in (
        ({"root": "trunk"}, "trunk head"),
        ({"end": "neck"}, "trunk neck"),
        ({"root": ""}, "lumbar neck"),
    ):
        adjust(**told)
        assert spans() == [tuple(span.split())]
    assert "limbs stand" in capfd.readouterr().out


@pytest.mark.every_blender
def test_eyes_head_and_torso_that_is_adjusted_takes_other_bones(undo_step):
    rig, _ = made("Mixamo")
    make_active(rig)
    undo_step("figure")
    pressed(bpy.ops.limber.eyes_head_torso)

    def spans() -> dict[str, tuple[str, str]]:
        return {chain.name: (chain.root, chain.end) for chain in bpy.data.objects["Figure"].limber.chains}

    assert spans()["Torso"] == ("lumbar", "thorax")
    adjust(torso="lumbar", eye="", other_eye="")
    assert spans() == {"Torso": ("lumbar", "lumbar"), "Head": ("thorax", "head")}
    adjust(torso="")
    assert spans() == {"Head": ("neck", "head")}
    adjust(head="")
    assert set(spans()) == {"Torso", "Head", "Left Eye", "Right Eye"}, "all are found again"


def pressed(operator) -> None:
    """Presses the button, and agrees if it asks whether a bone's rotation mode may change."""
    known = operator.get_rna_type().properties
    operator(
        "EXEC_DEFAULT", UNDO, **({"change_rotation_mode": True} if "change_rotation_mode" in known else {})
    )
