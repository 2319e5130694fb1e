"""Tests behaviours: the next state, the reason for it, and that a chain's inputs continue smoothly."""

import numpy as np
import pytest
from limber.character.behaviour.blending import Usual, Visit, at, blended
from limber.character.behaviour.data import (
    ANY,
    Behaviour,
    BehaviourError,
    ChainRole,
    Gesture,
    StateSpec,
    TransitionSpec,
)
from limber.character.behaviour.deciding import Senses, begin, decide, enter
from limber.character.behaviour.ready import READY

from tests.character.samples import skeleton

DT = 0.05
NOBODY, NEAR = Senses(None), Senses(0.8)


def behaviour(*transitions: TransitionSpec, gestures=()) -> Behaviour:
    return Behaviour(
        tuple(StateSpec(name) for name in ("Idle", "Attending", "Asleep")), transitions, gestures
    )


def run(behaviour: Behaviour, seconds: float, state=None, events=None, senses=None, seed: int = 1):
    """State and all decisions after some time; `events`: names by tick; `senses`: at every tick."""
    state, decisions = state or begin(behaviour), []
    for tick in range(round(seconds / DT)):
        state, new = decide(behaviour, state, DT, seed, (events or {}).get(tick, ()), senses)
        decisions += new
    return state, decisions


def nod(chain: str = "Arm", **more) -> Gesture:
    rows = np.array([[np.nan, 0.0, 0.0], [np.nan, 0.4, 0.0], [np.nan, 0.0, 0.0]])
    return Gesture("Nod", chain, "agree", rows, 2.0, **more)


def test_it_begins_in_its_first_state_and_stays_where_nothing_leads_away():
    assert run(behaviour(), 10.0)[0].name == "Idle"


def test_an_event_leads_to_another_state_and_its_decision_says_why():
    state, (decision,) = run(
        behaviour(TransitionSpec("Idle", "Attending", "event", "arrive")), 1.0, events={4: ["arrive"]}
    )
    assert state.name == "Attending"
    assert (decision.before, decision.state, decision.cause) == ("Idle", "Attending", "event arrive")
    assert decision.time == pytest.approx(5 * DT)


def test_after_a_time_in_the_state_the_next_one_comes():
    chosen = behaviour(TransitionSpec("Idle", "Asleep", "after", least=0.5))
    assert run(chosen, 0.45)[0].name == "Idle"
    assert run(chosen, 0.55)[0].name == "Asleep"


def test_a_transition_from_any_state_is_weaker_than_one_of_the_state():
    chosen = behaviour(
        TransitionSpec(ANY, "Asleep", "event", "sleep"), TransitionSpec("Idle", "Attending", "event", "sleep")
    )
    assert run(chosen, 0.2, events={0: ["sleep"]})[0].name == "Attending"
    assert run(chosen, 0.2, events={0: ["sleep"], 1: ["sleep"]})[0].name == "Asleep"


def test_random_transitions_are_within_their_bounds_and_the_seed_decides():
    chosen = behaviour(
        TransitionSpec("Idle", "Attending", "random", least=1.0, most=2.0),
        TransitionSpec("Attending", "Idle", "random", least=1.0, most=2.0),
    )
    first, again, other = (run(chosen, 60.0, seed=seed)[1] for seed in (3, 3, 4))
    assert first == again
    assert first != other
    assert all(1.0 <= decision.draw <= 2.0 for decision in first)
    assert len({decision.draw for decision in first}) == len(first), "each draw is a new one"


def test_a_person_is_seen_and_lost_for_a_time():
    chosen = behaviour(
        TransitionSpec("Idle", "Attending", "seen", least=0.5),
        TransitionSpec("Attending", "Idle", "lost", least=1.0),
    )
    assert run(chosen, 0.4, senses=NEAR)[0].name == "Idle"
    state, _ = run(chosen, 1.0, senses=NEAR)
    assert state.name == "Attending"
    assert run(chosen, 0.9, state, senses=NOBODY)[0].name == "Attending"
    assert run(chosen, 1.2, state, senses=NOBODY)[0].name == "Idle"


def test_who_newly_arrives_wakes_and_who_was_there_all_the_time_does_not():
    chosen = behaviour(
        TransitionSpec(ANY, "Asleep", "event", "sleep"),
        TransitionSpec("Asleep", "Attending", "arrived", least=1.0),
    )
    asleep, _ = run(chosen, 5.0, run(chosen, 3.0, senses=NEAR)[0], {0: ["sleep"]}, NEAR)
    assert asleep.name == "Asleep", "it can be put to sleep beside a person"
    unseen, _ = run(chosen, 0.5, asleep, senses=NOBODY)
    assert run(chosen, 5.0, unseen, senses=NEAR)[0].name == "Asleep", "a person overlooked for a moment"
    gone, _ = run(chosen, 1.5, asleep, senses=NOBODY)
    assert run(chosen, 0.2, gone, senses=NEAR)[0].name == "Attending"
    never, _ = run(chosen, 1.0, events={0: ["sleep"]})
    assert run(chosen, 0.2, never, senses=NEAR)[0].name == "Attending", "the first who is ever seen"


def test_whom_an_event_announces_is_not_lost_before_being_seen():
    chosen = behaviour(
        TransitionSpec("Idle", "Attending", "event", "arrive"),
        TransitionSpec("Attending", "Idle", "lost", least=0.5),
        TransitionSpec("Attending", "Asleep", "unseen", least=4.0),
    )
    empty, _ = run(chosen, 60.0, senses=NOBODY)
    announced, _ = run(chosen, 3.9, empty, {0: ["arrive"]}, NOBODY)
    assert announced.name == "Attending", "the tracker has not found the person yet"
    assert run(chosen, 0.3, announced, senses=NOBODY)[0].name == "Asleep", "nobody came"
    seen, _ = run(chosen, 1.0, announced, senses=NEAR)
    assert run(chosen, 0.4, seen, senses=NOBODY)[0].name == "Attending"
    assert run(chosen, 0.6, seen, senses=NOBODY)[0].name == "Idle", "a person who was seen is lost"


def test_a_loss_counts_in_the_states_that_follow_by_themselves():
    chosen = behaviour(
        TransitionSpec("Idle", "Attending", "after", least=0.6),
        TransitionSpec("Attending", "Asleep", "lost", least=0.5),
    )
    seen, _ = run(chosen, 0.3, senses=NEAR)
    assert run(chosen, 0.6, seen, senses=NOBODY)[0].name == "Asleep"


@pytest.mark.parametrize("key", sorted(READY))
def test_ready_sets_expect_announced_persons_wake_for_new_ones_and_let_themselves_be_put_to_sleep(key: str):
    ready = READY[key](())
    empty, _ = run(ready, 60.0, senses=NOBODY)
    assert run(ready, 9.0, empty, {0: ["arrive"]}, NOBODY)[0].name == "Attending"
    assert run(ready, 15.0, empty, {0: ["arrive"]}, NOBODY)[0].name == "Idle", "nobody came"
    attending, _ = run(ready, 3.0, empty, senses=NEAR)
    asleep, _ = run(ready, 60.0, attending, {0: ["sleep"]}, NEAR)
    assert asleep.name == "Asleep"
    left, _ = run(ready, 5.0, asleep, senses=NOBODY)
    state, decisions = run(ready, 4.0, left, senses=NEAR)
    assert state.name == "Attending"
    if key == "ATTENTIVE":
        talking, _ = run(ready, 0.5, run(ready, 0.3, attending, senses=NOBODY)[0], {0: ["listen"]}, NOBODY)
        assert talking.name == "Listening"
        assert run(ready, 15.0, talking, senses=NOBODY)[0].name == "Idle", "who was lost before is gone"
        waking, idle = (
            next(each for each in decisions if each.before == name) for name in ("Asleep", "Waking")
        )
        assert idle.time - waking.time == pytest.approx(1.5, abs=2 * DT), "it takes its time to wake"


def test_where_nothing_perceives_nobody_is_lost():
    assert run(behaviour(TransitionSpec("Idle", "Asleep", "lost")), 9.0)[0].name == "Idle"


def test_a_person_comes_nearer():
    chosen = behaviour(TransitionSpec("Idle", "Attending", "nearer", least=1.0))
    assert run(chosen, 0.2, senses=Senses(1.2))[0].name == "Idle"
    assert run(chosen, 0.2, senses=NEAR)[0].name == "Attending"


def test_a_circle_that_takes_no_time_does_not_hang():
    circle = behaviour(TransitionSpec("Idle", "Asleep", "after"), TransitionSpec("Asleep", "Idle", "after"))
    assert run(circle, 1.0)[0].name in ("Idle", "Asleep")


def test_a_state_can_be_chosen_by_hand():
    state, decision = enter(begin(behaviour()), "Asleep", "page")
    assert (state.name, decision.cause) == ("Asleep", "page")


def test_what_a_chain_is_asked_continues_at_every_interruption():
    proud, sad = ChainRole((("Proud", 1.0),), None, 1.0), ChainRole((("Sad", 0.8),), None, 0.2)
    state, values, names = None, [], ["Proud", "Sad"]
    rng = np.random.default_rng(4)
    role = proud
    for _ in range(2000):
        if rng.random() < 0.02:
            role = proud if role is sad else sad
        direction, state = blended(state, Visit(role), names, Usual([0.0, 0.0], 1.0, 1.0), 0.8, 0.01)
        values.append([*direction.weights, direction.influence])
    assert np.abs(np.diff(values, axis=0)).max() < 0.05, "no step"
    assert np.abs(np.diff(values, n=2, axis=0)).max() < 0.005, "no kink"
    assert (np.array(values) >= 0.0).all()
    assert (np.array(values) <= 1.0).all()


def test_a_settled_chain_keeps_its_instruction_until_something_changes():
    def blend(state, usual_influence, role):
        usual = Usual([0.0, 0.0], usual_influence, 1.0)
        return blended(state, Visit(role), ["Proud", "Sad"], usual, 0.1, 0.05)

    role = ChainRole(weights=(("Proud", 1.0),))
    first, state = blend(None, 0.3, role)
    for _ in range(3):
        again, same = blend(state, 0.3, role)
        assert again is first
        assert same is state
    by_clip = [blend(state, 0.9, role)[0].influence, 0.3]
    assert by_clip[0] > by_clip[1], "the clip's influence changes"
    sadder, moving = blend(state, 0.3, role._replace(weights=(("Sad", 1.0),)))
    assert 0.0 < sadder.weights[1] < 1.0
    assert blend(moving, 0.3, role)[0].weights != sadder.weights, "a moving chain is not settled"


def test_a_gesture_plays_once_and_may_begin_anew():
    chosen = behaviour(gestures=(nod(),))
    state, decisions = run(chosen, 0.5, events={0: ["agree"]})
    assert [each.gesture for each in decisions] == ["Nod"]
    assert state.gestures[0].seconds == pytest.approx(0.45)
    assert run(chosen, 1.2, events={0: ["agree"]})[0].gestures == ()
    assert run(chosen, 1.2, events={0: ["agree"], 15: ["agree"]})[0].gestures


@pytest.mark.parametrize(("is_added", "expected"), [(True, [0.0, 0.4, 0.0]), (False, [0.0, 0.1, -0.3])])
def test_a_gesture_moves_the_joints_of_its_mask_alone(is_added: bool, expected: list):
    posture = np.array([0.2, 0.3, 0.3])
    effect = at(nod(is_added=is_added), 0.5)
    assert effect.offsets(skeleton(), posture, (0, 0, 1), 0.0) == pytest.approx(expected)
    assert at(nod(), 0.0).strength == 0.0, "it begins from nothing"


@pytest.mark.parametrize("key", sorted(READY))
def test_ready_sets_fit_every_character_and_every_state_can_be_left(key: str):
    ready = READY[key](["Proud", "Asleep"])
    asleep = ready.state("Asleep").everyone
    assert asleep.weights == (("Asleep", 1.0),), "a posture that is called as a state is that state's"
    left = {transition.begin for transition in ready.transitions}
    assert {state.name for state in ready.states} <= left
    reached = {transition.end for transition in ready.transitions} | {ready.states[0].name}
    assert {state.name for state in ready.states} == reached


@pytest.mark.parametrize(
    ("states", "transitions", "sentence"),
    [
        ((), (), "needs states"),
        ((StateSpec("A"), StateSpec("A")), (), "two states 'A'"),
        ((StateSpec("A"),), (TransitionSpec("A", "B", "after"),), "state 'B', which is not there"),
        ((StateSpec("A"),), (TransitionSpec("A", "A", "random"),), "no longest time"),
        ((StateSpec("A"),), (TransitionSpec("A", "A", "after", least=-1.0),), "two numbers from 0 up"),
    ],
)
def test_a_behaviour_that_contradicts_itself_is_refused(states, transitions, sentence: str):
    with pytest.raises(BehaviourError, match=sentence):
        Behaviour(states, transitions)


def test_a_gesture_whose_event_comes_again_begins_anew_without_a_jump():
    rows = np.full((61, 1), 0.5)
    nod = Gesture("Nod", "Head", "nod", rows, 30.0, fade=0.2)
    behaviour = Behaviour((StateSpec("Idle"),), (), (nod,))
    state, strengths = begin(behaviour), []
    for tick in range(240):
        state, _ = decide(behaviour, state, 0.01, 0, ("nod",) if tick in (10, 40, 45, 60) else ())
        strengths.append(sum(at(nod, each.seconds, each.end).strength for each in state.gestures))
    assert max(strengths) > 0.99
    assert np.abs(np.diff(strengths)).max() < 0.25, "a fade of .2 s has no faster step in .01 s"
