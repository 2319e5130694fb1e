"""Tests blends of stored postures by weights with keyframes, which follow changes of the list; and
transitions with their own duration.
"""

import bpy
import numpy as np
import pytest
from limber.rig.blender import actions

from tests.blender.baking import apart, begin, live_motion, played
from tests.blender.posing import LEAN, REST, pose, stored
from tests.blender.rigs import looking_chain
from tests.blender.shown import (
    as_good_as_unfiltered,
    choose,
    go_live,
    missed,
    no_handler_raises,  # noqa: F401
    session,
    settle,
)

NOD = {**REST, "head": (0.5, 0, 0), "lower": (-0.4, 0, 0)}
FRAMES = range(1, 25)


@pytest.fixture
def chain():
    """A chain with two postures whose base is their blend, on a straight rig."""
    rig, chain = looking_chain()
    stored(rig, "Lean", LEAN)
    stored(rig, "Nod", NOD)
    pose(rig, REST)
    chain.base = "BLEND"
    return chain


def asked(chain) -> list[float]:
    """The posture in the solver's goal."""
    bpy.context.scene.frame_set(bpy.context.scene.frame_current + 1)
    return list(session(chain.id_data, chain).goal.posture)


def mean(rig, chain, **weights: float) -> list[float]:
    """The weighted sum of postures, in the order of the chain's joints."""
    parts = {"Lean": LEAN, "Nod": NOD, "rest": REST}
    keys = session(rig, chain).reader.joint_keys
    return [
        sum(w * parts[name][bone]["XYZ".index(axis)] for name, w in weights.items()) for bone, axis in keys
    ]


@pytest.mark.parametrize(
    ("weights", "shares"),
    [
        ((0.0, 0.0), {"rest": 1.0}),
        ((1.0, 0.0), {"Lean": 1.0}),
        ((0.25, 0.0), {"Lean": 0.25, "rest": 0.75}),
        ((0.5, 0.5), {"Lean": 0.5, "Nod": 0.5}),
        ((1.0, 0.5), {"Lean": 2 / 3, "Nod": 1 / 3}),
    ],
)
def test_postures_count_by_their_share_and_the_rigs_own_pose_takes_what_is_left(chain, weights, shares):
    for posture, weight in zip(chain.postures, weights, strict=True):
        posture.weight = weight
    go_live(chain.id_data, chain)
    assert asked(chain) == pytest.approx(mean(chain.id_data, chain, **shares), abs=1e-6)
    settle()
    assert missed(chain.id_data, chain) < 0.1


def key_weights(chain) -> None:
    for frame, weights in ((1, (1.0, 0.0)), (24, (0.0, 1.0))):
        for posture, weight in zip(chain.postures, weights, strict=True):
            posture.weight = weight
            posture.keyframe_insert("weight", frame=frame)


def test_keyed_weights_are_baked_as_live_shows_them_and_do_not_pop(chain):
    rig = chain.id_data
    key_weights(chain)
    as_good_as_unfiltered(chain)
    chain.frame_start, chain.frame_end = FRAMES[0], FRAMES[-1]
    motion = live_motion(rig, [chain], FRAMES)
    rows = np.array(list(motion.values()))
    whole = np.abs(rows[-1] - rows[0]).max()
    assert whole > 0.3
    assert np.abs(np.diff(rows, axis=0)).max() < 0.2 * whole
    work = begin(chain)
    while work.step():
        pass
    work.finish()
    assert apart(motion, played(rig, [chain], FRAMES)) < 1e-6


def names(chain) -> list[str]:
    return [posture.action.name for posture in chain.postures]


def weights_at(chain, frame: int) -> dict[str, float]:
    bpy.context.scene.frame_set(frame)
    return {posture.action.name: round(posture.weight, 3) for posture in chain.postures}


@pytest.mark.every_blender
def test_keys_of_weights_go_with_their_postures_when_the_list_is_sorted(chain):
    key_weights(chain)
    before = weights_at(chain, 4)
    chain.shown_posture = 1
    assert bpy.ops.limber.move_posture(direction="UP") == {"FINISHED"}
    assert names(chain) == ["Nod", "Lean"]
    assert chain.shown_posture == 0
    assert weights_at(chain, 4) == before
    assert bpy.ops.limber.move_posture(direction="UP") == {"CANCELLED"}
    assert bpy.ops.limber.move_posture(direction="DOWN") == {"FINISHED"}
    assert names(chain) == ["Lean", "Nod"]
    assert weights_at(chain, 4) == before


def test_keys_of_weights_stay_with_a_renamed_posture(chain):
    key_weights(chain)
    before = weights_at(chain, 4)
    chain.postures[0].action.name = "Sorrow"
    assert weights_at(chain, 4) == {"Sorrow": before["Lean"], "Nod": before["Nod"]}


def test_keys_on_a_postures_number_mean_the_same_posture_when_the_list_is_sorted(chain):
    for frame, number in ((1, 0), (10, 1)):
        chain.shown_posture = number
        chain.keyframe_insert("posture", frame=frame)
    bpy.context.scene.frame_set(1)
    bpy.ops.limber.move_posture(direction="DOWN")
    for frame, name in ((2, "Lean"), (12, "Nod")):
        bpy.context.scene.frame_set(frame)
        assert chain.postures[chain.shown_posture].action.name == name


@pytest.mark.every_blender
def test_a_removed_posture_takes_its_keys_along_and_no_others(chain):
    rig = chain.id_data
    key_weights(chain)
    before = weights_at(chain, 4)
    chain.shown_posture = 0
    bpy.ops.limber.remove_posture()
    assert weights_at(chain, 4) == {"Nod": before["Nod"]}
    assert len(actions.fcurves(*actions.playing(rig)[0])) == 1


def test_keys_in_nla_strips_and_drivers_follow_as_well(chain):
    rig = chain.id_data
    key_weights(chain)
    chain.postures[0].driver_remove("weight")
    action = rig.animation_data.action
    rig.animation_data.nla_tracks.new().strips.new("Blend", 1, action)
    rig.animation_data.action = None
    before = weights_at(chain, 8)
    chain.shown_posture = 0
    bpy.ops.limber.move_posture(direction="DOWN")
    assert weights_at(chain, 8) == before
    curve = chain.postures[0].driver_add("weight")
    bpy.ops.limber.move_posture(direction="UP")
    assert curve.data_path in {driver.data_path for driver in rig.animation_data.drivers}
    assert rig.animation_data.drivers[0].data_path.endswith("postures[1].weight")


def test_undo_brings_order_and_keys_back(chain):
    key_weights(chain)
    before = weights_at(chain, 4)
    bpy.ops.ed.undo_push(message="keyed")
    chain.shown_posture = 0
    bpy.ops.limber.move_posture(direction="DOWN")
    bpy.ops.ed.undo_push(message="moved")
    bpy.ops.ed.undo()
    chain = bpy.data.objects["Rig"].limber.chains[0]
    assert names(chain) == ["Lean", "Nod"]
    assert weights_at(chain, 4) == before


def test_weights_and_their_keys_come_back_with_the_file(chain, reopen):
    key_weights(chain)
    chain.transition = 1.5
    before = weights_at(chain, 4)
    reopen()
    chain = bpy.data.objects["Rig"].limber.chains[0]
    assert weights_at(chain, 4) == before
    assert chain.base == "BLEND"
    assert chain.transition == 1.5


def test_a_posture_that_counts_and_whose_pose_was_deleted_is_named_with_the_remedy(chain):
    chain.postures[0].weight = 0.5
    bpy.data.actions.remove(bpy.data.actions["Lean"])
    with pytest.raises(RuntimeError, match="remove the posture from the list"):
        bpy.ops.limber.live()
    chain.postures[0].weight = 0.0
    assert bpy.ops.limber.live() == {"FINISHED"}


def test_a_blend_of_nothing_says_what_to_do(chain):
    bpy.ops.limber.remove_posture()
    bpy.ops.limber.remove_posture()
    with pytest.raises(RuntimeError, match="press Store Posture"):
        bpy.ops.limber.live()


def test_a_switched_posture_takes_its_time(chain):
    rig = chain.id_data
    as_good_as_unfiltered(chain)
    chain.base, chain.transition, chain.shown_posture = "POSTURE", 0.5, 0
    scene = bpy.context.scene
    scene.frame_set(1)
    go_live(rig, chain)
    scene.frame_set(1)
    choose(chain, shown_posture=1)
    lean, nod = (np.array(mean(rig, chain, **{name: 1.0})) for name in ("Lean", "Nod"))
    shares = []
    for frame in range(2, 16):
        scene.frame_set(frame)
        now = np.array(session(rig, chain).state.goal.posture)
        shares.append(float((now - lean) @ (nod - lean) / ((nod - lean) @ (nod - lean))))
    assert shares[0] == pytest.approx(0.0, abs=1e-6)  # the other posture is used from this frame on
    assert shares[6] == pytest.approx(0.5, abs=1e-6)  # six of twelve frames at 24 per second
    assert 0.9 < shares[11] < 1.0
    assert shares[12:] == pytest.approx([1.0, 1.0], abs=1e-6)
