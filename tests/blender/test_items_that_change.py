"""Tests that keyframes of list items stay with their items however a list changes: chains, ends, joints on
refresh, pairs, motors of a file.
"""

import bpy
import pytest
from limber.rig.blender import actions

from tests.blender.following import follower
from tests.blender.rigs import build, make_active, select
from tests.blender.trees import body
from tests.robots.test_closures import CLOSED, parallelogram

pytestmark = pytest.mark.every_blender


def key(items, prop: str, name) -> dict:
    """Adds a keyframe of a property to each item, each with another value; returns these by the items'
    names.
    """
    for number, item in enumerate(items):
        setattr(item, prop, 0.1 + 0.01 * number)
        item.keyframe_insert(prop, frame=1)
    return {name(item): getattr(item, prop) for item in items}


def keyed(items, prop: str, name) -> dict:
    """Keyframed value of each item by the items' names; None for one without keyframes."""
    thing = items[0].id_data
    values = {curve.data_path: curve.evaluate(1) for curve in actions.fcurves(*actions.playing(thing)[0])}
    found = {name(item): values.pop(f"{item.path_from_id()}.{prop}", None) for item in items}
    assert values == {}, "keyframes of items that are gone"
    return found


def joint_name(joint) -> tuple[str, str]:
    return joint.bone, joint.axis


def kept(before: dict, items, prop: str, name) -> None:
    """Asserts that the remaining items have the keyframes that they had."""
    assert keyed(items, prop, name) == pytest.approx({name(item): before.get(name(item)) for item in items})


def test_a_removed_chain_leaves_the_others_their_keyframes():
    rig = build({"base": "Y", "lower": "X", "middle": "X", "upper": "X"})
    for pair in (("base", "lower"), ("middle", "upper")):
        select(rig, *pair)
        bpy.ops.limber.new_chain()
    before = key(rig.limber.chains, "influence", lambda chain: chain.name)
    rig.limber.active_chain = 0
    bpy.ops.limber.remove_chain()
    kept(before, rig.limber.chains, "influence", lambda chain: chain.name)


def test_joints_keep_their_keyframes_when_they_are_matched_with_the_locks():
    rig = build({"base": "Y", "lower": "X", "middle": "X", "upper": "X"})
    select(rig, "base", "upper")
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[0]
    before = key(chain.joints, "velocity", joint_name)
    rig.pose.bones["base"].lock_rotation = (True, True, True)
    rig.pose.bones["middle"].lock_rotation = (False, True, False)
    bpy.ops.limber.match_joints()
    kept(before, chain.joints, "velocity", joint_name)


def test_a_removed_end_leaves_the_joints_their_keyframes():
    rig, chain, _ = body()
    before = key(chain.joints, "velocity", joint_name)
    make_active(rig)
    bpy.ops.limber.remove_end()
    assert len(chain.joints) < len(before)
    kept(before, chain.joints, "velocity", joint_name)


def test_pairs_keep_their_keyframes_when_bones_are_paired_by_name_again():
    rig, _ = follower()
    pairs = rig.limber.retarget.pairs
    pairs.remove(0)
    pairs.move(0, 3)
    before = key(pairs, "weight", lambda pair: pair.target)
    make_active(rig)
    bpy.ops.limber.pair_bones()
    kept(before, pairs, "weight", lambda pair: pair.target)


def test_of_two_pairs_of_one_bone_the_first_keeps_its_keyframes_alone():
    rig, _ = follower()
    pairs = rig.limber.retarget.pairs
    again = pairs.add()
    again.target = again.name = pairs[0].target
    before = key(pairs, "weight", lambda pair: pair.path_from_id())
    target, first = pairs[0].target, before[pairs[0].path_from_id()]
    make_active(rig)
    bpy.ops.limber.pair_bones()
    curves = list(actions.fcurves(*actions.playing(rig)[0]))
    paths = [curve.data_path for curve in curves]
    assert sorted(paths) == sorted(f"{pair.path_from_id()}.weight" for pair in pairs)
    place = next(f"{pair.path_from_id()}.weight" for pair in pairs if pair.target == target)
    assert curves[paths.index(place)].evaluate(1) == pytest.approx(first)


def test_motors_keep_their_keyframes_when_a_robots_closed_loops_are_read_again(tmp_path):
    (tmp_path / "robot.urdf").write_text(parallelogram(), encoding="utf-8")
    (tmp_path / "robot.yaml").write_text(CLOSED, encoding="utf-8")
    bpy.ops.limber.import_robot(filepath=str(tmp_path / "robot.urdf"), with_meshes=False)
    rig = bpy.context.active_object
    bpy.ops.limber.import_closures(filepath=str(tmp_path / "robot.yaml"))
    motors = rig.limber.mechanism.motors
    extra = motors.add()
    extra.bone = extra.name = "added by hand"
    motors.move(len(motors) - 1, 0)
    before = key(motors, "value", joint_name)
    bpy.ops.limber.import_closures(filepath=str(tmp_path / "robot.yaml"))
    assert len(motors) == len(before) - 1
    kept(before, motors, "value", joint_name)
