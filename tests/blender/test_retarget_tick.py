"""Tests one frame of a body that follows another, without Blender: what a gain follows without lag, and what
it approaches.
"""

import numpy as np
import pytest
from limber.character.body.inputs import BodyInputs
from limber.character.body.tick import BodyModel, make_model, tick
from limber.solvers.kinematics.se3 import exponential
from limber.solvers.whole_body.targets import Target

from tests.solvers.bodies import manikin

LINKS = ("pelvis", "chest", "head", "left arm", "right arm")
DT = 1 / 60  # [s] duration of a frame


def model(gain: float) -> BodyModel:
    return make_model(manikin(), [Target(link) for link in LINKS], "pelvis", gain=gain)


def wanted(place, swing: float = 0.0, base_known: bool = True) -> BodyInputs:
    """Inputs with all links rotated alike about Z [rad], and the base at a position [m]."""
    turns = np.repeat(exponential(np.array([[0.0, 0.0, swing]])), len(LINKS), axis=0)
    return BodyInputs(turns, np.array(place, float), np.eye(4), np.zeros((0, 3)), base_known=base_known)


@pytest.mark.parametrize("dt", [1 / 24, 1 / 60, 1 / 120])
@pytest.mark.parametrize("gain", [0.0, 5.0, 20.0])
def test_a_base_and_links_that_move_steadily_are_followed_without_lag(gain: float, dt: float):
    body, state = model(gain), None
    for frame in range(60):
        outputs, state = tick(body, wanted((1.4 * frame * dt, 0.0, 1.0), 0.5 * frame * dt), state, dt)
        assert outputs.base_missed < 1e-3
        assert outputs.missed.max() < 1e-3


@pytest.mark.every_blender
def test_a_base_whose_place_becomes_known_is_approached_as_the_gain_says():
    body = model(20.0)
    _, state = tick(body, wanted((0.0, 0.0, 1.0), base_known=False), None, 0.0)
    misses = []
    for _ in range(3):
        outputs, state = tick(body, wanted((0.5, 0.0, 1.0)), state, DT)
        misses.append(outputs.base_missed)
    assert misses == pytest.approx([0.5 * (1.0 - 20.0 * DT) ** k for k in (1, 2, 3)], rel=0.02)


@pytest.mark.parametrize("floating", [True, False])
def test_a_hand_whose_position_counts_goes_where_its_source_is(floating: bool):
    body = manikin(floating=floating)
    links = [Target(link, weight=1e-4) for link in LINKS]
    mover = make_model(body, [*links, Target("left forearm", "position", 10.0)], "pelvis")
    bent = np.zeros(len(body))
    bent[[body.names.index("left arm x"), body.names.index("left arm z")]] = 0.4, -0.3
    hand = body.placed(body.forward(bent), body.link_indices(["left forearm"]))[0, :3, 3]
    state, inputs = None, wanted((0.0, 0.0, 0.0))._replace(places=hand[None])
    for _ in range(30):
        outputs, state = tick(mover, inputs, state, DT)
    body_state = outputs.state
    at = (
        body.placed(body_state.frames, body.link_indices(["left forearm"]))[0, :3, 3]
        + body_state.base_position
    )
    assert np.linalg.norm(at - hand) < 1e-3
    lost, _ = tick(mover, inputs._replace(places=np.full((1, 3), np.nan)), state, DT)
    assert lost.lost == ("left forearm",)
    assert np.isfinite(lost.state.joints).all()
