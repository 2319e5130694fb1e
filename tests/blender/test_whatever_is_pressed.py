"""Tests every button with any names and choices: it does its work or gives the reason in a sentence."""

import bpy
import pytest
from limber import registration

from tests.blender.figures import XSENS, figure
from tests.blender.four_bars import four_bar, owned
from tests.blender.rigs import build, looking_chain, make_active
from tests.blender.shown import no_handler_raises  # noqa: F401

pytestmark = pytest.mark.every_blender

NOWHERE = "nowhere"  # no bone, joint, posture, robot or file has this name
# Operators that open a network or serial port, write outside the file, or end the test's own live robot have
# their own tests.
ELSEWHERE = {
    "listen",
    "remote",
    "scan",
    "connect",
    "reconnect",
    "puppeteer",
    "install_robot_meshes",
    "export_motion",
}
# Operator that adds a ready-made mechanism, of every kind in turn. The first one stays in the scene: with all
# of them, 260 objects, each check and export that comes later would take five times as long.
ADDS_MECHANISM = "add_mechanism"


def body() -> None:
    make_active(figure(XSENS, "Body"))


def mechanism() -> None:
    four_bar()
    make_active(owned())


def mechanism_of_bones() -> None:
    make_active(build({"base": None, "arm": "X", "hand": "X"}))
    bpy.ops.limber.new_mechanism()


def settings(operator) -> list[dict]:
    """Arguments of its calls: none; unknown names; with these, each choice of each enumeration."""
    properties = [one for one in operator.get_rna_type().properties if one.identifier != "rna_type"]
    named = {one.identifier: NOWHERE for one in properties if one.type == "STRING"}
    choices = [one for one in properties if one.type == "ENUM" and not one.is_enum_flag]
    return [
        {},
        named,
        *(named | {one.identifier: item.identifier} for one in choices for item in one.enum_items),
    ]


def no_object(_owner) -> None:
    """Makes no object active, as after a deletion; the owner stays in use."""
    bpy.context.view_layer.objects.active = None


def no_bone(owner) -> None:
    """Makes the owner, an armature, active in Pose Mode, and none of its bones."""
    make_active(owner)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="DESELECT")
    owner.data.bones.active = None


OWNERS = {
    "chain": looking_chain,
    "body": body,
    "mechanism": mechanism,
    "mechanism of bones": mechanism_of_bones,
}
CASES = [
    pytest.param(build_owner, activate, id=f"{name}-{activate.__name__}")
    for name, build_owner in OWNERS.items()
    for activate in (make_active, no_object, no_bone)
    if activate is not no_bone or build_owner is not mechanism  # it has no bones
]


@pytest.mark.parametrize(("build_owner", "activate"), CASES)
def test_every_button_answers_in_a_sentence(build_owner, activate, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    build_owner()
    bpy.context.scene.frame_end = 2
    owner = bpy.context.object
    names = {
        cls.bl_idname.partition(".")[2]
        for cls in registration.classes()
        if issubclass(cls, bpy.types.Operator)
    }
    broken = []
    for name in sorted(names - ELSEWHERE):
        operator = getattr(bpy.ops.limber, name)
        for options in settings(operator):
            make_active(owner)
            activate(owner)
            before = set(bpy.data.objects)
            try:
                operator(**options)
            except RuntimeError as error:
                if "Traceback" in str(error):
                    broken.append(f"{name} {options}: {error}")
            if name == ADDS_MECHANISM and options:
                bpy.data.batch_remove(set(bpy.data.objects) - before)
    assert not broken, "\n".join(broken)
