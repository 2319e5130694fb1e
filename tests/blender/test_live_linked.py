"""Tests armatures from other files: a linked one requires an override, and an overridden one works like any
other.
"""

import bpy
import pytest
from limber.rig.authoring.next_step import next_step

from tests.blender.drawing import drawn
from tests.blender.rigs import looking_chain, make_active, target
from tests.blender.shown import (  # noqa: F401
    authored,
    farthest,
    go_live,
    missed,
    no_handler_raises,
    pose,
    session,
    settle,
    traces,
)

pytestmark = pytest.mark.every_blender


@pytest.fixture
def library(tmp_path):
    """A file with a rig in a collection and its chain: saved live if `live`, with a target if
    `has_target`.
    """

    def make(live: bool = False, has_target: bool = True) -> str:
        rig, chain = looking_chain()
        rig.pose.bones["lower"].rotation_euler.x = 0.3
        if live:
            go_live(rig, chain)
        bpy.ops.object.mode_set(mode="OBJECT")
        robot = bpy.data.collections.new("Robot")
        bpy.context.scene.collection.children.link(robot)
        for thing in (rig, chain.target):
            robot.objects.link(thing)
            bpy.context.scene.collection.objects.unlink(thing)
        if not has_target:
            bpy.data.objects.remove(chain.target)
        path = str(tmp_path / "library.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.read_homefile(use_empty=True)
        return path

    return make


def link_collection(path: str):
    """Links the collection into this file and its scene, as required for overrides; returns it."""
    with bpy.data.libraries.load(path, link=True) as (_there, here):
        here.collections = ["Robot"]
    bpy.context.scene.collection.children.link(here.collections[0])
    bpy.context.view_layer.update()
    return here.collections[0]


def link(path: str):
    """Links the collection's objects into this file; returns the rig."""
    return next(thing for thing in link_collection(path).objects if thing.type == "ARMATURE")


def override(path: str, system: bool = False):
    """Links the collection and overrides all of it, as Object > Library Override > Make does; returns the
    rig.
    """
    made = link_collection(path).override_hierarchy_create(
        bpy.context.scene, bpy.context.view_layer, do_fully_editable=not system
    )
    bpy.context.view_layer.update()
    rig = next(thing for thing in made.all_objects if thing.type == "ARMATURE")
    if system:
        rig.override_library.is_system_override = False  # the user chooses the armature itself
    make_active(rig)
    return rig


def test_a_linked_rig_says_that_it_needs_an_override(library):
    rig = link(library())
    bpy.context.view_layer.objects.active = rig
    with pytest.raises(RuntimeError, match="make a library override of it"):
        bpy.ops.limber.live()
    assert traces() == []


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("has_target", [False, True])
def test_the_next_step_of_a_linked_rig_is_its_override(library, live, has_target):
    from limber.panels.authoring.next_step import LIMBER_PT_next_step

    rig = link(library(live, has_target))
    make_active(rig)
    step = next_step(rig, False)
    assert step.sentence.startswith("Armature 'Rig' is linked from another file: make a library override")
    assert step.operator == "object.make_override_library"
    assert bpy.ops.object.make_override_library.poll()
    assert drawn(LIMBER_PT_next_step).operators[-1] == step.operator
    bpy.context.view_layer.objects.active = None
    assert next_step(rig, False).sentence.startswith("Click 'Rig' first. Armature 'Rig' is linked")


def test_a_rig_linked_from_a_file_that_was_saved_live_says_so_and_shows_what_is_authored(library):
    rig = link(library(live=True))
    chain = rig.limber.chains[0]
    before = pose(rig)
    assert chain.live
    bpy.context.scene.frame_set(3)
    settle()
    assert (
        "Armature 'Rig' is linked from another file: make a library override" in session(rig, chain).problem
    )
    assert farthest(before, pose(rig)) == 0.0
    assert traces() == []


@pytest.mark.parametrize("system", [False, True])
def test_an_overridden_rig_goes_live_and_leaves_it(library, system):
    rig = override(library(), system)
    chain = rig.limber.chains[0]
    chain.target = target((-0.4, 0.5, 0.3), "Mine")
    before, bones = pose(rig), authored(rig)
    go_live(rig, chain)
    assert session(rig, chain).problem == ""
    assert missed(rig, chain) < 0.1
    assert authored(rig) == bones
    assert farthest(before, pose(rig)) > 1e-3
    bpy.ops.limber.end_live()
    assert traces() == []
    assert farthest(before, pose(rig)) == 0.0


def test_an_overridden_rig_that_was_saved_live_opens_live(library, reopen):
    rig = override(library())
    chain = rig.limber.chains[0]
    chain.target = target((-0.4, 0.5, 0.3), "Mine")
    go_live(rig, chain)
    shown = pose(rig)
    reopen()
    rig = next(thing for thing in bpy.data.objects if thing.override_library and thing.type == "ARMATURE")
    chain = rig.limber.chains[0]
    assert chain.live
    assert chain.target.name == "Mine"
    settle()
    assert session(rig, chain).problem == ""
    assert farthest(shown, pose(rig)) < 1e-4
    bpy.context.view_layer.objects.active = rig
    bpy.ops.limber.end_live()
    assert traces() == []


def test_an_override_of_a_rig_that_was_saved_live_is_live_at_once(library):
    rig = override(library(live=True))
    chain = rig.limber.chains[0]
    settle()
    assert chain.live
    assert session(rig, chain).problem == ""
    assert missed(rig, chain) < 0.1


def test_a_library_that_is_reloaded_leaves_live_in_order(library):
    rig = override(library())
    chain = rig.limber.chains[0]
    chain.target = target((-0.4, 0.5, 0.3), "Mine")
    go_live(rig, chain)
    bpy.data.libraries[0].reload()
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(2)
    settle()
    for other in bpy.data.objects:
        if other.type == "ARMATURE" and other.override_library and other.limber.chains:
            assert session(other, other.limber.chains[0]).problem == "" or not other.limber.chains[0].live
