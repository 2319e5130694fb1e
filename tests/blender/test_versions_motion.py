"""Tests that a character saved by an earlier version keeps its measure, filter, limits and rotation modes,
and moves as before until it changes to another pose; the time and pose of this change may differ between
versions.
"""

import json
from pathlib import Path

import bpy
import pytest
from limber.rig.live import live
from limber.solvers.bones.solver import BoneSolver
from limber.solvers.expressive.solver import Expressive

from tests.blender.shown import no_handler_raises  # noqa: F401

pytestmark = pytest.mark.every_blender

VERSIONS = Path(__file__).parent / "versions"
NEAR = 1e-6  # [rad] tolerance: keyframes have single precision
UNTIL = 44  # frame at which it may change to another pose


def curves_of(action) -> list:
    if hasattr(action, "layers") and action.layers:
        return [
            curve
            for layer in action.layers
            for strip in layer.strips
            for bag in strip.channelbags
            for curve in bag.fcurves
        ]
    return list(action.fcurves)


@pytest.fixture(params=sorted(VERSIONS.glob("figure-*.blend")), ids=lambda path: path.stem)
def saved(request):
    """A file saved by an earlier version: a figure whose bones have several axes, and a lamp whose bones have
    one or two.
    """
    bpy.ops.wm.open_mainfile(filepath=str(request.param))
    return request.param


def test_a_character_keeps_its_measure_filter_body_and_rotation_modes(saved):
    rig = bpy.data.objects["Figure"]
    chain = rig.limber.chains[0]
    assert (chain.options.measure, chain.filter, chain.solver) == ("LINKS", "default", "expressive")
    assert {rig.pose.bones[joint.bone].rotation_mode for joint in chain.joints} == {"XYZ"}
    assert {round(joint.upper, 5) for joint in chain.joints} == {3.14159}
    bpy.context.view_layer.objects.active = rig
    bpy.ops.limber.live()
    session = live.session(rig, chain)
    assert type(session.model.solver) is Expressive
    assert session.model.filters


def test_the_bake_is_that_of_the_version_that_saved_the_file(saved):
    rig = bpy.data.objects["Lamp"]
    bpy.context.view_layer.objects.active = rig
    bpy.ops.limber.bake()
    baked = json.loads(saved.with_name(f"{saved.stem}-baked.json").read_text())
    curves = {
        f"{curve.data_path}[{curve.array_index}]": curve for curve in curves_of(rig.animation_data.action)
    }
    assert curves.keys() == baked.keys()
    for path, values in baked.items():
        shown = [curves[path].evaluate(frame) for frame in range(1, UNTIL)]
        assert shown == pytest.approx(values[: UNTIL - 1], abs=NEAR)


def test_one_button_gives_it_the_settings_of_new_chains(saved):
    rig = bpy.data.objects["Figure"]
    chain = rig.limber.chains[0]
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.limber.use_new_settings() == {"FINISHED"}
    assert (chain.options.measure, chain.filter) == ("AUTOMATIC", "automatic")
    assert 1.7 < chain.widest_look < 3.0
    assert not bpy.ops.limber.use_new_settings.poll()
    bpy.ops.limber.live()
    session = live.session(rig, chain)
    assert type(session.model.solver) is BoneSolver
    assert not session.model.filters
