"""Tests that a bake that is cancelled, refused or aborted leaves no data, and that undo restores the state
before it.
"""

import bpy
import pytest

from tests.blender.baking import (
    bake_window,
    begin,
    curves,
    drop_keys,
    live_motion,
    moving_chain,
    played,
    state,
    walk,
)
from tests.blender.modal import Window
from tests.blender.rigs import keyed, looking_chain, make_active

pytestmark = pytest.mark.every_blender


@pytest.fixture
def chain():
    return moving_chain()


@pytest.mark.parametrize("live", [False, True])
def test_a_cancelled_bake_leaves_nothing(rig, chain, live):
    walk(rig)
    rig.pose.bones["upper"].driver_add("rotation_euler", 0).driver.expression = "0.02 * frame"
    bpy.context.scene.frame_set(12)
    if live:
        bpy.ops.limber.live()
    before = state(rig)
    bake = begin(chain)
    for _ in range(8):
        assert bake.step()
    assert bpy.context.scene.frame_current == 12, "frame 12 is the eighth"
    bake.cancel()
    assert state(rig) == before


def test_live_stands_still_while_a_bake_steps_through_the_scene(rig, chain):
    from limber.rig.live import live

    bpy.ops.limber.live()
    before = live.session(rig, chain).outputs
    bake = begin(chain)
    for _ in range(8):
        bake.step()
        assert live.session(rig, chain).outputs is before
    bake.cancel()


def test_live_follows_again_after_a_cancelled_bake(rig, chain):
    from limber.rig.live import live

    bpy.ops.limber.live()
    bake = begin(chain)
    bake.step()
    bake.cancel()
    chain.target.animation_data_clear()
    for x in (0.3, -0.3):
        chain.target.location = (x, -0.5, 0.4)
        bpy.context.view_layer.update()
        while live.advance_clock(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), time=tick()):
            pass
        assert live.session(rig, chain).outputs.filtered_aim_error < 0.002


_now = [1000.0]


def tick() -> float:
    _now[0] += 1 / 60
    return _now[0]


def test_baking_in_slices_gives_the_same_keys_as_at_once(rig, chain):
    bpy.ops.limber.bake()
    wanted = played(rig, [chain], range(5, 26))
    drop_keys(rig)
    bake = begin(chain)
    slices = 1
    while bake.run(seconds=0):
        slices += 1
        assert len(bake.take.frames) == slices - 1 < bake.total
    bake.finish()
    assert slices == bake.total
    assert played(rig, [chain], range(5, 26)) == wanted


@pytest.fixture
def window(monkeypatch) -> Window:
    return bake_window(monkeypatch)


def test_timer_events_bake_until_all_is_baked(rig, chain, window):
    window.start()
    answers = [window.send("TIMER") for _ in range(21)]
    assert answers == [{"RUNNING_MODAL"}] * 20 + [{"FINISHED"}]
    assert window.reports == [("INFO", "Baked 21 frames to 'Rig Baked'")]
    assert rig.animation_data.action.name == "Rig Baked"


def test_other_events_change_nothing_and_escape_cancels(rig, chain, window):
    bpy.context.scene.frame_set(3)
    before = state(rig)
    window.start()
    window.send("TIMER")
    for kind in ("MOUSEMOVE", "LEFTMOUSE", "Z"):
        assert window.send(kind) == {"RUNNING_MODAL"}
    assert len(window.work.take.frames) == 1
    assert window.send("ESC") == {"CANCELLED"}
    assert window.reports == [("WARNING", "Baking is cancelled: nothing was written")]
    assert state(rig) == before


def test_the_stop_key_stops_the_robot_while_a_bake_has_the_keyboard(rig, chain, window, monkeypatch):
    from limber.rig.robot import links

    stopped = []
    monkeypatch.setattr(links, "stop_all", lambda: stopped.append("all"))
    for shift, stops in ((False, []), (True, ["all"])):
        window.start()
        window.send("TIMER")
        assert window.send("ESC", shift) == {"CANCELLED"}
        assert stopped == stops


def test_an_error_in_the_window_ends_the_bake_with_a_sentence(rig, chain, window):
    window.start()
    chain.target.location.x = float("nan")
    chain.target.animation_data_clear()
    assert window.send("TIMER") == {"CANCELLED"}
    assert window.reports[0][0] == "ERROR"
    assert "Nothing was baked. Frame 5:" in window.reports[0][1]
    assert rig.animation_data is None


def test_a_range_the_wrong_way_round_is_refused(rig, chain):
    chain.frame_start, chain.frame_end = 20, 10
    before = state(rig)
    with pytest.raises(RuntimeError, match="ends at frame 10, before it starts at 20: exchange"):
        bpy.ops.limber.bake()
    assert state(rig) == before


def test_a_chain_without_a_target_is_refused(rig, chain):
    chain.target = None
    with pytest.raises(RuntimeError, match="choose the object that it looks at"):
        bpy.ops.limber.bake()


def test_a_set_up_that_does_not_work_names_the_frame_and_leaves_nothing(rig, chain):
    chain.end = "nose"
    before = state(rig)
    with pytest.raises(RuntimeError, match=r"Nothing was baked. Frame 5: .*'nose' is missing"):
        bpy.ops.limber.bake()
    assert state(rig) == before


def test_frames_that_cannot_be_solved_are_named_and_the_motion_comes_to_rest_in_them(rig, chain, capfd):
    for frame, size in ((1, 1), (10, 0), (13, 1)):
        rig.scale = (size, size, size)
        rig.keyframe_insert("scale", frame=frame)
    for curve in curves(rig):
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT"
    bpy.ops.limber.bake()
    said = capfd.readouterr().out
    assert (
        "In 3 frames (10, 11, 12) the goal could not be followed. The rig of chain 'head' is scaled to"
        " nothing" in said
    )
    motion = played(rig, [chain], range(5, 26))
    speeds = {
        frame: max(abs(a - b) for a, b in zip(motion[frame], motion[frame - 1], strict=True))
        for frame in range(8, 14)
    }
    assert speeds[12] < speeds[11] < speeds[10], "it goes on to where it was going, within its limits"
    assert speeds[12] < 0.2 * speeds[9]


def test_a_bake_that_breaks_off_lets_live_go_on(rig, chain, monkeypatch):
    from limber.rig.live import live
    from limber.rig.output.bake import Bake

    def interrupted(self):
        raise KeyboardInterrupt

    bpy.ops.limber.live()
    monkeypatch.setattr(Bake, "step", interrupted)
    with pytest.raises((KeyboardInterrupt, RuntimeError)):
        bpy.ops.limber.bake()
    bpy.context.scene.frame_set(9)
    bpy.context.scene.frame_set(10)
    assert chain.live
    assert live.session(rig, chain).outputs.solution.aim_error < 0.002


def test_undo_brings_the_action_back_and_live_too(undo_step):
    rig, chain = looking_chain()
    keyed(chain.target, (1, 30))
    chain.frame_start, chain.frame_end = 5, 25
    walk(rig)
    bpy.ops.limber.live()
    undo_step("Live")
    bpy.ops.limber.bake()
    undo_step("Bake")
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    chain = rig.limber.chains[0]
    assert rig.animation_data.action.name == "Walk"
    assert "Walk Baked" not in bpy.data.actions
    assert chain.live
    from limber.rig.live import live

    bpy.context.scene.frame_set(9)
    assert live.session(rig, chain).outputs.solution.aim_error < 0.002
    bpy.ops.ed.redo()
    rig = bpy.data.objects["Rig"]
    assert rig.animation_data.action.name == "Walk Baked"
    assert not rig.limber.chains[0].live


def test_a_bake_is_saved_with_the_file(rig, chain, reopen):
    walk(rig)
    wanted = live_motion(rig, [chain], range(5, 26))
    bpy.ops.limber.bake()
    reopen()
    rig = bpy.data.objects["Rig"]
    found = played(rig, [rig.limber.chains[0]], range(5, 26))
    assert (
        max(abs(a - b) for frame in wanted for a, b in zip(wanted[frame], found[frame], strict=True)) < 1e-6
    )
    assert bpy.data.actions["Walk"].users


def test_an_overridden_rig_bakes_to_an_action_of_this_file(tmp_path):
    rig, chain = looking_chain()
    rig.limber.chains.remove(0)
    collection = bpy.data.collections.new("Robot")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(rig)
    make_active(rig)
    path = str(tmp_path / "robot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.collections = ["Robot"]
    collection = bpy.data.collections["Robot"]
    bpy.context.scene.collection.children.link(collection)
    collection.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    rig = next(thing for thing in bpy.data.objects if thing.override_library and thing.type == "ARMATURE")
    rig, chain = looking_chain(rig, "head")
    keyed(chain.target, (1, 30))
    chain.frame_start, chain.frame_end = 5, 25
    motion = live_motion(rig, [chain], range(5, 26))
    bpy.ops.limber.bake()
    found = played(rig, [chain], range(5, 26))
    assert (
        max(abs(a - b) for frame in motion for a, b in zip(motion[frame], found[frame], strict=True)) < 1e-6
    )
    assert rig.animation_data.action.library is None
    assert len(curves(rig)) == 6
