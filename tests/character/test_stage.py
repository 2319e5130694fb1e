"""Tests movers of every kind on one stage, in plain Python: their order, the poses that they read from each
other, and their states as values.
"""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from tests.character.plain import PlainStage, played, values
from tests.character.scenes import DT, all_of_them, body, facing, head, lamp, round_path

FRAMES = 240
FEW = 12
TURNED = 60  # number of frames in which the lamp, which begins with its back to its target, has rotated to it


def motion(found, key: str) -> np.ndarray:
    return np.array([values(outputs[key]) for outputs in found])


def test_every_kind_of_mover_plays_and_gets_where_it_is_going():
    found = played(all_of_them(), FRAMES, DT)
    for key in ("lamp", "body", "head", "neck"):
        assert np.isfinite(motion(found, key)).all()
        assert np.ptp(motion(found, key), axis=0).max() > 0.1, key
    assert max(outputs["neck"].report.goal_error for outputs in found) < 1e-6
    assert all(outputs["neck"].is_closed for outputs in found)
    assert max(outputs["lamp"].solution.aim_error for outputs in found[TURNED:]) < 1e-6
    assert max(outputs["head"].solution.aim_error for outputs in found[:TURNED]) < 1e-6, (
        "later its neck cannot turn as far"
    )


@pytest.mark.parametrize("order", list(permutations(range(4)))[5::6])
def test_the_order_in_which_movers_are_given_changes_no_bit(order):
    movers = all_of_them()
    expected, found = played(movers, FEW, DT), played([movers[k] for k in order], FEW, DT)
    for mover in movers:
        assert np.array_equal(motion(found, mover.key), motion(expected, mover.key)), mover.key


def test_a_head_stands_on_its_body_as_it_is_in_this_frame():
    follower = body()
    movers, stage = [head(follower), follower], PlainStage()
    played(movers, FEW, DT, stage)
    state = stage.of(follower).outputs.state
    chest = follower.model.body.placed(state.frames, np.array([follower.model.body.links["chest"]]))[0]
    chest[:3, 3] += state.base_position
    base = np.array(stage.of(movers[0]).ticked[1].base)
    assert base == pytest.approx(
        chest @ np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.3], [0, 0, 0, 1.0]]), abs=1e-12
    )


def test_a_copy_goes_on_as_the_stage_does_and_leaves_it_alone():
    movers, stage = all_of_them(), PlainStage()
    played(movers, FEW, DT, stage)
    snapshots = stage.snapshots()
    copy = stage.copy(snapshots)
    expected = played(movers, FEW, DT, stage, first=FEW)
    for other in (copy, stage.copy(snapshots)):
        found = played(movers, FEW, DT, other, first=FEW)
        for mover in movers:
            assert np.array_equal(motion(found, mover.key), motion(expected, mover.key)), mover.key


def test_after_a_restart_motion_begins_at_rest():
    movers, stage = all_of_them(), PlainStage()
    expected = played(movers, FEW, DT)
    played(movers, FEW, DT, stage, first=30)
    for mover in movers:
        stage.of(mover).restart()
    found = played(movers, FEW, DT, stage)
    for mover in movers:
        assert np.array_equal(motion(found, mover.key), motion(expected, mover.key)), mover.key


def test_two_lamps_that_look_at_each_other_come_to_rest():
    movers, stage = [facing("one", "other"), facing("other", "one")], PlainStage()
    played(movers, 400, DT, stage)
    assert stage.cyclic == {"one", "other"}
    assert all(stage.of(mover).outputs.filtered_aim_error < 1e-6 for mover in movers)
    assert stage.is_at_rest(movers)


def test_a_mover_that_cannot_be_read_comes_to_rest_and_says_why_and_the_others_go_on():
    def lost(view, number):
        if number >= FEW:
            raise ValueError("Target 'Moth' is gone: choose another one")
        return fine.inputs(view, number)

    fine, stage = lamp(), PlainStage()
    movers = [replace(fine, key="lost", inputs=lost), fine]
    played(movers, FEW, DT, stage)
    for number in range(FEW, FEW + 60):
        stage.tick(movers, number, DT)
    broken = stage.of(movers[0])
    assert broken.problem == "Target 'Moth' is gone: choose another one"
    assert max(abs(one.velocity) for one in broken.state.motion) < 1e-9
    assert np.array_equal(values(stage.of(fine).outputs), values(played([fine], FEW + 60, DT)[-1]["lamp"]))


def test_inputs_of_a_stage_at_rest_differ_when_a_target_moves():
    still = round_path(0)
    moved = lamp(lambda number: (0.4, -0.5, 0.4) if number else still, effects=())
    stage = PlainStage()
    stage.tick([moved], 0, 0.0)
    while not stage.is_at_rest([moved]):
        stage.tick([moved], 0, DT)
    assert not stage.of(moved).differs(moved.model, moved.inputs({}, 0))
    assert stage.of(moved).differs(moved.model, moved.inputs({}, 1))
