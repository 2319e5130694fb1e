"""Tests targets by one click: the scene's camera, and the mouse pointer over a 3D view."""

from math import pi
from types import SimpleNamespace

import bpy
import pytest
from bpy_extras.view3d_utils import location_3d_to_region_2d
from limber.rig.blender.transforms import CHANNELS
from mathutils import Matrix, Vector

from tests.blender.characters import character
from tests.blender.rigs import looking_chain, target
from tests.blender.shown import go_live, missed, no_handler_raises, settle  # noqa: F401

SIZE = Matrix.Diagonal((1 / 3, 1 / 2, -0.01, 1))  # projection of an orthographic view, 6 m wide and 4 m high


def camera(place=(0.4, -0.9, 0.5)):
    """The scene's camera."""
    scene = bpy.context.scene
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)
    scene.camera.location = place
    bpy.context.view_layer.update()
    return scene.camera


class Mouse:
    """The operator's own code, with events as a window sends them over its 3D view; its reports are
    recorded.
    """

    def __init__(self) -> None:
        from limber.operators.authoring.look_at import LIMBER_OT_move_with_mouse

        self.reports: list[str] = []
        self.report = lambda _kind, sentence: self.reports.append(sentence)
        for name in ("invoke", "_begin", "_leave", "_end", "modal", "cancel"):
            setattr(self, name, getattr(LIMBER_OT_move_with_mouse, name).__get__(self))
        self.area = next(area for area in bpy.context.screen.areas if area.type == "VIEW_3D")
        self.region = next(region for region in self.area.regions if region.type == "WINDOW")
        self.view = self.area.spaces.active.region_3d
        self._begin(bpy.context)

    def send(self, kind: str, x: int = 0, y: int = 0, shift: bool = False):
        event = SimpleNamespace(type=kind, value="PRESS", mouse_x=x, mouse_y=y, shift=shift)
        with bpy.context.temp_override(area=self.area):
            return self.modal(bpy.context, event)

    def move(self, x: float, y: float):
        """Moves the pointer to a position of the view, each coordinate from 0 to 1."""
        region = self.region
        done = self.send("MOUSEMOVE", region.x + int(x * region.width), region.y + int(y * region.height))
        bpy.context.view_layer.update()
        return done

    def seen(self, thing) -> tuple[float, float]:
        """Position of an object in the view, each coordinate from 0 to 1."""
        pixels = location_3d_to_region_2d(self.region, self.view, thing.matrix_world.translation)
        return pixels[0] / self.region.width, pixels[1] / self.region.height

    def depth(self, thing) -> float:
        return -(self.view.view_matrix @ thing.matrix_world.translation).z


def test_one_click_looks_into_the_camera():
    rig, chain = looking_chain()
    at = camera()
    go_live(rig, chain)
    bpy.ops.limber.look_into_camera()
    settle()
    assert chain.target == at
    assert missed(rig, chain) < 0.1


@pytest.mark.parametrize("goal", ["POINT", "DIRECTION", "ORIENTATION", "POSITION", "FRAME", "AIM"])
def test_a_new_target_is_where_the_end_looks_or_reaches_so_that_nothing_moves_when_live_begins(goal: str):
    rig, chain = looking_chain()
    chain.goal, chain.target, chain.eye = goal, None, 0.25
    rig.pose.bones["lower"].rotation_euler.x, rig.pose.bones["base"].rotation_euler.y = 0.4, 0.7
    rig.matrix_world = Matrix.Translation((1, 2, 0)) @ Matrix.Rotation(0.5, 4, "Z") @ Matrix.Scale(2, 4)
    bpy.context.view_layer.update()
    assert bpy.ops.limber.make_target() == {"FINISHED"}
    assert chain.target.name == "Rig Gaze"
    before = [tip.copy() for bone in rig.pose.bones for tip in (bone.head, bone.tail)]
    go_live(rig, chain)
    settle()
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    now = [tip for bone in shown for tip in (bone.head, bone.tail)]
    assert max((tip - was).length for tip, was in zip(now, before, strict=True)) < 1e-4
    eye = rig.matrix_world @ rig.pose.bones["head"].matrix @ Vector((0, 0.025, 0))
    away = (chain.target.matrix_world.translation - eye).length
    assert away == pytest.approx(0 if goal in {"POSITION", "FRAME", "AIM"} else 2.0, abs=1e-4), (
        "ten lengths of the bone, as it is scaled"
    )


def test_a_new_target_is_for_all_chains_that_had_the_same():
    rig = character()
    bpy.ops.limber.eyes_head_torso()
    rig.limber.chains[0].target = other = target(name="Other")
    bpy.ops.limber.make_target()
    torso, *others = rig.limber.chains
    assert torso.target == other
    assert {chain.target.name for chain in others} == {"Character Gaze.001"}
    rig.limber.chains["Head"].end = "gone"
    with pytest.raises(RuntimeError, match="Bone 'gone' is missing"):
        bpy.ops.limber.make_target()


def test_chains_that_looked_at_the_same_thing_go_along_and_others_do_not():
    rig = character()
    bpy.ops.limber.eyes_head_torso()
    torso, head, left, right = rig.limber.chains
    torso.target = target(name="Other")
    at = camera()
    bpy.ops.limber.look_into_camera()
    assert [chain.target == at for chain in (torso, head, left, right)] == [False, True, True, True]


@pytest.mark.every_blender
def test_of_several_targets_the_one_that_is_watched_becomes_the_camera():
    _, chain = looking_chain()
    first = chain.target
    bpy.ops.limber.add_target()
    chain.watch = 1
    at = camera()
    bpy.ops.limber.look_into_camera()
    assert (chain.target, chain.targets[0].target) == (first, at)


@pytest.mark.every_blender
def test_without_a_camera_the_button_says_how_to_have_one_and_with_it_that_it_is_done():
    looking_chain()
    with pytest.raises(RuntimeError, match="has no camera: add one"):
        bpy.ops.limber.look_into_camera()
    camera()
    bpy.ops.limber.look_into_camera()
    with pytest.raises(RuntimeError, match="looks at the scene's camera already"):
        bpy.ops.limber.look_into_camera()


def test_the_target_is_under_the_mouse_as_far_away_as_it_was():
    _, chain = looking_chain()
    mouse = Mouse()
    before = mouse.depth(chain.target)
    for place in ((0.3, 0.6), (0.8, 0.2), (0.55, 0.5)):
        assert mouse.move(*place) == {"RUNNING_MODAL"}
        assert mouse.seen(chain.target) == pytest.approx(place, abs=2e-3)
        assert mouse.depth(chain.target) == pytest.approx(before, rel=1e-4)


def view_from(matrix: Matrix) -> SimpleNamespace:
    """An orthographic view with a view matrix."""
    return SimpleNamespace(
        is_perspective=False, view_perspective="ORTHO", view_matrix=matrix, perspective_matrix=SIZE @ matrix
    )


def test_of_four_views_the_one_under_the_mouse_counts_and_orthographic_ones_have_nothing_behind_them():
    from limber.rig.authoring import targets

    top, front = view_from(Matrix()), view_from(Matrix.Rotation(-pi / 2, 4, "X"))
    regions = [SimpleNamespace(type="HEADER", x=0, y=0, width=9, height=9)]
    regions += [SimpleNamespace(type="WINDOW", x=x, y=0, width=600, height=400) for x in (0, 600)]
    area = SimpleNamespace(
        regions=regions, spaces=SimpleNamespace(active=SimpleNamespace(region_quadviews=[top, front]))
    )
    place = Vector((0.5, 0.7, 900.0))
    assert tuple(targets.under_mouse(area, 400, 300, place)) == pytest.approx((1, 1, 900), abs=1e-3)
    assert tuple(targets.under_mouse(area, 1000, 300, place)) == pytest.approx((1, 0.7, 1), abs=1e-3)
    assert targets.under_mouse(area, 1300, 300, place) is None


def test_a_live_chain_follows_the_mouse_and_a_click_leaves_the_target_there():
    rig, chain = looking_chain()
    go_live(rig, chain)
    mouse = Mouse()
    mouse.move(0.6, 0.45)
    settle()
    there = chain.target.location.copy()
    assert missed(rig, chain) < 0.1
    assert mouse.send("LEFTMOUSE") == {"FINISHED"}
    assert chain.target.location == there
    assert mouse.reports == []


@pytest.mark.parametrize("key", ["ESC", "RIGHTMOUSE"])
def test_escape_puts_the_target_back_to_the_last_bit(key: str):
    _, chain = looking_chain()
    chain.target.rotation_euler = (0.3, -2.0, 4.0)
    chain.target.scale = (-1, 2, 0.5)
    before = chain.target.matrix_basis.copy()
    mouse = Mouse()
    mouse.move(0.3, 0.6)
    assert chain.target.matrix_basis != before
    assert mouse.send(key) == {"CANCELLED"}
    assert chain.target.matrix_basis == before


@pytest.mark.every_blender
def test_the_stop_key_stops_robots_here_too(monkeypatch):
    from limber.rig.robot import links

    looking_chain()
    stopped = []
    monkeypatch.setattr(links, "stop_all", lambda: stopped.append(True))
    mouse = Mouse()
    assert mouse.send("ESC", shift=True) == {"CANCELLED"}
    assert stopped == [True]


def test_the_view_can_be_turned_and_the_scene_played_meanwhile_and_other_keys_do_nothing():
    looking_chain()
    mouse = Mouse()
    for kind in ("MIDDLEMOUSE", "WHEELUPMOUSE", "NUMPAD_1", "SPACE", "TIMER0"):
        assert mouse.send(kind) == {"PASS_THROUGH"}, kind
    for kind in "GZX":
        assert mouse.send(kind) == {"RUNNING_MODAL"}, kind


@pytest.mark.every_blender
def test_outside_of_the_view_and_behind_it_nothing_moves():
    _, chain = looking_chain()
    mouse = Mouse()
    before = chain.target.location.copy()
    mouse.move(1.5, 0.5)
    assert chain.target.location == before
    mouse.location = mouse.view.view_matrix.inverted() @ Vector((0, 0, 1))
    mouse.move(0.5, 0.5)
    assert chain.target.location == before


@pytest.mark.every_blender
def test_a_target_on_a_turned_parent_and_with_a_locked_axis_goes_where_it_can():
    _, chain = looking_chain()
    parent = target((1, 2, 3), "Parent")
    parent.rotation_euler, parent.scale = (0.4, 1.0, -0.7), (2, 2, 2)
    chain.target.parent = parent
    bpy.context.view_layer.update()
    bpy.ops.limber.move_with_mouse(location=(0.1, 0.2, 0.3))
    bpy.context.view_layer.update()
    assert tuple(chain.target.matrix_world.translation) == pytest.approx((0.1, 0.2, 0.3), abs=1e-5)
    chain.target.lock_location[1] = True
    held = chain.target.location.y
    bpy.ops.limber.move_with_mouse(location=(0.5, 0.5, 0.5))
    assert chain.target.location.y == held


@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION", "AXIS_ANGLE"])
def test_a_target_that_constraints_turn_goes_there_and_stays_turned_as_it_was(mode: str):
    rig, chain = looking_chain()
    tracker = camera()
    tracker.constraints.new("DAMPED_TRACK").target = rig
    tracker.delta_location = (1.0, 0.0, 0.0)
    tracker.rotation_mode = mode
    tracker.rotation_euler, tracker.rotation_quaternion = (0.1, 0.2, 0.3), (0.6, 0.8, 0.0, 0.0)
    tracker.rotation_axis_angle = (0.5, 0.0, 1.0, 0.0)
    chain.target = tracker
    bpy.context.view_layer.update()
    kept = [tuple(getattr(tracker, name)) for name in CHANNELS[1:]]
    for _ in range(3):
        bpy.ops.limber.move_with_mouse(location=(1.0, -5.0, 2.0))
        bpy.context.view_layer.update()
        assert tuple(tracker.matrix_world.translation) == pytest.approx((1.0, -5.0, 2.0), abs=1e-5)
    assert kept == [tuple(getattr(tracker, name)) for name in CHANNELS[1:]]


def test_a_target_that_was_nowhere_comes_back():
    _, chain = looking_chain()
    chain.target.location = (float("nan"), 1e38, 0.0)
    bpy.context.view_layer.update()
    bpy.ops.limber.move_with_mouse(location=(0.1, 0.2, 0.3))
    bpy.context.view_layer.update()
    assert tuple(chain.target.matrix_world.translation) == pytest.approx((0.1, 0.2, 0.3), abs=1e-5)


@pytest.mark.every_blender
def test_with_auto_keying_the_place_is_keyed_and_without_a_moving_target_is_warned_of():
    _, chain = looking_chain()
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    mouse = Mouse()
    mouse.move(0.3, 0.6)
    mouse.send("RET")
    assert chain.target.animation_data.action
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = False
    mouse = Mouse()
    mouse.send("LEFTMOUSE")
    assert "is animated and moves on at the next frame" in mouse.reports[0]


@pytest.mark.every_blender
def test_a_target_that_is_deleted_meanwhile_ends_it():
    _, chain = looking_chain()
    mouse = Mouse()
    bpy.data.objects.remove(chain.target)
    assert mouse.send("MOUSEMOVE") == {"CANCELLED"}
    assert "Target 'Target' is gone" in mouse.reports[0]


@pytest.mark.every_blender
def test_without_a_target_or_a_view_it_says_why():
    _, chain = looking_chain()
    mouse = Mouse()
    with bpy.context.temp_override(
        area=next(area for area in bpy.context.screen.areas if area.type == "PROPERTIES")
    ):
        assert mouse.invoke(bpy.context, None) == {"CANCELLED"}
    assert "over a 3D view: press the button in the view's sidebar" in mouse.reports[0]
    chain.target = None
    with pytest.raises(RuntimeError, match="has no target"):
        bpy.ops.limber.move_with_mouse()
