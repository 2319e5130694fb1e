"""Tests the player in simulated time: the values that a script sets, and the recording."""

import json
import math
import random
from dataclasses import replace

import numpy as np
import pytest
from limber.character.behaviour.data import Behaviour, ChainRole, Gesture, StateSpec, TransitionSpec
from limber.character.chain.settings import BLEND, RIG
from limber.files.json_fields import JsonFields
from limber.player.errors import PlayerError
from limber.player.playing import play
from limber.player.script import Script, script_of

from tests.character.samples import FRAMES, chain, character, mechanism, skeleton

RATE = 24.0


def played(*events: dict, seconds: float = 3.0, rate: float = RATE, of=None, **more):
    """The recording of a script with these events."""
    plain = {"seconds": seconds, "rate": rate, "events": list(events), **more}
    return play(of or character(), script_of(JsonFields("script", plain, PlayerError)))


def test_the_recording_has_what_the_contract_says():
    recording = played()
    rows = round(3.0 * RATE) + 1
    assert recording["time"].tolist() == [k / RATE for k in range(rows)]
    assert recording["joint_names"].tolist() == ["Rig/Link0 Y", "Rig/Link1 X", "Rig/Link2 X"]
    assert recording["chain_names"].tolist() == ["Arm"]
    for name, shape in (
        ("commanded", (rows, 3)),
        ("desired", (rows, 3)),
        ("target_position", (rows, 1, 3)),
        ("aim_error_desired", (rows, 1)),
        ("aim_error", (rows, 1)),
        ("values", (rows, 1)),
        ("state", (rows,)),
        ("lower", (3,)),
        ("jerk", (3,)),
    ):
        assert recording[name].shape == shape, name
    assert recording["value_names"].tolist() == ["Glow"]
    assert recording["values"][:FRAMES, 0] == pytest.approx(np.linspace(0.0, 1.0, FRAMES))
    assert (recording["values"][FRAMES:] == 1.0).all(), "after the clip's last frame its values stay"


def test_it_begins_at_rest_and_looks_at_its_target():
    recording = played()
    assert (recording["commanded"][0] == recording["desired"][0]).all()
    assert recording["aim_error"][0] == pytest.approx(0.0, abs=1e-4)


def test_two_performances_of_a_script_are_equal_to_the_last_bit():
    events = [{"at": 1.0, "target": {"chain": "Arm", "to": "Lamp/Shade"}}]
    assert (played(*events)["commanded"] == played(*events)["commanded"]).all()


def test_commanded_motion_keeps_the_joints_limits():
    recording = played({"at": 0.5, "target": {"chain": "Arm", "to": "Lamp/Shade"}})
    speed = np.abs(np.diff(recording["commanded"], axis=0)) * RATE
    assert (speed <= recording["velocity"] * (1.0 + 1e-9)).all()
    assert np.ptp(recording["commanded"], axis=0).max() > 0.3, "it moved"


def test_a_chain_follows_the_target_of_an_event_from_then_on():
    recording = played({"at": 1.0, "target": {"chain": "Arm", "to": "Lamp/Shade"}})
    assert recording["target_position"][23, 0] == pytest.approx([0.3, 0.5, 0.4])
    assert recording["target_position"][24, 0] == pytest.approx([-0.5, 0.4, 0.2])
    assert recording["aim_error"][-1] == pytest.approx(0.0, abs=1e-4)


def test_a_scripts_target_moves_linearly_between_its_times_and_stays_outside_of_them():
    targets = {"Ball": {"times": [1.0, 2.0], "positions": [[0.3, 0.5, 0.4], [-0.3, 0.5, 0.6]]}}
    place = played(targets=targets)["target_position"][:, 0]
    assert place[0] == pytest.approx([0.3, 0.5, 0.4])
    assert place[36] == pytest.approx([0.0, 0.5, 0.5])
    assert place[-1] == pytest.approx([-0.3, 0.5, 0.6])


def test_a_scripts_own_target_can_be_followed():
    targets = {"Visitor": {"times": [0.0], "positions": [[0.2, 0.6, 0.3]]}}
    follow = {"at": 0.0, "target": {"chain": "Arm", "to": "Visitor"}}
    assert played(follow, targets=targets)["target_position"][-1, 0] == pytest.approx([0.2, 0.6, 0.3])


def test_a_posture_that_is_set_is_kept_after_its_transition():
    gone = played({"at": 0.5, "set": {"influence/Arm": 0.0}}, {"at": 0.5, "set": {"posture/Arm": "So~so/la"}})
    assert gone["commanded"][-1] == pytest.approx([0.0, 0.4, 0.9], abs=1e-6), "NaN: as authored"
    assert np.abs(np.diff(gone["desired"], axis=0))[13:].max() < 0.3, "it is a transition, no jump"


def test_a_weight_makes_the_base_a_blend_and_other_weights_stay():
    events = ({"at": 0.0, "set": {"influence/Arm": 0.0}}, {"at": 0.0, "set": {"weight/Arm/Proud": 0.5}})
    rest = 0.25 * np.array([0.4, 0.4, 0.4])  # the authored share that the weights leave
    expected = 0.5 * np.array([0.1, 0.3, -0.2]) + 0.25 * np.array([0.0, 0.4, 0.9]) + rest
    assert played(*events)["commanded"][-1] == pytest.approx(expected, abs=1e-6)


def test_names_in_paths_are_escaped_as_in_json_pointers():
    set_weight = {"at": 0.0, "set": {"weight/Arm/So~0so~1la": 1.0, "influence/Arm": 0.0}}
    blend = character(chain(base=BLEND))
    assert played(set_weight, of=blend)["commanded"][-1] == pytest.approx([0.0, 0.4, 0.9], abs=1e-6)


def test_a_value_that_is_set_stays():
    values = played({"at": 1.0, "set": {"value/Glow": 7.0}})["values"][:, 0]
    assert values[23] < 1.0
    assert (values[24:] == 7.0).all()


def test_each_event_leaves_a_decision():
    lines = played({"at": 1.0, "set": {"share/Arm": 0.5}}, {"at": 0.5, "event": "clap"})["decisions"]
    assert [json.loads(line)["time"] for line in lines] == [0.5, 1.0]


def test_at_another_rate_the_clip_takes_as_long():
    base = character(chain(base=RIG))
    slow, fast = (played(of=base, seconds=2.0, rate=rate)["desired"] for rate in (RATE, 4 * RATE))
    assert fast[::4] == pytest.approx(slow, abs=0.02)


def test_a_mechanism_follows_a_scripts_target():
    turned = [math.cos(0.3), 0.0, 0.0, math.sin(0.3)]
    targets = {
        "Ball": {
            "times": [0.0, 1.0],
            "positions": [[0.3, 0.5, 0.4]] * 2,
            "rotations_wxyz": [[1, 0, 0, 0], turned],
        }
    }
    recording = played(of=replace(character(), mechanisms=(mechanism(),)), targets=targets)
    assert recording["joint_names"].tolist()[-1] == "Lever/Hinge Z"
    assert recording["commanded"][0, -1] == pytest.approx(0.0, abs=1e-6)
    assert recording["commanded"][-1, -1] == pytest.approx(0.6, abs=1e-6)
    assert recording["velocity"][-1] == 3.0


def behaving(**more):
    """The sample with a behaviour: two states that differ in posture, target and influence, and a nod."""
    up = ChainRole((("Proud", 1.0),), None, 1.0, None, 0.0)
    down = ChainRole((("So~so/la", 1.0),), "Lamp/Shade", 0.6)
    nod = Gesture("Nod", "Arm", "agree", np.array([[0, 0, 0], [0, 0.4, 0], [0, 0, 0.0]]), 2.0)
    chosen = Behaviour(
        (StateSpec("Idle", everyone=up), StateSpec("Sad", (("Arm", down),), seconds=1.0)),
        (
            TransitionSpec("Idle", "Sad", "event", "frown"),
            TransitionSpec("Sad", "Idle", "random", least=0.5, most=1.5),
        ),
        (nod,),
    )
    return replace(character(), behaviour=chosen)


def test_the_recording_says_in_which_state_the_character_is_and_why():
    recording = played({"at": 1.0, "event": "frown"}, of=behaving(), seed=5)
    states = recording["state"].tolist()
    assert states[23:25] == ["Idle", "Sad"]
    decisions = [json.loads(line) for line in recording["decisions"]]
    assert [each["cause"] for each in decisions] == ["script", "event frown", "random"]
    assert 0.5 <= decisions[2]["draw"] <= 1.5
    assert states[-1] == "Idle"
    assert decisions[2]["time"] == pytest.approx(1.0 + decisions[2]["draw"], abs=2.0 / RATE)


def test_the_same_seed_decides_alike_and_another_one_differently():
    frown = {"at": 0.1, "event": "frown"}
    first, again, other = (played(frown, of=behaving(), seed=seed) for seed in (5, 5, 6))
    assert (first["commanded"] == again["commanded"]).all()
    assert (first["state"] != other["state"]).any()


def test_a_state_of_a_script_is_entered_and_its_target_followed():
    recording = played({"at": 0.0, "state": "Sad"}, of=behaving(), seconds=0.4)
    assert set(recording["state"]) == {"Sad"}
    assert recording["target_position"][-1, 0] == pytest.approx([-0.5, 0.4, 0.2])
    with pytest.raises(PlayerError, match="there is 'Idle', 'Sad'"):
        played({"at": 0.0, "state": "Happy"}, of=behaving())


def test_a_gesture_moves_the_body_and_the_gaze_stays():
    # For a target nearer than the arm's length, two poses of nearly the same shape have the same aim, and a
    # chain keeps the one that it has; for a farther one a single pose is best, and both end in it.
    targets = {"Ball": {"times": [0.0], "positions": [[0.3, 0.8, 0.6]]}}
    quiet, nodding = (
        played(*events, of=behaving(), targets=targets) for events in ((), ({"at": 0.5, "event": "agree"},))
    )
    assert np.abs(nodding["desired"] - quiet["desired"]).max() > 0.1
    assert nodding["aim_error_desired"].max() < 1e-6
    assert nodding["commanded"][-1] == pytest.approx(quiet["commanded"][-1], abs=1e-4)


def test_interruptions_at_any_moment_keep_the_limits_and_the_aim():
    source = random.Random(11)
    events = []
    for number in range(60):
        kinds = ({"event": "agree"}, {"state": source.choice(("Idle", "Sad"))}, {"event": "frown"})
        events.append({"at": 0.3 * number + source.random(), **source.choice(kinds)})
    recording = played(*events, of=behaving(), seconds=20.0, rate=60.0)
    speed = np.abs(np.diff(recording["commanded"], axis=0)) * 60.0
    assert (speed <= recording["velocity"] * (1.0 + 1e-9)).all()
    assert (recording["commanded"] >= recording["lower"]).all()
    assert (recording["commanded"] <= recording["upper"]).all()
    assert len(set(recording["state"])) == 2


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        ({"at": 0.0, "set": {"wight/Arm": 1.0}}, "there is no path 'wight/Arm'"),
        ({"at": 0.0, "set": {"weight/Arm/Sad": 1.0}}, "has no posture 'Sad': it has 'Proud', 'So~so/la'"),
        ({"at": 0.0, "set": {"share/Leg": 1.0}}, "there is no chain 'Leg': there is 'Arm'"),
        ({"at": 0.0, "set": {"value/Heat": 1.0}}, "there is no value 'Heat': there is 'Glow'"),
        ({"at": 0.0, "set": {"share/Arm": "half"}}, "share/Arm is set to 'half': give it a number"),
        ({"at": 0.0, "target": {"chain": "Arm", "to": "Moon"}}, "there is no target 'Moon'"),
        ({"at": 0.0}, "exactly one of event, state, set, target"),
        ({"at": 0.0, "event": "a", "state": "b"}, "exactly one of"),
        ({"at": 0.0, "state": "Happy"}, "there is no state 'Happy'"),
    ],
)
def test_an_event_that_cannot_happen_is_refused(event: dict, sentence: str):
    with pytest.raises(PlayerError, match=sentence.replace("(", r"\(")):
        played(event)


@pytest.mark.parametrize(
    "target",
    [
        {"times": [1.0, 1.0], "positions": [[0, 0, 0], [0, 0, 1]]},
        {"times": [], "positions": []},
        {"times": [0.0], "positions": [[0, 0]]},
        {"times": [0.0], "positions": [[0, 0, 1]], "rotations_wxyz": [[0, 0, 0, 0]]},
    ],
)
def test_a_target_without_a_path_is_refused(target: dict):
    with pytest.raises(PlayerError, match="script, targets, target 'Ball'"):
        played(targets={"Ball": target})


def test_joints_of_the_sample_are_its_skeletons():
    assert play(character(), Script(0.0, RATE))["upper"].tolist() == list(skeleton().upper)


def test_a_script_of_more_ticks_than_memory_holds_is_refused():
    with pytest.raises(PlayerError, match=r"at most 1000000 ticks in 1e[+]06 s"):
        script_of(JsonFields("script", {"seconds": 1e6, "rate": 1e4}, PlayerError))
