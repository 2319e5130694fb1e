"""Tests armatures from another file: linked ones require an override; an override keeps its chains, postures
and settings.
"""

from pathlib import Path

import bpy
import pytest

from tests.blender.rigs import UPRIGHT, build, looking_chain, make_active, select, target

pytestmark = pytest.mark.every_blender


@pytest.fixture
def library(tmp_path: Path):
    """A file with the armature in a collection; written by `save`, used by `link` and `override`."""
    path = tmp_path / "library.blend"

    class Library:
        def save(self, with_chain: bool = False) -> None:
            rig = build(UPRIGHT)
            if with_chain:
                looking_chain(rig, "lower", "upper")
            collection = bpy.data.collections.new("Robot")
            bpy.context.scene.collection.children.link(collection)
            collection.objects.link(rig)
            make_active(rig)
            bpy.ops.wm.save_as_mainfile(filepath=str(path))
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)

        def link(self):
            with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
                wanted.collections = ["Robot"]
            collection = bpy.data.collections["Robot"]
            bpy.context.scene.collection.children.link(collection)
            return bpy.data.objects["Rig"]

        def override(self):
            self.link()
            bpy.data.collections["Robot"].override_hierarchy_create(
                bpy.context.scene, bpy.context.view_layer, do_fully_editable=True
            )
            return overridden()

    return Library()


def overridden():
    return next(thing for thing in bpy.data.objects if thing.override_library and thing.type == "ARMATURE")


def facts(rig) -> list:
    return [
        (
            chain.name,
            chain.uid,
            chain.target.name if chain.target else "",
            [(j.name, j.servo, round(j.lower, 5)) for j in chain.joints],
        )
        for chain in rig.limber.chains
    ]


def test_a_linked_armature_says_that_it_needs_an_override(library):
    library.save(with_chain=True)
    rig = library.link()
    bpy.context.view_layer.objects.active = rig
    for operator in (
        bpy.ops.limber.new_chain,
        bpy.ops.limber.live,
        bpy.ops.limber.store_posture,
        bpy.ops.limber.bake,
    ):
        with pytest.raises(RuntimeError, match="make a library override"):
            operator()


def test_chains_on_an_override_come_back_with_the_file(library, reopen):
    library.save()
    rig = library.override()
    looking_chain(rig, "head")
    chain = rig.limber.chains[0]
    chain.joints[2].lower = -0.5
    rig.limber.device.port = "/dev/ttyUSB7"
    bpy.ops.limber.store_posture(name="Lean")
    wanted = facts(rig)
    for _ in range(2):  # Blender computes the overridden properties again at each save
        reopen()
        rig = overridden()
        assert facts(rig) == wanted
        assert rig.limber.device.port == "/dev/ttyUSB7"
        assert rig.limber.chains[0].postures[0].action == bpy.data.actions["Lean"]


def test_chains_on_an_override_change_from_session_to_session(library, reopen):
    library.save()
    looking_chain(library.override(), "middle")
    reopen()
    looking_chain(overridden(), "head", at=bpy.data.objects["Target"])
    reopen()
    rig = overridden()
    assert [chain.end for chain in rig.limber.chains] == ["middle", "head"]
    make_active(rig)
    rig.limber.active_chain = 0
    bpy.ops.limber.remove_chain()
    rig.pose.bones["head"].lock_rotation[0] = True
    bpy.ops.limber.match_joints()
    wanted = facts(rig)
    assert [chain[0] for chain in wanted] == ["head"]
    reopen()
    assert facts(overridden()) == wanted


def test_an_override_can_change_the_chains_of_its_library_but_not_take_them_away(library, reopen):
    library.save(with_chain=True)
    rig = library.override()
    aim = target()
    rig.limber.chains[0].joints[0].lower = -0.5
    rig.limber.chains[0].target = aim
    make_active(rig)
    with pytest.raises(RuntimeError, match="comes from the file"):
        bpy.ops.limber.remove_chain()
    with pytest.raises(RuntimeError, match="comes from the file"):
        bpy.ops.limber.match_joints()
    select(rig, "head")
    bpy.ops.limber.new_chain()
    wanted = facts(rig)
    assert len(wanted) == 2
    reopen()
    assert facts(overridden()) == wanted


def test_what_is_set_of_attention_life_and_blends_on_an_override_comes_back_with_the_file(library, reopen):
    library.save()
    rig = library.override()
    looking_chain(rig, "head")
    bpy.ops.limber.store_posture(name="Lean")
    chain = rig.limber.chains[0]
    chain.targets.add().target = target((0.1, 0.9, 0.3), "Other")
    chain.targets[0].name = "Other"
    chain.base, chain.postures[0].weight, chain.influence, chain.lag, chain.life.amount = (
        "BLEND",
        0.5,
        0.75,
        0.25,
        0.5,
    )
    chain.watch = 1
    for _ in range(2):
        reopen()
        chain = overridden().limber.chains[0]
        assert (chain.base, chain.postures[0].weight, chain.influence, chain.lag, chain.watch) == (
            "BLEND",
            0.5,
            0.75,
            0.25,
            1,
        )
        assert chain.life.amount == 0.5
        assert [item.target.name for item in chain.targets] == ["Other"]
    make_active(overridden())
    assert bpy.ops.limber.live() == {"FINISHED"}
