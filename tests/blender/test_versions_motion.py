"""A character that an earlier version saved moves as it did: its measure, filter, limits and rotation modes are kept."""

import json
from pathlib import Path

import bpy
import pytest

from tests.blender.shown import no_handler_raises  # noqa: F401

pytestmark = pytest.mark.every_blender

VERSIONS = Path(__file__).parent / "versions"
NEAR = 5e-3  # [rad] another numpy's rounding leads elsewhere along a shallow optimum; in one Blender the keys are equal


def curves_of(action) -> list:
    if hasattr(action, "layers") and action.layers:
        return [curve for layer in action.layers for strip in layer.strips for bag in strip.channelbags for curve in bag.fcurves]
    return list(action.fcurves)


@pytest.mark.parametrize("saved", sorted(VERSIONS.glob("*.blend")), ids=lambda path: path.stem)
def test_the_bake_is_that_of_the_version_that_saved_the_file(saved):
    bpy.ops.wm.open_mainfile(filepath=str(saved))
    rig = bpy.data.objects["Figure"]
    chain = rig.limber.chains[0]
    assert (chain.options.measure, chain.filter, chain.solver) == ("LINKS", "default", "expressive")
    assert {bone.rotation_mode for bone in rig.pose.bones if bone.name in {joint.bone for joint in chain.joints}} == {"XYZ"}
    bpy.context.view_layer.objects.active = rig
    bpy.ops.limber.bake()
    baked = json.loads(saved.with_name(f"{saved.stem}-baked.json").read_text())
    curves = {f"{curve.data_path}[{curve.array_index}]": curve for curve in curves_of(rig.animation_data.action)}
    assert curves.keys() == baked.keys()
    for path, values in baked.items():
        assert [curves[path].evaluate(frame) for frame in range(1, len(values) + 1)] == pytest.approx(values, abs=NEAR)
