"""Tests which motion filter is used: Automatic gives robots one, and other characters none; a sentence gives
the reason.
"""

import bpy
import numpy as np
import pytest
from limber.rig.chains.chain import filter_in_use, filter_sentence

from tests.blender.drawing import drawn
from tests.blender.rigs import UPRIGHT, build, keyed, looking_chain, make_active
from tests.blender.robots import connect
from tests.blender.shown import choose, go_live, no_handler_raises, session, settle  # noqa: F401
from tests.blender.test_chains_override import library, overridden  # noqa: F401

FREE = {"hips": None, "chest": None, "head": None}
NONE_SAID = "No filter: a character without a robot"


@pytest.fixture
def character():
    """A rig without locked axes, as animators' rigs are, and its chain."""
    return looking_chain(build(FREE))


def on(chain) -> str:
    return filter_in_use(chain.id_data, chain)


@pytest.mark.every_blender
def test_a_new_chain_of_a_character_has_no_filter(character):
    _, chain = character
    assert (chain.filter, on(chain)) == ("automatic", "none")
    assert filter_sentence(chain) == NONE_SAID


@pytest.mark.every_blender
def test_a_chain_with_a_bone_of_one_axis_has_the_default_filter():
    _, chain = looking_chain(build(UPRIGHT))
    assert (chain.filter, on(chain)) == ("automatic", "default")
    assert filter_sentence(chain) == "Swift filter: bone 'base' has one axis, as a robot's joint"


def test_one_bone_of_one_axis_is_enough():
    _, chain = looking_chain(build(FREE | {"jaw": "X"}))
    assert on(chain) == "default"
    assert "'jaw'" in filter_sentence(chain)


def test_an_imported_robot_has_the_default_filter_whatever_its_bones_axes_are(character):
    rig, chain = character
    rig.data["limber_urdf"] = "robot"
    assert on(chain) == "default"
    assert filter_sentence(chain) == "Swift filter: 'Rig' is an imported robot"


def test_a_filter_that_is_chosen_is_on_and_needs_no_sentence(character):
    _, chain = character
    for name in ("default", "nutty", "none"):
        chain.filter = name
        assert (on(chain), filter_sentence(chain)) == (name, "")


def test_a_chain_of_an_older_file_keeps_its_filter():
    chain = build(FREE).limber.chains.add()
    assert chain.filter == "default"


def test_the_panel_says_which_filter_is_on(character):
    from limber.panels.authoring.motion import LIMBER_PT_motion

    _, chain = character
    labels = " ".join(drawn(LIMBER_PT_motion).labels)
    assert NONE_SAID in labels
    chain.filter = "default"
    assert NONE_SAID not in " ".join(drawn(LIMBER_PT_motion).labels)


@pytest.mark.every_blender
def test_from_connect_on_the_filter_is_on_and_it_stays_on(character, reopen):
    rig, chain = character
    connect(rig)
    assert on(chain) == "default"
    assert filter_sentence(chain) == "Swift filter: 'Rig' has been connected to a robot"
    bpy.ops.limber.disconnect()
    assert on(chain) == "default"
    reopen()
    assert on(bpy.data.objects["Rig"].limber.chains[0]) == "default"


@pytest.mark.every_blender
def test_undo_and_redo_keep_it_on_and_connect_is_no_step_of_undo(character):
    _, chain = character
    bpy.ops.ed.undo_push(message="before")
    chain.influence = 0.5
    bpy.ops.ed.undo_push(message="influence")
    connect(chain.id_data)
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    assert rig.limber.chains[0].influence == 1.0, "the step before"
    assert on(rig.limber.chains[0]) == "default"
    make_active(rig)
    bpy.ops.limber.disconnect()
    bpy.ops.ed.redo()
    rig = bpy.data.objects["Rig"]
    assert rig.limber.chains[0].influence == 0.5
    assert on(rig.limber.chains[0]) == "default"


def test_an_override_remembers_that_it_was_connected(library, tmp_path):  # noqa: F811
    library.save(with_chain=True)
    rig = library.override()
    connect(rig)
    bpy.ops.limber.disconnect()
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert overridden().limber.device.was_connected


@pytest.mark.every_blender
def test_the_filter_comes_on_without_a_step_when_a_live_chain_is_connected(character):
    rig, chain = character
    scene = bpy.context.scene
    keyed(chain.target, (1, 48))
    go_live(rig, chain, settled=False)
    for frame in range(1, 13):
        scene.frame_set(frame)
    before = session(rig, chain).outputs.angles
    assert np.array_equal(before, session(rig, chain).outputs.desired)
    connect(rig)
    scene.frame_set(13)
    now = session(rig, chain)
    velocity = np.array([joint.velocity for joint in chain.joints])
    assert (np.abs(now.outputs.angles - before) <= velocity / 24).all()
    assert now.outputs.lag > 0.0, "it starts from rest, while the target moves"
    assert now.motion()


def test_without_a_filter_a_robot_gets_no_velocities_that_nobody_knows(character):
    rig, chain = character
    chain.filter = "none"
    assert go_live(rig, chain).motion() == {}
    choose(chain, filter="default")
    settle()
    assert session(rig, chain).motion()


def test_the_motion_style_of_a_chain_has_the_filter_that_is_on(character):
    from limber.rig.authoring import motion_styles

    _, chain = character
    assert motion_styles.of(chain).filter == "none"
    chain.id_data.limber.device.was_connected = True
    assert motion_styles.of(chain).filter == "default"
