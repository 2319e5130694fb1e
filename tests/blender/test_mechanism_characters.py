"""Tests goals that follow bones of an animated character: posed, with keyframes, constraints or live chains;
live and baked alike.
"""

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from tests.blender import mechanisms as those
from tests.blender.four_bars import boned
from tests.blender.rigs import build, make_active, select, target
from tests.blender.test_mechanism_messages import problem_of, says


def character():
    """An armature with a hip, a chest and a head, away from the world's origin."""
    rig = build({"hip": "XYZ", "chest": "XYZ", "skull": "XYZ"})
    rig.name = "Character"
    rig.location, rig.rotation_euler = (0.4, -0.3, 0.1), (0.2, 0.1, 0.8)
    bpy.context.view_layer.update()
    return rig


def platform(place=(0.0, 0.0, 0.0)):
    """A Stewart platform whose goal follows a character's head at an offset; returns owner, goal and
    character.
    """
    owner = those.add("stewart", place)
    rig = character()
    make_active(owner)
    goal = owner.limber.mechanism.goals[0]
    goal.target, goal.target_bone = rig, "skull"
    bpy.ops.limber.keep_goal_offset()
    return owner, goal, rig


def rigid(matrix) -> np.ndarray:
    place, turn, _ = matrix.decompose()
    return np.array(Matrix.LocRotScale(place, turn, None))


def bone(rig, name: str) -> np.ndarray:
    return rigid(
        rig.evaluated_get(those.update()).matrix_world
        @ rig.evaluated_get(those.update()).pose.bones[name].matrix
    )


def shown(goal) -> np.ndarray:
    return rigid(Matrix(those.world(goal.body).tolist()))


def test_a_body_stays_beside_a_bone_and_goes_with_it():
    owner, goal, rig = platform()
    start, beside = shown(goal), np.linalg.inv(bone(rig, "skull")) @ shown(goal)
    bpy.ops.limber.live()
    those.settle(owner)
    assert np.abs(shown(goal) - start).max() < 1e-5
    rig.pose.bones["chest"].rotation_euler = (0.05, 0.03, -0.04)
    those.settle(owner)
    assert those.session(owner).remark == ""
    assert np.abs(shown(goal) - start).max() > 1e-3
    assert np.abs(shown(goal) - bone(rig, "skull") @ beside).max() < 2e-5


def test_without_an_offset_the_body_is_where_the_bone_is():
    owner, goal, rig = platform()
    bpy.ops.limber.keep_goal_offset(is_cleared=True)
    assert np.abs(np.array(goal.offset) - np.eye(4)).max() == 0.0
    rig.matrix_world = Matrix(shown(goal).tolist()) @ rig.pose.bones["skull"].matrix.inverted()
    bpy.ops.limber.live()
    those.settle(owner)
    assert np.abs(shown(goal) - bone(rig, "skull")).max() < 1e-5


def test_an_animated_character_is_followed_live_and_baked_alike():
    owner, goal, rig = platform()
    kept, scene = owner.limber.mechanism, bpy.context.scene
    beside = np.linalg.inv(bone(rig, "skull")) @ shown(goal)
    for frame, angle in ((1, 0.0), (12, 0.06), (20, -0.03)):
        rig.pose.bones["hip"].rotation_euler.x = angle
        rig.pose.bones["hip"].keyframe_insert("rotation_euler", frame=frame)
    kept.frame_start, kept.frame_end = 1, 20
    scene.frame_set(1)
    bpy.ops.limber.live()
    live = []
    for frame in range(1, 21):
        scene.frame_set(frame)
        session = those.session(owner)
        assert session.problem == ""
        index = session.reading.mechanism.body_index[goal.body.name]
        wanted = session.base @ session.solver.poses(session.state.desired)[index]
        assert np.abs(wanted - bone(rig, "skull") @ beside).max() < 2e-5, frame
        live.append(session.outputs.values)
    assert np.ptp(live, axis=0).max() > 1e-3
    bpy.ops.limber.bake()
    for frame, values in enumerate(live, 1):
        scene.frame_set(frame)
        assert [motor.value or motor.linear_value for motor in kept.motors] == pytest.approx(
            values, abs=1e-5
        ), frame


def test_a_bone_that_a_live_chain_moves_is_followed_in_the_same_frame():
    owner, goal, rig = platform()
    beside = np.linalg.inv(bone(rig, "skull")) @ shown(goal)
    select(rig, "chest", "skull")
    rig.data.bones.active = rig.data.bones["skull"]
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[0]
    chain.goal, chain.target = "POINT", target(tuple(rig.matrix_world @ Vector((0.02, 0.0, 3.0))))
    chain.target.keyframe_insert("location", frame=1)
    chain.target.location.x += 0.1
    chain.target.keyframe_insert("location", frame=10)
    bpy.ops.limber.live()
    make_active(owner)
    bpy.ops.limber.live()
    for frame in range(1, 11):
        bpy.context.scene.frame_set(frame)
        session = those.session(owner)
        index = session.reading.mechanism.body_index[goal.body.name]
        wanted = session.base @ session.solver.poses(session.state.desired)[index]
        assert np.abs(wanted - bone(rig, "skull") @ beside).max() < 2e-4, frame


@pytest.mark.every_blender
def test_a_bone_of_a_mechanism_follows_a_bone_of_a_character():
    arms, _ = boned()
    arms.data.bones.active = arms.data.bones["crank"]
    bpy.ops.limber.add_motors()
    bpy.ops.object.mode_set(mode="OBJECT")
    rig = character()
    make_active(arms)
    goal = arms.limber.mechanism.goals.add()
    goal.does, goal.bone, goal.target, goal.target_bone = "ORIENTATION", "crank", rig, "chest"
    bpy.ops.limber.keep_goal_offset()
    bpy.ops.limber.live()
    those.settle(arms)
    assert those.session(arms).outputs.values[0] == pytest.approx(0.0, abs=1e-5)
    axis = rig.matrix_world.to_3x3().inverted() @ Vector((1.0, 0.0, 0.0))
    own = rig.data.bones["chest"].matrix_local.to_3x3().inverted() @ axis
    rig.pose.bones["chest"].rotation_mode = "AXIS_ANGLE"
    rig.pose.bones["chest"].rotation_axis_angle = (0.2, *own)
    those.settle(arms)
    assert those.session(arms).outputs.values[0] == pytest.approx(0.2, abs=1e-4)


@pytest.mark.every_blender
def test_a_bone_that_is_not_there_is_named():
    owner, goal, rig = platform()
    goal.target_bone = "nose"
    assert (
        f"Goal '{goal.name}': target '{rig.name}' has no bone 'nose': choose one of its bones as Target Bone"
        in says(owner)
    )
    assert "has no bone 'nose'" in problem_of(owner)
    goal.target_bone = "skull"
    those.clock()
    assert those.session(owner).problem == ""


@pytest.mark.every_blender
def test_a_bone_that_the_mechanism_itself_moves_is_refused():
    rig, _ = boned()
    goal = rig.limber.mechanism.goals.add()
    goal.bone, goal.target, goal.target_bone = "crank", rig, "coupler"
    assert "target 'coupler' depends on 'coupler', which follows it: choose another target" in says(rig)


@pytest.mark.every_blender
def test_an_offset_is_a_step_in_the_history_and_needs_a_target(undo_step):
    owner, goal, _ = platform()
    name = owner.name
    bpy.ops.limber.keep_goal_offset(is_cleared=True)
    undo_step("cleared")
    bpy.ops.limber.keep_goal_offset()
    undo_step("kept")
    bpy.ops.ed.undo()
    goal = bpy.data.objects[name].limber.mechanism.goals[0]
    assert np.abs(np.array(goal.offset) - np.eye(4)).max() == 0.0
    goal.target = None
    with pytest.raises(RuntimeError, match="has no target: choose an object to follow"):
        bpy.ops.limber.keep_goal_offset()
