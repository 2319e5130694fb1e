"""Tests that a chain's settings by hand override those of a behaviour's state until the next state."""

import numpy as np
import pytest
from limber.character.behaviour.blending import Usual
from limber.character.behaviour.data import Behaviour, ChainRole, StateClip, StateSpec
from limber.character.behaviour.performer import Performer

NAMES = ("Proud", "Sad")
LISTENING = StateSpec("Listening", everyone=ChainRole((("Sad", 1.0),), "Ball", 0.4), seconds=0.2)
IDLE = StateSpec("Idle", seconds=0.2)


AS_CLIP = Usual((0.0, 0.0), 0.9, 0.8)


def settled(performer: Performer, usual: Usual = AS_CLIP):
    """Inputs of the chain Arm after a second."""
    for _ in range(100):
        instruction, _ = performer.role("Arm", NAMES, usual, 0.01)
    return instruction


@pytest.fixture
def performer() -> Performer:
    performer = Performer(Behaviour((LISTENING, IDLE)), 0)
    settled(performer)
    return performer


def test_an_influence_set_by_hand_holds_until_the_next_state(performer: Performer):
    assert performer.set_by("Arm") == {
        "influence": "by Listening",
        "target": "by Listening",
        "postures": "by Listening",
    }
    performer.set_by_hand("Arm", influence=0.7)
    assert performer.requested("Arm").influence == 0.7, "what is shown does not snap back"
    assert settled(performer).influence == pytest.approx(0.7)
    assert performer.set_by("Arm")["influence"] == "set here"
    performer.enter("Idle", "by hand")
    assert performer.set_by("Arm") == {}
    assert settled(performer).influence == pytest.approx(0.9), "as in the clip"
    performer.enter("Listening", "by hand")
    assert settled(performer).influence == pytest.approx(0.4), "the state's own"


def test_a_value_set_by_hand_is_reached_smoothly(performer: Performer):
    performer.set_by_hand("Arm", influence=1.0)
    first, _ = performer.role("Arm", NAMES, AS_CLIP, 0.01)
    assert 0.4 <= first.influence < 0.5


def test_a_target_set_by_hand_holds_until_the_next_state(performer: Performer):
    performer.set_by_hand("Arm", target="Visitor")
    assert settled(performer).target == "Visitor"
    performer.enter("Listening", "by hand")
    assert settled(performer).target == "Ball"


def test_a_weight_set_by_hand_leaves_the_others_of_the_state(performer: Performer):
    performer.weigh_by_hand("Arm", "Proud", 0.3)
    assert settled(performer).weights == pytest.approx((0.3, 1.0))
    assert performer.set_by("Arm")["postures"] == "set here"
    performer.weigh_by_hand("Arm", "Proud", 1.0, is_whole=True)
    assert performer.requested("Arm").weights["Proud"] == 1.0
    assert settled(performer).weights == pytest.approx((1.0, 0.0)), "a posture that is chosen is the only one"


def test_a_posture_chosen_by_hand_takes_the_place_of_a_clip():
    clip = StateClip("Listening", "Arm", np.zeros((3, 2)), 24.0)
    performer = Performer(Behaviour((StateSpec("Listening", seconds=0.2),), clips=(clip,)), 0)
    assert [weight for weight, _ in settled(performer).clips] == [1.0]
    performer.weigh_by_hand("Arm", "Sad", 1.0, is_whole=True)
    instruction = settled(performer)
    assert instruction.clips == ()
    assert instruction.weights == pytest.approx((0.0, 1.0))


def test_a_copy_keeps_what_was_set_by_hand(performer: Performer):
    performer.set_by_hand("Arm", influence=0.7)
    copy = performer.copy()
    assert settled(copy).influence == pytest.approx(0.7)
