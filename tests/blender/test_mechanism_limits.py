"""Tests limits of a mechanism's joints and motors: those of constraints and files are kept, and impossible
ones are named.
"""

import bpy
import numpy as np
import pytest

from tests.blender import mechanisms as those
from tests.blender.four_bars import four_bar, owned
from tests.blender.rigs import make_active, select
from tests.robots.test_closures import CLOSED, parallelogram

SLOW = '<limit lower="-1" upper="0.5" effort="1" velocity="0.5"/>'


def limited(kind: str, axis: str, lower: float, upper: float):
    """A joint between two bodies with limits about or along an axis."""
    empty = those.constraint(
        "joint", kind, those.box("one", kind="PASSIVE"), those.box("other", kind="ACTIVE")
    )
    held = empty.rigid_body_constraint
    setattr(held, f"use_limit_{axis}", True)
    setattr(held, f"limit_{axis}_lower", lower)
    setattr(held, f"limit_{axis}_upper", upper)
    return empty


def imported(folder, urdf: str, closures: str = CLOSED):
    for name, text in (("robot.urdf", urdf), ("robot.yaml", closures)):
        (folder / name).write_text(text, encoding="utf-8")
    bpy.ops.limber.import_robot(filepath=str(folder / "robot.urdf"))
    rig = bpy.context.active_object
    bpy.ops.limber.import_closures(filepath=str(folder / "robot.yaml"))
    return rig


@pytest.mark.every_blender
@pytest.mark.parametrize(
    ("kind", "axis", "said"),
    [
        ("HINGE", "ang_z", "lower limit 60 degrees is above its upper limit 30 degrees (Z Angle"),
        ("SLIDER", "lin_x", "lower limit 1.047 m is above its upper limit 0.5236 m (X Axis"),
        ("GENERIC", "ang_y", "lower limit 60 degrees is above its upper limit 30 degrees (Y Angle"),
    ],
)
def test_limits_the_wrong_way_round_are_named_by_every_button(kind, axis, said):
    from limber.rig.authoring.mechanism.check import check

    held = limited(kind, axis, 0.0, 0.0).rigid_body_constraint
    for letter in "xyz" if kind == "GENERIC" else ():
        setattr(held, f"use_limit_lin_{letter}", True)
        setattr(held, f"limit_lin_{letter}_lower", 0.0)
        setattr(held, f"limit_lin_{letter}_upper", 0.0)
    bpy.ops.limber.new_mechanism()
    owner = bpy.context.active_object
    owner.limber.mechanism.motors.add().joint = held.id_data
    owner.limber.mechanism.drive = "MOTORS"
    setattr(held, f"limit_{axis}_lower", np.pi / 3)
    setattr(held, f"limit_{axis}_upper", np.pi / 6)
    assert said in check(bpy.context, owner).sentence
    for press in (bpy.ops.limber.assemble_mechanism, bpy.ops.limber.live, bpy.ops.limber.bake):
        with pytest.raises(RuntimeError) as refused:
            press()
        assert "Joint 'joint'" in str(refused.value)
        assert "Traceback" not in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "axis", "lower", "upper"),
    [
        ("SLIDER", "lin_x", -0.5, 0.5),
        ("SLIDER", "lin_x", 0.15, 3.0),
        ("HINGE", "ang_z", -5.2, 5.2),
        ("HINGE", "ang_z", 3.5, 5.2),
    ],
)
def test_a_motor_has_the_limits_of_its_joint_and_they_are_said(kind, axis, lower, upper, capfd):
    make_active(limited(kind, axis, lower, upper))
    bpy.ops.limber.new_mechanism()
    owner = bpy.context.active_object
    make_active(bpy.data.objects["joint"])
    bpy.ops.limber.add_motors()
    (motor,) = owner.limber.mechanism.motors
    assert (motor.lower, motor.upper) == pytest.approx((lower, upper))
    if kind == "SLIDER":
        assert motor.zero_us + motor.us_per_radian * np.array((lower, upper)) == pytest.approx(
            (motor.min_us, motor.max_us), rel=1e-4
        )
        assert f"{lower:.4g} to {upper:.4g} m" in capfd.readouterr().out


def test_a_motor_of_a_joint_without_limits_has_a_servos_usual_ones():
    four_bar()
    (motor,) = owned().limber.mechanism.motors
    assert (motor.lower, motor.upper) == pytest.approx((-np.pi, np.pi))


@pytest.mark.every_blender
def test_limits_of_a_motor_beside_those_of_its_joint_are_told_with_both():
    from limber.rig.authoring.mechanism.check import check

    limited("SLIDER", "lin_x", 0.15, 0.3)
    owner = owned("joint")
    motor = owner.limber.mechanism.motors[0]
    motor.lower, motor.upper = -0.1, 0.1
    assert (
        "limits -0.1 to 0.1 m lie outside those of its joint, 0.15 to 0.3 m"
        in check(bpy.context, owner).sentence
    )


def test_motors_of_a_robot_file_are_as_fast_as_it_says(tmp_path):
    rig = imported(tmp_path, parallelogram(SLOW))
    (motor,) = rig.limber.mechanism.motors
    assert motor.velocity == pytest.approx(0.5)
    assert (motor.lower, motor.upper) == pytest.approx((-1.0, 0.5))


@pytest.mark.every_blender
def test_a_motor_can_be_added_on_a_bone_of_a_robot_file(tmp_path):
    rig = imported(tmp_path, parallelogram(SLOW), CLOSED.replace("['motor']", "[]"))
    make_active(rig)
    bpy.ops.object.mode_set(mode="POSE")
    select(rig, "left")
    rig.data.bones.active = rig.data.bones["left"]
    bpy.ops.limber.add_motors()
    (motor,) = rig.limber.mechanism.motors
    assert (motor.bone, motor.velocity) == ("motor", pytest.approx(0.5))
    with pytest.raises(RuntimeError, match="has a motor already"):
        bpy.ops.limber.add_motors()
    rig.data.bones.active = rig.data.bones["base"]
    with pytest.raises(RuntimeError, match="Bone 'base' is moved by no joint of the robot's file"):
        bpy.ops.limber.add_motors()
    those.with_idle_goal(rig)
    bpy.ops.limber.live()
    assert those.session(rig).problem == ""


@pytest.mark.every_blender
def test_a_closure_of_a_link_with_itself_is_named_and_nothing_is_kept_of_it(tmp_path):
    with pytest.raises(RuntimeError, match="joins link 'plate_end' to itself: name two links"):
        imported(tmp_path, parallelogram(), CLOSED.replace("'right_end'", "'end'"))
    kept = bpy.context.active_object.limber.mechanism
    assert (kept.closures_file, kept.uid, kept.use_bones) == ("", "", False)


def test_a_motor_may_have_a_style_of_its_own():
    four_bar()
    owner = owned()
    settings = owner.limber.mechanism
    (motor,) = settings.motors
    settings.drive = "MOTORS"
    bpy.ops.limber.live()

    def style(now: float) -> tuple[float, float]:
        """Current smoothness and responsiveness of the motor's motion."""
        those.clock(2, now)
        character = those.session(owner).model.motors[0].filter.style
        return character.sigma, character.rho

    settings.sigma, motor.sigma, motor.rho = 0.25, 0.75, 0.5
    assert style(100.0) == (0.25, 0.0)
    motor.own_style = True
    assert style(200.0) == (0.75, 0.5)
