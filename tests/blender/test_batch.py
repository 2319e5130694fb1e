"""Tests baking whole files without a user: the same keyframes as by the button, and an unchanged source."""

import json
import subprocess
from pathlib import Path

import bpy
import pytest
from limber.batch import bake_command
from limber.rig.blender.errors import RigError
from limber.rig.output.bake_scene import bake_scene

from tests.blender import batch_commands
from tests.blender.baking import apart, curves, drop_keys, moving_chain, played
from tests.blender.rigs import UPRIGHT, build, looking_chain


@pytest.fixture
def chain():
    return moving_chain()


def command(*arguments) -> subprocess.CompletedProcess:
    # without its name, with which the program runs it all the same
    return batch_commands.run(bake_command, batch_commands.PROGRAM, *arguments)


def test_a_scene_is_baked_as_the_button_bakes_it(rig, chain):
    bpy.ops.limber.bake()
    wanted = played(rig, [chain], range(5, 26))
    drop_keys(rig)
    baked = bake_scene(bpy.context.scene)
    assert baked.frames == 21
    assert baked.actions == [rig.animation_data.action.name]
    assert apart(wanted, played(rig, [chain], range(5, 26))) == 0


def test_a_chain_that_follows_another_target_than_its_own_is_baked(rig, chain):
    chain.targets.add().target, chain.target, chain.watch = chain.target, None, 1
    assert len(bake_scene(bpy.context.scene).actions) == 1


def test_all_armatures_of_a_scene_are_baked_over_the_frames_asked_for(rig, chain):
    other, _ = looking_chain(build(UPRIGHT, name="Other"), at=chain.target)
    baked = bake_scene(bpy.context.scene, (3, 4))
    assert len(baked.actions) == 2
    assert tuple(other.animation_data.action.frame_range) == (3, 4)


def test_only_what_is_live_is_baked_where_that_is_asked_for(rig, chain):
    assert bake_scene(bpy.context.scene, only_live=True).actions == []
    bpy.ops.limber.live()
    assert len(bake_scene(bpy.context.scene, only_live=True).actions) == 1


@pytest.mark.every_blender
def test_frames_without_a_goal_are_remarked_with_the_first_of_them(rig, chain):
    chain.target.animation_data_clear()
    chain.target.location = (0.4, -0.4, 0.5)
    chain.target.keyframe_insert("location", frame=7)
    chain.target.location = (float("nan"), 0, 0)
    chain.target.keyframe_insert("location", frame=8)
    for curve in curves(chain.target):
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT"
    (remark,) = bake_scene(bpy.context.scene, (6, 9)).remarks
    assert "In 2 frames, from 8, a goal could not be followed" in remark


@pytest.mark.every_blender
def test_another_folder_gets_the_same_tree(tmp_path):
    source, out = tmp_path / "source", tmp_path / "out"
    names = ["day/walk.blend", "run.blend", "walk.blend"]
    for name in names:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).touch()
    batch = bake_command._batch(bake_command._arguments().parse_args([str(source), "--to", str(out)]))
    assert [task.output.relative_to(out).as_posix() for task in batch.tasks] == names


@pytest.mark.every_blender
def test_a_linked_armature_is_refused_with_the_remedy(rig, chain, tmp_path):
    library = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(library), link=True) as (_, into):
        into.objects = ["Rig", "Target"]
    for thing in into.objects:
        bpy.context.scene.collection.objects.link(thing)
    with pytest.raises(RigError, match=r"'Rig' is linked from .*library override"):
        bake_scene(bpy.context.scene)


@pytest.mark.every_blender
def test_the_command_bakes_files_and_names_those_that_fail(rig, chain, tmp_path):
    walk = tmp_path / "walk.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(walk))
    before = walk.read_bytes()
    chain.frame_end = 1  # before the first frame
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "wrong.blend"), copy=True)
    (tmp_path / "broken.blend").write_text("no .blend file")
    chain.target = None
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "still.blend"), copy=True)
    done = command(tmp_path, "--report", tmp_path / "report.json", "--workers", 1)
    assert done.returncode == 1, done.stderr
    came = {Path(each["source"]).stem: each for each in json.loads((tmp_path / "report.json").read_text())}
    assert {name: each["state"] for name, each in came.items()} == {
        "walk": "baked",
        "wrong": "failed",
        "broken": "failed",
        "still": "nothing to bake",
    }
    assert "before it starts at 5: exchange the two" in came["wrong"]["reason"]
    assert "cannot open it" in came["broken"]["reason"]
    assert "failed: " in done.stderr
    assert walk.read_bytes() == before
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "walk_baked.blend"))
    assert bpy.data.objects["Rig"].animation_data.action.name == "Rig Baked"
    assert "1 baked, 1 nothing to bake, 2 failed" in done.stdout
    again = command(tmp_path / "walk.blend", "--workers", 1)
    assert (again.returncode, "1 baked already" in again.stdout) == (0, True)


@pytest.mark.every_blender
def test_a_command_that_cannot_begin_says_why(tmp_path):
    done = command(tmp_path / "nowhere.blend")
    assert done.returncode == 2
    assert "There is no file" in done.stderr
