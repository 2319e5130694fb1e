"""Frames of every kind of mover lead into the engine and back: the engine calls nothing of Blender's host."""

import bpy
import pytest

from benchmarks.frame_path.tracing import Tracer
from checkout import ROOT
from tests.blender import at_hand
from tests.blender.rigs import make_active
from tests.blender.shown import no_handler_raises, settle  # noqa: F401
from tests.blender.test_live_circle import two_who_look_at_each_other
from tests.blender.test_plain_stage import lamp, neck, walker
from tests.blender.together import as_a_bake_does, go_live_all


@pytest.fixture
def tracer() -> Tracer:
    return Tracer(ROOT)


def assert_engine_calls_no_host(tracer: Tracer) -> None:
    assert not tracer.calls_back
    assert tracer.crossings == 1


def step(*frames: float) -> None:
    for frame in frames:
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1.0)


def test_a_lamp_a_body_with_a_head_and_a_neck_on_push_rods(tracer):
    owner, (desk, _), (person, _) = neck(), lamp(), walker()
    for obj in (desk, person, owner):
        make_active(obj)
        bpy.ops.limber.live()
    at_hand.live(person.limber.retarget)
    with tracer.on() as calls:
        step(1, 2, 3, 3.5, 4, 60)
    names = {name for _, name in calls}
    assert {"ChainModel.tick", "BodyModel.tick", "MechanismModel.tick", "SceneStage.copy"} <= names
    assert_engine_calls_no_host(tracer)


def test_two_who_look_at_each_other(tracer):
    one, two = two_who_look_at_each_other()
    go_live_all(one, two)
    settle()
    with tracer.on() as calls:
        one[0].location.x += 0.1
        bpy.context.view_layer.update()  # asks whether inputs have changed
        step(2, 3)
        as_a_bake_does((one, two), range(4, 7))
    assert {name for _, name in calls} >= {"SceneStage.has_changed", "MoverRecord.differs"}
    assert_engine_calls_no_host(tracer)
