"""Tests that an unexpected exception in one mover, a defect of Limber, stops this mover only."""

import bpy
import numpy as np
import pytest
from limber.rig.blender import defects
from limber.rig.live import live

from tests.blender.baking import begin
from tests.blender.rigs import UPRIGHT, build, looking_chain, target
from tests.blender.shown import farthest, go_live, missed, no_handler_raises, pose, session, settle  # noqa: F401

pytestmark = pytest.mark.every_blender

FRAME_RATE = 24  # frames a second of a new scene


@pytest.fixture
def two_lamps():
    """Two live chains of one scene, with a target each."""
    chains = [looking_chain(build(UPRIGHT, name), at=target(name=f"{name} target")) for name in ("A", "B")]
    for rig, chain in chains:
        go_live(rig, chain)
    return chains


def fail(*_):
    raise ZeroDivisionError("a defect")


def step(rows, chain, frames: int) -> None:
    """Steps through frames, and appends the values of a chain's joints to `rows` in each."""
    scene = bpy.context.scene
    for _ in range(frames):
        scene.frame_set(scene.frame_current + 1)
        rows.append(list(session(chain.id_data, chain).values().values()))


@pytest.mark.parametrize("method", ["read", "show"])
def test_the_other_mover_goes_on_and_the_failing_one_comes_to_rest(
    method, two_lamps, monkeypatch, capsys, defects_of_limber
):
    (rig, chain), (other, other_chain) = two_lamps
    for each in (chain, other_chain):
        each.target.location.x += 1.0
    rows = []
    step(rows, chain, 3)
    before = pose(rig)
    monkeypatch.setattr(session(rig, chain), method, fail)
    step(rows, chain, 1)
    if method == "read":
        assert farthest(before, pose(rig)) > 1e-3, "the viewport shows how it brakes"
    step(rows, chain, 39)
    problem = session(rig, chain).problem
    assert "is stopped by a defect of Limber" in problem
    assert "console" in problem
    assert capsys.readouterr().err.count("ZeroDivisionError: a defect") == 1
    assert missed(other, other_chain) < 0.1
    assert session(other, other_chain).problem == ""
    # the failing chain brakes within its limits, without a jump, and stays where it stopped
    limits = session(rig, chain).limits().values()
    values = np.array(rows)
    velocity = np.diff(values, axis=0) * FRAME_RATE
    assert np.abs(velocity[1]).max() > 0.1, "the chain moved before the defect"
    assert (np.abs(velocity) <= 1.001 * np.array([joint.velocity for joint in limits])).all()
    acceleration = np.diff(velocity, axis=0) * FRAME_RATE
    assert (np.abs(acceleration) <= 1.001 * np.array([joint.acceleration for joint in limits])).all()
    assert not velocity[-1].any()
    assert not live.scene_updated(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    monkeypatch.undo()
    step(rows, chain, 40)
    assert session(rig, chain).problem == ""
    assert missed(rig, chain) < 0.1
    defects_of_limber.clear()


def fail_for(owner, method: str, monkeypatch) -> None:
    """Makes a method of an object's movers raise, not that of other objects' movers."""
    kind = type(live.movers_of_scene(bpy.context.scene)[0])
    works = getattr(kind, method)

    def fails(self, *args):
        return fail() if self.owner == owner else works(self, *args)

    monkeypatch.setattr(kind, method, fails)


@pytest.mark.parametrize("method", ["moved", "needs", "bodies", "bones", "write_pose"])
def test_a_defect_in_any_call_for_a_mover_stops_this_mover_only(
    method, two_lamps, monkeypatch, capsys, defects_of_limber
):
    (rig, chain), (other, other_chain) = two_lamps
    for each in (chain, other_chain):
        each.target.location.x += 1.0
    before = pose(rig)
    fail_for(rig, method, monkeypatch)
    step([], chain, 40)
    assert "is stopped by a defect of Limber" in session(rig, chain).problem
    assert farthest(before, pose(rig)) < 1e-6
    assert missed(other, other_chain) < 0.1
    assert session(other, other_chain).problem == ""
    assert capsys.readouterr().err.count("ZeroDivisionError: a defect") >= 1
    monkeypatch.undo()
    step([], chain, 40)
    assert session(rig, chain).problem == ""
    assert missed(rig, chain) < 0.1
    defects_of_limber.clear()


def test_a_mover_that_cannot_even_brake_stays_where_it_is(two_lamps, monkeypatch, defects_of_limber):
    (rig, chain), (other, other_chain) = two_lamps
    for each in (chain, other_chain):
        each.target.location.x += 1.0
    rows = []
    step(rows, chain, 3)
    model = session(rig, chain).state.model
    tick = type(model).tick
    monkeypatch.setattr(
        type(model), "tick", lambda self, *args: fail() if self is model else tick(self, *args)
    )
    before = pose(rig)
    step(rows, chain, 40)
    assert "is stopped by a defect of Limber" in session(rig, chain).problem
    assert pose(rig) == before
    assert missed(other, other_chain) < 0.1
    monkeypatch.undo()
    step(rows, chain, 40)
    assert missed(rig, chain) < 0.1
    defects_of_limber.clear()


def test_live_that_begins_anew_has_no_earlier_defect(two_lamps, monkeypatch, defects_of_limber):
    (rig, chain), _ = two_lamps
    step([], chain, 1)
    for is_stopped in (True, False):
        with monkeypatch.context() as patch:
            fail_for(rig, "write_pose", patch)
            live.placement(bpy.context.evaluated_depsgraph_get())
        if is_stopped:
            live.stop(rig, chain)
            assert not live.current().stage.defects
        live.start(rig, chain)
        assert session(rig, chain).problem == ""
        assert session(rig, chain).outputs is not None
    defects_of_limber.clear()


def move_targets(*chains) -> None:
    for chain in chains:
        chain.target.location.x += 1.0
    bpy.context.view_layer.update()
    settle()


def test_a_defect_where_inputs_are_compared_is_no_change_for_ever(two_lamps, monkeypatch, defects_of_limber):
    (rig, chain), (other, other_chain) = two_lamps
    monkeypatch.setattr(session(rig, chain), "differs", fail)
    move_targets(chain, other_chain)
    assert not live.scene_updated(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    assert "is stopped by a defect of Limber" in session(rig, chain).problem
    assert missed(other, other_chain) < 0.1
    monkeypatch.undo()
    settle()
    defects_of_limber.clear()


def test_a_changed_target_does_not_end_a_handler(two_lamps, monkeypatch, defects_of_limber):
    (rig, chain), (other, other_chain) = two_lamps
    monkeypatch.setattr(session(rig, chain), "read", fail)
    move_targets(chain, other_chain)
    assert missed(other, other_chain) < 0.1
    assert missed(rig, chain) > 1.0
    defects_of_limber.clear()


def test_a_bake_does_not_hide_a_defect(two_lamps, monkeypatch):
    (rig, chain), _ = two_lamps
    before = pose(rig)
    kind = type(session(rig, chain))
    monkeypatch.setattr(kind, "read", fail)
    with pytest.raises(ZeroDivisionError):
        begin(chain).step()
    monkeypatch.undo()
    settle()
    assert pose(rig) == before


def test_a_defect_whose_message_varies_is_printed_once(capsys, defects_of_limber):
    for kind in (IndexError, KeyError):
        for number in range(5):
            try:
                raise kind(f"number {number}")
            except LookupError:
                defects.print_once()
    printed = capsys.readouterr().err
    assert printed.count("IndexError: number 0") == 1
    assert printed.count("Traceback") == 2
    defects_of_limber.clear()


def test_the_number_of_printed_defects_is_bounded(capsys, defects_of_limber):
    for number in range(2 * defects.MOST):
        try:
            exec(compile("\n" * number + "raise ZeroDivisionError", "a file", "exec"))
        except ZeroDivisionError:
            defects.print_once()
    printed = capsys.readouterr().err
    assert len(defects_of_limber) == printed.count("Traceback") == defects.MOST
    assert printed.count("no more until Blender is restarted") == 1
    assert printed.splitlines()[-1].startswith("Limber:"), "the last line says so"
    defects_of_limber.clear()
