"""Tests that the button of the next step keeps its position."""

from textwrap import wrap

import bpy
import pytest

from tests.blender import mechanisms
from tests.blender.drawing import drawn
from tests.blender.following import follower
from tests.blender.four_bars import boned
from tests.blender.rigs import UPRIGHT, build, looking_chain, make_active, select
from tests.blender.shown import choose, edit, go_live, session, settle

DEFAULT_WIDTH = 280  # [pixels] width of Blender's sidebar


def offered() -> list[str]:
    """Buttons of the two panels at the top of the tab."""
    from limber.panels.authoring.next_step import LIMBER_PT_next_step
    from limber.panels.authoring.rig import LIMBER_PT_rig

    return drawn(LIMBER_PT_next_step).operators + drawn(LIMBER_PT_rig).operators


@pytest.mark.every_blender
def test_a_step_and_a_warning_of_slowness_can_be_read_whole_in_a_sidebar_of_default_width():
    from limber.panels import tab
    from limber.panels.authoring.next_step import LINES
    from limber.rig.authoring import next_step
    from limber.rig.live import budget

    width = int((DEFAULT_WIDTH - tab.FRAME) / tab.CHARACTER)
    sentences = [step.sentence for step in vars(next_step).values() if isinstance(step, next_step.NextStep)]
    assert [each for each in sentences if len(wrap(each, width)) > LINES] == []
    clock, playing = budget.Guard(), budget.Playing()
    for _ in range(budget.REMEMBERED):
        clock.note(0.04)
        playing.note(0.06, 1 / 24)
    first_lines = [wrap(warning.sentence, width)[0] for warning in (clock, playing)]
    assert first_lines == ["Slow: 10 of 60 steps a second,", "Slow: Limber takes 60 of 42 ms"]


@pytest.mark.every_blender
def test_without_an_armature_one_button_adds_the_lamp():
    assert offered().count("limber.add_demo_lamp") == 1


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
def test_without_a_chain_one_button_makes_it(mode: str):
    build(UPRIGHT)
    bpy.ops.object.mode_set(mode=mode)
    assert offered().count("limber.new_chain") == 1


@pytest.mark.every_blender
def test_an_armature_with_a_mechanism_needs_no_chain():
    from limber.rig.authoring.next_step import next_step

    rig, _ = boned()
    step = next_step(rig, False)
    assert (step.operator, step.sentence) == (
        "limber.live",
        "Mechanism 'Rig' has no motor: select a joint and press + under Motors",
    )
    assert offered().count("limber.new_chain") == 1
    select(rig, "crank")
    bpy.ops.limber.add_motors()
    assert "'Rig' has no goal: select a body and press + under Goals" in next_step(rig, False).sentence
    rig.limber.mechanism.drive = "MOTORS"
    assert "Press Start Live in the Mechanism panel" in next_step(rig, False).sentence
    bpy.ops.limber.live()
    assert next_step(rig, False).operator == "limber.connect"


@pytest.mark.every_blender
def test_a_body_without_a_robot_names_its_problem():
    from limber.rig.authoring.next_step import next_step

    rig, source = follower()
    bpy.ops.limber.live()
    assert next_step(rig, False).operator == "limber.connect"
    source.name = "Gone"
    bpy.context.scene.collection.objects.unlink(source)
    bpy.context.scene.frame_set(2)
    step = next_step(rig, False)
    assert step.sentence == "Source 'Gone' was deleted: choose another source"
    assert step.operator == "limber.end_live"
    assert step.operator in offered()


def test_a_mechanism_without_a_robot_names_its_problem():
    from limber.rig.authoring.next_step import next_step

    owner = mechanisms.add("stewart")
    bpy.ops.limber.live()
    assert next_step(owner, False).operator == "limber.connect"
    bpy.data.objects.remove(bpy.data.objects["Leg 3"])
    mechanisms.clock()
    step = next_step(owner, False)
    assert "'Leg 3' was deleted while it is live" in step.sentence
    assert step.operator == "limber.check_mechanism"


@pytest.mark.parametrize(
    ("kind", "does"),
    [
        ("pantograph", "drag its target"),
        ("neck", "rotate its target"),
        ("stewart", "drag or rotate its target"),
    ],
)
def test_what_a_mechanism_s_target_is_moved_by_is_what_its_goals_follow(kind: str, does: str, capfd):
    from limber.rig.authoring.next_step import next_step

    bpy.ops.limber.add_mechanism(kind=kind)
    assert f"press Start Live, then {does}\n" in capfd.readouterr().out
    bpy.ops.limber.live()
    verb = does.removesuffix(" its target").capitalize()
    assert next_step(bpy.context.active_object, False).sentence.startswith(
        f"{verb} a target, or change a motor's value"
    )


@pytest.mark.parametrize(
    ("goal", "does"), [("POINT", "Move"), ("AIM", "Move"), ("ORIENTATION", "Rotate"), ("DIRECTION", "Rotate")]
)
def test_a_target_of_which_only_the_rotation_counts_is_rotated(goal: str, does: str):
    from limber.rig.authoring.next_step import next_step

    rig, chain = looking_chain()
    chain.goal = goal
    bpy.ops.limber.live()
    sentence = next_step(rig, False).sentence
    assert sentence.startswith(f"{does} the target (")
    assert "in Object Mode" in sentence, "a click in Pose Mode selects bones alone"


def test_an_armature_whose_body_follows_a_motion_needs_no_chain():
    from limber.rig.authoring.next_step import next_step

    rig, _ = follower()
    make_active(rig)
    step = next_step(rig, False)
    assert (step.operator, "Retarget panel" in step.sentence) == ("limber.live", True)
    assert offered().count("limber.new_chain") == 1
    bpy.ops.limber.live()
    assert next_step(rig, False).operator == "limber.connect"


@pytest.mark.every_blender
def test_a_chain_whose_target_was_deleted_needs_another():
    from limber.rig.authoring.next_step import next_step

    rig, chain = looking_chain()
    bpy.ops.limber.live()
    make_active(chain.target)
    bpy.ops.object.delete()
    make_active(rig)
    assert next_step(rig, False).operator == "limber.make_target"
    bpy.ops.limber.end_live()
    assert next_step(rig, False).operator == "limber.make_target"


def delete_bone(rig, chain) -> None:
    edit(rig, lambda bones: bones.remove(bones["upper"]))


def follow_itself(rig, chain) -> None:
    choose(chain, target=rig)


def delete_target(rig, chain) -> None:
    make_active(chain.target)
    bpy.ops.object.delete()
    make_active(rig)


@pytest.mark.every_blender
@pytest.mark.parametrize(
    ("change", "operator", "words"),
    [
        (delete_bone, "limber.check_chain", "remove its chain (-), then press New Chain"),
        (follow_itself, "limber.check_chain", "choose another target"),
        (delete_target, "limber.make_target", "Choose a Target under Gaze"),
    ],
)
def test_a_live_chain_that_cannot_follow_shows_no_error_and_its_next_step_is_the_remedy(
    change, operator: str, words: str
):
    from limber.panels.live.live import LIMBER_PT_diagnostics, LIMBER_PT_live
    from limber.rig.authoring.next_step import next_step

    rig, chain = looking_chain()
    go_live(rig, chain)
    assert "Aim error: 0.0°" in drawn(LIMBER_PT_live).said
    change(rig, chain)
    settle()
    said = drawn(LIMBER_PT_live).said
    assert "Aim error" not in said
    assert "No solution" in said
    assert session(rig, chain).problem[:20] in said
    assert "Aim error" not in drawn(LIMBER_PT_diagnostics).said
    for is_playing in (False, True):
        step = next_step(rig, is_playing)
        assert step.operator == operator
        assert words in step.sentence
        assert "follows" not in step.sentence


def test_what_keeps_a_chain_from_starting_is_said_above_its_greyed_button():
    from limber.rig.authoring.next_step import next_step

    rig, chain = looking_chain()
    assert next_step(rig, False).sentence.startswith("Press Start Live")
    chain.joints[0].velocity = 0.0
    step = next_step(rig, False)
    assert (step.operator, "its velocity limit must be above 0" in step.sentence) == ("limber.live", True)


def test_with_a_chain_the_rig_panel_makes_another():
    looking_chain()
    buttons = offered()
    assert buttons.count("limber.new_chain") == 1
    assert "limber.check_chain" in buttons


@pytest.mark.every_blender
def test_what_is_live_or_the_only_armature_with_a_chain_is_in_use_after_a_file_was_opened(
    tmp_path, monkeypatch
):
    from limber.operators import subject

    rig, chain = looking_chain()
    make_active(chain.target)
    monkeypatch.setattr(subject, "_in_use", "")
    assert subject.rig_of(bpy.context) == rig, "the only one with a chain"
    name = rig.name
    twin = rig.copy()
    bpy.context.scene.collection.objects.link(twin)
    monkeypatch.setattr(subject, "_in_use", "")
    assert subject.rig_of(bpy.context) is None, "two have chains"
    make_active(rig)
    bpy.ops.limber.live()
    make_active(chain.target)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "live.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "live.blend"))
    monkeypatch.setattr(subject, "_in_use", "")
    assert bpy.context.active_object.name != name
    assert subject.rig_of(bpy.context).name == name, "it is live"
    assert bpy.ops.limber.end_live.poll()
