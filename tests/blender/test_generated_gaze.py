"""Tests Eyes, Head and Torso on rigs that Rigify has generated: it uses the controls, found by names or by a
selection.
"""

from math import degrees

import bpy
import pytest
from mathutils import Vector

from tests.blender.generated import KINDS, generated
from tests.blender.rigs import make_active, select
from tests.blender.shown import settle


@pytest.fixture(params=KINDS)
def rig(request):
    with generated(request.param) as made:
        yield made


@pytest.fixture
def basic():
    with generated("basic_human") as made:
        yield made


@pytest.fixture
def human():
    with generated("human") as made:
        yield made


def make(**told) -> set[str]:
    return bpy.ops.limber.eyes_head_torso(**told)


def spans(rig) -> dict[str, tuple[str, str]]:
    return {chain.name: (chain.root, chain.end) for chain in rig.limber.chains}


def off(rig, bone: str, axis, at) -> float:
    """The angle [degrees] between a bone's shown axis and the direction from the bone to an object."""
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrix = shown.matrix_world @ shown.pose.bones[bone].matrix
    return degrees((matrix.to_3x3() @ Vector(axis)).angle(at.matrix_world.translation - matrix.translation))


def test_by_names_the_controls_of_chest_and_head_get_chains_and_the_mesh_follows(rig, capfd):
    make_active(rig)
    assert make() == {"FINISHED"}
    assert spans(rig) == {"Torso": ("chest", "chest"), "Head": ("neck", "head")}
    at = rig.limber.chains["Head"].target
    has_eyes = "eye.L" in rig.pose.bones
    assert ("No eyes were found" in capfd.readouterr().out) == (not has_eyes)
    rest = {
        bone: rig.pose.bones[bone].matrix.copy() for bone in ("DEF-spine", "DEF-spine.003", "DEF-spine.006")
    }
    at.location.x = 1.5
    bpy.context.view_layer.update()
    bpy.ops.limber.live_all()
    settle()
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    front = Vector((0, -1, 0))
    turned = {
        bone: degrees(front.angle((shown[bone].matrix @ was.inverted()).to_3x3() @ front))
        for bone, was in rest.items()
    }
    aside = degrees(front.angle(at.matrix_world.translation - shown["DEF-spine.006"].matrix.translation))
    assert turned["DEF-spine"] == pytest.approx(0, abs=0.01), "the hips stay"
    assert 0.5 < turned["DEF-spine.003"] < turned["DEF-spine.006"] < aside + 1
    if has_eyes:
        assert max(off(rig, f"ORG-eye.{side}", (0, 1, 0), at) for side in "LR") < 1.5, (
            "two eyes look in parallel, their middle at it"
        )


@pytest.mark.parametrize(
    ("chosen", "torso", "head"),
    [
        (("chest", "head"), ("chest", "chest"), ("neck", "head")),
        (("spine_fk.003", "head"), ("spine_fk.003", "spine_fk.003"), ("neck", "head")),
        (("torso", "head"), ("torso", "torso"), ("spine_fk.002", "head")),
        (("DEF-spine.003", "DEF-spine.006"), ("chest", "chest"), ("neck", "head")),
    ],
)
def test_a_selection_of_controls_or_of_what_follows_them_is_taken(basic, chosen, torso, head):
    select(basic, *chosen)
    make()
    assert spans(basic) == {"Torso": torso, "Head": head}


@pytest.mark.parametrize(
    "eyes", [("eye.L", "eye.R"), ("eyes",), ("master_eye.L", "master_eye.R"), ("ORG-eye.L", "ORG-eye.R")]
)
def test_selected_eyes_that_point_at_controls_follow_by_these(human, eyes, capfd):
    select(human, "chest", "head", *eyes)
    make()
    assert spans(human) == {"Torso": ("chest", "chest"), "Head": ("neck", "head")}
    said = capfd.readouterr().out
    assert "The eyes point at 'eyes', which goes to 'rig Gaze' by the constraint 'Limber Gaze'" in said
    assert "Torso (chest), Head (neck to head) look at 'rig Gaze'" in said
    constraint = human.pose.bones["eyes"].constraints["Limber Gaze"]
    assert constraint.target == human.limber.chains["Head"].target
    bpy.ops.limber.remove_chain()
    bpy.ops.limber.remove_chain()
    make(head="head", eye="eye.L", other_eye="eye.R", torso="chest")
    assert [held.name for held in human.pose.bones["eyes"].constraints].count("Limber Gaze") == 1


@pytest.mark.parametrize("chosen", [("head",), ("DEF-spine.006",), ("chest",), ("eye.L", "eye.R")])
def test_selected_parts_of_those_that_are_found_get_the_same_chains_as_no_selection(human, chosen):
    make_active(human)
    make()
    chains = spans(human)
    human.limber.chains.clear()
    select(human, *chosen)
    make()
    assert spans(human) == chains
    assert chains["Head"] == ("neck", "head")


def test_a_selection_that_is_no_torso_head_and_eyes_is_refused_by_name_and_never_ignored(basic):
    for chosen in (("hand_ik.L",), ("hand_ik.L", "foot_ik.R"), ("head", "hand_ik.L")):
        select(basic, *chosen)
        with pytest.raises(
            RuntimeError,
            match=(
                rf"The selected bones, '{chosen[0]}'.*are not torso, head and eyes.*or deselect all \(Alt A\)"
            ),
        ):
            make()
    assert not basic.limber.chains
    select(basic, *basic.pose.bones.keys())
    make()
    assert spans(basic)["Torso"] == ("chest", "chest"), "all of them selected tells no part: names do"
