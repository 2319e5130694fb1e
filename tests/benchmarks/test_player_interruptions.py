"""The benchmark of interruptions sees what exceeds a limit, and where the aim counts."""

from dataclasses import replace

import numpy as np
import pytest
from limber.character.behaviour.data import ChainRole, Gesture
from limber.character.behaviour.ready import READY
from limber.character.chain.settings import RIG
from limber.player.script import Event

from benchmarks.player.interruptions import _exceeded, _influence, _is_settled, interrupted
from benchmarks.player.ticks import RATE
from tests.character.samples import chain, character


def behaving():
    nod = Gesture("Nod", "Arm", "nod", 0.1 * np.sin(np.linspace(0.0, np.pi, 13))[:, None] * np.ones(3), 24.0)
    behaviour = replace(READY["CALM"](["Proud"]), gestures=(nod,))
    return replace(character(chain(base=RIG)), behaviour=behaviour)


def test_gestures_influence_and_all_limits_are_in_it():
    figures = interrupted(behaving(), 40)
    assert figures["gestures"] > 0
    assert 0 < figures["of these over .5 s after an event"] < figures["of them with full influence"]
    assert figures["of them with full influence"] < figures["frames"]
    assert [figures[f"{name} exceeded"] for name in ("velocity", "acceleration", "jerk")] == [0.0] * 3


@pytest.mark.parametrize(("order", "name"), [(1, "velocity"), (2, "acceleration"), (3, "jerk")])
def test_a_motion_over_one_limit_is_counted_for_that_one(order: int, name: str):
    time = np.arange(30)[:, None] / RATE
    limits = {each: np.array([1e9]) for each in ("velocity", "acceleration", "jerk", "upper")}
    motion = 2.0 * time**order / [1.0, 1.0, 2.0, 6.0][order]
    out = {**limits, "lower": np.array([-1e9]), name: np.array([1.0]), "commanded": motion}
    figures = _exceeded(out)
    assert figures[f"{name} exceeded"] == 30 - order
    assert figures[f"largest {name} as a share of its limit"] == pytest.approx(2.0, rel=1e-6)
    assert sum(value for key, value in figures.items() if key.endswith("exceeded")) == 30 - order
    assert _exceeded({**out, name: np.array([2.0 + 1e-6])})[f"{name} exceeded"] == 0.0


def test_influence_by_hand_counts_until_the_next_state_and_the_clips_where_a_state_has_none():
    file = behaving()
    first, second = (replace(state, roles=(), everyone=ChainRole()) for state in file.behaviour.states[:2])
    second = replace(second, everyone=ChainRole(influence=0.25))
    behaviour = replace(file.behaviour, states=(first, second), transitions=())
    out = {
        "time": np.arange(6) * 0.6,
        "state": np.array([first.name, first.name, second.name, second.name, first.name, first.name]),
    }
    events = [
        Event(0.4, values=(("influence/Arm", 0.5),)),
        Event(1.4, values=(("influence/Arm", 1.0),)),
    ]
    influence = _influence(replace(file, behaviour=behaviour), events, out)
    assert influence.tolist() == [1.0, 0.5, 0.25, 1.0, 1.0, 1.0]
    assert _is_settled(events, out).tolist() == [False, False, False, False, False, True]
