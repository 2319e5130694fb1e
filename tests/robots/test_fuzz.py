"""Tests robots' files with random content: each is read, or refused with an error of this project."""

import json
import re
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from limber.robots.closures import mechanism_of
from limber.robots.collada import read_collada
from limber.robots.errors import UrdfError
from limber.robots.faces import MeshError
from limber.robots.gltf import read_gltf
from limber.robots.marks import closures_text
from limber.robots.reading import read
from limber.robots.tree import build_tree
from limber.robots.xacro.expressions import Evaluator, ExpressionError
from limber.robots.yaml_text import parse_yaml

from tests import deep
from tests.robots.gltfs import binary, document, glb
from tests.robots.mjcf import ARM as MJCF
from tests.robots.robots import ARM, write
from tests.robots.test_collada import DAE, SHOWN, TRIANGLES
from tests.robots.test_mjcf import LOOP
from tests.robots.xacros import ARM as XACRO
from tests.robots.xacros import LIMB, LIMITS

many = settings(
    max_examples=deep.count(100, 300), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
WORDS = [
    "",
    "0",
    "-1",
    "1e400",
    "nan",
    "inf",
    "9" * 500,
    "1 2",
    "0 0 0",
    "1 0 0",
    "a",
    "link",
    "\u0663",
    "#g",
    "#",
    "\U0001f916",
]
VALUES = st.sampled_from(WORDS) | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
CLOSURES = (
    "closed_loop: [[hand, base], [a, b]]\ntype: [6d, 3d]\njoint_name: [lift]\njoint_type:"
    " [SPHERICAL]\nname_mot: [turn]\n"
)


@st.composite
def edited(draw, text: str, values=VALUES) -> str:
    """A text in which up to three attributes, numbers or words are replaced, removed or doubled."""
    for _ in range(draw(st.integers(1, 3))):
        places = [
            match.span()
            for match in re.finditer(r'(?<=")[^"<>]*(?=")|(?<=>)[^<>]+(?=<)|<[^<>]*/>|</?\w+|[\w.+-]+', text)
        ]
        begin, end = draw(st.sampled_from(places))
        new = draw(values | st.sampled_from(["", text[begin:end] * 2]))
        text = text[:begin] + new + text[end:]
    return text


@many
@given(text=edited(ARM))
def test_any_robot_is_read_or_is_an_error_that_names_the_file(tmp_path, text):
    path = write(tmp_path, text)
    for for_mechanism in (False, True):
        try:
            robot = read(path, for_mechanism)
        except UrdfError as error:
            assert path.name in str(error)  # noqa: PT017
            continue
        tree = build_tree(robot)
        tree.frames(tree.resting())
        with suppress(UrdfError):
            mechanism_of(robot, CLOSURES, "closures.yaml")


EXPRESSIONS = [
    "${1/0}",
    "${x}",
    "${",
    "$(arg n)",
    "$(find a)",
    "${[0]*9**9}",
    "${limits}",
    "$(dirname)",
    "${'a'*99}",
    "*a",
    "**a",
    "^|1",
]


@many
@given(text=edited(MJCF), extra=edited(LOOP))
def test_any_mjcf_robot_is_read_or_is_an_error_that_names_the_file(tmp_path, text, extra):
    path = write(tmp_path, text.replace("</worldbody>", f"{extra}</worldbody>"), "robot.xml")
    try:
        robot = read(path)
    except UrdfError as error:
        assert path.name in str(error)  # noqa: PT017
        return
    tree = build_tree(robot)
    tree.frames(tree.resting())
    with suppress(UrdfError):
        mechanism_of(robot, closures_text(robot), str(path))


@many
@given(
    text=edited(XACRO, VALUES | st.sampled_from(EXPRESSIONS)),
    limb=edited(LIMB, VALUES | st.sampled_from(EXPRESSIONS)),
    limits=edited(LIMITS),
)
def test_any_xacro_robot_is_read_or_is_an_error_that_names_a_file(tmp_path, text, limb, limits):
    path = write(tmp_path, text, "robot.xacro")
    write(tmp_path, limb, "limb.xacro")
    write(tmp_path, limits, "limits.yaml")
    try:
        build_tree(read(path))
    except UrdfError as error:
        assert str(tmp_path) in str(error)  # noqa: PT017


@many
@given(st.text("0123456789.+-*/%()[]{}'\",: axlenstrip", max_size=40))
def test_any_expression_has_a_value_or_is_an_error(text):
    with suppress(ExpressionError):
        Evaluator().evaluate(text, {"x": [1, "a", {"n": 2}]}.__getitem__)


@many
@given(
    text=edited(
        CLOSURES,
        st.sampled_from(
            [*WORDS, "[", "]", "{", "}", ":", "- ", "|", ">", "'", '"', "\n", "\t", "&a", "*a", "[" * 300]
        ),
    )
)
def test_any_closures_are_read_or_are_an_error(tmp_path, text):
    robot = read(write(tmp_path, ARM))
    with suppress(UrdfError):
        mechanism_of(robot, text, "closures.yaml")


@settings(max_examples=deep.count(170, 500))
@given(st.text("ab:-[]{},|>'\"\\\n\t #&*!%@`~?1\r\ufeff", max_size=40))
def test_any_text_is_yaml_or_is_an_error(text):
    with suppress(UrdfError):
        parse_yaml(text, "a.yaml")


@many
@given(
    text=edited(
        DAE.replace("FACES", TRIANGLES).replace(
            "NODES", f"<node><rotate>0 0 1 90</rotate><scale>1 1 1</scale>{SHOWN}</node>"
        )
    )
)
def test_any_mesh_is_read_or_is_an_error(tmp_path, text):
    with suppress(MeshError):
        read_collada(write(tmp_path, text, "a.dae"))


@many
@given(text=edited(json.dumps(document())))
def test_any_gltf_is_read_or_is_an_error(tmp_path, text):
    (tmp_path / "a.glb").write_bytes(glb(text, binary()))
    with suppress(MeshError):
        read_gltf(tmp_path / "a.glb")


@pytest.mark.parametrize(
    "text",
    [
        "<mujoco>" + "<body>" * 100_000 + "</body>" * 100_000 + "</mujoco>",
        "<a>" * 100_000 + "</a>" * 100_000,
        "<node>" * 50_000 + "</node>" * 50_000,
        '<?xml version="1.0" encoding="none"?><a/>',
        '<?xml version="1.0" encoding="utf-16"?><a/>',
        '<?xml version="1.0" encoding="utf-7"?><a/>',
        "\0",
        "",
        "<a",
    ],
)
def test_texts_that_are_hardly_xml_are_errors(tmp_path, text):
    path = write(tmp_path, text)
    with pytest.raises(UrdfError):
        read(path)
    with pytest.raises(MeshError):
        read_collada(path)


def test_nodes_in_nodes_may_be_deep(tmp_path):
    deep = "<node>" * 5000 + SHOWN + "</node>" * 5000
    made = read_collada(
        write(tmp_path, DAE.replace("FACES", TRIANGLES).replace("NODES", deep), "a.dae"), "IGNORE"
    )
    assert len(made.faces) == 2
