"""Tests removing the selected item of a list: of pairs, servos, values, motors, goals, closures."""

import bpy
import pytest

from tests.blender import mechanisms as those
from tests.blender.rigs import build, make_active

pytestmark = pytest.mark.every_blender

RIG = [
    ("remove_pair", "retarget", "pairs"),
    ("remove_coupled_limit", "retarget", "coupled_limits"),
    ("remove_channel", "device", "channels"),
    ("remove_auxiliary", "device", "auxiliaries"),
]
MECHANISM = [("remove_motor", "motors"), ("remove_mechanism_goal", "goals"), ("remove_closure", "closures")]


def removes_one_by_one(verb: str, owner, items: str, active: str) -> None:
    """Removes the middle one of three items, then its neighbours; for the empty list the button is
    refused.
    """
    listed, operator = getattr(owner, items), getattr(bpy.ops.limber, verb)
    listed.clear()
    for name in "ABC":
        listed.add().name = name
    setattr(owner, active, 1)
    left = []
    while operator.poll():
        operator()
        left.append([item.name for item in listed])
        assert 0 <= getattr(owner, active) < max(1, len(listed))
    assert left == [["A", "C"], ["A"], []]
    with pytest.raises(RuntimeError, match=r"The list is empty|There is no"):
        operator()


@pytest.mark.parametrize(("verb", "holder", "items"), RIG)
def test_a_rigs_items_go_one_by_one(verb, holder, items):
    rig = build({"arm": "X"})
    make_active(rig)
    active = {"auxiliaries": "active_auxiliary"}.get(items, f"active_{items[:-1]}")
    removes_one_by_one(verb, getattr(rig.limber, holder), items, active)


@pytest.mark.parametrize(("verb", "items"), MECHANISM)
def test_a_mechanisms_items_go_one_by_one(verb, items):
    owner = those.add("four_bar")
    removes_one_by_one(verb, owner.limber.mechanism, items, f"active_{items[:-1]}")


@pytest.mark.parametrize(("verb", "can"), [("remove_motor", False), ("remove_mechanism_goal", True)])
def test_a_live_mechanism_keeps_its_motors_but_not_its_goals(verb, can):
    owner = those.add("stewart")
    bpy.ops.limber.live()
    assert getattr(bpy.ops.limber, verb).poll() is can
    assert owner.limber.mechanism.live
