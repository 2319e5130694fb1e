"""Tests MJCF files: what is read, what is refused, and that bodies are at the positions that MuJoCo
computes.
"""

import math
import random

import numpy as np
import pytest
from limber.robots import errors
from limber.robots.model import Box, Closure, Cylinder, Ellipsoid, MeshFile, Sphere
from limber.robots.reading import read
from limber.robots.tree import build_tree
from limber.solvers.kinematics.rotations import to_matrix

from tests.robots.mjcf import ARM, Referee, arbitrary
from tests.robots.robots import SHARED, apart, write

MODELS = sorted((SHARED / "robots").glob("*/*.xml")) if (SHARED / "robots").exists() else []
PUBLIC = [
    path
    for path in MODELS
    if path.parent.name != "mjcf_samples" and "<worldbody>" in path.read_text(encoding="utf-8")
]
EXACT = 1e-9  # [m, rad] tolerance; MuJoCo and Limber both calculate in doubles


def world(body: str, before: str = "", after: str = "") -> str:
    return f'<mujoco model="m">{before}<worldbody>\n{body}\n</worldbody>{after}</mujoco>'


def limb(inside: str = "", name: str = "limb") -> str:
    return f'<body name="base"><body name="{name}">{inside}</body></body>'


def read_text(folder, text: str):
    return read(write(folder, text, "robot.xml"))


def check_places(path, draw: random.Random, poses: int = 10) -> None:
    referee, robot = Referee(path), read(path)
    tree = build_tree(robot)
    for _ in range(poses):
        values = referee.values(draw)
        wanted = referee.frames(values)
        base = np.linalg.inv(wanted[tree.root]) if tree.root in wanted else np.eye(4)
        compared = 0
        for branch, frame in zip(tree.branches, tree.frames(values), strict=True):
            if branch.link in wanted:
                assert (
                    max(apart(base @ wanted[branch.link], np.array(to_matrix(frame.rotation)), frame.offset))
                    < EXACT
                ), branch.link
                compared += 1
        assert compared >= len([link for link in robot.links if link.name in wanted])


@pytest.mark.parametrize("seed", range(40))
def test_arbitrary_bodies_are_where_mujoco_puts_them(tmp_path, seed):
    draw = random.Random(seed)
    check_places(write(tmp_path, arbitrary(draw), "robot.xml"), draw)


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.stem)
def test_public_robots_bodies_are_where_mujoco_puts_them(path):
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    try:
        mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        pytest.skip(f"MuJoCo itself cannot load it: {error}")
    check_places(path, random.Random(1))


def test_all_that_the_file_tells_is_read(tmp_path):
    arm = read_text(tmp_path, ARM)
    assert (arm.name, arm.root, arm.warnings, arm.motors) == ("arm", "base", (), ("shoulder",))
    assert [link.name for link in arm.links] == ["base", "upper", "lift_link", "hand", "grip", "eye"]
    shoulder, lift, turn = arm.joint["shoulder"], arm.joint["lift"], arm.joint["turn"]
    assert (shoulder.kind, shoulder.axis, shoulder.effort) == ("revolute", (0.0, 1.0, 0.0), 3.0)
    assert (shoulder.lower, shoulder.upper) == pytest.approx((-1.0, math.radians(45))), (
        "the narrower of the joint's and the motor's"
    )
    assert (lift.kind, lift.lower, lift.upper) == ("prismatic", 0.0, 0.1)
    assert (turn.lower, turn.upper) == pytest.approx((-math.pi, math.pi))
    upper = arm.link["upper"]
    assert upper.inertial.inertia == (1.0, 4.0, 5.0, 2.0, 6.0, 3.0), "MJCF lists the diagonal first"
    assert [visual.shape for visual in upper.visuals] == [MeshFile("meshes/upper.stl", (0.001,) * 3)], (
        "collision shapes are left out"
    )
    assert upper.visuals[0].material.colour == (1.0, 0.0, 0.0, 1.0)
    assert arm.link["base"].visuals[0].shape == Box((0.2, 0.1, 0.05))


def test_the_shapes_of_mjcf_have_half_sizes(tmp_path):
    geoms = [
        ('type="sphere" size=".1"', [Sphere(0.1)]),
        ('type="cylinder" size=".1 .2"', [Cylinder(0.1, 0.4)]),
        ('type="ellipsoid" size=".1 .2 .3"', [Ellipsoid((0.1, 0.2, 0.3))]),
        ('type="capsule" size=".1" fromto="0 0 0 0 0 1"', [Cylinder(0.1, 1.0), Sphere(0.1), Sphere(0.1)]),
        ('type="plane" size="1 1 1"', []),
        ('type="box" size=".1 .1 .1" group="3"', []),
        ('type="box" size=".1 .1 .1" rgba="1 0 0 0"', []),
    ]
    for text, shapes in geoms:
        robot = read_text(tmp_path, world(f'<body name="b"><geom {text}/></body>'))
        assert [visual.shape for visual in robot.link["b"].visuals] == shapes, text


def test_limits_are_limits_only_where_mujoco_takes_them_as_such(tmp_path):
    cases = [
        ('range="-1 1"', "", (-1.0, 1.0)),
        ('range="-1 1" limited="false"', "", (None, None)),
        ('range="-1 1"', '<compiler autolimits="false" angle="radian"/>', (None, None)),
        ('range="-1 1" limited="true"', '<compiler autolimits="false" angle="radian"/>', (-1.0, 1.0)),
        ("", "", (None, None)),
        ('range="-inf inf"', "", (None, None)),
        ('range="-1 inf"', "", (-1.0, None)),
        ('range=".5 .5"', "", (None, None)),
        ('range="1 -1" limited="false"', "", (None, None)),
        ('limited="true"', "", (None, None)),
    ]
    for text, compiler, limits in cases:
        joint = read_text(
            tmp_path, world(limb(f'<joint name="j" {text}/>'), compiler or '<compiler angle="radian"/>')
        ).joint["j"]
        assert (joint.lower, joint.upper) == limits, text
        assert joint.kind == ("continuous" if limits == (None, None) else "revolute")


@pytest.mark.parametrize("where", ['range="1 -.5"', 'range="1 -.5" limited="true"', 'class="c"'])
def test_exchanged_limits_are_put_in_order_and_named(tmp_path, where: str):
    before = (
        '<compiler angle="radian"/><default><default class="c"><joint range="1 -.5"/></default></default>'
    )
    robot = read_text(tmp_path, world(limb(f'<joint name="j" {where}/>'), before))
    assert (robot.joint["j"].lower, robot.joint["j"].upper) == (-0.5, 1.0)
    (warning,) = (text for text in robot.warnings if "exchanged" in text)
    assert "of joint 'j' range='1 -.5' begins above its end: the numbers are exchanged" in warning


def test_exchanged_control_and_force_ranges_count_as_ordered_ones(tmp_path):
    actuator = '<actuator><position joint="j" ctrlrange="1 -.5" forcerange="3 -3"/></actuator>'
    robot = read_text(tmp_path, world(limb('<joint name="j"/>'), after=actuator))
    joint = robot.joint["j"]
    assert (joint.lower, joint.upper, joint.effort) == (-0.5, 1.0, 3.0)
    assert sum("of joint 'j'" in text and "exchanged" in text for text in robot.warnings) == 2


def test_a_joint_that_is_limited_to_one_value_or_to_none_is_named(tmp_path):
    robot = read_text(tmp_path, world(limb('<joint name="j" limited="true" range="0 0"/>')))
    assert (robot.joint["j"].lower, robot.joint["j"].upper) == (0.0, 0.0)
    assert any("its limits are equal" in text for text in robot.warnings)
    robot = read_text(tmp_path, world(limb('<joint name="j" limited="true"/>')))
    assert any("it has no range: it is read as unlimited" in text for text in robot.warnings)


LOOP = """<body name="base"><body name="left"><joint name="a" axis="0 1 0"/><site name="tip" pos="0 0 1"/></body>
<body name="right" pos="1 0 0"><joint name="b" axis="0 1 0"/><site name="top" pos="0 0 1"/>
<body name="rod" pos="0 0 1"><joint name="c" axis="0 1 0"/><site name="end" pos="-1 0 0"/></body></body></body>"""


@pytest.mark.parametrize(
    ("constraint", "kind"),
    [
        ('<connect site1="tip" site2="end"/>', "3d"),
        ('<connect body1="left" body2="rod" anchor="0 0 1"/>', "3d"),
        ('<connect body1="rod" anchor="0 0 0"/>', "3d"),
        ('<weld body1="left" body2="rod"/>', "6d"),
        ('<weld body1="left" body2="rod" relpose="1 0 1 1 0 0 0" anchor="0 .1 0"/>', "6d"),
        ('<weld site1="tip" site2="end"/>', "6d"),
    ],
)
def test_constraints_are_closures_that_hold_where_the_file_draws_the_bodies(tmp_path, constraint, kind):
    actuator = '<actuator><position joint="a"/></actuator>'
    robot = read_text(tmp_path, world(LOOP, after=f"<equality>{constraint}</equality>{actuator}"))
    (closure,) = robot.closures
    assert closure.kind == kind
    assert robot.motors == ("a",)
    tree = build_tree(robot)
    at = dict(zip([branch.link for branch in tree.branches], tree.frames({}), strict=True))
    assert at[closure.first].offset == pytest.approx(at[closure.second].offset, abs=1e-12)
    if kind == "6d":
        assert at[closure.first].rotation == pytest.approx(at[closure.second].rotation, abs=1e-12)


BASE_IN_THE_WORLD = """<body name="left"><joint name="a" axis="0 1 0"/><site name="tip" pos="0 0 1"/></body>
<body name="right" pos="1 0 0"><joint name="b" axis="0 1 0"/></body><frame pos="0 0 .5"><site name="fixed" pos="0 0 .5"/></frame>
<site name="unused"/>"""


@pytest.mark.parametrize("alone", [True, False])
def test_a_constraint_may_hold_a_site_of_the_world(tmp_path, alone):
    bodies = BASE_IN_THE_WORLD
    if alone:
        base = (
            '<body name="base" pos="2 0 0"><body name="arm"><joint/></body><site name="tip" pos="-2 0'
            ' 1"/></body>'
        )
        bodies = f'{base}<site name="fixed" pos="0 0 1"/>'
    robot = read_text(
        tmp_path, world(bodies, after='<equality><connect site1="tip" site2="fixed"/></equality>')
    )
    (closure,) = robot.closures
    tree = build_tree(robot)
    at = dict(zip([branch.link for branch in tree.branches], tree.frames({}), strict=True))
    assert at[closure.first].offset == pytest.approx(at[closure.second].offset, abs=1e-12)
    assert "unused" not in robot.link


def test_a_site_of_the_world_holds_no_body_that_moves_freely(tmp_path):
    bodies = '<body name="base"><freejoint/><site name="tip"/></body><site name="fixed"/>'
    robot = read_text(
        tmp_path, world(bodies, after='<equality><connect site1="tip" site2="fixed"/></equality>')
    )
    assert robot.closures == ()
    assert any("holds a free body to the world" in text for text in robot.warnings)


def test_a_gear_next_to_nothing_limits_nothing(tmp_path):
    actuator = '<actuator><position joint="j" gear="1e-320" ctrlrange="-1 1"/></actuator>'
    joint = read_text(tmp_path, world(limb('<joint name="j"/>'), after=actuator)).joint["j"]
    assert (joint.lower, joint.upper) == (-1e4, 1e4)


def test_a_constraint_that_is_switched_off_closes_nothing(tmp_path):
    off = '<equality><connect site1="tip" site2="end" active="false"/></equality>'
    assert read_text(tmp_path, world(LOOP, after=off)).closures == ()


def test_a_joint_that_another_drives_follows_it_from_the_values_at_which_the_bodies_are_drawn(tmp_path):
    text = LOOP.replace('name="a"', 'name="a" ref=".5"').replace('name="b"', 'name="b" ref=".25"')
    text = world(
        text,
        '<compiler angle="radian"/>',
        '<equality><joint joint1="b" joint2="a" polycoef=".1 2"/></equality>',
    )
    mimic = read_text(tmp_path, text).joint["b"].mimic
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ("a", 2.0, pytest.approx(0.1 + 0.25 - 2.0 * 0.5))


def test_a_ball_is_three_hinges_that_belong_together(tmp_path):
    robot = read_text(tmp_path, world(limb('<joint name="ball" type="ball"/>')))
    assert robot.balls == (("ball_x", "ball_y", "ball_z"),)
    assert [joint.axis for joint in robot.joints] == [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]


def test_a_joint_between_the_world_and_the_outermost_body_moves_it(tmp_path):
    assert read_text(tmp_path, world('<body name="b"><joint name="j"/></body>')).root == "world"
    assert read_text(tmp_path, world('<body name="b"><freejoint/></body>')).root == "b"
    assert read_text(tmp_path, world('<body name="b"><joint type="free"/></body>')).root == "b"
    assert read_text(tmp_path, world('<body name="a"/><body name="b"/>')).root == "world"


def test_reachy_minis_loops_are_found_in_both_of_its_files():
    folder = SHARED / "robots" / "reachy_mini"
    if not folder.exists():
        pytest.skip(f"no folder {folder}")
    for name in ("robot.urdf", "reachy_mini.xml"):
        robot = read(folder / name)
        assert set(robot.closures) == {Closure(f"closing_{k}_1", f"closing_{k}_2") for k in range(1, 6)}, name
        assert set(robot.motors) == {
            "yaw_body",
            "right_antenna",
            "left_antenna",
            *(f"stewart_{k}" for k in range(1, 7)),
        }
        assert sorted(robot.balls) == [
            tuple(f"passive_{k}_{letter}" for letter in "xyz") for k in range(1, 8)
        ]


def test_included_files_are_part_of_the_document(tmp_path):
    write(tmp_path, '<mujocoinclude><joint name="j"/>\n<site name="s" pos="x"/></mujocoinclude>', "parts.xml")
    with pytest.raises(errors.NumberError) as error:
        read_text(tmp_path, world(limb('<include file="parts.xml"/>')))
    assert (error.value.file, error.value.line) == (str(tmp_path / "parts.xml"), 2)
    write(tmp_path, '<mujocoinclude><joint name="j"/></mujocoinclude>', "parts.xml")
    assert "j" in read_text(tmp_path, world(limb('<include file="parts.xml"/>'))).joint


WRONG = {
    "no body": (errors.MalformedError, world(""), "no <body>"),
    "unknown class": (errors.UnknownNameError, world(limb('<joint class="x"/>')), "no default class 'x'"),
    "unknown joint type": (errors.JointTypeError, world(limb('<joint type="screw"/>')), "joint type 'screw'"),
    "axis of zeros": (errors.AxisError, world(limb('<joint axis="0 0 0"/>')), "no direction"),
    "a range of words": (
        errors.NumberError,
        world(limb('<joint range="nan 1"/>')),
        "range='nan 1' must be 2",
    ),
    "a range of one number": (errors.NumberError, world(limb('<joint range="1"/>')), "range='1' must be 2"),
    "no number": (errors.NumberError, world(limb('<joint pos="0 a 0"/>')), "pos='0 a 0'"),
    "unknown mesh": (errors.UnknownNameError, world(limb('<geom type="mesh" mesh="m"/>')), "no mesh 'm'"),
    "two bodies of a name": (errors.NameClashError, world(limb(name="base")), "link 'base' already"),
    "two orientations": (
        errors.MalformedError,
        world(limb('<site name="s" euler="0 0 0" zaxis="0 0 1"/>')),
        "keep one",
    ),
    "flat axes": (
        errors.AxisError,
        world(limb('<site name="s" xyaxes="1 0 0 1 0 0"/>')),
        "without a direction",
    ),
    "unknown site": (
        errors.UnknownNameError,
        world(limb(), after='<equality><connect site1="a" site2="b"/></equality>'),
        "no site 'a'",
    ),
    "unknown follower": (
        errors.UnknownNameError,
        world(limb(), after='<equality><joint joint1="a"/></equality>'),
        "slide 'a'",
    ),
    "missing file": (
        errors.MalformedError,
        world('<include file="other.xml"/>'),
        "'other.xml' is not in folder",
    ),
    "itself": (errors.MalformedError, world('<include file="robot.xml"/>'), "included already"),
    "global coordinates": (
        errors.MalformedError,
        world(limb(), '\n<compiler coordinate="global"/>'),
        "MuJoCo 2.2",
    ),
    "euler sequence": (errors.MalformedError, world(limb(), '\n<compiler eulerseq="abc"/>'), "three letters"),
    "axis beyond numbers": (
        errors.NumberError,
        world(limb('<joint axis="0 1e308 1e308"/>')),
        "is beyond 1e+30",
    ),
    "too many defaults": (
        errors.MalformedError,
        world(limb(), "\n<default>" + "".join(f'<geom a{k}="1"/>' for k in range(2001)) + "</default>"),
        "class 'main' has more than 2000 attributes",
    ),
    "too many defaults that classes inherit": (
        errors.MalformedError,
        world(
            limb(),
            "\n<default><geom "
            + " ".join(f'a{k}="1"' for k in range(1900))
            + "/>"
            + "".join(f'<default class="c{k}"/>' for k in range(110))
            + "</default>",
        ),
        "default classes inherit more than 200000 attributes",
    ),
    "nested too deep": (errors.MalformedError, world("<frame>" * 300 + "</frame>" * 300), "nested deeper"),
    "entity": (errors.MalformedError, '<!DOCTYPE r [\n<!ENTITY a "b">]><mujoco/>', "ENTITY"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_told_by_type_file_line_and_remedy(tmp_path, case):
    kind, text, said = WRONG[case]
    with pytest.raises(errors.UrdfError) as error:
        read_text(tmp_path, text)
    assert type(error.value) is kind
    assert str(tmp_path / "robot.xml") in str(error.value)
    assert said in str(error.value)
    assert error.value.line == {"no body": 1, "unknown site": 3, "unknown follower": 3}.get(case, 2)


@pytest.mark.parametrize(
    "generator",
    [
        "<replicate count='3'>{}</replicate>",
        "<frame><replicate count='2'>{}</replicate></frame>",
        "<attach model='m'/>",
    ],
)
def test_a_model_that_has_nothing_but_what_mujocos_compiler_generates_is_told_the_way(tmp_path, generator):
    body = "<body name='a'><joint/><geom size='1'/></body>"
    path = write(tmp_path, f"<mujoco><worldbody>{generator.format(body)}</worldbody></mujoco>", "a.xml")
    with pytest.raises(
        errors.MalformedError,
        match=r"<(replicate|attach)>: there is no <body> beside it. .* save the compiled model in MuJoCo",
    ):
        read(path)


def test_what_cannot_be_read_is_left_out_with_a_warning(tmp_path):
    text = world(
        limb('<replicate count="2"/>'),
        after='<tendon>\n<fixed name="t"/></tendon><equality><tendon tendon1="t"/></equality>',
    )
    warnings = " ".join(read_text(tmp_path, text).warnings)
    for said in ("mj_saveLastXML", "tendons are not read", "kind 'tendon' is not read"):
        assert said in warnings


@pytest.mark.parametrize("seed", range(10))
def test_bodies_are_in_a_keyframes_posture_where_mujoco_puts_them(tmp_path, seed):
    draw = random.Random(seed)
    text = arbitrary(draw).replace(
        '<body name="b0"', '<body name="floor"><freejoint/><geom size="1"/></body><body name="b0"', 1
    )
    count = Referee(write(tmp_path, text, "plain.xml")).model.nq
    numbers = " ".join(repr(draw.uniform(-1.5, 1.5)) for _ in range(count))
    keyframes = f'<keyframe><key name="home" ctrl="" qpos="{numbers}"/></keyframe>'
    path = write(tmp_path, text.replace("</mujoco>", f"{keyframes}</mujoco>"), "robot.xml")
    wanted, robot = Referee(path).frames_at(0), read(path)
    tree = build_tree(robot)
    frames = dict(
        zip(
            (branch.link for branch in tree.branches),
            tree.frames(tree.complete(robot.postures["home"])),
            strict=True,
        )
    )
    base = wanted["b0"] @ np.linalg.inv(matrix_of(frames["b0"]))
    for name in set(wanted) - {"floor"}:
        assert np.abs(base @ matrix_of(frames[name]) - wanted[name]).max() < EXACT, name


def matrix_of(frame) -> np.ndarray:
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = to_matrix(frame.rotation), frame.offset
    return found


def test_a_keyframe_without_positions_is_none_and_one_of_another_robot_is_told(tmp_path):
    keys = '<key name="rest" ctrl="1"/><key qpos="0.5"/><key name="odd" qpos="1 2 3"/>'
    robot = read_text(
        tmp_path, world(limb('<joint name="j"/><geom size="1"/>'), after=f"<keyframe>{keys}</keyframe>")
    )
    assert robot.postures == {"keyframe 1": {"j": 0.5}}
    (warning,) = robot.warnings
    assert "<key name='odd'>" in warning
    assert "left out" in warning
