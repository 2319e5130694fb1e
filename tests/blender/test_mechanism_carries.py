"""Tests that movers which stand on a mechanism, or look at an object on it, are solved after it in the same
frame: chains, mechanisms; live and baked.
"""

import bpy
import numpy as np
import pytest
from limber.rig.live import live

from tests.blender import mechanisms as those
from tests.blender.four_bars import boned
from tests.blender.rigs import build, keyed, looking_chain, make_active, target
from tests.blender.shown import as_good_as_unfiltered, missed, no_handler_raises, settle  # noqa: F401
from tests.blender.test_mechanism_robots import head_on_push_rods

FRAMES = range(1, 25)
NEAR = 0.02  # [degrees] tolerance of an aim in single precision


def moving_platform():
    """A Stewart platform whose target tilts and moves in `FRAMES`; returns its owner and the platform."""
    owner = those.add("stewart", place=(0.0, 0.0, 0.0))
    goal = owner.limber.mechanism.goals[0]
    keyed(goal.target, (1, 24), end=np.add(goal.target.location, (0.03, 0.0, 0.0)))
    keyed(goal.target, (1, 24), "rotation_euler", (0.2, -0.15, 0.2))
    for motor in owner.limber.mechanism.motors:
        motor.velocity, motor.acceleration, motor.jerk = 10.0, 1e4, 1e6
    bpy.context.scene.frame_set(FRAMES.start)
    return owner, goal.body


def arm_on(body, bone: str = "", name: str = "Arm"):
    """An arm that stands on a body and looks at a target at rest; returns armature and chain."""
    rig = build({"base": "XYZ", "lower": "X", "upper": "XY"}, name=name)
    rig.parent, rig.scale = body, (0.2, 0.2, 0.2)
    if bone:
        rig.parent_type, rig.parent_bone = "BONE", bone
    bpy.context.view_layer.update()
    rig, chain = looking_chain(
        rig, "base", "lower", "upper", at=target((0.4, -1.0, 0.5), name=f"{name} Target")
    )
    as_good_as_unfiltered(chain)
    return rig, chain


def go_live(owner, *chains) -> None:
    for chain in chains:
        make_active(chain.id_data)
        chain.id_data.limber.active_chain = list(chain.id_data.limber.chains).index(chain)
        bpy.ops.limber.live()
    make_active(owner)
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(100)
    bpy.context.scene.frame_set(FRAMES.start)  # all movers restart, at rest


def misses(rig, chain, frames=FRAMES) -> float:
    """The largest shown aim error [degrees] while these frames play."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(missed(rig, chain))
    return max(found)


def test_a_chain_on_a_moving_platform_looks_at_its_target_in_every_frame():
    owner, platform = moving_platform()
    rig, chain = arm_on(platform)
    go_live(owner, chain)
    assert misses(rig, chain) < NEAR
    make_active(owner)
    bpy.ops.limber.end_live()
    settle()
    assert missed(rig, chain) < NEAR


def test_a_chain_on_a_moving_platform_bakes_as_it_plays():
    owner, platform = moving_platform()
    rig, chain = arm_on(platform)
    go_live(owner, chain)
    chain.frame_start, chain.frame_end = FRAMES.start, FRAMES.stop - 1
    make_active(rig)
    assert bpy.ops.limber.bake() == {"FINISHED"}
    assert not chain.live
    assert owner.limber.mechanism.live
    assert misses(rig, chain) < NEAR


@pytest.mark.every_blender
def test_a_scene_bakes_a_platform_and_the_chain_on_it():
    from limber.rig.output.bake_scene import bake_scene

    owner, platform = moving_platform()
    rig, chain = arm_on(platform)
    go_live(owner, chain)
    baked = bake_scene(bpy.context.scene, (FRAMES.start, FRAMES.stop - 1), only_live=True)
    assert not baked.remarks
    assert live.live_movers() == []
    assert misses(rig, chain) < NEAR


def test_what_a_mechanism_carries_is_looked_at_where_it_is():
    owner, platform = moving_platform()
    ball = target((0.1, 0.05, 0.1), name="Ball")
    ball.parent = platform
    rig, chain = looking_chain(
        build({"base": "XYZ", "lower": "X", "upper": "XY"}), "base", "lower", "upper", at=ball
    )
    rig.location = (0.6, -0.5, 0.0)
    as_good_as_unfiltered(chain)
    go_live(owner, chain)
    assert misses(rig, chain) < NEAR


def test_a_chain_on_a_mechanisms_bone_is_in_its_frame():
    arms, closure = boned()
    closure.kind = "revolute"
    make_active(arms)
    bpy.ops.object.mode_set(mode="POSE")
    arms.data.bones.active = arms.data.bones["crank"]
    bpy.ops.limber.add_motors()
    motor = arms.limber.mechanism.motors[0]
    arms.limber.mechanism.drive = "MOTORS"
    keyed(motor, (1, 24), "value", 0.6)
    bpy.context.scene.frame_set(FRAMES.start)
    rig, chain = arm_on(arms, "coupler")
    go_live(arms, chain)
    assert misses(rig, chain) < NEAR


def test_a_mechanism_on_a_mechanism_is_in_its_frame():
    owner, platform = moving_platform()
    other = those.add("four_bar", place=(0.0, 0.0, 0.0))
    other.parent = platform
    bpy.context.view_layer.update()
    go_live(other)
    go_live(owner)
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        ground = those.session(other).reading.base_part
        seen = those.world(bpy.data.objects[ground.object_name]) @ ground.offset
        assert np.abs(seen - those.session(other).base).max() < 1e-6, frame


def test_a_chain_on_a_head_that_another_chains_gaze_moves_by_push_rods_follows_both():
    neck, gaze, owner = head_on_push_rods()
    keyed(gaze.target, (1, 24), end=(-0.3, -1.0, 0.15))
    bpy.context.scene.frame_set(FRAMES.start)
    for motor in owner.limber.mechanism.motors:
        motor.velocity, motor.acceleration, motor.jerk = 10.0, 1e4, 1e6
    rods = next(thing for thing in owner.users_collection[0].all_objects if thing.name == "Left Rod")
    rig, chain = arm_on(rods, name="A")  # by its name it would be before the gaze
    go_live(owner, gaze, chain)
    assert misses(rig, chain) < NEAR
    assert missed(neck, gaze) < 5.0


@pytest.mark.parametrize("is_live", [True, False])
def test_the_clock_takes_a_chain_along_with_the_platform_on_which_it_stands(is_live):
    owner, platform = moving_platform()
    goal = owner.limber.mechanism.goals[0]
    goal.target.animation_data_clear()
    rig, chain = arm_on(platform)
    go_live(owner, chain)
    settle()
    if not is_live:
        make_active(rig)
        bpy.ops.limber.end_live()
    goal.target.rotation_euler = (0.2, -0.1, 0.1)
    settle()
    assert (missed(rig, chain) < NEAR) == is_live
