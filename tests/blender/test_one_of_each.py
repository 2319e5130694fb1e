"""Tests that the same operators work for every kind of mover: a chain, a body that follows a motion, a
mechanism.
"""

import bpy
import numpy as np
import pytest
from limber.rig.blender.errors import RigError
from limber.rig.live import live
from limber.rig.live.mover import Mover
from limber.rig.live.movers import mover_of, movers_of
from limber.rig.output import record, take_copies
from limber.rig.output.motion_check.check import result
from limber.rig.robot import links

from tests.blender import at_hand, mechanisms, robots
from tests.blender.drawing import drawn
from tests.blender.figures import XSENS, called
from tests.blender.following import follower
from tests.blender.rigs import keyed, looking_chain, make_active, target


def chain() -> Mover:
    """A chain whose target moves."""
    settings = looking_chain()[1]
    keyed(settings.target, (1, 30))
    return mover_of(settings.id_data, settings)


def body() -> Mover:
    """A body whose source walks."""
    rig, _ = follower()
    return mover_of(rig, rig.limber.retarget)


def mechanism() -> Mover:
    """A neck on push rods whose target rotates."""
    owner = mechanisms.add("neck")
    kept = owner.limber.mechanism
    keyed(kept.goals[0].target, (1, 30), "rotation_euler", (0.3, 0.2, 0.2))
    return mover_of(owner, kept)


@pytest.fixture(params=[chain, body, mechanism], ids=lambda make: make.__name__)
def mover(request) -> Mover:
    made = request.param()
    make_active(made.owner)
    bpy.context.scene.frame_set(1)
    return made


def shown(frames: range) -> list[np.ndarray]:
    """World matrices of everything visible in each frame: of objects with a mesh, and of bones."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        things = [
            thing.evaluated_get(depsgraph)
            for thing in sorted(bpy.context.scene.objects, key=lambda thing: thing.name)
        ]
        matrices = [thing.matrix_world for thing in things if thing.type == "MESH"]
        matrices += [
            thing.matrix_world @ bone.matrix
            for thing in things
            if thing.type == "ARMATURE"
            for bone in thing.pose.bones
        ]
        found.append(np.array(matrices))
    return found


def apart(one: list[np.ndarray], other: list[np.ndarray]) -> float:
    """The largest difference between the entries of these matrices."""
    return float(np.abs(np.array(one) - np.array(other)).max())


def test_all_go_live_and_leave_by_the_same_buttons(mover):
    with pytest.raises(RuntimeError, match=f"{mover.label} is not live: press Start Live"):
        bpy.ops.limber.end_live()
    assert bpy.ops.limber.live() == {"FINISHED"}
    assert mover.is_live
    assert live.session(*mover).outputs is not None
    with pytest.raises(RuntimeError, match=f"{mover.label} is live already: press End Live"):
        bpy.ops.limber.live()
    assert bpy.ops.limber.end_live() == {"FINISHED"}
    assert live.live_movers() == []


def test_a_recording_plays_as_live_showed_it_and_its_copy_is_restored_after_a_crash(
    mover, tmp_path, monkeypatch
):
    monkeypatch.setattr(take_copies, "folder", lambda: tmp_path)
    monkeypatch.setattr(take_copies, "is_wanted", lambda: True)
    monkeypatch.setattr(take_copies, "EVERY", 0.0)
    with pytest.raises(RuntimeError, match=f"Nothing of '{mover.owner.name}' is live: press Start Live"):
        bpy.ops.limber.record_live()
    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    played = shown(range(2, 15))
    (copy,) = tmp_path.glob("*.jsonl")
    assert [take.frames for take in take_copies.read(copy)] == [list(range(2, 14))], (
        "the last frame waits for the next"
    )
    restored = record.restore(mover.owner, copy)
    assert not mover.is_live
    assert apart(shown(range(2, 14)), played[:-1]) < 5e-5
    for action in restored.actions:
        bpy.data.actions.remove(action)
    assert bpy.ops.limber.keep_takes() == {"FINISHED"}
    assert not list(tmp_path.iterdir())
    assert apart(shown(range(2, 15)), played) < 5e-5
    assert apart(shown(range(2, 3)), shown(range(14, 15))) > 1e-3, "it moves"


def test_motion_check_finds_joints_at_their_limits_and_goals_that_are_lost(mover, tmp_path):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 20
    with pytest.raises(RuntimeError, match="was not checked yet: press Check Motion"):
        bpy.ops.limber.mark_findings()
    before = shown(range(1, 2))
    keep_still(mover)
    assert bpy.ops.limber.check_motion() == {"FINISHED"}
    found = result(mover.owner)
    (take,) = found.takes
    assert take.chain == mover.name
    assert len(take.frames) == 20
    assert {joint.name for joint in take.joints} >= {
        finding.joint for finding in found.findings if finding.kind == "LIMIT"
    }
    assert {"LIMIT", "LOST"} <= {finding.kind for finding in found.findings}
    assert bpy.ops.limber.save_motion_picture(filepath=str(tmp_path / "plot.svg")) == {"FINISHED"}
    assert bpy.ops.limber.mark_findings() == {"FINISHED"}
    assert not mover.is_live
    assert apart(shown(range(1, 2)), before) < 1e-6


def keep_still(mover: Mover) -> None:
    """Gives every joint limits that it exceeds while it follows."""
    for joint in mover.joints():
        joint.lower, joint.upper = -0.01, 0.01
    for bone in mover.owner.pose.bones if not mover.joints() else ():
        limits = bone.constraints.new("LIMIT_ROTATION")
        limits.owner_space = "LOCAL"
        for axis in "xyz":
            setattr(limits, f"use_limit_{axis}", True)
            setattr(limits, f"min_{axis}", -0.01)
            setattr(limits, f"max_{axis}", 0.01)


def test_motion_check_says_which_bodies_no_go_zones_cannot_be_measured_against(capfd):
    owner = mechanism().owner
    bpy.context.scene.frame_end = 3
    owner.limber.zones.add().zone = mechanisms.box("Table", (9.0, 0.0, 0.0))
    bpy.ops.limber.check_motion()
    assert (
        f"those bodies of Mechanism '{owner.name}' that are objects were not looked at"
        in capfd.readouterr().out
    )


def test_a_body_is_kept_out_of_no_go_zones():
    rig = body().owner
    bpy.context.scene.frame_end = 3
    zone = bpy.data.objects.new("Everywhere", None)
    zone.empty_display_type, zone.empty_display_size = "SPHERE", 50.0
    bpy.context.scene.collection.objects.link(zone)
    rig.limber.zones.add().zone = zone
    make_active(rig)
    bpy.ops.limber.check_motion()
    assert {finding.joint for finding in result(rig).findings if finding.kind == "ZONE"} > {
        called(XSENS, "left hand"),
        called(XSENS, "head"),
    }


def test_a_button_is_about_the_mover_that_its_panel_draws_and_all_begin_together():
    rig, _ = follower()
    looking_chain(rig, called(XSENS, "neck"), called(XSENS, "head"), at=target((0.5, -3.0, 1.2)))
    at_hand.live(rig.limber.retarget)
    assert [mover.is_live for mover in movers_of(rig)] == [True, False], "the body alone"
    assert bpy.ops.limber.live_all() == {"FINISHED"}
    assert [mover.is_live for mover in movers_of(rig)] == [True, True]
    with pytest.raises(RuntimeError, match="All is live already: press End All"):
        bpy.ops.limber.live_all()
    bpy.ops.limber.end_live_all()
    assert live.live_movers() == []


@pytest.mark.parametrize("make", [chain, mechanism], ids=["chain", "mechanism"])
def test_a_park_pose_is_what_joints_and_motors_are_when_it_is_stored_and_the_robot_goes_there(make):
    mover = make()
    make_active(mover.owner)
    for servo, joint in enumerate(mover.joints()):
        joint.servo = servo
    values = {key: 0.1 + 0.02 * k for k, key in enumerate(mover.joint_keys)}
    assert mover.pose(values)
    assert bpy.ops.limber.store_park_pose() == {"FINISHED"}
    assert mover.in_posture(mover.owner.limber.device.park) == pytest.approx(values, abs=1e-6)
    mover.pose(dict.fromkeys(values, 0.0))
    robots.connect(mover.owner)
    assert links.park_values(mover.owner) == pytest.approx(list(values.values()), abs=1e-6)
    bpy.ops.limber.park()
    robots.until(lambda: robots.state(mover.owner) == "PARKING", "it parks")
    links.disconnect_all()


def test_solvers_are_compared_for_chains_and_the_button_says_why_for_others(mover):
    with at_hand.about(mover.settings):
        if mover.is_on_rig and mover.joints():
            assert bpy.ops.limber.compare_solvers() == {"FINISHED"}
        else:
            with pytest.raises(RuntimeError, match=f"{mover.label} has one solver: Compare is for chains"):
                bpy.ops.limber.compare_solvers()


def test_takes_are_kept_of_what_was_not_deleted_meanwhile():
    made = mechanism()
    make_active(made.owner)
    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    shown(range(2, 10))
    deleted = next(
        channel.owner for channel in record.takes(made.owner)[0].rows[0] if channel.owner != made.owner
    )
    bpy.data.objects.remove(deleted)
    assert bpy.ops.limber.keep_takes() == {"FINISHED"}
    assert not record.is_going(made.owner)


def test_one_that_cannot_begin_does_not_keep_the_others_from_going_live(monkeypatch):
    rig, _ = follower()
    looking_chain(rig, called(XSENS, "neck"), called(XSENS, "head"), at=target((0.5, -3.0, 1.2)))
    start = live.start

    def only_chains(owner, settings):
        if settings == rig.limber.retarget:
            raise RigError("It cannot begin")
        return start(owner, settings)

    monkeypatch.setattr(live, "start", only_chains)
    assert bpy.ops.limber.live_all() == {"FINISHED"}
    assert [mover.is_live for mover in movers_of(rig)] == [False, True]


def _panel(mover):
    from limber.panels.authoring.retarget import LIMBER_PT_retarget
    from limber.panels.live.live import LIMBER_PT_live
    from limber.panels.mechanism.mechanisms import LIMBER_PT_mechanism

    return {
        "ChainMover": LIMBER_PT_live,
        "BodyMover": LIMBER_PT_retarget,
        "MechanismMover": LIMBER_PT_mechanism,
    }[type(mover).__name__]


def _own_constraints() -> list:
    holders = [thing for thing in bpy.context.scene.objects if thing.type == "MESH"]
    holders += [
        bone for thing in bpy.context.scene.objects if thing.type == "ARMATURE" for bone in thing.pose.bones
    ]
    return [held for holder in holders for held in holder.constraints if held.name.startswith("Limber (")]


@pytest.mark.parametrize(("setting", "value"), [("mute", True), ("influence", 0.0), ("influence", 0.5)])
def test_a_constraint_of_limbers_that_was_switched_off_is_told_in_the_panel_until_live_starts_anew(
    mover, setting, value
):
    panel = _panel(mover)
    bpy.ops.limber.live()
    held = _own_constraints()[0]
    assert "does not show" not in drawn(panel).said
    setattr(held, setting, value)
    bpy.context.view_layer.update()
    said = drawn(panel).said
    assert f"'{held.name}' is muted" in said
    assert "press End Live and Start Live" in said
    bpy.ops.limber.end_live()
    assert "does not show" not in drawn(panel).said
    bpy.ops.limber.live()
    assert "does not show" not in drawn(panel).said


def test_an_armature_in_rest_position_is_told_in_the_panel_while_live():
    made = chain()
    make_active(made.owner)
    bpy.ops.limber.live()
    made.owner.data.pose_position = "REST"
    assert "is in Rest Position, so no pose shows: press Pose Position" in drawn(_panel(made)).said


def test_a_change_of_a_live_owners_constraints_is_noticed_so_that_its_panel_is_drawn_again(mover):
    noticed = []

    def note(_scene, depsgraph) -> None:
        noticed.append(live.owner_updated(depsgraph))

    bpy.ops.limber.live()
    bpy.context.view_layer.update()
    bpy.app.handlers.depsgraph_update_post.append(note)
    try:
        mover.owner.update_tag()
        bpy.context.view_layer.update()
        assert noticed.pop()
        bpy.ops.limber.end_live()
        bpy.context.view_layer.update()
        noticed.clear()
        mover.owner.update_tag()
        bpy.context.view_layer.update()
        assert not noticed.pop()
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(note)
