"""Tests that every element and attribute of a robot's file is read or named in a warning."""

from math import cos, pi, sin

import pytest
from limber.robots import errors
from limber.robots.model import ModelJoint
from limber.robots.reading import read
from limber.robots.record import from_text, to_text
from limber.robots.tree import build_tree

from tests.robots.robots import write

HALF = '<limit lower="-1" upper="1" velocity="2" effort="3"/>'


def robot(joint: str = HALF, kind: str = "revolute", beside: str = "", root: str = "", link: str = "") -> str:
    return (
        f'<robot name="r"{root}>\n<link name="a"/><link name="b">{link}</link>\n'
        f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{joint}</joint>\n{beside}</robot>'
    )


def told(tmp_path, text: str) -> tuple[str, ...]:
    return read(write(tmp_path, text)).warnings


def joint_of(tmp_path, inside: str, kind: str = "revolute") -> ModelJoint:
    return read(write(tmp_path, robot(inside, kind))).joints[0]


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            robot(HALF + '<dynamics damping="1"/>'),
            "line 3, <joint name='j'>: its <dynamics> is not read, and without effect",
        ),
        (
            robot(HALF + '<calibration rising="0"/>'),
            "line 3, <joint name='j'>: its <calibration> is not read, and without effect",
        ),
        (
            robot(HALF + "<spring/><brake/>"),
            "line 3, <joint name='j'>: its <spring>, <brake> are not read, and without effect",
        ),
        (
            robot(HALF.replace("/>", ' slope="1"/>')),
            "line 3, <limit> of <joint name='j'>: its slope is not read, and without effect",
        ),
        (
            robot(HALF + '<origin xyz="1 0 0" scale="2"/>'),
            "line 3, <origin> of <joint name='j'>: its scale is not read, and without effect",
        ),
        (
            robot(HALF + '<axis xyz="1 0 0" uvw="2"/>'),
            "line 3, <axis> of <joint name='j'>: its uvw is not read, and without effect",
        ),
        (
            robot(HALF + '<safety_controller k_position="1" k_velocity="2"/>'),
            (
                "line 3, <safety_controller> of <joint name='j'>: its k_position, k_velocity are not read,"
                " and without effect"
            ),
        ),
        (
            robot(beside='<loop_joint name="l"/>'),
            "line 1, <robot name='r'>: its <loop_joint name='l'> is not read, and without effect",
        ),
        (robot(root=' units="mm"'), "line 1, <robot name='r'>: its units is not read, and without effect"),
        (
            robot(root=' version="3.0"'),
            "line 1, <robot name='r'>: URDF's version 3.0 is not known: it is read as 1.2",
        ),
        (
            robot(link='<inertial><mass value="1" unit="g"/></inertial>'),
            "line 2, <mass> of <link name='b'>: its unit is not read, and without effect",
        ),
        (
            robot(beside='<gazebo><joint name="l"><parent>b</parent><child>a</child></joint></gazebo>'),
            "line 4, <joint name='l'>: this joint in <gazebo> is not read: it closes no loop here",
        ),
    ],
)
def test_what_no_reader_reads_is_told_by_its_name(tmp_path, text, warning):
    assert told(tmp_path, text) == (warning,)


@pytest.mark.parametrize(
    "text",
    [
        robot(),
        robot(root=' version="1.1" xmlns:xacro="http://ros.org/xacro"'),
        robot('<axis xyz="0 0 0"/><limit lower="x"/><dynamics damping="1"/>', "fixed"),
        robot('<limit lower="-1" upper="1" velocity="2" effort="3"/>', "continuous"),
        robot(link='<collision name="c"><geometry><box size="1 1 1"/></geometry></collision>'),
        robot(link='<visual name="v"><geometry><box size="1 1 1"/></geometry></visual>'),
        robot(
            beside=(
                '<gazebo reference="b"><material>Grey</material></gazebo><transmission name="t"><joint'
                ' name="j"/></transmission>'
            )
        ),
    ],
)
def test_what_is_read_or_says_nothing_about_poses_is_not_told(tmp_path, text):
    assert told(tmp_path, text) == ()


def test_a_joint_of_mjcf_tells_what_is_not_read_of_its_own_and_its_class(tmp_path):
    text = """<mujoco><default><joint damping="1"/></default><worldbody><body name="a"><body name="b" gravcomp="1">
    <joint name="j" axis="0 0 1" range="-10 10" stiffness="2"/><muscle/></body></body></worldbody><loops/><option timestep="1"/></mujoco>"""
    warnings = read(write(tmp_path, text, "robot.xml")).warnings
    assert warnings == (
        "line 1, <body name='b'>: its <muscle> is not read, and without effect",
        "line 1, <body name='b'>: its gravcomp is not read, and without effect",
        "line 2, <joint name='j'>: its damping, stiffness are not read, and without effect",
        "line 1, <mujoco>: its <loops> is not read, and without effect",
    )


def test_a_quaternion_is_the_origin_s_rotation(tmp_path):
    at = joint_of(
        tmp_path, HALF + f'<origin xyz="1 2 3" quat_xyzw="0 0 {2 * sin(0.3)!r} {2 * cos(0.3)!r}"/>'
    ).origin
    by_angles = joint_of(tmp_path, HALF + '<origin xyz="1 2 3" rpy="0 0 0.6"/>').origin
    assert at.offset == by_angles.offset
    assert at.rotation == pytest.approx(by_angles.rotation, abs=1e-15)


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        ('rpy="0 0 0" quat_xyzw="0 0 0 1"', "given by rpy and by quat_xyzw: keep one"),
        ('quat_xyzw="0 0 0 0"', "quat_xyzw='0 0 0 0' has no length"),
        ('quat_xyzw="0 0 1"', "must be 4 finite numbers"),
        ('quat_xyzw="0 0 nan 1"', "must be 4 finite numbers"),
    ],
)
def test_a_quaternion_that_is_no_rotation_is_refused(tmp_path, origin, said):
    with pytest.raises(errors.UrdfError, match=said):
        joint_of(tmp_path, HALF + f"<origin {origin}/>")


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("", (None, None)),
        ('acceleration="5" jerk="50"', (5.0, 50.0)),
        ('acceleration="5" deceleration="4"', (4.0, None)),
        ('deceleration="4"', (4.0, None)),
        ('acceleration="inf" jerk="1e30"', (None, None)),
    ],
)
def test_limits_of_acceleration_and_jerk_are_read_and_kept_with_the_bone(tmp_path, attributes, expected):
    limit = HALF.replace("/>", f" {attributes}/>")
    model = read(write(tmp_path, robot(limit)))
    assert (model.joints[0].acceleration, model.joints[0].jerk) == expected
    assert model.warnings == ()
    (branch,) = (branch for branch in build_tree(model).branches if branch.joint is not None)
    stored = from_text(to_text(branch, "X", 1)).branch.joint
    assert (stored.acceleration, stored.jerk) == expected


@pytest.mark.parametrize("attribute", ["acceleration", "deceleration", "jerk"])
@pytest.mark.parametrize(
    ("value", "said"), [("0", "never move"), ("-1", "below zero"), ("fast", "must be a finite number")]
)
def test_a_limit_that_no_motion_can_keep_is_left_out_and_told(tmp_path, attribute, value, said):
    model = read(write(tmp_path, robot(HALF.replace("/>", f' {attribute}="{value}"/>'))))
    assert (model.joints[0].acceleration, model.joints[0].jerk) == (None, None)
    (warning,) = model.warnings
    assert said in warning
    assert attribute in warning


@pytest.mark.parametrize(
    ("soft", "expected"),
    [
        ('soft_lower_limit="-0.5" soft_upper_limit="0.6"', (-0.5, 0.6)),
        ('soft_lower_limit="-2" soft_upper_limit="0.6"', (-1.0, 0.6)),
        ('soft_upper_limit="0.6"', (-1.0, 0.6)),
        ('soft_lower_limit="-inf" soft_upper_limit="inf"', (-1.0, 1.0)),
    ],
)
def test_soft_limits_narrow_the_range(tmp_path, soft, expected):
    joint = joint_of(tmp_path, HALF + f"<safety_controller {soft}/>")
    assert (joint.lower, joint.upper) == expected


@pytest.mark.parametrize(
    "soft", ['soft_lower_limit="0" soft_upper_limit="0"', 'soft_lower_limit="2" soft_upper_limit="3"']
)
def test_soft_limits_without_a_range_are_left_out_and_told(tmp_path, soft):
    model = read(write(tmp_path, robot(HALF + f"<safety_controller {soft}/>")))
    assert (model.joints[0].lower, model.joints[0].upper) == (-1.0, 1.0)
    assert model.warnings == (
        (
            "line 3, <safety_controller> of <joint name='j'>: its soft limits leave the joint no range: they"
            " are left out"
        ),
    )


def test_a_soft_limit_that_is_no_number_is_left_out_and_told(tmp_path):
    model = read(
        write(tmp_path, robot(HALF + '<safety_controller soft_lower_limit="low" soft_upper_limit="0.5"/>'))
    )
    assert (model.joints[0].lower, model.joints[0].upper) == (-1.0, 0.5)
    assert "soft_lower_limit='low' must be a finite number: it is left out" in model.warnings[0]


def test_a_quarter_turn_as_a_quaternion_puts_the_next_link_where_rpy_does(tmp_path):
    turned = f'<origin xyz="0 0 0.1" quat_xyzw="0 0 {sin(pi / 4)!r} {cos(pi / 4)!r}"/>'
    beside = (
        '<link name="c"/><joint name="k" type="fixed"><parent link="b"/><child link="c"/><origin xyz="0.2 0'
        ' 0"/></joint>'
    )
    tree = build_tree(read(write(tmp_path, robot(HALF + turned, beside=beside))))
    places = dict(zip((branch.link for branch in tree.branches), tree.frames({}), strict=True))
    assert places["c"].offset == pytest.approx((0.0, 0.2, 0.1), abs=1e-12)


def test_of_many_a_warning_lists_the_first(tmp_path):
    (warning,) = told(tmp_path, robot(beside="".join(f"<extra{k}/>" for k in range(1000))))
    assert "<extra19> and 980 more are not read" in warning
    assert "<extra20>" not in warning
