"""Tests the influence of the gaze: from the pure animation to the full aim, with keyframes, live, baked and
rendered alike.
"""

import bpy
import numpy as np
import pytest
from limber.rig.live import live

from tests.blender.baking import apart, begin, live_motion, played
from tests.blender.drawing import drawn
from tests.blender.posing import LEAN, pose
from tests.blender.rigs import keyed, looking_chain
from tests.blender.shown import (  # noqa: F401
    as_good_as_unfiltered,
    choose,
    depsgraph,
    go_live,
    missed,
    no_handler_raises,
    session,
    settle,
)

pytestmark = pytest.mark.every_blender

FRAMES = range(1, 25)


@pytest.fixture
def leaning():
    """A leaning rig, and its chain with a target."""
    rig, chain = looking_chain()
    pose(rig, LEAN)
    return rig, chain


def authored(rig, chain) -> list[float]:
    return [
        rig.pose.bones[bone].rotation_euler["XYZ".index(axis)]
        for bone, axis in session(rig, chain).reader.joint_keys
    ]


def key_influence(chain, *keys: tuple[int, float]) -> None:
    for frame, value in keys:
        chain.influence = value
        chain.keyframe_insert("influence", frame=frame)


def test_without_influence_the_chain_is_as_posed_and_with_all_of_it_on_its_target(leaning):
    rig, chain = leaning
    go_live(rig, chain)
    assert missed(rig, chain) < 0.1
    choose(chain, influence=0.0)
    settle()
    assert session(rig, chain).outputs.angles == pytest.approx(authored(rig, chain), abs=1e-6)
    assert missed(rig, chain) > 10
    choose(chain, influence=1.0)
    settle()
    assert missed(rig, chain) < 0.1


def test_half_of_the_influence_is_each_joint_half_way(leaning):
    rig, chain = leaning
    choose(chain, influence=0.5)
    now = go_live(rig, chain)
    half = (np.array(authored(rig, chain)) + now.outputs.solution.angles) / 2
    assert now.outputs.angles == pytest.approx(half, abs=1e-6)


def test_without_influence_joints_still_keep_their_limits(leaning):
    rig, chain = leaning
    for joint in chain.joints:
        if (joint.bone, joint.axis) == ("middle", "X"):
            joint.lower = -0.5  # its posed angle is -0.7
    choose(chain, influence=0.0)
    now = go_live(rig, chain)
    assert now.outputs.angles[now.reader.joint_keys.index(("middle", "X"))] == pytest.approx(-0.5)


def test_keyed_influence_fades_without_a_pop(leaning):
    rig, chain = leaning
    as_good_as_unfiltered(chain)
    key_influence(chain, (1, 0.0), (24, 1.0))
    motion = np.array(list(live_motion(rig, [chain], FRAMES).values()))
    whole = np.abs(motion[-1] - motion[0]).max()
    assert whole > 0.3
    assert np.abs(np.diff(motion, axis=0)).max() < 3 * whole / len(FRAMES)
    assert motion[0] == pytest.approx(authored(rig, chain), abs=1e-6)
    assert missed(rig, chain) < 0.1


def test_keyed_influence_is_baked_as_live_shows_it(leaning):
    rig, chain = leaning
    keyed(chain.target, (1, 24))
    key_influence(chain, (3, 0.0), (12, 1.0), (20, 0.3))
    chain.frame_start, chain.frame_end = FRAMES[0], FRAMES[-1]
    motion = live_motion(rig, [chain], FRAMES)
    work = begin(chain)
    while work.step():
        pass
    work.finish()
    assert apart(motion, played(rig, [chain], FRAMES)) < 1e-6


def test_a_render_follows_the_keys_of_its_own_frames(leaning, tmp_path):
    rig, chain = leaning
    scene = bpy.context.scene
    stored = bpy.ops.limber.store_posture
    stored(name="Lean")
    pose(rig, dict.fromkeys(LEAN, (0, 0, 0)))
    stored(name="Straight")
    chain.base = "POSTURE"
    key_influence(chain, (1, 0.0), (24, 1.0))
    for frame, number, keep in ((1, 0, 1.0), (5, 1, 0.0)):
        chain.shown_posture, chain.keep = number, keep
        chain.keyframe_insert("posture", frame=frame)
        chain.keyframe_insert("keep", frame=frame)
    motion = live_motion(rig, [chain], FRAMES)
    scene.frame_set(1)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    scene.camera, scene.frame_start, scene.frame_end = camera, 1, 8
    scene.render.engine, scene.cycles.samples = "CYCLES", 1
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.render.filepath = str(tmp_path) + "/"
    seen = {}

    def note(scene, depsgraph):
        if depsgraph.mode == "RENDER":
            seen[scene.frame_current] = live.current().rendering.session(rig, chain).outputs.angles.tolist()

    bpy.app.handlers.frame_change_post.append(note)
    bpy.ops.render.render(animation=True)
    bpy.app.handlers.frame_change_post.remove(note)
    assert apart({frame: seen[frame] for frame in range(1, 9)}, motion) < 1e-9


def test_the_clock_follows_the_influence_that_is_dragged(leaning):
    rig, chain = leaning
    go_live(rig, chain)
    choose(chain, influence=0.2)
    bpy.context.view_layer.update()
    assert live.scene_updated(bpy.context.scene, depsgraph())


def test_undo_and_the_file_keep_the_influence(leaning, reopen):
    _, chain = leaning
    bpy.ops.ed.undo_push(message="before")
    chain.influence = 0.25
    bpy.ops.ed.undo_push(message="influence")
    bpy.ops.ed.undo()
    assert bpy.data.objects["Rig"].limber.chains[0].influence == 1.0
    bpy.ops.ed.redo()
    reopen()
    assert bpy.data.objects["Rig"].limber.chains[0].influence == 0.25


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "Influence is 0, so the chain moves as posed"), (0.3, "Influence is 0.30"), (1.0, "")],
)
def test_an_influence_below_one_is_named_beside_the_error_that_it_leaves(leaning, value, said):
    from limber.panels.live.live import LIMBER_PT_live

    rig, chain = leaning
    choose(chain, influence=value)
    go_live(rig, chain)
    lines = drawn(LIMBER_PT_live).said
    assert said in lines
    assert ("Influence is" in lines) == bool(said)
