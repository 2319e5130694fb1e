"""Tests the findings of Check about motors, goals and constraints, each with its remedy, and the words in
sentences about mechanisms.
"""

import bpy
import pytest

from tests.blender import mechanisms as those
from tests.blender.drawing import drawn
from tests.blender.four_bars import boned, four_bar, owned
from tests.blender.rigs import make_active
from tests.blender.test_mechanism_limits import imported
from tests.blender.test_mechanism_messages import says
from tests.robots.test_closures import CLOSED, parallelogram


def with_goal():
    """A Stewart platform, its owner and its goal."""
    owner = those.add("stewart")
    return owner, owner.limber.mechanism.goals[0]


# -- motors --


def test_a_motor_that_its_loop_locks_is_named_by_check_and_by_live(capfd):
    four_bar()
    owner = owned()
    assert "cannot move" not in says(owner)
    bpy.data.objects["rocker"].limber.part.role = "GROUND"
    said = says(owner)
    assert (
        "Motor 'pin A Z' cannot move: its loop of 'pin A', 'pin B', 'pin C' holds the joint fast. Give the"
        " loop another degree of freedom" in said
    )
    assert "follow" not in said
    owner.limber.mechanism.drive = "MOTORS"
    bpy.ops.limber.live()
    assert "Motor 'pin A Z' cannot move" in capfd.readouterr().out


def test_of_several_motors_the_one_that_is_locked_is_named():
    four_bar()
    arm = those.box("arm", (0.4, 0.0, 0.0), "ACTIVE")
    those.constraint("shoulder", "HINGE", bpy.data.objects["ground"], arm, (0.4, 0.0, 0.0))
    owner = owned()
    make_active(bpy.data.objects["shoulder"])
    bpy.ops.limber.add_motors()
    bpy.data.objects["rocker"].limber.part.role = "GROUND"
    said = says(owner)
    assert "Motor 'pin A Z' cannot move" in said
    assert "Motor 'shoulder Z' cannot move" not in said


@pytest.mark.parametrize("kind", ["four_bar", "crank_slider", "stewart", "delta", "neck"])
def test_no_motor_of_a_ready_mechanism_is_said_to_be_locked(kind):
    assert "cannot move" not in says(those.add(kind))


@pytest.mark.every_blender
def test_a_slide_that_is_at_its_dead_centre_is_not_locked():
    ground, crank, rod, slide = (those.box(name, kind=kind) for name, kind in
                                 (("ground", "PASSIVE"), ("crank", "ACTIVE"), ("rod", "ACTIVE"), ("slide", "ACTIVE")))  # fmt: skip
    those.joint("shaft", "revolute", ground, crank)
    those.joint("pin", "revolute", crank, rod, (0.05, 0.0, 0.0))
    those.joint("wrist", "revolute", rod, slide, (0.15, 0.0, 0.0))
    those.joint("rail", "prismatic", ground, slide, (0.15, 0.0, 0.0), (0.0, 1.5707963267948966, 0.0))
    assert "cannot move" not in says(owned("rail"))


@pytest.mark.every_blender
@pytest.mark.parametrize("limit", ["velocity", "acceleration", "jerk"])
def test_a_limit_of_0_is_named(limit):
    owner = those.add("four_bar")
    motor = owner.limber.mechanism.motors[0]
    setattr(motor, limit, 0.0)
    assert f"Motor '{motor.name}': " in says(owner)
    assert limit in says(owner)


# -- goals --


def test_check_says_of_goals_what_live_says():
    owner, goal = with_goal()
    assert "Goal" not in says(owner)
    body, stranger = goal.body, those.box("stranger")
    goal.body = stranger
    assert (
        f"Goal '{goal.name}': 'stranger' is no body of the mechanism and on none: choose one that has a joint"
        in says(owner)
    )
    goal.body = body
    goal.target.parent = body
    assert f"depends on '{body.name}', which follows it: choose another target" in says(owner)


@pytest.mark.every_blender
def test_a_goal_on_a_body_that_stands_still_is_named():
    owner, goal = with_goal()
    goal.body = bpy.data.objects["Base"]
    assert (
        f"Goal '{goal.name}': body 'Base' is Ground, so the mechanism does not move it: choose another"
        in says(owner)
    )


@pytest.mark.every_blender
def test_a_goal_whose_weights_are_all_0_is_named_unless_they_have_keys():
    owner, goal = with_goal()
    goal.position_weight = goal.rotation_weight = (0.0, 0.0, 0.0)
    assert f"Goal '{goal.name}' has no effect: its weights are all 0, raise one" in says(owner)
    owner.keyframe_insert("limber.mechanism.goals[0].position_weight", frame=1)
    assert "has no effect" not in says(owner)


# -- the whole --


@pytest.mark.every_blender
def test_a_mechanism_without_ground_is_told_to_float():
    four_bar(those.joint, "revolute")
    owner = owned()
    assert "floats" not in says(owner)
    bpy.data.objects["ground"].rigid_body.type = "ACTIVE"
    assert "No body is Ground, so the whole mechanism floats: select the body on which it is mounted" in says(
        owner
    )


@pytest.mark.every_blender
def test_a_constraint_that_lost_a_body_is_named():
    pins = four_bar()
    owner = owned()
    pins["B"].rigid_body_constraint.object2 = None
    assert (
        "Joint 'pin B': its rigid body constraint has no Second object, so the world is taken for it: choose"
        " the body" in says(owner)
    )


def test_a_body_that_was_deleted_is_not_told_to_be_hidden():
    four_bar(those.joint, "revolute")
    owner = owned()
    bpy.data.objects["rocker"].use_fake_user = True
    for collection in bpy.data.objects["rocker"].users_collection:
        collection.objects.unlink(bpy.data.objects["rocker"])
    assert (
        "Object 'rocker' was deleted, but a joint still holds it: choose another body there, or undo"
        in says(owner)
    )


# -- words --


def test_a_motor_is_called_by_the_axis_that_is_seen():
    rig, _ = boned()
    rig.data.bones.active = rig.data.bones["crank"]
    bpy.ops.limber.add_motors()
    assert rig.limber.mechanism.motors[0].name == "crank X"


def test_a_motor_of_a_slider_constraint_is_called_by_its_x_axis():
    those.constraint("slide", "SLIDER", those.box("one", kind="PASSIVE"), those.box("other", kind="ACTIVE"))
    assert owned("slide").limber.mechanism.motors[0].name == "slide linear X"


def test_one_body_is_one():
    those.joint("pin", "revolute", None, those.box("bar"))
    assert ": 1 body, 1 joint, mobility 1 with 1 motor" in says(owned("pin"))


@pytest.mark.every_blender
@pytest.mark.parametrize("text", ["", "closed_lop: [['plate_end', 'right_end']]\n"])
def test_a_file_that_closes_nothing_is_refused_and_nothing_is_kept(tmp_path, text):
    with pytest.raises(
        RuntimeError,
        match="the file closes no loop and names no motor, so write closed_loop and name_mot in it",
    ) as refused:
        imported(tmp_path, parallelogram(), text)
    assert ("'closed_lop' is unknown" in str(refused.value)) == bool(text)
    assert not bpy.context.active_object.limber.mechanism.uid


def test_importing_closures_says_how_many_loops_are_closed(tmp_path, capfd):
    imported(
        tmp_path,
        parallelogram(),
        CLOSED.replace("[['plate_end', 'right_end']]", "[['plate_end', 'nowhere']]"),
    )
    said = capfd.readouterr().out
    assert "has 0 closed loops and 1 motor" in said
    assert "'nowhere' is neither a link nor a joint" in said


@pytest.mark.every_blender
def test_a_slides_value_is_told_in_true_millimetres_at_any_unit_scale():
    from limber.rig.authoring.mechanism.findings import value_text

    those.constraint("slide", "SLIDER", those.box("one", kind="PASSIVE"), those.box("other", kind="ACTIVE"))
    motor = owned("slide").limber.mechanism.motors[0]
    assert value_text(motor, 0.1) == "100.00 mm"
    bpy.context.scene.unit_settings.scale_length = 0.01
    assert value_text(motor, 10.0) == "100.00 mm"


@pytest.mark.every_blender
def test_the_panel_speaks_of_what_drives_the_mechanism():
    from limber.panels.mechanism.mechanisms import LIMBER_PT_mechanism

    owner = those.add("stewart")
    bpy.ops.limber.live()
    assert "The motors have reached their targets" in drawn(LIMBER_PT_mechanism).labels
    owner.limber.mechanism.drive = "MOTORS"
    those.settle(owner)
    assert "The motors have their commanded values" in drawn(LIMBER_PT_mechanism).labels


@pytest.mark.every_blender
def test_the_panel_offers_a_mechanism_of_its_own_to_what_no_mechanism_lists():
    from limber.panels.mechanism.mechanisms import LIMBER_PT_mechanism

    four_bar()
    owned()
    those.joint("more", "revolute", None, those.box("bar", (1.0, 0.0, 0.0)), (1.0, 0.0, 0.0))
    make_active(bpy.data.objects["crank"])
    assert "limber.new_mechanism" not in drawn(LIMBER_PT_mechanism).operators
    make_active(bpy.data.objects["bar"])
    assert "limber.new_mechanism" in drawn(LIMBER_PT_mechanism).operators
