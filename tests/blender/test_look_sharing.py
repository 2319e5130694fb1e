"""Tests how bones of new chains share a look where there are few of them."""

from math import cos, degrees, pi, radians, sin

import bpy
import pytest
from limber.rig.authoring import look_sharing
from mathutils import Matrix, Vector

from tests.blender.makers_rigs import both, line
from tests.blender.shown import no_handler_raises  # noqa: F401
from tests.blender.test_front import armature, looks_along

TRUNK = (("waist", 0, 0, 0.4), ("chest", 0, 0, 1.0), ("head", 0, 0, 1.15))
ARMS = both(line("chest", ("arm.L", 0.15, 0, 1.0), tip=(0.5, 0, 0.8)))
EYES = both({"eye.L": ("head", (0.06, -0.12, 1.3), (0.06, -0.16, 1.3))})
GHOST = line("", *TRUNK, tip=(0, 0, 1.5)) | ARMS
LEGS = both(
    {
        name: place
        for k, y in enumerate((-0.4, 0.0, 0.4))
        for name, place in line(
            "body",
            (f"thigh{k}.L", 0.1, y / 2, 0.3),
            (f"shin{k}.L", 0.35, y, 0.5),
            (f"foot{k}.L", 0.5, y, 0.06),
            tip=(0.55, y, 0.0),
        ).items()
    }
)
CONTROLS = both(
    {f"control{k}.L": ("", (0.5, y, 0.06), (0.5, y, 0.2)) for k, y in enumerate((-0.4, 0.0, 0.4))}
)
BEETLE = line("", ("body", 0, 0, 0.3), ("head", 0, -0.4, 0.3), tip=(0, -0.6, 0.25)) | LEGS | CONTROLS


def beetle(is_held: bool = False):
    """A beetle whose head is its only bone above the legs. `is_held`: whether IK holds its legs."""
    rig = armature(BEETLE, Matrix())
    for bone in rig.data.bones:
        bone.use_deform = not bone.name.startswith("control")
    for name in (f"{k}.{side}" for k in range(3) for side in "LR" if is_held):
        ik = rig.pose.bones[f"shin{name}"].constraints.new("IK")
        ik.target, ik.subtarget, ik.chain_count = rig, f"control{name}", 2
    bpy.context.view_layer.update()
    return rig


def shown(rig):
    return rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones


def turned(rig, name: str) -> float:
    """Rotation [degrees] of a bone in its parent's frame from its rest pose."""
    bone, rest = shown(rig)[name], rig.data.bones[name]
    above = bone.parent.matrix.inverted() if bone.parent else Matrix()
    rest_above = rest.parent.matrix_local.inverted() if rest.parent else Matrix()
    return degrees(
        (above @ bone.matrix)
        .to_quaternion()
        .rotation_difference((rest_above @ rest.matrix_local).to_quaternion())
        .angle
    )


def look_aside(rig, angle: float, go_live=bpy.ops.limber.live) -> None:
    """Live motion of all chains, whose target is at an `angle` [degrees] to the left of the head."""
    aim = bpy.data.objects.new("Aim", None)
    bpy.context.scene.collection.objects.link(aim)
    aim.location = rig.data.bones["head"].head_local + 2.0 * Vector(
        (sin(radians(angle)), -cos(radians(angle)), 0)
    )
    for chain in rig.limber.chains:
        chain.target = aim
    go_live()
    for frame in range(2, 60):
        bpy.context.scene.frame_set(frame)


def test_of_three_upright_bones_none_twists_by_more_than_skin_bears():
    rig = armature(GHOST, Matrix())
    looks_along(rig, "head")
    look_aside(rig, 70)
    angles = {name: turned(rig, name) for name, *_ in TRUNK}
    assert sum(angles.values()) == pytest.approx(70, abs=2)
    assert max(angles.values()) < 30


def test_a_head_of_one_bone_leaves_more_of_the_look_to_the_torso():
    rig = armature(GHOST | EYES, Matrix())
    bpy.ops.limber.eyes_head_torso()
    torso, head = rig.limber.chains["Torso"], rig.limber.chains["Head"]
    assert torso.share > 0.2
    assert torso.widest_look == head.widest_look
    look_aside(rig, 60, bpy.ops.limber.live_all)
    angles = {name: turned(rig, name) for name, *_ in TRUNK}
    assert angles["head"] < 0.65 * sum(angles.values())


@pytest.mark.parametrize("is_held", [False, True])
def test_a_head_alone_above_legs_looks_no_farther_than_a_neck_rotates_and_says_so(is_held: bool, capfd):
    rig = beetle(is_held)
    looks_along(rig, "head")
    (chain,) = rig.limber.chains
    assert chain.root == chain.end == "head"
    assert degrees(chain.widest_look) == pytest.approx(80)
    assert "its only bone rotates by all of a look, so Widest Look is 80 degrees" in capfd.readouterr().out


def limit_head(rig) -> None:
    limits = rig.pose.bones["head"].constraints.new("LIMIT_ROTATION")
    limits.owner_space, limits.use_limit_y, limits.min_y, limits.max_y = "LOCAL", True, -1, 1


def test_a_torso_of_one_bone_is_not_narrowed_to_a_necks_look():
    rig = armature(GHOST | EYES, Matrix())
    limit_head(rig)
    bpy.ops.limber.eyes_head_torso()
    torso = rig.limber.chains["Torso"]
    assert torso.root == torso.end == "chest"
    assert degrees(torso.widest_look) == pytest.approx(100)


def test_a_torso_below_a_head_with_limits_is_spread_by_its_own_share_of_a_look():
    trunk = (TRUNK[0], ("spine", 0, 0, 0.7), *TRUNK[1:])
    rig = armature(line("", *trunk, tip=(0, 0, 1.5)) | ARMS | EYES, Matrix())
    limit_head(rig)
    bpy.ops.limber.eyes_head_torso()
    torso = rig.limber.chains["Torso"]
    assert (torso.root, torso.end) == ("spine", "chest")
    assert torso.options.expressive.look_from == pytest.approx(0.5)


def test_a_head_of_one_bone_without_a_torso_looks_no_farther_than_a_neck_rotates():
    eyes = both({"eye.L": ("head", (0.06, -0.5, 0.35), (0.06, -0.6, 0.35))})
    rig = armature(BEETLE | eyes, Matrix())
    bpy.ops.limber.eyes_head_torso()
    assert not rig.limber.chains.get("Torso")
    head = rig.limber.chains["Head"]
    assert head.root == head.end == "head"
    assert degrees(head.widest_look) == pytest.approx(80)


def test_a_single_bone_whose_look_is_not_narrowed_gets_no_remark(capfd):
    rig = beetle()
    limit_head(rig)
    looks_along(rig, "head")
    out = capfd.readouterr().out
    assert "from 'head' to 'head'" in out
    assert "bone rotates" not in out
    assert "bone to share" not in out


def as_of_an_earlier_version(chain) -> None:
    chain.options.measure, chain.widest_look, chain.options.expressive.look_from = "LINKS", pi, 0.5


def look_of(chain) -> tuple[float, float]:
    """How far a chain looks [degrees], and its *Look From*."""
    return degrees(chain.widest_look), chain.options.expressive.look_from


@pytest.mark.parametrize("rig", [beetle, lambda: armature(GHOST, Matrix())], ids=["one bone", "three bones"])
def test_use_new_settings_gives_a_chain_the_look_of_a_new_chain_and_says_why(rig, capfd):
    looks_along(rig := rig(), "head")
    (chain,) = rig.limber.chains
    look, of_new_chain = look_of(chain), capfd.readouterr().out
    as_of_an_earlier_version(chain)
    bpy.ops.limber.use_new_settings()
    assert look_of(chain) == pytest.approx(look)
    reason = look_sharing.sentence(chain)
    assert reason
    assert reason in of_new_chain
    assert reason in capfd.readouterr().out


@pytest.mark.parametrize("is_limited", [False, True])
def test_use_new_settings_does_not_narrow_a_torso_or_a_head_that_share_a_look(is_limited: bool):
    rig = armature(GHOST | EYES, Matrix())
    bpy.ops.limber.eyes_head_torso()
    if is_limited:
        torso = rig.limber.chains["Torso"].end
        rig = armature(GHOST | EYES, Matrix())
        limit = rig.pose.bones[torso].constraints.new("LIMIT_ROTATION")
        limit.owner_space = "LOCAL"
        limit.use_limit_x = limit.use_limit_y = limit.use_limit_z = True
        limit.min_x = limit.min_y = limit.min_z = -0.5
        limit.max_x = limit.max_y = limit.max_z = 0.5
        bpy.ops.limber.eyes_head_torso()
    looks = {}
    for index, name in enumerate(("Torso", "Head")):
        if is_limited and name == "Torso":
            continue
        looks[name] = degrees(rig.limber.chains[name].widest_look)
        as_of_an_earlier_version(rig.limber.chains[name])
        rig.limber.active_chain = index
        bpy.ops.limber.use_new_settings()
    assert {name: degrees(rig.limber.chains[name].widest_look) for name in looks} == pytest.approx(looks)


def test_use_new_settings_narrows_a_head_of_one_bone_whose_eyes_alone_look_with_it():
    eyes = both({"eye.L": ("head", (0.06, -0.5, 0.35), (0.06, -0.6, 0.35))})
    rig = armature(BEETLE | eyes, Matrix())
    bpy.ops.limber.eyes_head_torso()
    head = rig.limber.chains["Head"]
    as_of_an_earlier_version(head)
    rig.limber.active_chain = rig.limber.chains.find("Head")
    bpy.ops.limber.use_new_settings()
    assert degrees(head.widest_look) == pytest.approx(80)


SNOWMAN = line("", ("belly", 0, 0, 0), ("head", 0, 0, 0.9), tip=(0, 0, 1.4)) | both(
    line("belly", ("arm.L", 0.3, 0, 0.7), tip=(0.8, 0, 0.9))
)


@pytest.mark.parametrize("angle", [45, 70])
def test_torso_and_head_of_one_bone_each_rotate_alike(angle: int):
    rig = armature(SNOWMAN, Matrix())
    bpy.ops.limber.eyes_head_torso()
    look_aside(rig, angle, bpy.ops.limber.live_all)
    assert [turned(rig, name) for name in ("belly", "head")] == pytest.approx([angle / 2] * 2, abs=1)


def test_torso_and_head_look_equally_far_where_the_torso_shows_no_front():
    rig = armature(SNOWMAN | {"beak": ("head", (0, -0.2, 1.1), (0, -0.4, 1.1))}, Matrix())
    bpy.ops.limber.eyes_head_torso()
    assert [degrees(chain.widest_look) for chain in rig.limber.chains] == pytest.approx([100, 100])
