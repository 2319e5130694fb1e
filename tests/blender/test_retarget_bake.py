"""Tests that authored data of a body are kept while it follows; a bake makes keyframes of the shown motion,
and keeps the earlier action.
"""

import bpy
import pytest

from tests.blender import at_hand
from tests.blender.figures import XSENS, bend, called
from tests.blender.following import follower, motion, names_of
from tests.blender.rigs import apart, looking_chain, matrices, target

pytestmark = pytest.mark.every_blender


def test_what_is_authored_stays_and_comes_back():
    rig, _ = follower()
    bend(rig, XSENS, left_shin=(33, 0, 0))
    channels = {bone.name: (tuple(bone.rotation_euler), tuple(bone.location)) for bone in rig.pose.bones}
    authored = matrices(rig, names_of(rig), 5)
    bpy.ops.limber.live()
    assert apart(matrices(rig, names_of(rig), 5), authored) > 0.1
    assert {
        bone.name: (tuple(bone.rotation_euler), tuple(bone.location)) for bone in rig.pose.bones
    } == channels
    bpy.ops.limber.end_live()
    assert apart(matrices(rig, names_of(rig), 5), authored) < 1e-6


@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION", "AXIS_ANGLE"])
def test_a_bake_is_what_live_shows_and_the_action_before_is_kept(mode: str):
    rig, _ = follower(mode)
    rig.pose.bones[0].keyframe_insert("location", frame=1)
    old = rig.animation_data.action
    rig.limber.retarget.frame_start, rig.limber.retarget.frame_end = 1, 24
    bpy.ops.limber.live()
    shown = motion(rig)
    bpy.ops.limber.bake()
    assert not rig.limber.retarget.live
    assert rig.animation_data.action != old
    assert old.users
    baked = motion(rig)
    assert apart(shown, baked) < 5e-5


def test_a_bake_has_the_gaze_of_live_chains_in_it():
    rig, _ = follower()
    looking_chain(rig, called(XSENS, "neck"), called(XSENS, "head"), at=target((1.0, -2.0, 1.0)))
    rig.limber.retarget.frame_start, rig.limber.retarget.frame_end = 1, 24
    at_hand.live(rig.limber.retarget)
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(1)
    shown = motion(rig)
    with pytest.raises(RuntimeError, match="Bake in the Retarget panel"):
        bpy.ops.limber.bake()
    at_hand.bake(rig.limber.retarget)
    assert not rig.limber.chains[0].live
    baked = motion(rig)
    assert apart(shown, baked) < 5e-5
