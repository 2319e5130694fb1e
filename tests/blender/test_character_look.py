"""Tests a character's look: bones keep their rotations and share that of the look, which has a widest angle
and an offset, and clips are followed without delay.
"""

from itertools import pairwise
from math import cos, degrees, pi, radians, sin

import bpy
import pytest
from limber.rig.chains.measure import is_of_bones
from limber.rig.live import live
from mathutils import Vector

from tests.blender.drawing import drawn
from tests.blender.rigs import build, looking_chain, select, target
from tests.blender.shown import no_handler_raises  # noqa: F401

SPINE = dict.fromkeys(("belly", "chest", "neck", "head"))


def figure(mode: str = "QUATERNION", aside: float = 0.0):
    """A spine of free bones whose head faces -Y, and its chain, which looks at a target `aside` [degrees] to
    its left.
    """
    rig = build(SPINE, mode=mode)
    for side in (1, -1):  # pairs on left and right determine the forward direction
        bpy.ops.object.mode_set(mode="EDIT")
        arm = rig.data.edit_bones.new(f"arm.{'L' if side > 0 else 'R'}")
        chest = rig.data.edit_bones["chest"]
        arm.head, arm.tail, arm.parent = (
            chest.tail + Vector((0.1 * side, 0, 0)),
            chest.tail + Vector((0.3 * side, 0, 0)),
            chest,
        )
        bpy.ops.object.mode_set(mode="POSE")
    ball = target(place(rig, aside))
    select(rig, "head")
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[0]
    chain.target = ball
    return rig, chain


def place(rig, aside: float, up: float = 0.0) -> Vector:
    """A point 2 m away at angles [degrees] to the left of the head's facing direction, and up."""
    eye = rig.matrix_world @ rig.data.bones["head"].tail_local
    aside, up = radians(aside), radians(up)
    return eye + 2.0 * Vector((sin(aside) * cos(up), -cos(aside) * cos(up), sin(up)))


def rotation_of(rig, name: str):
    """The shown rotation of a bone in its parent's frame, relative to the rest pose."""
    evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    bone = evaluated.pose.bones[name]
    local = bone.parent.matrix.inverted() @ bone.matrix if bone.parent else bone.matrix.copy()
    rest = (
        bone.bone.parent.matrix_local.inverted() @ bone.bone.matrix_local
        if bone.parent
        else bone.bone.matrix_local
    )
    return (rest.inverted() @ local).to_quaternion()


def looks(rig, chain) -> Vector:
    """Direction of the head's view in the world."""
    evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    forward = chain.forward_direction if chain.forward_axis == "CUSTOM" else axis(chain.forward_axis)
    return (evaluated.matrix_world @ evaluated.pose.bones["head"].matrix).to_3x3().normalized() @ Vector(
        forward
    )


def axis(name: str) -> Vector:
    return Vector([(-1.0 if name[0] == "-" else 1.0) * (letter == name[1]) for letter in "XYZ"])


def to_the_left(direction: Vector) -> float:
    """Angle [degrees] of a direction to the left of -Y."""
    return degrees(Vector((0, -1)).angle_signed(direction.xy)) * -1.0


def test_of_all_bones_the_head_looks_and_the_message_says_so(capfd):
    rig, *_ = figure()
    bpy.ops.limber.remove_chain()
    select(rig, *rig.data.bones.keys())
    assert bpy.ops.limber.new_chain() == {"FINISHED"}
    assert rig.limber.chains[0].end == "head"
    assert f"all {len(rig.data.bones)} bones were selected, of which 'head' looks" in capfd.readouterr().out


def test_of_branches_without_the_head_the_message_names_the_remedy():
    rig, *_ = figure()
    bpy.ops.limber.remove_chain()
    select(rig, "arm.L", "arm.R")
    with pytest.raises(RuntimeError, match="select only the bone that looks, such as the head"):
        bpy.ops.limber.new_chain()


@pytest.mark.every_blender
def test_a_new_chain_of_free_bones_shares_a_look_and_twists_little():
    rig, chain = figure(aside=60)
    assert is_of_bones(chain, chain.solver)
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(2)
    turned = [degrees(rotation_of(rig, name).angle) for name in SPINE]
    assert turned == pytest.approx(sorted(turned), rel=0.1)
    assert turned[-1] < 0.65 * sum(turned)
    assert max(turned) < 45
    assert live.session(rig, chain).outputs.solution.aim_error < 1e-6


def test_look_from_says_where_a_look_comes_from_and_may_be_keyed():
    rig, chain = figure(aside=60)
    for frame, share in ((1, 0.0), (11, 1.0)):
        chain.options.expressive.look_from = share
        chain.options.expressive.keyframe_insert("look_from", frame=frame)
    bpy.ops.limber.live()
    shares = []
    for frame in range(1, 12):
        bpy.context.scene.frame_set(frame)
        turned = [rotation_of(rig, name).angle for name in SPINE]
        shares.append(turned[-1] / sum(turned))
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.7
    assert shares[-1] == pytest.approx(0.25, abs=0.02)


def test_beyond_the_widest_look_the_head_rests_at_its_edge_and_the_panel_says_so():
    from limber.panels.live.live import LIMBER_PT_live

    rig, chain = figure(aside=150)
    assert degrees(chain.widest_look) == pytest.approx(100)
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(2)
    assert to_the_left(looks(rig, chain)) == pytest.approx(100, abs=3)
    assert "beyond Widest Look" in drawn(LIMBER_PT_live).said
    chain.widest_look = pi
    bpy.context.scene.frame_set(3)
    assert to_the_left(looks(rig, chain)) == pytest.approx(150, abs=3)


def test_a_target_that_walks_round_makes_the_head_cross_over_once_a_round():
    rig, chain = figure()
    scene = bpy.context.scene
    scene.render.fps = 24
    bpy.ops.limber.live()
    directions = []
    for frame in range(1, 24 * 16):
        chain.target.location = place(rig, frame * 360 / (24 * 8))
        bpy.context.view_layer.update()
        scene.frame_set(frame)
        directions.append(looks(rig, chain))
    assert max(degrees(a.angle(b)) for a, b in pairwise(directions)) < 20
    sides = [direction.x > 0 for direction in directions if abs(to_the_left(direction)) > 60]
    assert (
        sum(before != after for before, after in pairwise(sides)) == 3
    )  # left to right twice, and back to the left in front once


def test_a_look_may_go_past_the_target():
    rig, chain = figure(aside=10)
    chain.look_aside = radians(20)
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(2)
    assert to_the_left(looks(rig, chain)) == pytest.approx(30, abs=1)


@pytest.mark.every_blender
@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ"])
def test_what_is_keyed_beneath_a_look_is_followed_in_the_same_frame(mode):
    rig, chain = figure(mode, aside=30)
    belly = rig.pose.bones["belly"]
    for frame, angle in ((1, 0.0), (5, 0.5), (9, -0.3)):
        belly.rotation_mode = "XYZ"
        belly.rotation_euler.x = angle
        belly.keyframe_insert("rotation_euler", frame=frame)
    bpy.ops.limber.live()
    played = {}
    for frame in range(1, 13):
        bpy.context.scene.frame_set(frame)
        played[frame] = [rotation_of(rig, name) for name in SPINE]
        assert live.session(rig, chain).outputs.filtered_aim_error < 1e-5
    for frame in (9, 3, 12, 5):  # a frame is shown as it was played, whatever frame came before
        bpy.context.scene.frame_set(frame)
        for before, name in zip(played[frame], SPINE, strict=True):
            assert degrees(before.rotation_difference(rotation_of(rig, name)).angle) < 0.2


def test_a_bone_that_a_clip_turns_round_is_not_turned_back():
    rig, chain = figure("XYZ")
    rig.pose.bones["belly"].rotation_euler.y = 4.0
    chain.target.location = place(rig, -degrees(4.0) + 10)
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(2)
    session = live.session(rig, chain)
    index = session.reader.joint_keys.index(("belly", "Y"))
    assert session.outputs.angles[index] == pytest.approx(4.0, abs=0.4)


def test_a_robot_whose_bones_have_one_or_two_axes_keeps_the_directions_of_its_links():
    _, chain = looking_chain()
    assert chain.options.measure == "AUTOMATIC"
    assert not is_of_bones(chain, chain.solver)
    assert chain.widest_look == pytest.approx(pi)
