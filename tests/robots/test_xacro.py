"""Tests xacro files: their expansion, what is refused, and that an expression can neither run code nor grow
without bound.
"""

from dataclasses import replace

import pytest
from limber.robots import errors
from limber.robots.reading import read
from limber.robots.xacro.expressions import NAMES, Evaluator, ExpressionError
from limber.robots.xacro.macros import Parameter, parameters

from tests.robots.robots import write
from tests.robots.xacros import ARM, LIMB, LIMITS, expanded

LINK = '<link name="a"/>'


def xacro(body: str) -> str:
    return f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n{body}\n</robot>'


def read_text(folder, text: str, **arguments: str):
    return read(write(folder, text, "robot.xacro"), arguments=arguments)


def names_of(folder, body: str, **arguments: str) -> list[str]:
    return [link.name for link in read_text(folder, xacro(body), **arguments).links]


def attached(name: str) -> str:
    return (
        f'<link name="{name}"/><joint name="j {name}" type="fixed"><parent link="a"/><child'
        f' link="{name}"/></joint>'
    )


def value(text: str, **names: object) -> object:
    return Evaluator().evaluate(text, names.__getitem__)


def test_a_limit_that_is_no_number_names_the_joint_that_its_macro_has_made(tmp_path):
    body = """<xacro:macro name="hinge" params="side"><link name="a"/><link name="b"/>
<joint name="${side}_hip" type="revolute"><parent link="a"/><child link="b"/>
<limit lower="nan" upper="1"/></joint></xacro:macro><xacro:hinge side="left"/>"""
    with pytest.raises(
        errors.NumberError, match="<limit> of <joint name='left_hip'>: lower='nan' must be a finite number"
    ):
        read_text(tmp_path, xacro(body))


@pytest.mark.parametrize("fingers", [0, 2, 3])
def test_an_arm_expands_to_the_urdf_that_it_means(tmp_path, fingers):
    write(tmp_path, LIMB, "limb.xacro")
    write(tmp_path, LIMITS, "limits.yaml")
    found, wanted = read_text(tmp_path, ARM, fingers=str(fingers)), read(write(tmp_path, expanded(fingers)))
    assert [replace(link, line=0, file="") for link in found.links] == [
        replace(link, line=0, file="") for link in wanted.links
    ]
    assert [replace(each, line=0, file="") for each in found.joints] == [
        replace(each, line=0, file="") for each in wanted.joints
    ]
    assert found.joint["upper_joint"].file == str(tmp_path / "limb.xacro"), (
        "errors name the file that has the element"
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1 + 2 * 3", 7),
        ("radians(180) == pi", True),
        ("-x ** 2", -4.0),
        ("'a' if x > 1 else 'b'", "a"),
        ("limits.elbow['most'] // 2", 3),
        ("[k * x for k in range(3) if k]", [2.0, 4.0]),
        ("'l_' + 'arm'.upper()", "l_ARM"),
        ("max([1, 2, 3])", 3),
        ("not (x == 2 and 'a' in 'bc')", True),
        ("limits.get('wrist', 4)", 4),
        ("{'a': 1}['a']", 1),
        ("'1 2 3'.split()[1:]", ["2", "3"]),
    ],
)
def test_expressions_have_pythons_values(text, wanted):
    assert value(text, x=2.0, limits={"elbow": {"most": 7}}) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "().__class__",
        "x.__class__",
        "'{0.__class__}'.format(x)",
        "open('/etc/passwd')",
        "(lambda: 1)()",
        "exec('1')",
        "f'{x}'",
        "[k for k in 'a' for j in 'b']",
        "sin.call(1)",
        "xs.append(1)",
        "max(*xs)",
        "'%9999999d' % x",
        "factorial(9999999)",
        "(x := 3)",
    ],
)
def test_an_expression_uses_nothing_but_what_is_listed(text):
    with pytest.raises(ExpressionError):
        value(text, x=2.0, xs=[1])


@pytest.mark.parametrize(
    "text",
    [
        "9 ** 9 ** 9 ** 9",
        "'a' * 999999999",
        "[0] * 999999999",
        "[['a' * 99999]] * 99999",
        "range(999999999)",
        "list(range(99999)) + list(range(99999))",
        "'a'.join(['b' * 999] * 999)",
        "('a' * 999).replace('a', 'b' * 999)",
        "[[k for k in range(9999)] for j in range(9999)]",
        "1" + "+1" * 9000,
        "(" * 900 + "1" + ")" * 900,
        "1" * 99999,
        "sum([[0]] * 9999, [])",
    ],
)
def test_an_expression_cannot_grow_without_bound(text):
    with pytest.raises(ExpressionError):
        value(text)


def test_no_listed_function_reaches_beyond_numbers_texts_and_lists():
    assert not {
        "eval",
        "exec",
        "open",
        "getattr",
        "type",
        "vars",
        "globals",
        "__import__",
        "map",
        "filter",
        "object",
    } & set(NAMES)


def test_parameters_have_defaults_blocks_and_what_they_inherit():
    found = parameters("a b:=1 c='x y' d:=^ e:=^|2 f:=${g + 1} *block **blocks")
    assert found == [
        Parameter("a"),
        Parameter("b", "1"),
        Parameter("c", "'x y'"),
        Parameter("d", None, inherits=True),
        Parameter("e", "2", inherits=True),
        Parameter("f", "${g + 1}"),
        Parameter("block", stars=1),
        Parameter("blocks", stars=2),
    ]


def test_properties_are_evaluated_when_they_are_used_and_hold_where_they_are_defined(tmp_path):
    body = '<xacro:property name="b" value="${c}2"/><xacro:property name="c" value="x"/><link name="${b}"/>'
    assert names_of(tmp_path, body) == ["x2"]
    body = """<xacro:property name="n" value="a"/><xacro:macro name="m" params="">
      <xacro:property name="n" value="b"/><xacro:property name="g" value="${n}" scope="global"/></xacro:macro>
      <xacro:m/><link name="${n}${g}"/>"""
    assert names_of(tmp_path, body) == ["ab"]


def test_a_parameter_may_be_inherited_from_around_the_call(tmp_path):
    body = '<xacro:macro name="m" params="n:=^|b"><link name="${n}"/></xacro:macro>'
    assert names_of(tmp_path, f"{body}<xacro:m/>") == ["b"]
    assert names_of(tmp_path, f'<xacro:property name="n" value="a"/>{body}<xacro:m/>') == ["a"]


def test_a_block_of_two_stars_is_what_is_within_the_element(tmp_path):
    macro = f'<xacro:macro name="m" params="**more">{LINK}<xacro:insert_block name="more"/></xacro:macro>'
    body = f"{macro}<xacro:m><x>{attached('b')}</x></xacro:m>"
    assert names_of(tmp_path, body) == ["a", "b"]


def test_arguments_of_the_import_come_before_the_files_defaults(tmp_path):
    body = '<xacro:arg name="n" default="a"/><link name="$(arg n)"/>'
    assert names_of(tmp_path, body) == ["a"]
    assert names_of(tmp_path, body, n="b") == ["b"]


def test_dollars_may_be_written_twice(tmp_path):
    assert names_of(tmp_path, '<link name="$${a}"/><xacro:if value="0"/>') == ["${a}"]


def test_packages_are_found_by_their_folder_or_by_what_they_call_themselves(tmp_path):
    (tmp_path / "src" / "arm_robot" / "urdf").mkdir(parents=True)
    (tmp_path / "src" / "Renamed-main").mkdir()
    write(tmp_path / "src" / "Renamed-main", "<package><name>arm_parts</name></package>", "package.xml")
    write(tmp_path / "src" / "Renamed-main", xacro(LINK), "part.xacro")
    folder = tmp_path / "src" / "arm_robot" / "urdf"
    assert names_of(folder, '<xacro:include filename="$(find arm_parts)/part.xacro"/>') == ["a"]
    write(folder, xacro('<link name="b"/>'), "own.xacro")
    assert names_of(folder, '<xacro:include filename="$(find arm_robot)/urdf/own.xacro"/>') == ["b"]


DEEP = '<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/>'
WIDE = (
    "".join(
        f'<xacro:macro name="m{k}" params="">{f"<xacro:m{k + 1}/>" * 10}</xacro:macro>' for k in range(12)
    )
    + f'<xacro:macro name="m12" params="">{LINK}</xacro:macro><xacro:m0/>'
)
LONG = "".join(f'<xacro:property name="p{k + 1}" value="${{p{k}}}${{p{k}}}"/>' for k in range(60))
WRONG = {
    "unknown macro": (errors.UnknownNameError, "<xacro:arm/>", "no macro 'arm' (there are: none)"),
    "missing parameter": (
        errors.MalformedError,
        '<xacro:macro name="m" params="a"/>' + "<xacro:m/>",
        "needs its parameter 'a'",
    ),
    "unknown parameter": (
        errors.UnknownNameError,
        '<xacro:macro name="m" params="a"/><xacro:m a="1" b="2"/>',
        "no parameter 'b' (it has: a)",
    ),
    "missing block": (
        errors.MalformedError,
        '<xacro:macro name="m" params="*a"/><xacro:m/>',
        "for its block 'a'",
    ),
    "unknown block": (errors.UnknownNameError, '<xacro:insert_block name="b"/>', "no block 'b'"),
    "unknown property": (
        errors.MalformedError,
        '<link name="${b}"/><xacro:if value="1"/>',
        "no property 'b'",
    ),
    "no expression": (errors.MalformedError, '<link name="${1 +}"/><xacro:if value="1"/>', "no expression"),
    "divided by zero": (
        errors.MalformedError,
        '<link name="${1/0}"/><xacro:if value="1"/>',
        "division by zero",
    ),
    "neither true nor false": (errors.MalformedError, '<xacro:if value="maybe"/>', "neither true nor false"),
    "argument without value": (
        errors.UnknownNameError,
        '<link name="$(arg n)"/><xacro:if value="1"/>',
        "Arguments, n:=...",
    ),
    "missing package": (
        errors.UnknownNameError,
        '<xacro:include filename="$(find no_such_package)/a"/>',
        "ROS_PACKAGE_PATH",
    ),
    "missing file": (errors.MalformedError, '<xacro:include filename="b.xacro"/>', "is not there"),
    "unknown substitution": (
        errors.MalformedError,
        '<link name="$(anon a)"/><xacro:if value="1"/>',
        "use find, arg, env",
    ),
    "defined by itself": (
        errors.NameClashError,
        '<xacro:property name="b" value="${b}"/><link name="${b}"/>',
        "'b' is defined by itself",
    ),
    "macros alone": (
        errors.MalformedError,
        '<xacro:macro name="m" params=""/>',
        "defines macros (m) but no link",
    ),
    "calls itself": (errors.MalformedError, DEEP, "does a macro call itself"),
    "includes itself": (errors.MalformedError, '<xacro:include filename="robot.xacro"/>', "nested deeper"),
    "elements without end": (errors.MalformedError, WIDE, "more than 100000 elements"),
    "text without end": (
        errors.MalformedError,
        f'<xacro:property name="p0" value="a"/>{LONG}<link name="${{p60}}"/>',
        "longer than 100000",
    ),
    "missing file of a namespace": (
        errors.MalformedError,
        '<xacro:include filename="b.xacro" ns="b"/>',
        "is not there",
    ),
    "name of a property": (
        errors.MalformedError,
        '<xacro:property name="a.b" value="1"/>',
        "'a.b' is no name for a property",
    ),
    "value and default": (
        errors.MalformedError,
        '<xacro:property name="a" value="1" default="2"/>',
        "several of value, default and remove",
    ),
    "macro with a dot": (errors.MalformedError, '<xacro:macro name="a.b"/>', "cannot have the name 'a.b'"),
    "block too many": (
        errors.MalformedError,
        '<xacro:macro name="m"/><xacro:m><link name="b"/></xacro:m>',
        "no block for <link>",
    ),
    "neither optional nor not": (
        errors.MalformedError,
        '<xacro:include filename="b" optional="maybe"/>',
        "neither true nor false",
    ),
    "what the file refuses": (
        errors.RefusedByFileError,
        "<link name=\"${xacro.fatal('no', 3)}\"/>",
        "the file itself refuses this: no 3",
    ),
    "argument of a function": (
        errors.MalformedError,
        "<link name=\"${xacro.arg('n')}\"/>",
        "Arguments, n:=...",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_told_by_type_file_line_and_remedy(tmp_path, case):
    kind, body, said = WRONG[case]
    with pytest.raises(errors.UrdfError) as error:
        read_text(tmp_path, xacro(body))
    assert type(error.value) is kind
    assert str(tmp_path / "robot.xacro") in str(error.value)
    assert said in str(error.value)
    assert error.value.line == (1 if case == "macros alone" else 2)


def test_an_error_in_an_included_file_names_that_file(tmp_path):
    write(
        tmp_path,
        xacro('<link name="a"/>\n<joint name="j" type="bend"><parent link="a"/><child link="a"/></joint>'),
        "part.xacro",
    )
    with pytest.raises(errors.JointTypeError) as error:
        read_text(tmp_path, xacro('<xacro:include filename="part.xacro"/>'))
    assert (error.value.file, error.value.line) == (str(tmp_path / "part.xacro"), 3)


HUGE = f"0x{'f' * 4000}"  # a whole number of 4,817 digits, which Python refuses to write as text


def doubled(text: str, before: str = "") -> str:
    """A document that repeats a text about 100,000 times, with another number for %s each time."""
    macros = f'{before}<xacro:macro name="m0" params="k">{text.replace("%s", "${k}")}</xacro:macro>'
    for k in range(1, 18):
        calls = "".join(f'<xacro:m{k - 1} k="${{2 * k + {one}}}"/>' for one in (0, 1))
        macros += f'<xacro:macro name="m{k}" params="k">{calls}</xacro:macro>'
    return f'{macros}<xacro:m17 k="1"/>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<link name=\"${load_yaml('/dev/zero')}\"/>", "there is no file"),
        ('<link name="${100000**1024}"/>', "too large"),
        *(
            (f'<link name="${{{call % HUGE}}}"/>', "its number is too large")
            for call in ("%s", "-%s", "[%s]", "max(%s, 1)", "str(%s)")
        ),
        (
            f'<link name="${{{"9" * 5000}}}"/>',
            r"it is no expression \(Exceeds the limit \(4300 digits\) for integer string conversion\)",
        ),
        ('<xacro:property name="*x" value="1"/><xacro:insert_block name="x"/>', "is no name for a property"),
        (f'<link name="{"${" * 60000}"/>', "longer than"),
        (
            f'<xacro:arg name="long" default="{"x" * 90000}"/>' + '<link name="a$(arg long)"/>' * 600,
            "more than 20000000 characters",
        ),
        (
            f'<xacro:arg name="long" default="{"x" * 90000}"/>' + '<link name="$(arg long)"/>' * 600,
            "more than 20000000 characters",
        ),
        ("<link name=\"l${int('f' * 9000, 16)}\"/>", "its number is too large"),
        ('<link name="l${lcm(10**300 + 1, 10**300 + 3)}"/>', "its number is too large"),
        (
            '<link name="${len(dict([[k * (2**61 - 1), 0] for k in range(30000)]))}"/>',
            "a map of more than 1000 entries",
        ),
        (doubled("<link name='a' " + 'long="' + "x" * 5000 + '"/>'), "more than 20000000 characters"),
        (
            doubled(
                "<xacro:n/>",
                '<xacro:macro name="n" params="' + " ".join(f"p{k}:=1" for k in range(500)) + '"/>',
            ),
            "more than 100000",
        ),
        (doubled('<a b="$(eval 0 and ' + "1+" * 400 + '%s)"/>'), "more than 1000000 steps"),
    ],
)
def test_hostile_expressions_are_refused_by_name(tmp_path, text, words):
    path = tmp_path / "robot.xacro"
    path.write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="p"'
        f' value="1"/>{text}</robot>',
        encoding="utf-8",
    )
    with pytest.raises(errors.UrdfError, match=words):
        read(path)


def test_numbers_are_rounded_as_by_python_however_far(tmp_path):
    rounded = (
        "${round(1234, -2)} ${round(7, -400000000)} ${round(2.567, 1)} ${round(2.5)} ${round(1.5, 300000000)}"
    )
    joint = f'<joint name="j" type="fixed"><parent link="a"/><child link="{rounded}"/></joint>'
    found = read_text(
        tmp_path,
        xacro(f'<xacro:property name="p" value="1"/><link name="a"/><link name="{rounded}"/>{joint}'),
    )
    assert found.links[1].name == "1200 0 2.6 2 1.5"


def test_included_files_are_read_once_and_have_a_limit_together(tmp_path, monkeypatch):
    from limber.robots.xacro import totals

    write(tmp_path, xacro('<xacro:property name="p" value="1"/>' + " " * 5000), "part.xacro")
    body = '<xacro:include filename="part.xacro"/>' * 20 + '<link name="a${p}"/>'
    monkeypatch.setattr(totals, "MAX_INCLUDED", 6000)
    assert read_text(tmp_path, xacro(body)).links[0].name == "a1"
    monkeypatch.setattr(totals, "MAX_INCLUDED", 5000)
    with pytest.raises(errors.MalformedError, match="the included files have more than 5000 bytes"):
        read_text(tmp_path, xacro(body))


def test_dollars_that_open_nothing_stay_and_are_looked_at_once(tmp_path):
    from limber.robots.xacro.text_parts import parts

    assert list(parts("a$b$$c${d}$(e)$")) == [
        ("", "a$b"),
        ("", "$"),
        ("", "c"),
        ("{", "d"),
        ("(", "e"),
        ("", "$"),
    ]
    looks: list[int] = []

    class Text(str):
        def find(self, what, start=0):
            found = str.find(self, what, start)
            looks.append((len(self) if found < 0 else found) - start)
            return found

    assert list(parts(Text("$a" * 1000))) == [("", "$a" * 1000)]
    # number of characters that are looked at: each a few times, not once for each start
    assert sum(looks) < 20_000


@pytest.mark.parametrize("name", ["a${", "${b", "a$(", "$(b", "${a}${b"])
def test_a_bracket_that_is_not_closed_is_refused(tmp_path, name):
    body = f'<xacro:property name="a" value="1"/>{LINK}<link name="{name}"/>'
    with pytest.raises(errors.MalformedError, match=r"the bracket of \$[{(] is not closed: write its [)}]"):
        names_of(tmp_path, body)


def test_texts_are_evaluated_for_what_the_file_itself_says(tmp_path):
    guard = """<xacro:macro name="hand" params="side"><xacro:property name="known" value="${['left', 'right']}"/>
      <xacro:unless value="${side in known}">${xacro.fatal('no hand is', side)}</xacro:unless>
      <xacro:property name="said" value="${side}"/>${xacro.warning('a hand', said)}<link name="${side}"/></xacro:macro>"""
    with pytest.raises(errors.RefusedByFileError, match="the file itself refuses this: no hand is up"):
        read_text(tmp_path, xacro(f'{guard}<xacro:hand side="up"/>'))
    robot = read_text(tmp_path, xacro(f'{guard}<xacro:hand side="left"/>'))
    assert any("a hand left" in warning for warning in robot.warnings)


def test_what_is_wrong_with_a_text_for_gazebo_is_no_fault_of_the_robot(tmp_path):
    texts = "$(find gazebo_of_nobody)/c.yaml", "${missing}", "${1 +}", "a${", "$(arg missing)"
    body = LINK + "".join(f"<gazebo><plugin>{text}</plugin></gazebo>" for text in texts)
    assert names_of(tmp_path, body) == ["a"]


def test_texts_that_are_nested_too_deep_count_no_levels_of_what_follows(tmp_path):
    chain = "".join(f'<xacro:property name="p{k}" value="${{p{k + 1}}}"/>' for k in range(75))
    deep = "<gazebo>" * 60 + "${p0}<plugin/>" * 120 + "</gazebo>" * 60
    assert names_of(tmp_path, chain + deep + "<link name='${1}'/>") == ["1"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("'%0.2f' % 1.234", "1.23"),
        ("'%s_%03d' % ('arm', 7)", "arm_007"),
        ("'%(side)s %% %(side)s' % dict(side='left')", "left % left"),
        ("'{:.2f}|{name:>4}|{}'.format(1.234, 2, name='a')", "1.23|   a|2"),
        ("python.len([1, 2]) + python.sum([1, 2])", 5),
        ("[k for k in python.zip([1, 2], 'ab')]", [(1, "a"), (2, "b")]),
        ("python.divmod(7, 2)", (3, 1)),
        ("2 in python.set([1, 2, 2])", True),
    ],
)
def test_expressions_format_texts_and_have_pythons_functions_under_their_own_name(text, wanted):
    assert value(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "'%*d' % (10**9, 1)",
        "'%.999999999f' % 1",
        "'%(a)s' * 90 % dict(a='b' * 90000)",
        "'{:999999999}'.format(1)",
        "'{0:{1}}'.format(1, 10**9)",
        "'{0[0]}'.format('a')",
        "('{0}' * 90).format('b' * 90000)",
        "'{0.real}'.format(1)",
        "python.set(range(2000))",
    ],
)
def test_a_format_reaches_nothing_but_values_and_stays_short(text):
    with pytest.raises(ExpressionError):
        value(text)


@pytest.mark.parametrize(
    ("condition", "is_met"),
    [
        ("True", True),
        ("0", False),
        ("${'1'}", True),
        ("${[]}", False),
        ("${dict(a=1)}", True),
        ("${None}", False),
        ("false", False),
    ],
)
def test_conditions_have_one_spelling_of_truth(tmp_path, condition, is_met):
    assert (
        names_of(tmp_path, f'{LINK}<xacro:if value="{condition}">{attached("b")}</xacro:if>')
        == ["a", "b"][: 1 + is_met]
    )
    assert (
        names_of(tmp_path, f'{LINK}<xacro:unless value="{condition}">{attached("b")}</xacro:unless>')
        == ["a", "b"][: 2 - is_met]
    )


@pytest.mark.parametrize("optional", ["true", "True", "1", "${1 == 1}"])
def test_an_optional_file_may_be_missing_however_the_truth_is_written(tmp_path, optional):
    assert names_of(tmp_path, f'<xacro:include filename="none.xacro" optional="{optional}"/>{LINK}') == ["a"]


def test_a_property_that_is_not_lazy_may_use_the_one_that_it_replaces(tmp_path):
    for false in ("false", "False", "0"):
        body = (
            '<xacro:property name="p" value="1"/><xacro:property name="p" value="${p + 1}"'
            f' lazy_eval="{false}"/>'
        )
        assert names_of(tmp_path, f'{body}<link name="l${{p}}"/>') == ["l2"]
    body = (
        '<xacro:property name="p" value="1"/><xacro:property name="p" value="${p + 1}" scope="global"/><link'
        ' name="l${p}"/>'
    )
    assert names_of(tmp_path, body) == ["l2"]


def test_a_property_that_is_removed_is_nowhere_any_more(tmp_path):
    removed = '<xacro:property name="p" remove="True"/><xacro:property name="p" default="b"/>'
    body = (
        f'<xacro:property name="p" value="a"/><xacro:macro name="m">{removed}<link'
        ' name="${p}"/></xacro:macro><xacro:m/>'
    )
    assert names_of(tmp_path, body) == ["b"]


def test_expressions_count_in_a_file_without_any_element_of_xacro(tmp_path):
    assert read(write(tmp_path, '<robot name="r"><link name="a${1 + 1}"/></robot>')).links[0].name == "a2"
    assert read_text(tmp_path, '<robot name="r"><link name="$(arg n)"/></robot>', n="b").links[0].name == "b"


def test_a_file_name_with_wildcards_includes_every_file_that_matches(tmp_path):
    folder = tmp_path / "robot [v2]"
    folder.mkdir()
    for name in ("part_b", "part_a", "part_10", ".part_hidden"):
        write(
            folder,
            xacro(f'<xacro:macro name="{name.strip(".")}"><link name="{name}"/></xacro:macro>'),
            f"{name}.xacro",
        )
    assert names_of(folder, '<xacro:include filename="part_?.xacro"/><xacro:part_a/>') == ["part_a"]
    assert names_of(
        folder,
        '<xacro:include filename="*/../*t_[a-b].xacro"/><xacro:include filename="part_b*"/><xacro:part_b/>',
    ) == ["part_b"]
    with pytest.raises(errors.UnknownNameError, match=r"no macro 'part_10' \(there are: part_a, part_b\)"):
        names_of(folder, '<xacro:include filename="part_?.xacro"/><xacro:part_10/>')
    found = read_text(folder, xacro(f'<xacro:include filename="arm_*.xacro"/>{LINK}'))
    assert any("no file matches filename='arm_*.xacro'" in warning for warning in found.warnings)


def test_the_entries_that_wildcards_look_at_are_counted(tmp_path, monkeypatch):
    from limber.robots.xacro import totals

    for k in range(30):
        (tmp_path / f"{k}.txt").touch()
    monkeypatch.setattr(totals, "MAX_ELEMENTS", 100)
    assert names_of(tmp_path, f'<xacro:include filename="a*"/>{LINK}') == ["a"]
    with pytest.raises(errors.MalformedError, match="more than 100 elements"):
        names_of(tmp_path, '<xacro:include filename="a*"/>' * 4 + LINK)


def test_a_file_included_into_a_namespace_keeps_its_names_to_itself(tmp_path):
    part = """<xacro:property name="n" value="${side}_n"/><xacro:macro name="arm" params="of"><xacro:hand of="${of}"/></xacro:macro>
      <xacro:macro name="hand" params="of"><link name="${side} ${n} ${of}"/></xacro:macro>"""
    write(tmp_path, xacro(part), "part.xacro")
    sides = "".join(
        f'<xacro:property name="side" value="{side}"/><xacro:include filename="part.xacro" ns="{side}"/>'
        for side in ("left", "right")
    )
    assert names_of(tmp_path, f'{sides}<xacro:left.arm of="${{right.n}}"/>') == ["right right_n right_n"]
    with pytest.raises(errors.UnknownNameError, match="no macro 'arm'"):
        names_of(tmp_path, f'{sides}<xacro:arm of="x"/>')
    with pytest.raises(errors.MalformedError, match="no property 'n'"):
        names_of(tmp_path, f'{sides}<link name="${{n}}"/>')
    write(tmp_path, xacro('<xacro:include filename="part.xacro" ns="inner"/>'), "outer.xacro")
    body = '<xacro:property name="side" value="s"/><xacro:include filename="outer.xacro" ns="outer"/>'
    assert names_of(tmp_path, f'{body}<xacro:outer.inner.hand of="${{outer.inner.n}}"/>') == ["s s_n s_n"]


def test_arguments_defaults_and_blocks_of_a_macro_in_a_namespace_know_its_names_first(tmp_path):
    part = """<xacro:property name="n" value="part_n"/><xacro:property name="both" value="part"/>
      <xacro:property name="inner" value="part_inner"/><xacro:macro name="bolt" params="of"><link name="bolt ${of}"/>
      <joint name="j" type="fixed"><parent link="a"/><child link="bolt ${of}"/></joint></xacro:macro>
      <xacro:macro name="arm" params="a b:=${both} n:=^ **block"><link name="a"/>
      <link name="${a} ${b} ${n}"/><joint name="k" type="fixed"><parent link="a"/><child link="${a} ${b} ${n}"/></joint>
      <xacro:insert_block name="block"/></xacro:macro>"""
    write(tmp_path, xacro(part), "part.xacro")
    top = """<xacro:include filename="part.xacro" ns="p"/><xacro:property name="both" value="top"/>
      <xacro:property name="own" value="top_own"/><xacro:macro name="local" params="x"><xacro:p.arm a="${x} %s">
      <b><xacro:bolt of="${both}"/></b></xacro:p.arm></xacro:macro><xacro:local x="1"/>"""
    for name, argument in (("inner", "part_inner"), ("both", "part"), ("own", "top_own"), ("x", "1")):
        assert names_of(tmp_path, top % f"${{{name}}}") == ["a", f"1 {argument} part part_n", "bolt part"]


def test_a_macro_that_a_macro_defines_is_known_within_it_alone(tmp_path):
    body = f'<xacro:macro name="m"><xacro:macro name="n">{LINK}</xacro:macro><xacro:n/></xacro:macro>'
    assert names_of(tmp_path, f"{body}<xacro:m/>") == ["a"]
    with pytest.raises(errors.UnknownNameError, match="no macro 'n'"):
        names_of(tmp_path, f"{body}<xacro:m/><xacro:n/>")


def test_a_default_is_evaluated_where_the_macro_is_called(tmp_path):
    body = (
        '<xacro:property name="p" value="out"/><xacro:macro name="m" params="p q:=${p}"><link'
        ' name="${q}"/></xacro:macro>'
    )
    assert names_of(tmp_path, f'{body}<xacro:m p="in"/>') == ["out"]


def test_files_are_named_relative_to_the_file_that_is_expanded(tmp_path):
    (tmp_path / "sub").mkdir()
    write(tmp_path / "sub", xacro("<xacro:m/>"), "calls.xacro")
    for folder, name in ((tmp_path, "top"), (tmp_path / "sub", "below")):
        write(folder, xacro(f'<link name="{name}"/>'), "part.xacro")
        write(folder, f"- {name}", "names.yaml")
    macro = (
        '<xacro:macro name="m" params="file:=part.xacro"><xacro:include filename="${file}"/></xacro:macro>'
    )
    assert names_of(tmp_path, f"{macro}<xacro:m/>") == ["top"]
    assert names_of(tmp_path, f'{macro}<xacro:include filename="sub/calls.xacro"/>') == ["below"]
    assert names_of(tmp_path, f"{macro}<xacro:m file=\"${{xacro.abs_filename('sub/part.xacro')}}\"/>") == [
        "below"
    ]
    assert names_of(tmp_path, f'{macro}<xacro:m file="$(cwd)/part.xacro"/>') == ["top"]
    write(tmp_path / "sub", xacro("<link name=\"${xacro.load_yaml('names.yaml')[0]}\"/>"), "loads.xacro")
    assert names_of(tmp_path, '<xacro:include filename="sub/loads.xacro"/>') == ["below"]


def test_yaml_has_expressions_of_units_and_the_truths_of_its_first_version(tmp_path):
    write(
        tmp_path,
        "most: !degrees 45 * 2\nleast: !radians -pi/2\nis_left: yes\nis_right: Off\nname: 'yes'",
        "a.yaml",
    )
    body = "<xacro:property name='y' value=\"${xacro.load_yaml('a.yaml')}\"/>"
    found = names_of(
        tmp_path,
        f'{body}<link name="${{y.most == -y.least == pi/2}} ${{y.is_left}} ${{y.is_right}} ${{y.name}}"/>',
    )
    assert found == ["True True False yes"]
    write(tmp_path, "most: !degrees pi +", "a.yaml")
    with pytest.raises(errors.UrdfError, match=r"a.yaml, line 1: .*no expression"):
        names_of(tmp_path, f'{body}<link name="${{y.most}}"/>')


def test_functions_of_xacro_itself_are_known(tmp_path):
    body = "<xacro:property name='t' value=\"${xacro.warning('careful', 2)}${xacro.message('hello')}\"/>"
    body += "<xacro:property name='d' value=\"${xacro.dotify(dict(a=1))}\"/>"
    found = read_text(
        tmp_path,
        xacro(
            f"{body}<link name=\"${{t}}${{d.a}} ${{xacro.tokenize('a, b;c')}} ${{list(map(float, '12'))}}\"/>"
        ),
    )
    assert found.links[0].name == "1 ['a', 'b', 'c'] [1.0, 2.0]"
    assert any("careful 2" in warning for warning in found.warnings)


def test_an_expression_of_eval_knows_the_arguments_by_name(tmp_path):
    assert names_of(tmp_path, '<xacro:arg name="n" default="2"/><link name="l$(eval n + 1)"/>') == ["l3"]


def test_of_several_dollars_before_a_bracket_all_but_the_first_are_text(tmp_path):
    assert names_of(tmp_path, '<link name="$${a} $$${b} $$(c) $$ $"/>') == ["${a} $${b} $(c) $ $"]


def test_attributes_of_xacro_on_other_elements_mean_nothing_to_a_robot(tmp_path):
    text = (
        '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro" xacro:targetNamespace="x"><link'
        ' name="a"/></robot>'
    )
    assert not read_text(tmp_path, text).warnings
