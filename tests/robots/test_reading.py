"""Tests what is read from a URDF file, and what is refused: by type, file, line and element."""

import pytest
from limber.robots import errors
from limber.robots.model import Box, Cylinder, MeshFile, Sphere, UnknownShape
from limber.robots.reading import read

from tests.robots.robots import ARM, PUBLIC, write

LINKS = '<link name="a"/><link name="b"/>'
ENDS = '<parent link="a"/><child link="b"/>'


def robot(body: str) -> str:
    return f'<robot name="r">\n{body}\n</robot>'


def joint(inside: str = "", kind: str = "revolute", name: str = "j", ends: str = ENDS) -> str:
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


FIXED = joint(name="k", kind="fixed", ends='<parent link="b"/><child link="c"/>')
WRONG = {
    "no file": (errors.MalformedError, None, 0, "cannot be read"),
    "nothing": (errors.MalformedError, "", 1, "not valid XML"),
    "not closed": (errors.MalformedError, '<robot name="r">\n<link name="a">\n</robot>', 3, "not valid XML"),
    "another root element": (errors.MalformedError, "<sdf/>", 1, "<robot>"),
    "xacro": (errors.UnknownNameError, robot('<link name="a"/>\n<xacro:arm x="1"/>'), 3, "no macro 'arm'"),
    "xacro within": (errors.UnknownNameError, robot('<link name="a">\n<xacro:inertia/></link>'), 3, "no macro 'inertia'"),
    "entity": (errors.MalformedError, '<!DOCTYPE r [\n<!ENTITY a "b">]>\n<robot name="&a;"/>', 2, "ENTITY"),
    "no link": (errors.MalformedError, robot(""), 1, "no <link>"),
    "link without a name": (errors.MalformedError, robot('<link name="a"/>\n<link/>'), 3, "name"),
    "joint without a name": (errors.MalformedError, robot(f'{LINKS}\n<joint type="fixed">{ENDS}</joint>'), 3, "name"),
    "joint without a type": (errors.MalformedError, robot(f'{LINKS}\n<joint name="j">{ENDS}</joint>'), 3, "type"),
    "joint without a parent": (errors.MalformedError, robot(LINKS + "\n" + joint(ends='<child link="b"/>')), 3, "<parent>"),
    "joint without a child": (errors.MalformedError, robot(LINKS + "\n" + joint(ends='<parent link="a"/>')), 3, "<child>"),
    "two axes": (errors.MalformedError, robot(LINKS + "\n" + joint('<axis xyz="1 0 0"/>\n<axis xyz="0 1 0"/>')), 4, "more than one"),
    "unknown type": (errors.JointTypeError, robot(LINKS + "\n" + joint(kind="ball")), 3, "'ball'"),
    "zero axis": (errors.AxisError, robot(LINKS + "\n" + joint('\n<axis xyz="0 0 0"/>')), 4, "'j'"),
    "no number": (errors.NumberError, robot(LINKS + "\n" + joint('\n<origin xyz="0 x 0"/>')), 4, "xyz='0 x 0'"),
    "two numbers": (errors.NumberError, robot(LINKS + joint('<origin rpy="0 0"/>')), 2, "3 finite numbers"),
    "comma": (errors.NumberError, robot(LINKS + joint('<limit lower="0,5" upper="1"/>')), 2, "lower='0,5'"),
    "underscore": (errors.NumberError, robot(LINKS + joint('<limit lower="0" upper="1_0"/>')), 2, "upper='1_0'"),
    "not a number": (errors.NumberError, robot(LINKS + joint('<origin xyz="nan 0 0"/>')), 2, "finite"),
    "infinite place": (errors.NumberError, robot(LINKS + joint('<origin xyz="0 inf 0"/>')), 2, "finite"),
    "too large": (errors.NumberError, robot(LINKS + joint('<origin xyz="0 1e999 0"/>')), 2, "finite"),
    "limit that is no number": (errors.NumberError, robot(LINKS + joint('<limit lower="nan" upper="1"/>')), 2, "of <joint name='j'>"),
    "mass that is no number": (errors.NumberError, robot('<link name="a"><inertial><mass value="nan"/></inertial></link>'), 2, "finite"),
    "two links of a name": (errors.NameClashError, robot('<link name="a"/>\n<link name="a"/>'), 3, "line 2"),
    "two joints of a name": (errors.NameClashError, robot(LINKS + '<link name="c"/>' + joint() + "\n" + joint()), 3, "joint 'j'"),
    "missing parent": (errors.UnknownNameError, robot('<link name="b"/>\n' + joint()), 3, "link 'a'"),
    "missing child": (errors.UnknownNameError, robot('<link name="a"/>\n' + joint()), 3, "link 'b'"),
    "its own parent": (errors.LoopError, robot(LINKS + "\n" + joint(ends='<parent link="a"/><child link="a"/>')), 3, "is its own parent"),
    "two parents": (
        errors.LoopError,
        robot(LINKS + '<link name="c"/>' + joint() + "\n" + joint(name="k", ends='<parent link="c"/><child link="b"/>')),
        3,
        "closes a loop",
    ),
    "circle": (
        errors.LoopError,
        robot(LINKS + joint() + "\n" + joint(name="k", ends='<parent link="b"/><child link="a"/>')),
        2,
        "parents in a circle: 'a' -> 'b' -> 'a'",
    ),
    "circle beside a tree": (
        errors.LoopError,
        robot('<link name="root"/>' + LINKS + joint() + "\n" + joint(name="k", ends='<parent link="b"/><child link="a"/>')),
        2,
        "'a'",
    ),
    "two roots": (errors.RootError, robot('<link name="a"/>\n<link name="b"/>'), 3, "'a' (line 2)"),
    "mimics itself": (errors.MimicError, robot(LINKS + "\n" + joint('<mimic joint="j"/>')), 3, "'j'"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_told_by_type_file_line_and_element(tmp_path, case):
    kind, text, line, said = WRONG[case]
    path = tmp_path / "robot.urdf"
    if text is not None:
        write(tmp_path, text)
    with pytest.raises(errors.UrdfError) as error:
        read(path)
    assert type(error.value) is kind
    assert str(path) in str(error.value)
    assert said in str(error.value)
    assert error.value.line == line
    assert not line or f"line {line}" in str(error.value)
    assert error.value.element or case in ("no file", "nothing"), "the element is named"


@pytest.mark.parametrize(
    "data",
    [b"\xff\xfe\x00", b'<?xml version="1.0" encoding="none"?><robot/>', b"\x00" * 9, bytes(range(256))],
)
def test_bytes_that_are_no_text_are_refused_as_well(tmp_path, data):
    (tmp_path / "robot.urdf").write_bytes(data)
    with pytest.raises(errors.MalformedError):
        read(tmp_path / "robot.urdf")


def test_all_that_the_file_tells_is_read(tmp_path):
    arm = read(write(tmp_path, ARM))
    assert (arm.name, arm.root, len(arm.links), len(arm.joints), arm.warnings) == ("arm", "base", 6, 5, ())
    shoulder, grip, wrist = arm.joint["shoulder"], arm.joint["counter_grip"], arm.joint["wrist"]
    assert (shoulder.lower, shoulder.upper, shoulder.velocity, shoulder.effort) == (-2.0, 1.5, 3.0, 4.0)
    assert shoulder.axis == (0.0, 0.0, 1.0), "axes are made unit vectors"
    assert (grip.mimic.joint, grip.mimic.multiplier, grip.mimic.offset) == ("grip", 0.5, 0.001)
    assert not wrist.is_movable, "and of what does not move an axis of zeros is no error"
    inertial = arm.link["upper"].inertial
    assert (inertial.mass, inertial.origin.offset, inertial.inertia) == (
        0.5,
        (0.0, 0.0, 0.1),
        (1.0, 2.0, 3.0, 4.0, 5.0, 6.0),
    )
    (visual,) = arm.link["base"].visuals
    assert visual.shape == Box((0.2, 0.1, 0.05))
    assert visual.material.colour == (
        0.1,
        0.2,
        0.8,
        1.0,
    ), "a material's colour may be told elsewhere in the file"


@pytest.mark.parametrize(("leader", "said"), [("none", "is not there"), ("k", "cannot move")])
def test_a_joint_that_mimics_none_that_moves_leads_itself_and_that_is_said(tmp_path, leader, said):
    made = read(
        write(
            tmp_path,
            robot(LINKS + '<link name="c"/>\n' + joint(f'<mimic joint="{leader}"/>', "continuous") + FIXED),
        )
    )
    assert made.joint["j"].mimic is None
    assert f"line 3, <joint name='j'>: it mimics joint '{leader}', which {said}" in made.warnings[0]


def only_joint(tmp_path, inside: str, kind: str = "revolute"):
    made = read(write(tmp_path, robot(LINKS + joint(inside, kind))))
    return made.joints[0], made.warnings


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ('<limit lower="-1" upper="2"/>', (-1.0, 2.0)),
        ('<limit upper="2"/>', (0.0, 2.0)),
        ('<limit lower="-2"/>', (-2.0, 0.0)),
        ('<limit effort="1" velocity="1"/>', (None, None)),
        ('<limit lower="-inf" upper="inf"/>', (None, None)),
        ('<limit lower="-1e16" upper="1e16"/>', (None, None)),
    ],
)
def test_limits_that_are_not_told_are_none_and_of_one_the_others_default_is_zero(tmp_path, limit, expected):
    found, warnings = only_joint(tmp_path, limit)
    assert (found.lower, found.upper) == expected
    assert not warnings


def test_a_turning_joint_without_limits_is_unlimited_and_said_so_but_not_a_continuous_one(tmp_path):
    assert "unlimited" in only_joint(tmp_path, "")[1][0]
    assert not only_joint(tmp_path, "", "continuous")[1]
    assert only_joint(tmp_path, '<limit lower="1" upper="2" velocity="3"/>', "continuous")[0].lower is None


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_joints_that_no_motor_can_be_are_held_with_a_warning(tmp_path, kind):
    found, warnings = only_joint(tmp_path, '<axis xyz="0 0 0"/>', kind)
    assert not found.is_movable
    assert kind in warnings[0]


def test_a_joint_whose_limits_are_equal_cannot_move_and_that_is_said(tmp_path):
    found, warnings = only_joint(tmp_path, '<limit lower="0" upper="0"/>')
    assert (found.lower, found.upper) == (0.0, 0.0)
    assert "cannot move" in warnings[0]


@pytest.mark.parametrize("kind", ["fixed", "floating"])
def test_axis_and_limits_of_a_joint_that_has_none_are_not_read(tmp_path, kind):
    found, warnings = only_joint(tmp_path, '<axis xyz="x"/><limit lower="" upper="nan" velocity="-1"/>', kind)
    assert (found.axis, found.lower, found.upper, found.velocity) == ((1.0, 0.0, 0.0), None, None, None)
    assert not any("limit" in warning for warning in warnings)
    assert only_joint(tmp_path, '<limit lower="" upper="nan" velocity="2"/>', "continuous")[0].velocity == 2.0


def test_an_axis_that_is_not_told_is_x(tmp_path):
    assert only_joint(tmp_path, '<limit lower="0" upper="1"/>')[0].axis == (1.0, 0.0, 0.0)


def shapes(tmp_path, geometry: str, material: str = ""):
    text = robot(f'<link name="a"><visual><geometry>{geometry}</geometry>{material}</visual></link>')
    made = read(write(tmp_path, text))
    return made.links[0].visuals[0], made.warnings


@pytest.mark.parametrize(
    ("geometry", "shape"),
    [
        ('<box size="1 2 3"/>', Box((1.0, 2.0, 3.0))),
        ('<cylinder radius="1" length="2"/>', Cylinder(1.0, 2.0)),
        ('<sphere radius="1"/>', Sphere(1.0)),
        (
            '<mesh filename="package://a/b.stl" scale="0.001 0.001 0.001"/>',
            MeshFile("package://a/b.stl", (0.001, 0.001, 0.001)),
        ),
        ('<mesh filename="b.obj"/>', MeshFile("b.obj")),
    ],
)
def test_shapes_are_read(tmp_path, geometry, shape):
    visual, warnings = shapes(tmp_path, geometry)
    assert visual.shape == shape
    assert not warnings


@pytest.mark.parametrize(
    "geometry",
    ["", "<mesh/>", '<box size="0 0 0"/>', '<capsule radius="1" length="1"/>', '<sphere radius="-1"/>'],
)
def test_shapes_that_cannot_be_are_warnings_with_their_line(tmp_path, geometry):
    visual, warnings = shapes(tmp_path, geometry)
    assert isinstance(visual.shape, UnknownShape)
    assert "line 2" in warnings[0]


@pytest.mark.parametrize("wrong", ['<mesh filename="a.stl" scale="1 1 1 1"/>', '<box size="1, 2, 3"/>'])
def test_a_visual_whose_numbers_cannot_be_read_is_left_out_with_a_warning_and_the_others_stay(
    tmp_path, wrong
):
    both = "".join(
        f"<visual><geometry>{shape}</geometry></visual>" for shape in (wrong, '<sphere radius="1"/>')
    )
    made = read(write(tmp_path, robot(f'<link name="a">{both}</link>')))
    assert [visual.shape for visual in made.links[0].visuals] == [Sphere(1.0)]
    assert made.warnings[0].startswith("line 2, <")
    assert made.warnings[0].endswith("this visual of 'a' is left out")


def test_a_declaration_below_blank_lines_is_read_and_lines_keep_their_numbers(tmp_path):
    text = '\n\n<?xml version="1.0"?>\n' + robot('<link name="a"/>')
    assert [link.name for link in read(write(tmp_path, text)).links] == ["a"]
    with pytest.raises(errors.MalformedError, match="line 7"):
        read(write(tmp_path, text.replace('<link name="a"/>', '\n<link name="a">')))


def test_a_colour_that_cannot_be_read_is_a_warning(tmp_path):
    visual, warnings = shapes(
        tmp_path, '<sphere radius="1"/>', '<material name="m"><color rgba="1 0 0"/></material>'
    )
    assert visual.material.colour is None
    assert "rgba" in warnings[0]


def test_a_force_or_an_inertia_that_makes_no_sense_is_left_out_since_nothing_needs_it(tmp_path):
    found, (warning,) = only_joint(tmp_path, '<limit lower="0" upper="1" effort="" velocity="2"/>')
    assert (found.effort, found.velocity) == (None, 2.0)
    assert "line 2, <limit> of <joint name='j'>: effort='' must be a finite number: it is left out" in warning
    body = (
        '<link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="inf" iyz="0"'
        ' izz="1"/></inertial></link>'
    )
    made = read(write(tmp_path, robot(body)))
    assert (made.links[0].inertial.mass, made.links[0].inertial.inertia) == (1.0, (0.0,) * 6)
    assert "iyy='inf' must be a finite number: the inertia is left out" in made.warnings[0]


def test_a_mass_below_zero_is_no_mass_and_said_so(tmp_path):
    made = read(write(tmp_path, robot('<link name="a"><inertial><mass value="-1"/></inertial></link>')))
    assert made.links[0].inertial is None
    assert "mass" in made.warnings[0]


def test_what_other_programs_keep_in_the_file_is_passed_over(tmp_path):
    more = (
        '<transmission name="t"><joint name="j"/></transmission><gazebo><link'
        ' name="b"/></gazebo><sensor><parent link="x"/></sensor>'
    )
    assert len(read(write(tmp_path, robot('<link name="a"/>' + more))).links) == 1


def test_names_in_any_script_and_a_byte_order_mark_are_read(tmp_path):
    write(tmp_path, "\ufeff" + robot('<link name="金属 ĥ"/>'))
    assert read(tmp_path / "robot.urdf").root == "金属 ĥ"


def test_thousands_of_links_in_a_row_are_read(tmp_path):
    count = 3000
    links = "".join(f'<link name="{k}"/>' for k in range(count))
    joints = ""
    for k in range(1, count):
        ends = f'<parent link="{k - 1}"/><child link="{k}"/>'
        joints += joint(f'<mimic joint="j{k - 1}"/>' if k > 1 else "", "continuous", f"j{k}", ends)
    assert len(read(write(tmp_path, robot(links + joints))).joints) == count - 1


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.parent.name + "/" + path.name)
def test_public_robots_are_read(path):
    assert read(path).joints


@pytest.mark.parametrize(
    ("limit", "range_", "told"),
    [
        (
            '<limit lower="1" upper="-1"/>',
            (-1.0, 1.0),
            "of joint 'j' lower='1' is above upper='-1': they are exchanged",
        ),
        ('<limit upper="-1"/>', (-1.0, 0.0), "lower='0' is above upper='-1': they are exchanged"),
    ],
)
def test_limits_the_wrong_way_round_are_exchanged_and_named(tmp_path, limit: str, range_, told: str):
    found, (warning,) = only_joint(tmp_path, limit)
    assert (found.lower, found.upper) == range_
    assert told in warning


@pytest.mark.parametrize(
    ("limit", "range_"),
    [
        ('<limit lower="" upper="1"/>', (0.0, 1.0)),
        ('<limit lower="-1" upper=" "/>', (-1.0, 0.0)),
        ('<limit lower="-1" upper="1"/><mimic joint="j" offset=""/>', (-1.0, 1.0)),
        ('<limit lower="-1" upper="1"/><axis xyz=""/>', (-1.0, 1.0)),
    ],
)
def test_an_empty_number_counts_as_missing_and_is_named(tmp_path, limit: str, range_):
    if "mimic" in limit:
        links = "".join(f'<link name="{name}"/>' for name in "abc")
        text = (
            links
            + joint('<limit lower="-1" upper="1"/>')
            + joint(limit).replace('name="j"', 'name="k"').replace('child link="b"', 'child link="c"')
        )
        model = read(write(tmp_path, robot(text)))
        empty, (warning,) = model.joints[1], model.warnings
    else:
        empty, (warning,) = only_joint(tmp_path, limit)
    assert (empty.lower, empty.upper) == range_
    assert "counts as missing" in warning


@pytest.mark.parametrize("kind", ["Revolute", "REVOLUTE", " revolute "])
def test_a_joint_s_type_may_have_capitals(tmp_path, kind: str):
    assert only_joint(tmp_path, '<limit lower="-1" upper="1"/>', kind)[0].kind == "revolute"


@pytest.mark.parametrize("velocity", ["-1", ""])
def test_a_velocity_that_is_none_is_left_out_and_named(tmp_path, velocity: str):
    found, (warning,) = only_joint(tmp_path, f'<limit lower="-1" upper="1" velocity="{velocity}"/>')
    assert found.velocity is None
    assert f"velocity='{velocity}'" in warning


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('<include filename="b.xacro"/>', "it has no <link>"),
        ('<property name="p" value="1"/><link name="a${p}"/>', "there is no property 'p'"),
        ('<x:macro name="m"><link name="a"/></x:macro>', "it has no <link>"),
        (
            (
                '<link name="a"/><if value="1"><link name="b"/></if><joint name="j" type="fixed"><parent'
                ' link="a"/><child link="b"/></joint>'
            ),
            "link 'b'",
        ),
    ],
)
def test_an_error_of_a_file_that_writes_xacro_without_its_prefix_says_so_first(tmp_path, body, reason):
    with pytest.raises(
        errors.MalformedError, match=r"no effect without xacro's prefix: write <xacro:\w+>, and xmlns:xacro="
    ) as error:
        read(write(tmp_path, f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{body}</robot>'))
    assert reason in str(error.value)


def test_an_element_of_xacro_without_its_prefix_is_told_once_where_the_robot_can_be_read_without_it(tmp_path):
    gazebo = '<gazebo><include filename="x"/></gazebo>'
    (warning,) = read(
        write(tmp_path, robot(f'<link name="a"/><include filename="b.xacro"/>{gazebo}'))
    ).warnings
    assert "<include> of <robot" in warning
    assert "write <xacro:include>" in warning
