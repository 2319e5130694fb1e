"""The YAML of closures: every way in which files write keys, names and lists, and what is refused with its line."""

import pytest
from limber.robots.errors import MalformedError
from limber.robots.flow import DEEPEST, flow_of
from limber.robots.yaml_text import SHOWN


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: null", None),
        ("a: ~", None),
        ("a:", None),
        ("a: # nothing", None),
        ("a: [~, 'null', b]", [None, "null", "b"]),
        (r'a: "\u0125 \xe9\n\"\\\/\t\U0001F600"', 'ĥ é\n"\\/\t😀'),
        ("a: 'it''s'", "it's"),
        ("a: ['it''s', \"it's\"]", ["it's", "it's"]),
        ("a: it's", "it's"),
        ('"a": b', "b"),
        ("'a' : b", "b"),
        ("a : b", "b"),
        ("a:\tb", "b"),
        ("%YAML 1.1\n---\na: b\n...\n", "b"),
        ("--- # closures\na: b\n...\n# end\n", "b"),
        ("\ufeffa: b\r\n", "b"),
        ("a: b # why\n# and\n   # why\n", "b"),
        ("a: b#c", "b#c"),
        ("a: 'b # c' # d", "b # c"),
        ("a: b:c", "b:c"),
        ("a: -b", "-b"),
        ("a: [-b, d:e]", ["-b", "d:e"]),
        ("a: several\n  lines of\n\n  words\nb: c", "several lines of\nwords"),
        ("a: 'several\n  lines'", "several lines"),
        ('a: "several \\\n  lines"', "several lines"),
        ("a: [several\n  lines, b]", ["several lines", "b"]),
        ("a: |\n  kept # as\n    it is\n\n  written\nb: c", "kept # as\n  it is\n\nwritten\n"),
        ("a: >-\n  one\n  line\n", "one line"),
        ("a: |\nb: c", ""),
    ],
)
def test_values_are_read_in_every_way_that_files_write_them(text, expected):
    assert flow_of(text, "f")["a"] == expected


@pytest.mark.parametrize(
    "text",
    [
        "a: [[b, c], [d, [e]]]",
        "a: [\n[b, c], # one\n[d,\n[e],],\n]",
        "a:\n  [[b, c],\n   [d, [e]]]\n",
        "a:\n- [b, c]\n- - d\n  - [e]\n",
        "a:\n  - - b\n    - c\n  -\n    - d\n    # between\n\n    - - e\n",
        "a:\n-\n  - b\n  - 'c'\n-\n  - \"d\"\n  -\n    - e\n",
        "a:\n- [b,\n  c]\n- [d,\n  [e]]\n",
        '{"a":[["b","c"],["d",["e"]]]}',
        "{a: [[b, c], [d, [e]]]}",
        "---\na: [[b,\tc]\t, [d, [e]]]",
    ],
)
def test_lists_of_any_nesting_are_written_in_brackets_and_by_dashes(text):
    assert flow_of(text, "f") == {"a": [["b", "c"], ["d", ["e"]]]}


@pytest.mark.parametrize(
    "text",
    [
        "more:\n  one: 1\n  two:\n    - x: [1, 2]\n      y: {z: 3}\n    - w\na: [b]\n",
        "more: {one: 1, two: [{x: [1, 2], y: {z: 3}}, w]}\na: [b]\n",
        "more: {one: 1,\n  two:\n  [{x: [1, 2], y: {z: 3}}, w]}\na:\n- b",
    ],
)
def test_what_others_keep_in_the_file_may_be_nested(text):
    assert flow_of(text, "f") == {"more": {"one": "1", "two": [{"x": ["1", "2"], "y": {"z": "3"}}, "w"]}, "a": ["b"]}


def test_a_file_without_keys_says_nothing():
    assert flow_of("", "f") == flow_of("# only\n---\n...\n", "f") == flow_of("{}", "f") == {}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: &one [b]", 1, "'&one' cannot be read here: anchors are not known, write the list out in each place"),
        ("a: [b]\nc: *one", 2, "'*one' cannot be read here: anchors are not known, write the list out in each place"),
        ("a:\n- [b, *one]", 2, "anchors are not known"),
        ("a: !!str b", 1, "'!!str' cannot be read here: tags are not known, take it out"),
        ("a:\n  ? b\n  : c", 2, "'? b' cannot be read here"),
        ("a: @b", 1, "'@b' cannot be read here: put the name in quotes"),
        ("a: [b", 1, "this list is not closed: add ]"),
        ("a: {b: c", 1, "this map is not closed: add }"),
        ("a: b\nc:\n  ['d", 3, "''d' cannot be read here: its quote is not closed"),
        (r'a: "\q"', 1, r"'\q' stands for nothing"),
        (r'a: "\ud83d"', 1, "stands for no character"),
        (r'a: "\u12"', 1, r"'\u' stands for nothing"),
        ("a: b\n---\na: c", 2, "a second document begins here"),
        ("a: b\n...\nc: d", 3, "'c: d' comes after the document's end"),
        ("a: b\n c: d", 2, "': d' comes after the value's end"),
        ("a: 'b' c", 1, "'c' comes after the value's end"),
        ("a: [b]\n  c: d", 2, "'c: d' does not belong to what is above"),
        ("a: - b", 1, "begin the list in a line of its own"),
        ("a:\n\t- b", 2, "a tab cannot indent: use spaces"),
        ("a:\n  b: c\n d: e", 3, "'d: e' does not belong to what is above"),
        ("- a\n- b", 1, "a key with a colon is needed, found '- a'"),
        ("[a]", 1, "a key with a colon is needed, found '[a]'"),
        ("a: [b c: d: e]", 1, "a comma or ] is needed before ': e]'"),
        ("a: {b: c d: e}", 1, "a comma or } is needed before ': e}'"),
        ("a: {[b]: c}", 1, "a key must be a name"),
        ("a: 'b' " + "c" * 999, 1, f"'{'c' * SHOWN}...' comes after"),
        ("a: [b,, c]", 1, "', c]' is out of place"),
        ("a: " + "[" * (DEEPEST + 2), 1, "nested deeper"),
        ("a:\n" + "- " * (DEEPEST + 2) + "b", 2, "nested deeper"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text, line, said):
    with pytest.raises(MalformedError) as error:
        flow_of(text, "f")
    assert said in str(error.value)
    assert error.value.line == line
