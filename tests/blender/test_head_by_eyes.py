"""Tests which bone is the head where no bone is named so: what carries the eyes, and nothing that carries
legs.
"""

from math import degrees, pi

import bpy
import pytest
from limber.rig.bones.figure import Figure
from limber.rig.showing import chain_lines
from mathutils import Matrix, Vector

from tests.blender.makers_rigs import both, leg, line
from tests.blender.rigs import select
from tests.blender.shown import no_handler_raises  # noqa: F401
from tests.blender.test_front import armature

POT = (
    line("", ("pot", 0, 0, 0), ("lid", 0, 0, 0.3), tip=(0, 0, 0.42))
    | line("pot", ("spout1", 0, -0.2, 0.1), ("spout2", 0, -0.3, 0.18), tip=(0, -0.38, 0.28))
    | both({"arm.L": ("pot", (0.2, 0, 0.2), (0.35, 0, 0.1))})
)
OCTOPUS = (
    line("", ("hub", 0, 0, 0.3), ("mantle", 0, 0.02, 0.4), tip=(0, 0.3, 0.9))
    | {"face": ("hub", (0, -0.02, 0.35), (0, -0.15, 0.38))}
    | both({f"arm{k}.L": ("hub", (0.1, 0.1 * k, 0.25), (0.9, 0.5 * k, 0.0)) for k in (-1, 0, 1)})
)
LIZARD = (
    line("", ("b1", 0, 0, 0.3), ("b2", 0, -0.4, 0.35), ("b3", 0, -0.6, 0.4), tip=(0, -0.9, 0.4))
    | both(leg("b1", "hind", 0.1, 0, 0.28))
    | line("b1", ("t1", 0, 0.1, 0.3), ("t2", 0, 0.5, 0.25), tip=(0, 1, 0.2))
)
TWO_NECKS = (
    line("", ("rump", 0, 0.4, 1), ("back", 0, 0, 1), ("withers", 0, -0.4, 1.1), tip=(0, -0.7, 1.2))
    | both(leg("rump", "hind", 0.25, 0.4, 0.95) | leg("withers", "front", 0.25, -0.4, 0.95))
    | both(line("withers", ("n1.L", 0.12, -0.7, 1.25), ("n2.L", 0.3, -1.1, 1.7), tip=(0.4, -1.6, 1.8)))
)

BUST = line("", ("bust", 0, 0, 0), ("top", 0, 0, 0.25), tip=(0, 0, 0.39))

# a head without a parent, beside a line of more bones that seems to face the other way
FLOATING_HEAD = line("", ("Kern", 0, 0, 0), tip=(0, 0, 0.3)) | {
    "Fuehler": ("Kern", (0, 0, 0.5), (0, 0, 0.8)),
    "Ball": ("", (0, 0, 1), (0, -0.3, 1)),
}
ITS_EYES = both({"目.L": ("Ball", (0.1, -0.3, 1.1), (0.1, -0.35, 1.1))})


@pytest.mark.parametrize(
    ("places", "head", "eyes"),
    [
        (POT, "lid", both({"eye.L": ("lid", (0.05, -0.1, 0.33), (0.05, -0.14, 0.33))})),
        (OCTOPUS, "face", both({"ojo.L": ("face", (0.1, -0.08, 0.42), (0.11, -0.14, 0.42))})),
        (LIZARD, "b3", both({"eye.L": ("b3", (0.08, -0.7, 0.45), (0.16, -0.72, 0.45))})),
        (LIZARD, "b3", both({"目.L": ("b3", (0.08, -0.7, 0.45), (0.16, -0.72, 0.45))})),
        (FLOATING_HEAD, "Ball", ITS_EYES),
        (BUST, "top", both({"eye.L": ("top", (0.04, -0.08, 0.3), (0.04, -0.16, 0.3))})),
    ],
    ids=[
        "a lid below a spout",
        "a face below a mantle",
        "eyes that point aside",
        "eyes in another language that point aside",
        "a head without a parent",
        "long eyes",
    ],
)
def test_what_carries_the_bones_named_eyes_is_the_head(places, head: str, eyes):
    rig = armature(places | eyes, Matrix())
    bpy.ops.limber.eyes_head_torso()
    chains = {chain.name: chain.end for chain in rig.limber.chains}
    left, right = eyes
    assert {name: chains.get(name) for name in ("Head", "Left Eye", "Right Eye")} == {
        "Head": head,
        "Left Eye": left,
        "Right Eye": right,
    }


@pytest.mark.parametrize("chosen", ["", "Kopf"], ids=["found", "selected"])
def test_a_single_eye_in_the_middle_of_a_head_looks_too(chosen: str):
    rig = armature(BODY | {"Eye": ("Kopf", (0, -0.1, 1.75), (0, -0.15, 1.75))}, Matrix())
    if chosen:
        select(rig, chosen)
    bpy.ops.limber.eyes_head_torso()
    chains = {chain.name: chain.end for chain in rig.limber.chains}
    assert chains == {"Torso": "Brust", "Head": "Kopf", "Eyes": "Eye"}


@pytest.mark.parametrize("chosen", [("Ball", *ITS_EYES), ()], ids=["selected", "found"])
@pytest.mark.parametrize("rotation", [0.0, pi / 2], ids=["to -Y", "to +X"])
def test_eyes_that_point_one_way_say_where_they_look_whatever_another_part_of_the_rig_shows(chosen, rotation):
    turned = Matrix.Rotation(rotation, 4, "Z")
    rig = armature(FLOATING_HEAD | ITS_EYES, turned)
    front = turned.to_3x3() @ Vector((0, -1, 0))
    assert Vector(Figure(rig).front).dot(front) < -0.99, "the other part faces away"
    if chosen:
        select(rig, *chosen)
    bpy.ops.limber.eyes_head_torso()
    assert [chain.end for chain in rig.limber.chains] == ["Ball", *ITS_EYES]
    for chain in rig.limber.chains:
        start, tip = chain_lines.forward(rig, chain)
        assert degrees((tip - start).angle(front)) < 2, chain.name
        assert chain.target.location.dot(front) > 3


BODY = (
    line(
        "",
        ("Becken", 0, 0, 1),
        ("Brust", 0, 0, 1.3),
        ("Hals", 0, 0, 1.55),
        ("Kopf", 0, 0, 1.65),
        tip=(0, 0, 1.85),
    )
    | both(leg("Becken", "bein", 0.1, 0, 0.95))
    | both(line("Brust", ("Arm.L", 0.2, 0, 1.45), ("Hand.L", 0.5, 0, 1.45), tip=(0.8, 0, 1.45)))
)


def test_controls_at_which_eyes_point_are_no_head_of_a_figure_with_limbs():
    aims = {"aim": ("", (0, -1, 1.7), (0, -1, 1.8))} | both(
        {"eye.L": ("aim", (0.04, -1, 1.7), (0.04, -1, 1.78))}
    )
    rig = armature(BODY | aims, Matrix())
    bpy.ops.limber.eyes_head_torso()
    assert {chain.name: chain.end for chain in rig.limber.chains} == {"Torso": "Brust", "Head": "Kopf"}


def test_a_control_apart_from_a_figure_with_limbs_is_no_head():
    rig = armature(BODY | both({"ikfoot.L": ("", (0.1, 0, 0.1), (0.1, -0.2, 0.1))}), Matrix())
    select(rig, "ikfoot.L")
    with pytest.raises(RuntimeError, match=r"ikfoot\.L.* are not torso, head and eyes"):
        bpy.ops.limber.eyes_head_torso()
    assert not rig.limber.chains


def test_a_bone_that_legs_hang_on_is_no_head():
    rig = armature(TWO_NECKS, Matrix())
    with pytest.raises(RuntimeError, match="No head was found"):
        bpy.ops.limber.eyes_head_torso()
    assert not rig.limber.chains
