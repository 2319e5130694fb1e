"""Tests a character's movers on their stage, without a clock."""

from dataclasses import replace

import numpy as np
import pytest
from limber.character.chain.settings import RIG
from limber.character.file.anchors import Anchor, ChainLink
from limber.character.file.contents import TargetEntry
from limber.character.file.tracks import track
from limber.motion import Kinematic
from limber.player import performance as performance_module
from limber.player.performance import Performance

from tests.character.samples import body, chain, character, mechanism, placed


def motion(name: str) -> dict[str, Kinematic]:
    """Motion in the sixth frame: a chain with this name plays its clip beside a mechanism and a body."""
    played = replace(chain(name, base=RIG), settings={"influence": track(np.zeros(1))})
    sample = replace(character(played), mechanisms=(mechanism(),), bodies=(body(),))
    performance = Performance(sample)
    for frame in range(6):
        performance.advance(float(frame), min(frame, 1) / 24.0, {})
    return performance.motion()


@pytest.mark.parametrize("name", ["mechanism Lever", "body Walker", "Lever", "Walker"])
def test_a_chain_moves_alike_whatever_its_name(name: str):
    usual = motion("Arm")
    assert any(joint.velocity for label, joint in usual.items() if label.startswith("Rig/"))
    assert motion(name) == usual


def test_a_mechanisms_motors_move_with_the_velocity_of_their_motion_filter():
    performance = Performance(replace(character(), mechanisms=(mechanism(),)))
    turned = np.eye(4)
    turned[:2, :2] = (0.0, -1.0), (1.0, 0.0)
    positions, velocities = [], []
    for frame in range(12):
        performance.advance(float(frame), min(frame, 1) / 24.0, {"Ball": turned.tolist()} if frame else {})
        (motor,) = (state for name, state in performance.motion().items() if "Hinge" in name)
        positions.append(motor.position)
        velocities.append(motor.velocity)
    differences = 24.0 * np.diff(positions)
    assert max(abs(differences)) > 0.1
    # the velocity at a frame lies between the mean ones before and after it
    assert velocities[1:-1] == pytest.approx((differences[:-1] + differences[1:]) / 2.0, abs=0.15)


def test_the_order_of_movers_is_computed_only_when_another_target_is_moved_or_followed(monkeypatch):
    orders = []
    real = performance_module.in_order
    monkeypatch.setattr(
        performance_module, "in_order", lambda *arguments: (orders.append(1), real(*arguments))[1]
    )
    performance = Performance(character(chain("Arm"), chain("Other", "Rig2")))
    moved = {"Ball": np.eye(4).tolist()}

    def advance(targets: dict) -> int:
        before = len(orders)
        for _ in range(3):
            performance.advance(0.0, 1.0 / 24.0, targets)
        return len(orders) - before

    assert advance({}) == 1
    assert advance(moved) == 1
    assert advance({"Ball": np.full((4, 4), 0.5).tolist()}) == 0
    performance.controls.follow("Arm", "Lamp/Shade")
    assert advance(moved) == 1
    assert advance({}) == 1


def test_a_target_that_returns_to_its_chain_is_read_after_that_chain_has_moved():
    carrier = replace(chain("Other", "Rig2", base=RIG), settings={"influence": track(np.zeros(1))})
    ball = TargetEntry("Ball", Anchor(ChainLink("Other", 2), placed((0.3, 0.5, 0.4))))
    two = character(chain("Arm"), carrier)
    performance = Performance(replace(two, targets=(ball, *two.targets[1:])))
    arm = two.chains[0]
    for frame in range(12):
        targets = {"Ball": np.eye(4).tolist()} if frame < 6 else {}
        performance.advance(float(frame), min(frame, 1) / 24.0, targets)
        authored = performance.authored_target("Ball", float(frame))
        expected = np.array(targets.get("Ball", authored))[:3, 3].tolist()
        assert performance.target_position(arm) == expected
