"""Tests eyes: blinks, lids, and looks away."""

import math
from dataclasses import replace

import numpy as np
import pytest
from limber.character.chain.inputs import task
from limber.character.eyes import ASIDE, CLOSING, OPENING, UP, EyesSettings, advance

from tests.character.scenes import at, looking
from tests.solvers import chains

AHEAD, ASIDE_LOOK = (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)
ON = EyesSettings(enabled=True, blinks=1.0, seed=3)
DT = 1.0 / 60.0


def played(settings, seconds: float, direction=AHEAD, state=None):
    """States of the eyes at every tick."""
    states = []
    for _ in range(round(seconds / DT)):
        state = advance(state, settings, direction, DT)
        states.append(state)
    return states


def begins(states) -> list[float]:
    """Times [s] at which blinks began."""
    return [k * DT for k in range(1, len(states)) if states[k].blinks > states[k - 1].blinks]


def test_eyes_blink_every_two_to_six_seconds_and_twice_as_often_with_twice_the_factor():
    times = begins(played(ON, 600.0))
    gaps = np.diff(times)
    assert gaps.min() + 1e-9 >= 2.0
    assert gaps.max() <= 6.0 + 2.0 * DT
    assert gaps.std() > 0.5
    more = begins(played(ON._replace(blinks=2.0), 600.0))
    assert len(more) == pytest.approx(2 * len(times), rel=0.1)
    assert begins(played(ON._replace(blinks=0.0), 60.0)) == []


def test_the_same_seed_blinks_alike_and_another_otherwise():
    assert begins(played(ON, 60.0)) == begins(played(ON, 60.0))
    assert begins(played(ON, 60.0)) != begins(played(ON._replace(seed=4), 60.0))


def test_a_blink_closes_in_a_tenth_of_a_second_and_opens_in_fifteen_hundredths():
    states = played(ON, 10.0)
    first = next(k for k in range(1, len(states)) if states[k].blinks)
    times = [states[k].blink for k in range(first, first + 20)]
    closing = [states[k].closing for k in range(first, first + 20)]
    assert closing[int(np.argmin(np.abs(np.array(times) - CLOSING)))] > 0.99
    assert next(value for time, value in zip(times, closing, strict=True) if time >= CLOSING + OPENING) == 0.0
    assert (CLOSING, OPENING) == (0.1, 0.15)


def test_a_shift_of_the_gaze_over_twenty_degrees_comes_with_a_blink_and_a_smaller_one_does_not():
    before = played(ON, 0.5)[-1]
    for degrees, expected in ((25.0, 1), (15.0, 0)):
        angle = math.radians(degrees)
        new = (math.sin(angle), math.cos(angle), 0.0)
        assert played(ON, 0.1, new, before)[-1].blinks - before.blinks == expected


def test_a_target_that_is_followed_slowly_brings_no_blink_of_its_own():
    state, start = played(ON, 0.5)[-1], played(ON, 0.5)[-1].blinks
    for k in range(round(1.0 / DT)):  # half a radian in one second
        angle = 0.5 * k * DT
        state = advance(state, ON, (math.sin(angle), math.cos(angle), 0.0), DT)
    assert state.blinks == start


def test_the_end_of_speech_brings_a_blink_once():
    state = played(ON, 0.5)[-1]
    states = played(ON._replace(cues=1), 1.0, state=state)
    assert states[0].blinks == state.blinks + 1
    assert states[-1].blinks == state.blinks + 1


def test_looks_away_last_half_a_second_to_four_after_two_to_five_at_the_target_and_stay_within_their_range():
    states = played(ON._replace(aversion=1.0), 600.0)
    moves = [k * DT for k in range(1, len(states)) if states[k].moves > states[k - 1].moves]
    looking, away = np.diff(moves)[1::2], np.diff(moves)[0::2]
    assert looking.min() >= 2.0 - DT
    assert looking.max() <= 5.0 + DT
    assert away.min() >= 0.5 - DT
    assert away.max() <= 4.0 + DT
    averted = np.array([state.averted for state in states])
    assert (np.abs(averted).max(axis=0) <= (ASIDE, UP)).all()
    assert np.abs(averted).max() > 0.2
    assert np.abs(np.diff(averted, axis=0)).max() < 0.5 * UP, "no jump: a move takes .2 s"


def test_a_look_away_ends_at_once_where_the_state_has_none():
    states = played(ON._replace(aversion=1.0), 30.0)
    away = next(state for state in states if state.moves % 2 and state.since_move > 0.3)
    back = played(ON, 0.5, state=away)
    assert back[-1].averted == (0.0, 0.0)
    assert back[-1].is_settled
    assert not away.is_settled, "live motion goes on until they are back"


def test_a_chain_with_eyes_that_are_off_has_no_eyes_from_the_next_tick_on():
    skeleton = chains.lamp()
    inputs = looking(skeleton, at((0.3, 0.5, 0.4)))
    with_eyes = task(replace(inputs, eyes=ON), skeleton, None, DT)
    assert with_eyes.eyes is not None
    assert task(inputs, skeleton, with_eyes, DT).eyes is None


def test_the_same_tick_again_does_not_change_the_eyes():
    state = played(ON, 3.0)[-1]
    assert advance(state, ON, ASIDE_LOOK, 0.0) == state
