"""Tests mechanisms with other movers: a chain's gaze that drives one, a robot that follows, files of robots
with loops.
"""

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.blender import at_hand
from tests.blender import mechanisms as those
from tests.blender.rigs import build, keyed, make_active, select, target
from tests.blender.robots import is_at, until
from tests.blender.shown import settle

ROBOTS = Path(__file__).resolve().parents[3] / "shared" / "data" / "example-parallel-robots"
MODELS = Path(__file__).resolve().parents[3] / "shared" / "mechanism" / "models"


def head_on_push_rods():
    """A neck on push rods whose head is the child of a bone of an armature with a chain that looks at a
    target; returns armature, chain, owner.
    """
    owner = those.add("neck", place=(0.0, 0.0, 0.0))
    kept = owner.limber.mechanism
    bpy.data.objects.remove(kept.goals[0].target)
    kept.goals.clear()
    rig = build({"neck": "YX", "head": "Z"}, mode="YXZ")
    rig.location = (0.0, 0.0, 0.2)
    bpy.context.view_layer.update()
    head = bpy.data.objects["Head"]
    held = head.matrix_world.copy()
    head.parent, head.parent_type, head.parent_bone = rig, "BONE", "neck"
    bpy.context.view_layer.update()
    head.matrix_world = held
    head.limber.part.role = "DRIVEN"
    select(rig, "neck")
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[0]
    chain.forward_axis, chain.up, chain.goal = "+Z", "+Y", "POINT"
    chain.target = target((0.2, -1.0, 0.35))
    for joint in chain.joints:
        joint.servo = -1
    return rig, chain, owner


def test_a_chains_gaze_drives_the_push_rods_and_the_motors_follow_in_the_same_frame():
    _rig, chain, owner = head_on_push_rods()
    bpy.ops.limber.live()
    make_active(owner)
    bpy.ops.limber.live()
    scene = bpy.context.scene
    chain.target.keyframe_insert("location", frame=1)
    chain.target.location = (-0.3, -1.0, 0.15)
    chain.target.keyframe_insert("location", frame=12)
    scene.frame_set(1)
    for frame in range(2, 13):
        scene.frame_set(frame)
        session = those.session(owner)
        assert session.problem == ""
        assert session.outputs.is_closed
        # The frame was played, so Blender now shows the pose that was the mechanism's goal in the same frame.
        solver, head = session.solver, bpy.data.objects["Head"]
        index = session.reading.mechanism.body_index["Head"]
        wanted = session.base @ solver.poses(session.state.desired)[index]
        assert np.abs(wanted - _rigid(those.world(head))).max() < 1e-4, frame
    assert np.abs(session.outputs.values).max() > 0.1


def _rigid(matrix: np.ndarray) -> np.ndarray:
    made = matrix.copy()
    made[:3, :3] /= np.linalg.norm(made[:3, :3], axis=0)
    return made


def test_a_bake_with_a_live_chain_drives_the_mechanism_as_live_does():
    rig, chain, owner = head_on_push_rods()
    chain.target.keyframe_insert("location", frame=1)
    chain.target.location = (-0.3, -1.0, 0.15)
    chain.target.keyframe_insert("location", frame=10)
    owner.limber.mechanism.frame_start, owner.limber.mechanism.frame_end = 1, 10
    scene = bpy.context.scene
    scene.frame_set(1)
    make_active(rig)
    bpy.ops.limber.live()
    make_active(owner)
    bpy.ops.limber.live()
    live = []
    for frame in range(1, 11):
        scene.frame_set(frame)
        live.append(those.session(owner).outputs.values)
    bpy.ops.limber.bake()
    for frame, values in enumerate(live, 1):
        scene.frame_set(frame)
        assert (
            np.abs(np.subtract([motor.value for motor in owner.limber.mechanism.motors], values)).max() < 1e-5
        ), frame


def test_the_robot_gets_the_motors_filtered_values():
    owner = those.add("neck", place=(0.0, 0.0, 0.0))
    owner.limber.device.port = "virtual"
    bpy.ops.limber.live()
    bpy.ops.limber.connect()
    from limber.rig.robot import links

    until(
        lambda: links.status(owner) is not None and links.status(owner).state.name == "DISARMED",
        "the robot is connected",
    )
    assert [joint.name for joint in links.link(owner).device.joints] == [
        "Pan Z",
        "Left Servo Z",
        "Right Servo Z",
    ]
    bpy.ops.limber.arm()
    until(lambda: links.status(owner).state.name == "ARMED", "the robot is armed")
    owner.limber.mechanism.goals[0].target.rotation_euler = (0.1, 0.0, 0.2)
    those.settle(owner)
    values = those.session(owner).outputs.values
    assert np.abs(values).max() > 0.05
    until(lambda: is_at(owner, values), "the servos are where the push rods want them")
    bpy.ops.limber.end_live()
    until(lambda: links.status(owner).state.name == "DISARMED", "the robot is disarmed, since live has ended")
    bpy.ops.limber.disconnect()


ROBOT_FILES = [
    (MODELS / "stewart", 6),
    (ROBOTS / "5bar_linkage_iso6d", 2),
    (ROBOTS / "disney_like", 6),
]


@pytest.mark.parametrize(
    ("folder", "motors"), ROBOT_FILES, ids=lambda value: value.name if isinstance(value, Path) else str(value)
)
def test_a_robot_with_loops_comes_in_with_its_closures(folder, motors):
    if not folder.exists():
        pytest.skip(f"no robot in {folder}")
    urdf = next(folder.rglob("*.urdf"))
    bpy.ops.limber.import_robot(filepath=str(urdf), with_meshes=False)
    rig = bpy.context.active_object
    bpy.ops.limber.import_closures(filepath=str(next(folder.rglob("*.yaml"))))
    assert len(rig.limber.mechanism.motors) == motors
    those.with_idle_goal(rig)
    bpy.ops.limber.live()
    session = those.session(rig)
    assert session.problem == ""
    assert session.outputs.report.residual < 1e-8
    shown = rig.evaluated_get(those.update()).pose.bones
    poses = session.solver.poses(session.state.shown)
    for k, part in enumerate(session.reading.parts):
        where = np.array(rig.matrix_world @ shown[part.bone].matrix) @ part.offset
        assert np.abs(where[:3, 3] - (session.base @ poses[k])[:3, 3]).max() < 1e-5, part.name
    bpy.ops.limber.end_live()


def test_closures_that_name_what_the_robot_lacks_say_so(tmp_path):
    folder = MODELS / "stewart"
    if not folder.exists():
        pytest.skip(f"no robot in {folder}")
    bpy.ops.limber.import_robot(filepath=str(next(folder.rglob("*.urdf"))), with_meshes=False)
    file = tmp_path / "closures.yaml"
    file.write_text("closed_loop: [[nobody, nothing]]\ntype: [6d]\n")
    with pytest.raises(RuntimeError, match="'nobody' is neither a link nor a joint"):
        bpy.ops.limber.import_closures(filepath=str(file))
    assert not bpy.context.active_object.limber.mechanism.uid


@pytest.mark.every_blender
@pytest.mark.parametrize("is_live", [True, False])
def test_motors_of_a_mechanism_are_exported_as_they_play(is_live, tmp_path):
    owner = those.add("neck")
    kept, scene = owner.limber.mechanism, bpy.context.scene
    moved = kept.goals[0].target
    keyed(moved, (1, 12), "rotation_euler", (0.15, 0.1, 0.4))
    kept.frame_start, kept.frame_end = 1, 20
    scene.frame_set(1)
    bpy.ops.limber.live()
    played = []
    for frame in range(1, 21):
        scene.frame_set(frame)
        played.append(those.session(owner).outputs.values)
    if not is_live:
        bpy.ops.limber.bake()
        assert not kept.live
    path = tmp_path / "motion.json"
    assert bpy.ops.limber.export_motion(filepath=str(path), format="json", rate=24) == {"FINISHED"}
    document = json.loads(path.read_text())
    assert [joint["name"] for joint in document["joints"]] == [motor.bone for motor in kept.motors]
    values, told = np.array(document["values"]), np.array(played)
    # the first row is at rest, one frame earlier; at the scene's rate the file has the very frames
    assert values[1:20] == pytest.approx(told[:19], abs=1e-5)


def motors_after(owner, *first) -> list[float]:
    """Values of the motors when movers with these settings go live in this order."""
    for settings in first:
        at_hand.live(settings)
    settle()
    return list(those.session(owner).outputs.values)


def test_what_motors_say_does_not_depend_on_what_went_live_first(reopen):
    _, chain, owner = head_on_push_rods()
    chain.target.location = (-0.3, -1.0, 0.15)
    mechanism = owner.limber.mechanism
    values = motors_after(owner, mechanism, chain)
    assert np.abs(values).max() > 0.1
    for settings in (chain, mechanism):
        at_hand.end_live(settings)
    assert motors_after(owner, chain, mechanism) == pytest.approx(values, abs=1e-5)
    name = owner.name
    reopen()
    settle()
    assert list(those.session(bpy.data.objects[name]).outputs.values) == pytest.approx(values, abs=1e-5)
