"""Tests that live, baked and streamed motion are equal: at the filter's output to 1e-9 for the same frames
and start, in the keyframes to 1e-6.
"""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from limber.hardware.robot_session import RobotSession
from limber.hardware.safety import State
from limber.rig.blender import actions
from limber.rig.live import live
from limber.rig.robot import device, sending

from tests.blender.baking import apart, live_motion, played, positions
from tests.blender.rigs import build, keyed, looking_chain, select, target
from tests.blender.shown import go_live, no_handler_raises, session, settle  # noqa: F401

FRAMES = range(1, 41)


class Listener:
    """Replaces the worker's link, and records the values that it would send."""

    def __init__(self) -> None:
        self.heard: list[list[float]] = []

    def unit(self, due: float) -> float:
        return due

    def send(self, angles, plays=False, due=0.0) -> None:
        self.heard.append(positions(angles))

    def status(self) -> SimpleNamespace:
        return SimpleNamespace(state=State.DISARMED)

    def disarm(self, reason: str) -> None:
        pass  # it was never armed

    def close(self) -> None:
        pass


@pytest.fixture
def lamp():
    """A rig whose own animation is warped toward a target faster than its joints."""
    rig, chain = looking_chain(build({"base": "Y", "lower": "XZ", "middle": "X", "head": "XYZ"}, mode="ZXY"))
    rig.pose.bones["middle"].rotation_euler.y = 0.2  # locked, and not at zero
    keyed(rig.pose.bones["lower"], (1, 40), "rotation_euler", (0.7, 0.1, -0.2))
    keyed(chain.target, (1, 40), end=(-0.8, 0.6, 0.1))
    for joint in chain.joints:
        joint.velocity, joint.acceleration, joint.jerk = 0.5, 4.0, 60.0
    chain.frame_start, chain.frame_end = FRAMES[0], FRAMES[-1]
    bpy.context.scene.frame_set(1)
    return rig, chain


def listen(rig) -> Listener:
    """A stand-in for a robot of the rig, which records the values handed to it."""
    listener = Listener()
    sources = device.sources(rig)
    session = RobotSession(listener, rig.name, rig.session_uid, sending.sessions.permits)
    sending.robots[rig.session_uid] = sending.ConnectedRobot(
        session, rig.name, sources, (), [0.0] * len(sources)
    )
    return listener


def play(rig, chains, listener=None):
    """Live and streamed angles, frame by frame, from the first one on."""
    bpy.context.scene.frame_set(200)
    shown, sent = [], []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        shown.append(np.concatenate([session(rig, chain).outputs.angles for chain in chains]))
        if listener:
            stored = [session(rig, chain).reader.stored_index for chain in chains]
            at = np.concatenate(
                [
                    np.array(index) + offset
                    for index, offset in zip(stored, np.cumsum([0, *map(len, stored[:-1])]), strict=True)
                ]
            )
            sent.append(np.array(listener.heard[-1])[at])
    return np.array(shown), np.array(sent)


def keys(rig, chains, places) -> np.ndarray:
    """Values that the new action plays."""
    curves = actions.fcurves(rig.animation_data.action)
    found = [
        actions.find(curves, f'pose.bones["{bone}"].rotation_euler', "XYZ".index(axis))
        for chain in places
        for bone, axis in chain
    ]
    return np.array([[curve.evaluate(frame) for curve in found] for frame in FRAMES])


@pytest.fixture
def filter_outputs(monkeypatch):
    """Records the values of a bake before they become keyframes."""
    from limber.rig.output.bake import Bake

    rows = []
    step = Bake.step

    def noted(self):
        more = step(self)
        rows.append(
            np.concatenate([self.stage.session(rig, chain).outputs.angles for rig, chain in self.movers])
        )
        return more

    monkeypatch.setattr(Bake, "step", noted)
    return rows


@pytest.mark.parametrize("base", ["RIG", "POSTURE"])
@pytest.mark.parametrize("live_while_baking", [True, False])
@pytest.mark.parametrize("filter_name", ["default", "nutty"])
def test_live_baked_and_streamed_are_one_motion(lamp, filter_outputs, base, live_while_baking, filter_name):
    rig, chain = lamp
    bpy.ops.limber.store_posture(name="Lean")
    chain.base, chain.filter = base, filter_name
    go_live(rig, chain)
    listener = listen(rig)
    shown, sent = play(rig, [chain], listener)
    places = [list(session(rig, chain).reader.joint_keys)]
    assert session(rig, chain).outputs.lag > 1e-3, "the filter has something to do"
    if not live_while_baking:
        bpy.ops.limber.end_live()
    select(rig)
    assert bpy.ops.limber.bake() == {"FINISHED"}
    assert np.abs(np.array(filter_outputs) - shown).max() < 1e-9
    assert np.abs(sent - shown).max() < 1e-9
    assert np.abs(keys(rig, [chain], places) - shown).max() < 1e-6


def test_chains_that_hang_on_one_another_are_one_motion_baked_together(filter_outputs):
    rig = build({"hips": "Y", "waist": "X", "chest": "XZ", "neck": "Y", "head": "XY"})
    rig, torso = looking_chain(rig, "hips", "waist", "chest")
    rig, head = looking_chain(rig, "neck", "head", at=torso.target)
    keyed(torso.target, (1, 40), end=(-0.8, 0.6, 0.1))
    for chain in (torso, head):
        chain.frame_start, chain.frame_end = FRAMES[0], FRAMES[-1]
        for joint in chain.joints:
            joint.velocity, joint.acceleration, joint.jerk = 0.5, 4.0, 60.0
    for chain in (torso, head):
        go_live(rig, chain)
    chains = [torso, head]
    shown, sent = play(rig, chains, listen(rig))
    assert bpy.ops.limber.bake(everything=True) == {"FINISHED"}
    assert np.abs(np.array(filter_outputs) - shown).max() < 1e-9
    assert np.abs(sent - shown).max() < 1e-9


def test_a_chain_is_baked_the_same_while_another_rig_is_live(lamp, filter_outputs):
    rig, chain = lamp
    other, other_chain = looking_chain(
        build({"base": "Y", "head": "XZ"}, name="Other"), at=target((0.3, 1.0, 0.4), "Elsewhere")
    )
    other.location.x = 2
    keyed(other_chain.target, (1, 40), end=(3.0, 1.0, 1.0))
    for joint in other_chain.joints:
        joint.velocity = 0.3
    go_live(other, other_chain)
    go_live(rig, chain)
    shown, _ = play(rig, [chain])
    select(rig)
    for frame in range(1, 21):
        bpy.context.scene.frame_set(frame)
    before = session(other, other_chain).outputs.angles.copy()
    assert session(other, other_chain).outputs.lag > 0.01
    bpy.ops.limber.bake()
    assert np.abs(np.array(filter_outputs) - shown).max() < 1e-9
    assert other_chain.live
    assert np.array_equal(before, session(other, other_chain).outputs.angles), (
        "it stood still meanwhile, where it was"
    )
    other_chain.target.location.x += 1
    settle()
    assert session(other, other_chain).problem == ""
    assert live.live_chains() == [(other, other_chain)]


def test_where_the_user_was_before_does_not_matter(lamp):
    rig, chain = lamp
    go_live(rig, chain)
    first, _ = play(rig, [chain])
    for frame in (13, 14, 5):
        bpy.context.scene.frame_set(frame)
    settle()
    second, _ = play(rig, [chain])
    assert np.array_equal(first, second)


@pytest.mark.parametrize("stretched", [200, 50])
def test_where_time_is_stretched_the_bake_plays_as_live_did(lamp, stretched: int):
    rig, chain = lamp
    bpy.context.scene.render.frame_map_new = stretched
    lived = live_motion(rig, [chain], FRAMES)
    bpy.ops.limber.bake()
    assert apart(lived, played(rig, [chain], FRAMES)) < 1e-6
