"""What every kind of mover can do is done by the same operators: a chain, a body that follows a motion, a mechanism."""

import bpy
import pytest
from limber.rig.live import live
from limber.rig.live.movers import Mover, mover_of, movers_of

from tests.blender import at_hand, mechanisms
from tests.blender.figures import XSENS, called
from tests.blender.following import follower
from tests.blender.rigs import keyed, looking_chain, make_active, target


def chain() -> Mover:
    """A chain whose target moves."""
    settings = looking_chain()[1]
    keyed(settings.target, (1, 30))
    return mover_of(settings.id_data, settings)


def body() -> Mover:
    """A body whose source walks."""
    rig, _ = follower()
    return mover_of(rig, rig.limber.retarget)


def mechanism() -> Mover:
    """A neck on push rods whose target turns."""
    owner = mechanisms.add("neck")
    kept = owner.limber.mechanism
    keyed(kept.goals[0].target, (1, 30), "rotation_euler", (0.3, 0.2, 0.2))
    return mover_of(owner, kept)


@pytest.fixture(params=[chain, body, mechanism], ids=lambda make: make.__name__)
def mover(request) -> Mover:
    made = request.param()
    make_active(made.owner)
    bpy.context.scene.frame_set(1)
    return made


def test_all_go_live_and_leave_by_the_same_buttons(mover):
    with pytest.raises(RuntimeError, match=f"{mover.label} is not live: press Start Live"):
        bpy.ops.limber.end_live()
    assert bpy.ops.limber.live() == {"FINISHED"}
    assert mover.is_live
    assert live.session(*mover).outputs is not None
    with pytest.raises(RuntimeError, match=f"{mover.label} is live already: press End Live"):
        bpy.ops.limber.live()
    assert bpy.ops.limber.end_live() == {"FINISHED"}
    assert live.live_movers() == []


def test_a_button_is_about_the_mover_that_its_panel_draws_and_all_begin_together():
    rig, _ = follower()
    looking_chain(rig, called(XSENS, "neck"), called(XSENS, "head"), at=target((0.5, -3.0, 1.2)))
    at_hand.live(rig.limber.retarget)
    assert [mover.is_live for mover in movers_of(rig)] == [True, False], "the body alone"
    assert bpy.ops.limber.live_all() == {"FINISHED"}
    assert [mover.is_live for mover in movers_of(rig)] == [True, True]
    with pytest.raises(RuntimeError, match="All is live already: press End All"):
        bpy.ops.limber.live_all()
    bpy.ops.limber.end_live_all()
    assert live.live_movers() == []
