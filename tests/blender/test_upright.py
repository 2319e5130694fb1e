"""Tests that heads stay upright and bodies do not tip over by default, on rigs whose first joint tilts and on
turntables.
"""

from math import degrees, radians

import bpy
import pytest
from limber.rig.authoring import chains
from limber.rig.bones.hanging import HangingBones
from limber.rig.chains import chain as build
from limber.rig.chains.skeleton import ChainReader
from limber.solvers.goals import Point
from mathutils import Matrix, Vector

from tests.blender.characters import character
from tests.blender.rigs import build as armature
from tests.blender.rigs import looking_chain, target
from tests.blender.shown import choose, missed, no_handler_raises, session, settle, world_of_end  # noqa: F401

LEANING = {
    "base": None,
    "middle": None,
    "head": None,
}  # bones that rotate about all axes: Z, nearest the parent, tilts to the side


def is_held(rig, chain) -> bool:
    return build.solver_options(chain, "expressive", ChainReader(rig, chain, HangingBones(rig))).hold_body


def roll(rig, chain) -> float:
    """Shown roll [degrees] of the head about its view, relative to upright."""
    turn = world_of_end(rig, chain.end).to_3x3().normalized()
    axes = {letter: turn.col[k] for k, letter in enumerate("XYZ")}
    view, up = ((-1 if axis[0] == "-" else 1) * axes[axis[1]] for axis in (chain.forward_axis, chain.up))
    level = Vector((0, 0, 1)) - view.z * view
    return degrees(level.angle(up - up.dot(view) * view))


def test_a_body_turns_as_a_whole_on_an_upright_turntable_alone():
    rig, chain = looking_chain()
    assert chain.options.body == "AUTOMATIC"
    assert not is_held(rig, chain)
    rig, chain = looking_chain(armature(LEANING))
    assert is_held(rig, chain)


def test_a_first_bone_with_several_joints_is_no_turntable_though_one_of_them_is_upright():
    lying = Matrix.Rotation(
        radians(-90), 4, "X"
    )  # the bones are along Y, so that their Z, nearest the parent, is upright
    for axes, held in (
        ({"base": None, "middle": None, "head": None}, True),
        ({"base": "Z", "middle": None, "head": None}, False),
    ):
        rig, chain = looking_chain(armature(axes))
        rig.matrix_world = lying
        bpy.context.view_layer.update()
        assert is_held(rig, chain) == held


@pytest.mark.parametrize(("tilt", "held"), [(0, False), (14, False), (16, True), (90, True), (180, False)])
def test_up_is_the_worlds_however_the_armature_stands(tilt: float, held: bool):
    rig, chain = looking_chain()
    rig.matrix_world = Matrix.Rotation(radians(tilt), 4, "X")
    bpy.context.view_layer.update()
    assert is_held(rig, chain) == held


def test_what_is_chosen_counts_before_what_the_rig_says():
    rig, chain = looking_chain()
    for body, held in (("HELD", True), ("FREE", False), ("AUTOMATIC", False)):
        chain.options.body = body
        assert chain.options.body == body
        assert is_held(rig, chain) == held


def test_an_armature_that_is_tilted_while_live_is_taken_as_it_stands():
    rig, chain = looking_chain()
    bpy.ops.limber.live()
    settle()
    assert not session(rig, chain).model.solver.model.options.hold_body
    rig.rotation_euler.x = radians(40)
    settle()
    assert session(rig, chain).model.solver.model.options.hold_body
    assert missed(rig, chain) < 0.1


def test_new_chains_and_ends_keep_the_roll_of_the_posture():
    rig, chain = looking_chain(
        armature({"base": "Y", "a": "XZ", "b": "XZ"}, parents={"b": "base"}), "base", "a"
    )
    assert chain.roll == "POSTURE"
    chain.target = target((0.3, -0.5, 0.2))
    end = chains.add_end(rig, chain, "b")
    assert end.roll == "POSTURE"
    end.target = chain.target
    bpy.ops.limber.live()
    settle()
    aim = session(rig, chain).goal.aim
    assert isinstance(aim, Point)
    assert aim.up is None
    # the world's up direction in the base, whose Y is the bone
    assert aim.level == pytest.approx((0, 1, 0), abs=1e-6)


@pytest.mark.parametrize("names", ["Rigify", "own"])
def test_a_character_does_not_topple_where_its_target_is_aside(names: str):
    rig = character(names)
    bpy.ops.limber.eyes_head_torso()
    head = rig.limber.chains["Head"]
    for chain in rig.limber.chains:
        choose(chain, dead_zone=0.0)
    bpy.ops.limber.live_all()
    settle()
    before = world_of_end(rig, head.end).translation
    eye = before + Vector((0, 0, 0.15))
    for aside, high in ((45, 0), (-45, 30), (60, -20)):
        head.target.location = eye + 2.0 * (
            Matrix.Rotation(radians(aside), 3, "Z")
            @ Matrix.Rotation(radians(-high), 3, "X")
            @ Vector((0, -1, 0))
        )
        settle()
        assert roll(rig, head) < 15
        assert (world_of_end(rig, head.end).translation - before).length < 0.15
        assert missed(rig, rig.limber.chains["Left Eye"]) < 1


def test_a_head_that_the_posture_tilts_stays_tilted():
    rig, chain = looking_chain(armature(LEANING), at=target((0, -3, 0.25)))
    choose(chain, forward_axis="+Z", up="+Y")
    rig.pose.bones["head"].rotation_euler.z = radians(20)
    bpy.ops.limber.live()
    settle()
    for place in ((0, -3, 0.25), (2, -2, 0.25), (-2, -2, 1.0)):
        chain.target.location = place
        settle()
        assert missed(rig, chain) < 0.1
        assert roll(rig, chain) == pytest.approx(20, abs=5)
