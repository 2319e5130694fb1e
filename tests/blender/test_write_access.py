"""Tests that timers and handlers can write although Blender refuses writes of scripts, as while it draws
panels, and in some versions even afterwards.
"""

from collections.abc import Callable

import bpy
import pytest
from limber.rig.blender.write_access import granted, is_refused
from limber.rig.live import live

from tests.blender.rigs import looking_chain
from tests.blender.shown import (
    assert_looks,
    choose,
    depsgraph,
    go_live,
    no_handler_raises,  # noqa: F401
    settle,
)

pytestmark = pytest.mark.every_blender


@pytest.fixture
def refusing():
    """Calls a function while Blender refuses writes: in the poll of a keying set, as in the drawing of
    panels.
    """
    calls: list[Callable[[], object]] = []

    class Refusing(bpy.types.KeyingSetInfo):
        bl_idname, bl_label = "Refusing", "Refusing"

        def poll(self, _context):
            for call in calls:
                call()
            calls.clear()
            return True

        def iterator(self, _context, _keying_set):
            pass

        def generate(self, _context, _keying_set, _data):
            pass

    def run(call: Callable[[], object]) -> None:
        calls.append(call)
        window = bpy.context.window_manager.windows[0]
        area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
        with bpy.context.temp_override(window=window, area=area), pytest.raises(RuntimeError):
            bpy.ops.anim.keyframe_insert_by_name(type="Refusing")
        assert not calls, "the call was made"

    bpy.utils.register_class(Refusing)
    yield run
    bpy.utils.unregister_class(Refusing)


def test_what_is_granted_writes_where_blender_refuses(refusing):
    thing, seen = bpy.data.objects.new("Thing", None), {}

    @granted
    def move(x: float, *, y: float) -> str:
        thing.location.xy = x, y
        return "moved"

    def in_the_drawing() -> None:
        seen["refused"] = is_refused()
        with pytest.raises(AttributeError):
            thing.location = 0, 0, 0
        seen["returned"] = move(3.0, y=4.0)
        seen["still refused"] = is_refused()

    refusing(in_the_drawing)
    assert seen == {"refused": True, "returned": "moved", "still refused": True}
    assert tuple(thing.location.xy) == (3.0, 4.0)
    assert not is_refused()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_of_what_is_granted_comes_to_its_caller(refusing, error):
    caught = []

    @granted
    def fail() -> None:
        raise error("no such bone")

    def in_the_drawing() -> None:
        with pytest.raises(error, match="no such bone"):
            fail()
        caught.append(True)

    refusing(in_the_drawing)
    assert caught


def test_live_takes_up_its_constraints_again_after_a_change_amid_a_drawing(refusing):
    rig, chain = looking_chain()
    go_live(rig, chain)
    head = rig.pose.bones["head"]
    before = [held.name for held in head.constraints]

    def in_the_drawing() -> None:
        head.constraints.new("COPY_ROTATION")  # after Limber's own
        bpy.context.view_layer.update()

    refusing(in_the_drawing)
    settle()
    assert [held.name for held in head.constraints] == ["Copy Rotation", *before]


def test_live_follows_a_target_that_is_chosen_where_blender_refuses_writes(refusing):
    rig, chain = looking_chain()
    go_live(rig, chain)
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    other.location = (0.5, -1.0, 0.5)
    settle()

    def in_the_drawing() -> None:
        granted(choose)(chain, target=other)
        bpy.context.view_layer.update()

    refusing(in_the_drawing)
    assert_looks(rig, chain)


def test_a_chain_that_comes_live_where_blender_refuses_writes_is_taken_up_when_the_scene_no_longer_plays(
    refusing, monkeypatch
):
    rig, chain = looking_chain()
    go_live(rig, chain)
    live.stop(rig, chain)

    def in_the_drawing() -> None:
        granted(choose)(chain, live=True)
        bpy.context.scene.collection.objects.link(bpy.data.objects.new("Other", None))  # as Append does
        bpy.context.view_layer.update()

    monkeypatch.setattr(live, "is_playing", lambda: True)
    refusing(in_the_drawing)
    assert live.advance_clock(bpy.context.scene, depsgraph()), "the clock waits"
    monkeypatch.undo()
    assert_looks(rig, chain)
