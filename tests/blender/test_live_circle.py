"""Tests chains that look at each other in a cycle: they find each other, other chains see their shown poses,
live and baked alike.
"""

import bpy
import pytest

from tests.blender.rigs import build, keyed, looking_chain, target
from tests.blender.shown import as_good_as_unfiltered, missed, no_handler_raises, settle  # noqa: F401
from tests.blender.together import assert_live_is_what_is_baked, go_live_all, play


def two_who_look_at_each_other(velocity=1.0, acceleration=10.0, jerk=100.0, filter_name="default"):
    pairs = []
    for name, place in (("One", (0, 0, 0)), ("Two", (0.9, 0.4, 0))):
        rig = build({"neck": "YX", "head": "XZ"}, name=name)
        rig, chain = looking_chain(rig, "neck", "head", at=target((0, 0, 0), f"Eye of {name}"))
        rig.location = place
        for joint in chain.joints:
            joint.velocity, joint.acceleration, joint.jerk = velocity, acceleration, jerk
        chain.filter = filter_name
        pairs.append((rig, chain))
    eyes = [chain.target for _, chain in pairs]
    for (rig, _), eye in zip(pairs, eyes, strict=True):
        eye.parent, eye.parent_type, eye.parent_bone = rig, "BONE", "head"
    pairs[0][1].target, pairs[1][1].target = eyes[1], eyes[0]
    bpy.context.view_layer.update()
    return pairs


@pytest.mark.parametrize(
    "limits", [(1.0, 10.0, 100.0), (1.5, 8.0, 80.0), (3.0, 15.0, 150.0), (3.0, 30.0, 300.0)]
)
def test_two_who_look_at_each_other_find_each_other_however_fast_they_are(capfd, limits):
    one, two = two_who_look_at_each_other(*limits)
    go_live_all(one, two)
    settle()
    assert missed(*one) < 0.2
    assert missed(*two) < 0.2
    assert "cycle" not in capfd.readouterr().err.lower()


def test_two_characters_without_a_filter_look_at_each_other_exactly_also_while_they_move():
    one, two = two_who_look_at_each_other(filter_name="automatic")
    keyed(two[0], (1, 24), end=(0.9, -0.4, 0.3))
    bpy.context.scene.frame_set(1)
    go_live_all(one, two)
    settle()
    assert missed(*one) < 0.2
    assert missed(*two) < 0.2
    play([one, two], range(2, 60))
    assert missed(*one) < 0.2
    assert missed(*two) < 0.2


def two_with_eyes(necks, mark_on: str = "eye", has_eyes: bool = True):
    """Two rigs that look at marks on each other's bones, with necks that have these joints and limits, and
    with unlimited eyes.
    """
    pairs, marks = [], []
    for name, limits in zip(("One", "Two"), necks, strict=True):
        rig = build({"base": "Y", "neck": "YX", "head": "XZ", "eye": "XZ"}, name=name)
        marks.append(target((0, 0, 0), f"Mark on {name}"))
        for bones in [("base", "head"), ("eye",)] if has_eyes else [("base", "head")]:
            looking_chain(rig, *bones, at=marks[-1])
        as_good_as_unfiltered(*rig.limber.chains)
        for joint in rig.limber.chains[0].joints:
            joint.velocity, joint.acceleration, joint.jerk = limits
        for joint in rig.limber.chains[-1].joints if has_eyes else ():
            joint.lower, joint.upper = -1.5, 1.5  # eyes do not look through the back of the head
        marks[-1].parent, marks[-1].parent_type, marks[-1].parent_bone = rig, "BONE", mark_on
        pairs += [(rig, chain) for chain in rig.limber.chains]
    for rig, chain in pairs:
        chain.target = marks[rig.name == "One"]
    return pairs


@pytest.mark.parametrize("has_eyes", [False, True])
@pytest.mark.parametrize(
    ("place", "limits"),
    [
        ((-0.9, -1.2, 0.2), (1.5, 8.0, 80.0)),
        ((-0.7, 0.7, -0.2), (3.0, 15.0, 150.0)),
        ((0.9, -0.7, 0.0), (0.5, 2.0, 20.0)),
    ],
)
def test_two_who_could_do_it_in_many_ways_settle_for_one(place, limits, has_eyes):
    pairs = two_with_eyes((limits, limits), "head", has_eyes)
    pairs[-1][0].location = place
    bpy.context.view_layer.update()
    go_live_all(*pairs)
    settle()
    assert max(missed(*pair) for pair in pairs) < 0.2


def test_eyes_make_up_for_a_slow_neck_also_where_another_looks_back_at_them():
    one_neck, one_eye, two_neck, _ = pairs = two_with_eyes(((0.3, 1.0, 10.0), (1e4, 1e6, 1e8)))
    two_neck[0].location = (0.9, -0.7, 0.0)
    keyed(two_neck[0], (2, 5), end=(1.0, -0.4, 0.1))
    go_live_all(*pairs)
    play(pairs, range(2, 6))
    assert missed(*one_neck) > 3.0
    assert missed(*one_eye) < 0.5


@pytest.mark.every_blender
def test_a_third_who_looks_at_one_of_them_sees_where_it_is(capfd):
    one, two = two_who_look_at_each_other(0.3, 1.0, 10.0)  # slow, so that they are still moving
    rig = build({"neck": "YX", "head": "XZ"}, name="Three")
    three = looking_chain(rig, "neck", "head", at=one[1].target)
    rig.location = (0, -1, 0)
    for joint in three[1].joints:
        joint.velocity, joint.acceleration, joint.jerk = 1e3, 1e6, 1e9
    keyed(one[0], (2, 5), end=(0.2, 0.5, 0))
    go_live_all(one, two, three)
    play([three], range(2, 9))
    assert missed(*two) > 5.0
    assert missed(*three) < 0.2


def test_two_who_look_at_each_other_are_the_same_live_and_baked():
    one, two = two_who_look_at_each_other()
    keyed(two[0], (1, 24), end=(0.9, -0.4, 0.3))
    assert_live_is_what_is_baked(one, two)
