"""Tests that the work on large files grows linearly with their size, by counting executed lines of Python for
doubled sizes.
"""

import ast
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from limber.robots.display import bone_shapes
from limber.robots.reading import read
from limber.robots.tree import build_tree
from limber.robots.yaml_text import parse_yaml

from tests.robots.robots import write

URDF = Path(__file__).resolve().parents[2] / "robots"
DOUBLE = 2.2  # largest ratio for doubled size; quadratic work would give 4
LINK = '<link name="l{0}"/>'
JOINT = (
    '<joint name="j{0}" type="revolute"><parent link="l{1}"/><child link="l{2}"/><axis xyz="0 0 1"/>'
    '<limit lower="-1" upper="1" velocity="1" effort="1"/>{3}</joint>'
)


def lines_run(work: Callable[[], object]) -> int:
    """Number of lines of Python that run during `work`."""
    count = 0

    def note(_frame, event, _argument):
        nonlocal count
        count += event == "line"
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def robot(size: int, parent: Callable[[int], int], mimic: str = "") -> str:
    joints = "".join(
        JOINT.format(k, parent(k), k, mimic.format(k - 1) if k > 1 else "") for k in range(1, size)
    )
    return f'<robot name="r">{"".join(map(LINK.format, range(size)))}{joints}</robot>'


BODIES = '<body><joint/><body pos="1 0 0"/><site name="s{0}"/><geom size=".1"/></body>'
WELD = '<weld name="w" body1="a" body2="b"/>'
MACRO = """<robot name="r"><link name="l0"/><xacro:macro name="m" params="k"><link name="l${{k}}"/><joint name="j${{k}}" type="fixed">
<parent link="l0"/><child link="l${{k}}"/></joint></xacro:macro>{0}</robot>"""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            lambda size: (
                f"<mujoco><worldbody>{''.join(BODIES.format(k) for k in range(size))}</worldbody></mujoco>"
            ),
            id="MJCF",
        ),
        pytest.param(
            lambda size: (
                "<mujoco><worldbody><body name='a'/><body"
                f" name='b'/></worldbody><equality>{WELD * size}</equality></mujoco>"
            ),
            id="MJCF with welds of one name",
        ),
        pytest.param(
            lambda size: MACRO.format("".join(f'<xacro:m k="{k}"/>' for k in range(1, size))), id="xacro"
        ),
    ],
)
def test_a_file_of_twice_the_bodies_takes_twice_the_work(tmp_path, text):
    def work(size: int) -> int:
        path = write(tmp_path, text(size))
        return lines_run(lambda: build_tree(read(path)))

    assert work(200) < DOUBLE * work(100)


@pytest.mark.parametrize(
    ("parent", "mimic"),
    [
        pytest.param(lambda k: k - 1, "", id="a line of links"),
        pytest.param(lambda _: 0, "", id="a star of links"),
        pytest.param(lambda k: k // 2, "", id="a tree of links"),
        pytest.param(lambda k: k - 1, '<mimic joint="j{0}"/>', id="joints that follow each other"),
        pytest.param(lambda k: k - 1, '<mimic joint="nobody"/>', id="joints that follow none"),
    ],
)
def test_a_robot_of_twice_the_links_takes_twice_the_work(tmp_path, parent, mimic):
    def work(size: int) -> int:
        path = write(tmp_path, robot(size, parent, mimic))
        return lines_run(
            lambda: bone_shapes(model := read(path), build_tree(model)) and build_tree(model).resting()
        )

    assert work(800) < DOUBLE * work(400)


@pytest.mark.parametrize("path", sorted(URDF.glob("*.py")), ids=lambda path: path.name)
def test_no_set_is_copied_as_a_whole_to_add_the_keys_of_a_dict(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.AugAssign)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
        ):
            assert node.value.func.attr not in (
                "keys",
                "items",
            ), f"line {node.lineno}: a set takes a dict's keys by update()"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(lambda n: "a: |\n" + "  a line of text\n" * n, id="block"),
        pytest.param(lambda n: "a: >\n" + "  a line of text\n\n" * n, id="folded"),
        pytest.param(lambda n: "a: some\n" + "  more of it\n" * n, id="plain"),
        pytest.param(lambda n: "a:\n" + "  - b\n" * n, id="list"),
        pytest.param(lambda n: "a: [" + "b, " * n + "c]\n", id="brackets"),
        pytest.param(lambda n: "".join(f"k{k}: {{d: e}} # f\n" for k in range(n)), id="maps"),
    ],
)
def test_a_yaml_text_of_twice_the_length_takes_twice_the_work(text):
    def work(size: int) -> int:
        return lines_run(lambda: parse_yaml(text(size), "a.yaml"))

    assert work(1000) < DOUBLE * work(500)


@pytest.mark.parametrize("quote", ["'", '"', ""])
def test_a_run_of_blanks_is_looked_at_once(quote):
    blanks = " " * 900_000  # a search that started anew at each blank would take hours
    assert parse_yaml(f"a: {quote}b{blanks}c{quote}\n", "a.yaml") == {"a": f"b{blanks}c"}


def test_escaped_blanks_before_a_lines_end_stay():
    assert parse_yaml('a: "b\\  \n  c \\\n  d"\n', "a.yaml") == {"a": "b  c d"}
