"""Tests that Assemble writes the bodies' assembled poses permanently, or nothing."""

import bpy
import numpy as np
import pytest

from tests.blender import mechanisms as those
from tests.blender.four_bars import ABOUT_Y, four_bar, owned

pytestmark = pytest.mark.every_blender


def gapped():
    """A four-bar whose last pin has a gap of 10 mm; returns its owner."""
    pins = four_bar(those.joint, "revolute")
    other = bpy.data.objects.new("other half", None)
    bpy.context.scene.collection.objects.link(other)
    other.location, other.rotation_euler = (0.18, 0.0, 0.14), ABOUT_Y
    bpy.context.view_layer.update()
    rocker = bpy.data.objects["rocker"]
    other.parent, other.matrix_parent_inverse = rocker, rocker.matrix_world.inverted()
    owner = owned()
    pins["C"].limber.part.meets = other
    bpy.context.view_layer.update()
    return owner


def places() -> dict[str, np.ndarray]:
    return {thing.name: np.array(thing.matrix_basis) for thing in bpy.data.objects}


def keyed(body) -> None:
    body.keyframe_insert("rotation_euler", frame=1)


def driven(body) -> None:
    body.driver_add("location", 0).driver.expression = "0.0"


def constrained(body) -> None:
    body.constraints.new("COPY_LOCATION").target = bpy.data.objects["ground"]


@pytest.mark.parametrize(
    ("hold", "said"),
    [
        (keyed, "Body 'coupler' has keys on its rotation (action 'couplerAction"),
        (
            driven,
            (
                "Body 'coupler' has drivers on its location, which would take it back at the next frame:"
                " remove them there first"
            ),
        ),
        (constrained, "Body 'coupler' is held by its constraint 'Copy Location': apply it or mute it first"),
    ],
)
def test_a_body_that_would_spring_back_is_named_and_nothing_is_written(hold, said):
    gapped()
    hold(bpy.data.objects["coupler"])
    bpy.context.view_layer.update()
    before = places()
    with pytest.raises(RuntimeError) as refused:
        bpy.ops.limber.assemble_mechanism()
    assert said in str(refused.value)
    assert those.furthest(before, places()) == 0.0


def test_what_keys_leave_alone_is_assembled():
    gapped()
    coupler = bpy.data.objects["coupler"]
    coupler.keyframe_insert("scale", frame=1)
    bpy.data.objects["ground"].keyframe_insert("location", frame=1)
    coupler.constraints.new("LIMIT_LOCATION")
    assert bpy.ops.limber.assemble_mechanism() == {"FINISHED"}
    shown = {name: those.world(bpy.data.objects[name])[:3, 3] for name in ("pin C", "other half")}
    assert np.linalg.norm(shown["pin C"] - shown["other half"]) < 1e-6
    bpy.context.scene.frame_set(5)
    assert np.linalg.norm(those.world(bpy.data.objects["pin C"])[:3, 3] - shown["pin C"]) < 1e-7
