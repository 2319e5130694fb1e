"""Tests cut-tree URDF files with closures in YAML: files that are read, corrected with a warning, or refused
with a reason.
"""

import numpy as np
import pytest
from limber.robots import yaml_text
from limber.robots.closures import mechanism_of, read_mechanism
from limber.robots.errors import AxisError, UrdfError
from limber.robots.marks import closures_text
from limber.robots.reading import read
from limber.robots.yaml_text import parse_yaml
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.solver import MechanismSolver

LINK = '<link name="{}"/>'
JOINT = (
    '<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/><origin xyz="{} {} {}"/><axis'
    ' xyz="{}"/>{}</joint>'
)


def parallelogram(limit: str = "", extra: str = "") -> str:
    """Two cranks of .2 m, .5 m apart, that carry a plate."""
    links = "".join(
        LINK.format(name) for name in ("base", "left", "right", "plate", "plate_end", "right_end")
    )
    joints = "".join((
        JOINT.format("motor", "revolute", "base", "left", 0, 0, 0, "0 1 0", limit or '<limit effort="1" velocity="1"/>'),
        JOINT.format("free_left", "revolute", "left", "plate", 0, 0, 0.2, "0 1 0", '<limit effort="1" velocity="1"/>'),
        JOINT.format("free_right", "continuous", "base", "right", 0.5, 0, 0, "0 1 0", ""),
        JOINT.format("pin", "continuous", "right", "right_end", 0, 0, 0.2, "0 1 0", ""),
        JOINT.format("end", "fixed", "plate", "plate_end", 0.5, 0, 0, "1 0 0", ""),
    ))  # fmt: skip
    return f'<robot name="parallelogram">{links}{extra}{joints}</robot>'


CLOSED = "closed_loop: [['plate_end', 'right_end']]\ntype: ['6d']\nname_mot: ['motor']\n"


@pytest.fixture
def files(tmp_path):
    def write(urdf: str = "", closures: str = CLOSED):
        (tmp_path / "robot.urdf").write_text(urdf or parallelogram(), encoding="utf-8")
        (tmp_path / "robot.yaml").write_text(closures, encoding="utf-8")
        return tmp_path / "robot.urdf", tmp_path / "robot.yaml"

    return write


def test_a_parallelogram_is_read_and_closes(files):
    mechanism = read_mechanism(*files())
    assert [joint.name for joint in mechanism.actuators] == ["motor"]
    found = assemble(MechanismSolver(mechanism))
    assert found.report.residual < 1e-9
    assert found.report.worst == "plate_end = right_end (6d)"


def test_a_joints_name_in_a_closure_stands_for_its_child(files):
    mechanism = read_mechanism(*files(closures=CLOSED.replace("'plate_end'", "'end'")))
    assert mechanism.joints[-1].parent == "plate_end"


def test_a_closure_without_a_type_holds_frames(files):
    assert read_mechanism(*files(closures=CLOSED.replace("type: ['6d']\n", ""))).joints[-1].kind == "fixed"
    assert read_mechanism(*files(closures=CLOSED.replace("6d", "3D"))).joints[-1].kind == "spherical"


def test_limits_are_kept_and_a_limit_without_bounds_is_none(files):
    assert read_mechanism(*files()).joint["motor"].lower == ()
    found = read_mechanism(
        *files(parallelogram('<limit lower="-1" upper="0.5" effort="1" velocity="1"/>'))
    ).joint["motor"]
    assert (found.lower, found.upper) == ((-1.0,), (0.5,))


def test_joints_change_their_kind(files):
    changed = CLOSED + "joint_name: [free_left, pin, free_right]\njoint_type: [SPHERICAL, UJOINT_ZX, FIXED]\n"
    mechanism = read_mechanism(*files(closures=changed))
    assert [mechanism.joint[name].kind for name in ("free_left", "pin", "free_right")] == [
        "spherical",
        "universal",
        "fixed",
    ]
    turn = MechanismSolver(mechanism)
    first = turn.tree.rests[turn.tree.passages["pin"].joints[0], :3, :3] @ (1.0, 0.0, 0.0)
    assert first == pytest.approx((0.0, 0.0, 1.0))  # about z first


def test_a_floating_base_is_free(files):
    assert (
        len(MechanismSolver(read_mechanism(*files(), True)).tree)
        == len(MechanismSolver(read_mechanism(*files())).tree) + 6
    )


def test_names_that_the_robot_lacks_are_warned_of(files):
    told = (
        CLOSED.replace("['motor']", "['motor', 'engine']")
        + "joint_name: ['gone']\njoint_type: ['SPHERICAL']\nnotes: hello\n"
    )
    warnings = " ".join(read_mechanism(*files(closures=told)).warnings)
    assert "'engine'" in warnings
    assert "'gone'" in warnings
    assert "'notes'" in warnings


def test_many_unknown_names_are_one_short_warning_for_each_key(files):
    many = [f"key{number}" for number in range(1000)]
    told = CLOSED.replace("['motor']", f"['motor', {', '.join(many)}]")
    told += "".join(f"{name}: 1\n" for name in many)
    warnings = read_mechanism(*files(closures=told)).warnings
    assert len(warnings) == 2
    assert all("'key0'" in warning and "980 more" in warning for warning in warnings)


def test_a_closure_of_a_name_that_the_robot_lacks_is_warned_of_and_left_out(files):
    told = CLOSED.replace(
        "[['plate_end', 'right_end']]", "[['plate_end', 'nowhere'], ['plate_end', 'right_end']]"
    ).replace("['6d']", "['6d', '6d']")
    mechanism = read_mechanism(*files(closures=told))
    assert [joint.name for joint in mechanism.joints if joint.closes] == ["plate_end = right_end (6d)"]
    (warning,) = mechanism.warnings
    assert (
        "'nowhere' is neither a link nor a joint of the URDF: the closure of ['plate_end', 'nowhere'] is"
        " left out" in warning
    )


def test_a_closure_that_is_told_twice_is_warned_of_and_made_once(files):
    told = CLOSED.replace(
        "[['plate_end', 'right_end']]", "[['plate_end', 'right_end'], ['plate_end', 'right_end']]"
    ).replace("['6d']", "['6d', '6d']")
    mechanism = read_mechanism(*files(closures=told))
    assert len([joint for joint in mechanism.joints if joint.closes]) == 1
    assert "is there twice" in mechanism.warnings[0]


@pytest.mark.parametrize("kinds", ["['6d', '6d']", "['3d', '6d']", "['6d', '3D']"])
@pytest.mark.parametrize(
    "second", ["['right_end', 'plate_end']", "['right_end', 'end']", "['plate_end', 'pin']"]
)
def test_a_closure_of_the_same_links_is_told_twice_however_it_is_written_and_the_frames_count(
    files, second: str, kinds: str
):
    told = CLOSED.replace("[['plate_end', 'right_end']]", f"[['plate_end', 'right_end'], {second}]").replace(
        "['6d']", kinds
    )
    mechanism = read_mechanism(*files(closures=told))
    (closure,) = [joint for joint in mechanism.joints if joint.closes]
    assert closure.kind == "fixed"
    (warning,) = mechanism.warnings
    assert f"robot.yaml, closed_loop: {second} is there twice, '" in warning
    assert "are joined already: one is used, as 6d" in warning


def test_types_that_are_too_many_or_missing_are_warned_of(files):
    more = read_mechanism(*files(closures=CLOSED.replace("['6d']", "['3d', '6d', '6d']")))
    assert more.joints[-1].kind == "spherical"
    (warning,) = more.warnings
    assert "robot.yaml, type: pairs in closed_loop: 1, types: 3: the last types are left out" in warning
    pairs = CLOSED.replace(
        "[['plate_end', 'right_end']]", "[['plate_end', 'right_end'], ['left', 'right']]"
    ).replace("6d", "3d")
    fewer = read_mechanism(*files(closures=pairs))
    assert [joint.kind for joint in fewer.joints if joint.closes] == ["spherical", "fixed"]
    (warning,) = fewer.warnings
    assert (
        "robot.yaml, type: pairs in closed_loop: 2, types: 1: pairs without a type are read as 6d, give each"
        " its own" in warning
    )


BALL = JOINT.format("pin", "revolute", "right", "right_end", 0, 0, 0.2, "0 1 0", "{}")
NONSENSE = {
    "no axis": BALL.replace("0 1 0", "0 0 0").format(""),
    "no number for an axis": BALL.replace("0 1 0", "x").format(""),
    "limits the wrong way round": BALL.format('<limit lower="1" upper="-1" effort="1" velocity="1"/>'),
    "limits that are equal": BALL.format('<limit lower="0" upper="0"/>'),
    "limits that are no numbers": BALL.format('<limit lower="nan" upper="" velocity="x"/>'),
    "a joint that it follows": BALL.format('<mimic joint="pin" multiplier="x"/>'),
    "no motor": BALL.format("").replace("revolute", "floating"),
}


@pytest.mark.parametrize("kind", ["SPHERICAL", "UJOINT_XY", "FIXED"])
@pytest.mark.parametrize("case", NONSENSE)
def test_axis_and_limits_of_a_joint_that_changes_its_kind_mean_nothing(files, case: str, kind: str):
    urdf = parallelogram().replace(
        JOINT.format("pin", "continuous", "right", "right_end", 0, 0, 0.2, "0 1 0", ""), NONSENSE[case]
    )
    mechanism = read_mechanism(*files(urdf, CLOSED + f"joint_name: [pin]\njoint_type: [{kind}]\n"))
    assert mechanism.joint["pin"].lower == ()
    assert not mechanism.warnings


def test_of_other_joints_axis_and_limits_still_count(files):
    changed = CLOSED + "joint_name: [pin]\njoint_type: [FIXED]\n"
    mechanism = read_mechanism(*files(parallelogram('<limit lower="1" upper="-1"/>'), changed))
    assert any(
        "of joint 'motor' lower='1' is above upper='-1': they are exchanged" in warning
        for warning in mechanism.warnings
    )
    with pytest.raises(AxisError, match="'free_right'"):
        read_mechanism(
            *files(
                parallelogram().replace('0.5 0 0"/><axis xyz="0 1 0"', '0.5 0 0"/><axis xyz="0 0 0"'), changed
            )
        )


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ('<limit effort="" velocity="1"/>', "effort='' must be a finite number: it is left out"),
        ('<limit effort="-1" velocity="1"/>', "effort='-1' is below zero: it is left out"),
        ('<limit effort="1" velocity="-1"/>', "velocity='-1' is below zero: it is left out"),
        ('<limit effort="1" velocity="nan"/>', "velocity='nan' must be a finite number: it is left out"),
    ],
)
def test_a_speed_or_force_that_makes_no_sense_is_left_out(files, limit: str, said: str):
    mechanism = read_mechanism(*files(parallelogram(limit)))
    (warning,) = mechanism.warnings
    assert said in warning
    assert "<limit>" in warning


@pytest.mark.parametrize(
    ("inertial", "mass", "said"),
    [
        (
            '<mass value="2"/><inertia ixx="nan" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>',
            2.0,
            "ixx='nan' must be a finite number",
        ),
        ('<mass value="nan"/>', 0.0, "value='nan' must be a finite number: the link has no mass"),
        ('<origin xyz="nan 0 0"/><mass value="2"/>', 0.0, "xyz='nan 0 0' must be 3 finite numbers"),
    ],
)
def test_a_mass_that_makes_no_sense_is_none(files, inertial: str, mass: float, said: str):
    heavy = f'<link name="weight"><inertial>{inertial}</inertial></link>' + JOINT.format(
        "hang", "fixed", "plate", "weight", 0, 0, 0, "", ""
    )
    mechanism = read_mechanism(*files(parallelogram(extra=heavy.replace('<axis xyz=""/>', ""))))
    assert mechanism.bodies[mechanism.body_index["weight"]].mass == mass
    (warning,) = mechanism.warnings
    assert said in warning


def test_looks_are_nothing_to_a_mechanism(files):
    shown = (
        '<link name="left"><visual><origin xyz="nan 0 0"/><geometry><sphere'
        ' radius="x"/></geometry></visual></link>'
    )
    assert not read_mechanism(*files(parallelogram().replace(LINK.format("left"), shown))).warnings


def test_a_motor_on_a_joint_that_is_fixed_is_warned_of_and_left_out(files):
    mechanism = read_mechanism(*files(closures=CLOSED.replace("['motor']", "['motor', 'end']")))
    assert [joint.name for joint in mechanism.actuators] == ["motor"]
    (warning,) = mechanism.warnings
    assert "name_mot: joint 'end' is fixed, so it can have no motor: take it out of the list" in warning


@pytest.mark.parametrize(
    ("closures", "words"),
    [
        (CLOSED.replace("right_end", "end"), "joins link 'plate_end' to itself"),
        (CLOSED.replace("6d", "5d"), "3d or 6d"),
        (CLOSED + "joint_name: ['pin']\njoint_type: ['UJOINT_XX']\n", "ujoint_xx"),
        (CLOSED + "joint_name: ['pin']\n", "joint_type"),
        (CLOSED.replace("['plate_end', 'right_end']", "'plate_end'"), "pair"),
        ("closed_loop: [['a', 'b']\n", "close the list with"),
        ("closed_loop: ['a' 'b']\n", "comma"),
        ("just words\n", "key"),
        ("closed_loop: [a] b\n", "indent what belongs together alike"),
        ("closed_loop:\n  , a\n", "take out the extra comma"),
        ("closed_loop:\n  - a\n b\n", "one key or dash on a line"),
        ("closed_loop: ['a\n", "close the quote"),
        ("closed_loop: [a]\nclosed_loop: [b]\n", "twice"),
        ("closed_loop: motor\n", "list"),
    ],
)
def test_what_cannot_be_used_is_named(files, closures: str, words: str):
    with pytest.raises(UrdfError, match=words):
        read_mechanism(*files(closures=closures))


def test_a_missing_file_of_closures_is_named(files, tmp_path):
    urdf, _ = files()
    with pytest.raises(UrdfError, match=r"gone\.yaml"):
        read_mechanism(urdf, tmp_path / "gone.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "pairs: [['a', 'b c'], [\"d#\", e]] # why\nname: x\n",
        "pairs:\n  [\n    ['a', 'b c'],  # one\n    [\"d#\", e],\n  ]\nname: x\n",
        "pairs:\n- [a, b c]\n- ['d#', e]\nname: x\n",
        "pairs:\n  - - a\n    - b c\n  - - 'd#'\n    - e\nname: x\n",
    ],
)
def test_lists_are_read_in_every_way_that_files_write_them(text: str):
    assert parse_yaml(text, "some.yaml") == {"pairs": [["a", "b c"], ["d#", "e"]], "name": "x"}


def test_masses_are_kept_with_their_place(files):
    heavy = '<link name="weight"><inertial><origin xyz="0.1 0 0"/><mass value="2"/></inertial></link>'
    hung = JOINT.format("hang", "fixed", "plate", "weight", 0, 0, 0, "1 0 0", "")
    mechanism = read_mechanism(*files(parallelogram(extra=heavy + hung)))
    body = mechanism.bodies[mechanism.body_index["weight"]]
    assert body.mass == 2.0
    assert np.allclose(body.centre, (0.1, 0.0, 0.0))


def test_closures_that_a_robots_own_file_marks_need_no_yaml_parser(tmp_path, monkeypatch):
    path = tmp_path / "robot.urdf"
    ends = (("plate_end", "closing_1_1"), ("right_end", "closing_1_2"))
    marks = "".join(
        LINK.format(mark) + JOINT.format(f"to {mark}", "fixed", link, mark, 0, 0, 0, "1 0 0", "")
        for link, mark in ends
    )
    path.write_text(parallelogram(extra=marks), encoding="utf-8")
    robot = read(path)

    def slow(*_: object) -> None:
        raise AssertionError("YAML takes a second for some 200 kB, in which Blender's window stands still")

    monkeypatch.setattr(yaml_text, "parse_yaml", slow)
    mechanism = mechanism_of(robot, closures_text(robot), path.name)
    assert [joint.parent for joint in mechanism.joints if joint.closes] == ["closing_1_1"]
