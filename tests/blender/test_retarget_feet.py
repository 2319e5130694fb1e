"""Tests feet that stand on the floor, and stay in place while the source's feet stand."""

from itertools import pairwise

import bpy
import numpy as np
import pytest
from limber.character.body import feet
from limber.rig.bodies import soles
from limber.rig.live import live
from mathutils import Matrix, Vector

from tests.blender.figures import CMU, XSENS, called, crouch, figure, walk
from tests.blender.rigs import apart, matrices
from tests.blender.shown import settle

FRAMES = range(1, 25)


def place(rig, words, part: str) -> Vector:
    return head_of(rig, called(words, part))


def head_of(rig, bone: str) -> Vector:
    """Shown position [m] of a bone's head in the world."""
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return (shown.matrix_world @ shown.pose.bones[bone].matrix).translation


@pytest.fixture
def body():
    """A body with other proportions than the crouching source, which it follows live."""
    source = figure(CMU, "Source")
    crouch(source, CMU)
    rig = figure(XSENS, "Body", knee=0.42)
    rig.limber.retarget.source = source
    bpy.ops.limber.pair_bones()
    return rig


def slid(rig, words, frames=FRAMES) -> float:
    """Largest distance [m] of the left foot from its position in the second frame."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(place(rig, words, "left foot"))
    return max((spot - found[1]).length for spot in found[1:])


def plant(rig, is_planted: bool = True) -> None:
    for pair in rig.limber.retarget.pairs:
        pair.plant = is_planted and "Foot" in pair.target


def hop(source) -> None:
    """Replaces a figure's keyframes: it is lifted by half a metre with stiff legs and put down again."""
    source.animation_data_clear()
    for bone in source.pose.bones:
        bone.matrix_basis.identity()
    hips = source.pose.bones["Hips"]
    for frame, height in ((1, 0.0), (8, 0.0), (12, 0.5), (16, 0.0), (24, 0.0)):
        hips.location = source.data.bones["Hips"].matrix_local.to_3x3().inverted() @ Vector(
            (0.0, 0.0, height)
        )
        hips.keyframe_insert("location", frame=frame)


def test_the_sources_feet_stand_and_those_of_a_body_of_other_proportions_slide_where_they_are_not_planted(
    body,
):
    plant(body, False)
    bpy.ops.limber.live()
    assert slid(bpy.data.objects["Source"], CMU) < 1e-3
    assert slid(body, XSENS) > 5e-3


def test_paired_feet_are_planted_by_default_and_stay(body):
    bpy.ops.limber.live()
    assert slid(body, XSENS) < 1e-5
    assert set(live.session(body, body.limber.retarget).outputs.planted) == {"LeftFoot", "RightFoot"}


def test_a_foot_that_the_source_lifts_is_let_go_and_stands_anew(body):
    plant(body)
    bpy.ops.limber.live()
    source = bpy.data.objects["Source"]
    session = live.session(body, body.limber.retarget)
    hop(source)
    stood = {}
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        stood[frame] = set(session.outputs.planted)
    assert stood[6] == {"LeftFoot", "RightFoot"}
    assert stood[10] == set(), "both are swept along"
    assert stood[23] == {"LeftFoot", "RightFoot"}


def lowest(rig) -> float:
    """Height [m] of the lowest shown end of all bones."""
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return min((shown.matrix_world @ end).z for bone in shown.pose.bones for end in (bone.head, bone.tail))


RESTS = 0.03  # [m] height of the figure's lowest bone above the floor on which it rests


@pytest.mark.parametrize(("size", "knee"), [(1.0, 0.42), (0.5, 0.5), (1.7, 0.58)])
@pytest.mark.parametrize("raised", [0.0, 0.4, -1.0])
def test_a_body_of_any_size_stands_on_the_floor_wherever_the_clips_floor_is_above_its_origin(
    size: float, knee: float, raised: float
):
    source = figure(CMU, "Source")
    crouch(source, CMU, raised=raised)
    rig = figure(XSENS, "Body", size=size, knee=knee)
    rig.location = (3.0, 1.0, -2.0)
    rig.limber.retarget.source = source
    bpy.ops.limber.pair_bones()
    assert rig.limber.retarget.source_foot_height == pytest.approx(0.1 + raised, abs=1e-3)
    bpy.ops.limber.live()
    for frame in (1, 2, 12, 13, 20, 24):  # the first frame, a scrub, and frames after it
        bpy.context.scene.frame_set(frame)
        assert lowest(rig) == pytest.approx(RESTS * size, abs=1e-3), frame


def test_an_armature_that_is_turned_and_scaled_stands_on_the_floor():
    source = figure(CMU, "Source")
    crouch(source, CMU)
    rig = figure(XSENS, "Body", knee=0.42)
    for bone in bpy.data.armatures["Body"].bones:
        assert bone.use_inherit_rotation
    rig.rotation_euler, rig.scale = (0.0, 0.0, 1.0), (1.5, 1.5, 1.5)
    bpy.context.view_layer.update()
    rig.limber.retarget.source = source
    bpy.ops.limber.pair_bones()
    rig.limber.retarget.shift = (0.0, 0.0, 0.25)
    bpy.ops.limber.live()
    for frame in (1, 12, 20):
        bpy.context.scene.frame_set(frame)
        assert lowest(rig) == pytest.approx(1.5 * RESTS + 0.25, abs=2e-3), frame


def test_no_foot_goes_below_the_floor_whatever_the_clip_does():
    source = figure(CMU, "Source")
    walk(source, CMU)
    rig = figure(XSENS, "Body", knee=0.42)
    rig.limber.retarget.source = source
    bpy.ops.limber.pair_bones()
    bpy.ops.limber.live()
    session = live.session(rig, rig.limber.retarget)
    soles_at = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        assert lowest(rig) > 0.0, frame
        body, state, up = session.model.body, session.state.state, np.array((0.0, 0.0, 1.0))
        soles_at += [
            feet.foot_position(body, foot, state)[2] - feet.depth(body, foot, up, state)
            for foot in session.model.feet
        ]
    assert min(soles_at) == pytest.approx(0.0, abs=2e-3), "and some touch it"


def test_feet_are_let_go_and_land_without_a_leap(body):
    source = bpy.data.objects["Source"]
    hop(source)
    bpy.ops.limber.calibrate_pairs()
    bpy.ops.limber.live()
    moves = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        moves.append(
            [(place(rig, words, "left foot")).copy() for rig, words in ((body, XSENS), (source, CMU))]
        )
    steps = [
        [(after - before).length for before, after in zip(*pair, strict=True)] for pair in pairwise(moves)
    ]
    assert max(own for own, _ in steps) < 1.3 * max(asked for _, asked in steps)


def test_without_a_floor_the_base_is_as_high_as_the_sources_times_the_scale(body):
    bpy.ops.limber.live()
    body.limber.retarget.on_floor = False
    plant(body, False)
    bpy.context.scene.frame_set(20)
    source = bpy.data.objects["Source"]
    assert place(body, XSENS, "hips").z == pytest.approx(
        body.limber.retarget.scale * place(source, CMU, "hips").z, abs=1e-4
    )


def with_boot():
    """A figure with a mesh that its left foot and its pelvis deform."""
    rig = figure(XSENS, "Body")
    boot = bpy.data.meshes.new("Boot")
    boot.from_pydata([(0.1, -0.1, -0.02), (0.1, 0.1, 0.0), (0.0, 0.0, 0.9)], [], [])
    skin = bpy.data.objects.new("Skin", boot)
    bpy.context.scene.collection.objects.link(skin)
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    skin.vertex_groups.new(name="LeftFoot").add([0, 1], 1.0, "REPLACE")
    skin.vertex_groups.new(name="Pelvis").add([2], 1.0, "REPLACE")
    return rig


@pytest.mark.every_blender
def test_soles_are_those_of_meshes_where_feet_carry_some():
    rig = with_boot()
    plate = bpy.data.meshes.new("Plate")
    plate.from_pydata([(0.0, 0.0, 0.0)], [], [])
    worn = bpy.data.objects.new("Worn", plate)
    bpy.context.scene.collection.objects.link(worn)
    worn.parent, worn.parent_type, worn.parent_bone = rig, "BONE", "RightToe"
    bpy.context.view_layer.update()
    worn.matrix_world = Matrix.Translation((-0.1, -0.2, -0.04))
    bpy.context.view_layer.update()
    assert soles.ankle(rig, ["LeftFoot"]) == pytest.approx(0.12, abs=1e-5)
    assert soles.ankle(rig, ["RightFoot"]) == pytest.approx(0.14, abs=1e-5)


def test_a_bake_plants_as_live_does(body):
    plant(body)
    body.limber.retarget.frame_start, body.limber.retarget.frame_end = 1, 24
    bpy.ops.limber.live()
    names = [bone.name for bone in body.pose.bones]
    shown = [matrix for frame in FRAMES for matrix in matrices(body, names, frame)]
    bpy.ops.limber.bake()
    assert apart(shown, [matrix for frame in FRAMES for matrix in matrices(body, names, frame)]) < 2e-5


BOTH, NONE = {"LeftFoot", "RightFoot"}, set()
SLOW = 1.0  # [rad/s] velocity limit of the joints, slower than the crouch
CHANGED = 12  # frame in which other feet are planted
LEAP = 0.01  # [m] distance that no foot moves in a frame from then on: unplanted ones slide by 6 mm


def choose(rig, chosen: set[str]) -> None:
    """Plants these feet, and no others."""
    for pair in rig.limber.retarget.pairs:
        pair.plant = pair.target in chosen


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BOTH, {"LeftFoot"}),
        (BOTH, NONE),
        (NONE, BOTH),
        ({"RightFoot"}, BOTH),
        ({"LeftFoot"}, {"RightFoot"}),
        (BOTH, {"RightFoot", "LeftHand"}),
    ],
)
@pytest.mark.parametrize("velocity", [0.0, SLOW])
def test_other_feet_are_planted_while_the_body_is_live_and_it_goes_on(
    body, capfd, before: set[str], after: set[str], velocity: float
):
    choose(body, before)
    body.limber.retarget.velocity = velocity
    bpy.ops.limber.live()
    scene, session = bpy.context.scene, live.session(body, body.limber.retarget)
    joints, spots = [], {name: [] for name in after & BOTH}
    for frame in FRAMES:
        if frame == CHANGED:
            choose(body, after)
        scene.frame_set(frame)
        joints.append(session.outputs.state.joints)
        for name, positions in spots.items():
            positions.append(head_of(body, name))
        # a foot that is chosen anew stands from its second frame on
        chosen = before if frame < CHANGED else before & after if frame == CHANGED else after
        assert set(session.outputs.planted) == chosen & BOTH, "a hand is in the air"
    assert session.problem == ""
    assert "Traceback" not in "".join(capfd.readouterr())
    moved = np.abs(np.diff(joints, axis=0))
    assert moved[CHANGED:].max() > 0.03, "the body goes on"
    if velocity:
        assert moved.max() < (1.0 + 1e-6) * velocity / scene.render.fps
    else:
        for positions in spots.values():
            later = positions[CHANGED - 2 :]
            assert max((spot - last).length for last, spot in pairwise(later)) < LEAP


def test_other_feet_are_planted_while_nothing_plays(body, capfd):
    choose(body, BOTH)
    bpy.ops.limber.live()
    session = live.session(body, body.limber.retarget)
    for chosen in (NONE, {"RightFoot"}, BOTH):
        choose(body, chosen)
        settle()
        assert set(session.outputs.planted) == chosen
    assert "Traceback" not in "".join(capfd.readouterr())
