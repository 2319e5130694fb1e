"""Tests the YAML of closures: all notations of keys, names and lists, and refused texts with their lines."""

import itertools

import pytest
from limber.robots.errors import MalformedError
from limber.robots.yaml_text import MAX_DEPTH, MAX_LENGTH, parse_yaml


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
        ("a:\n  ? b\n  : c", {"b": "c"}),
        ("a: 010", "010"),
        ("a: 2026-11-23", "2026-11-23"),
        ("a: " + "9" * 5000, "9" * 5000),
        ("a: .nan", ".nan"),
        ("a: yes", "yes"),
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
    assert parse_yaml(text, "f")["a"] == expected


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
    assert parse_yaml(text, "f") == {"a": [["b", "c"], ["d", ["e"]]]}


@pytest.mark.parametrize(
    "text",
    [
        "more:\n  one: 1\n  two:\n    - x: [1, 2]\n      y: {z: 3}\n    - w\na: [b]\n",
        "more: {one: 1, two: [{x: [1, 2], y: {z: 3}}, w]}\na: [b]\n",
        "more: {one: 1,\n  two:\n  [{x: [1, 2], y: {z: 3}}, w]}\na:\n- b",
    ],
)
def test_what_others_keep_in_the_file_may_be_nested(text):
    assert parse_yaml(text, "f") == {
        "more": {"one": "1", "two": [{"x": ["1", "2"], "y": {"z": "3"}}, "w"]},
        "a": ["b"],
    }


def test_a_file_without_keys_says_nothing():
    assert parse_yaml("", "f") == parse_yaml("# only\n---\n...\n", "f") == parse_yaml("{}", "f") == {}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: &one [b]", 1, "anchor 'one' is not allowed: write the list out each time"),
        ("a: [b]\nc: *one", 2, "anchor 'one' is not allowed: write the list out each time"),
        ("a:\n- [b, *one]", 2, "anchor 'one' is not allowed"),
        ("a: !!str b", 1, "tag 'tag:yaml.org,2002:str' is not allowed: take it out"),
        ("a: !!python/object/apply:os.system [b]", 1, "is not allowed: take it out"),
        ("&a b: c", 1, "anchor 'a' is not allowed"),
        ("a: @b", 1, "found character '@' that cannot start any token: put the text in quotes"),
        ("b: c\na: [b\n", 2, "put commas between the entries and close the list with ]"),
        ("b: c\na: {b: c\n", 2, "put commas between the entries and close the map with }"),
        ("a: b\nc:\n  ['d\n", 3, "close the quote"),
        (r'a: "\q"', 1, r"found unknown escape character 'q': write \\ for one backslash"),
        (r'a: "\ud83d"', 1, "half a character"),
        (r'"\ud83d": a', 1, "half a character"),
        (r'a: "\u12"', 1, r"write \\ for one backslash"),
        ("a: b\n" + r'c: "\U00110000"', 2, "cannot be read (chr() arg not in range(0x110000))"),
        ("a: b\nc: \0", 2, "YAML does not allow the character U+0000: take it out"),
        ("a: \ud800", 1, "YAML does not allow the character U+D800"),
        ("%YAML " + "9" * 9999 + ".1\n---\na: b", 1, "cannot be read"),
        ("%YAML 9.9\n---\na: b", 1, "found incompatible YAML document"),
        ("a: b\n---\na: c", 2, "a second document begins here"),
        ("a: b\n...\nc: d", 3, "a second document begins here"),
        ("a: b\n c: d", 2, "mapping values are not allowed here: begin the key on a line of its own"),
        ("a: 'b' c", 1, "indent what belongs together alike"),
        ("a: [b]\n  c: d", 2, "indent what belongs together alike"),
        ("a: - b", 1, "begin the list on a line of its own"),
        ("a:\n\t- b", 2, "use spaces instead of tabs"),
        ("a:\tb", 1, "use spaces instead of tabs"),
        ("a:\n  b: c\n d: e", 3, "indent what belongs together alike"),
        ("a: b\nc", 2, "write a colon and a space after the key"),
        ("- a\n- b", 1, "a map is needed: keys, each with a colon and its value"),
        ("[a]", 1, "a map is needed"),
        ("a", 1, "a map is needed"),
        ("a: [b c: d: e]", 1, "put commas between the entries"),
        ("a: {b: c d: e}", 1, "put commas between the entries"),
        ("a: {[b]: c}", 1, "a key must be a name"),
        ("a: b\na: c", 2, "'a' is there twice: keep one"),
        ("a: [b,, c]", 1, "take out the extra comma"),
        ("a: " + "[" * (MAX_DEPTH + 2), 1, "nested deeper"),
        ("a:\n" + "- " * (MAX_DEPTH + 2) + "b", 2, "nested deeper"),
        ("a: " + "[" * 100_000, 1, "nested deeper"),
        ("{a: " * 100_000, 1, "nested deeper"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text, line, said):
    with pytest.raises(MalformedError) as error:
        parse_yaml(text, "f")
    assert said in str(error.value)
    assert error.value.line == line


def test_aliases_cannot_make_much_of_little():
    laughs = "a: &a [x, x]\n" + "".join(
        f"{c}: &{c} [{', '.join([f'*{b}'] * 9)}]\n" for b, c in itertools.pairwise("abcdefghijkl")
    )
    with pytest.raises(MalformedError, match="write the list out"):
        parse_yaml(laughs, "f")


def test_merges_cannot_make_much_of_little():
    many = "a: &a {" + ", ".join(f"k{k}: 1" for k in range(1000)) + "}\nb:\n" + "- {<<: *a}\n" * 200
    with pytest.raises(MalformedError, match="<< copies more than 100000 entries"):
        parse_yaml(many, "f", lambda text, is_plain, tag: text)


def test_a_text_that_is_far_too_long_is_refused_before_it_is_read():
    with pytest.raises(
        MalformedError,
        match=f"f: it has {MAX_LENGTH + 5} characters, more than {MAX_LENGTH}: choose a file with less",
    ):
        parse_yaml("a: b#" + "x" * MAX_LENGTH, "f")
