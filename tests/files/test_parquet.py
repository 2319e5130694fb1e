"""Tests Parquet tables: written values are read again, compressed files of other programs are read, and
damage is an error.
"""

import io
import math
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from limber.files.parquet import Column, ParquetError, ParquetTable, Texts, encode
from limber.files.parquet.compact import CompactReader, Long, struct, varint
from limber.files.parquet.compact import struct as thrift
from limber.files.parquet.compression import decompressed
from limber.files.parquet.encodings import packed, run, runs

ROWS = [[math.sin(k + j) for j in range(6)] for k in range(50)]
WHOLE = encode(
    [
        Column("action", "float32", ROWS, is_list=True),
        Column("episode_index", "int64", [k // 25 for k in range(50)]),
        Texts("task", ["look at the ball"] * 50),
        Texts("tasks", ["é"] * 50, is_list=True),
    ],
    {"pandas": "{}"},
)
MADE = {
    name: (Path(__file__).parent / f"{name}.parquet").read_bytes() for name in ("lerobot", "second_version")
}  # written by pyarrow 26


def table(data: bytes) -> ParquetTable:
    return ParquetTable(io.BytesIO(data))


def rows(
    found: ParquetTable, name: str, first: int = 0, end: int | None = None, group: int = 0
) -> list[list[float]]:
    """The rows of a column, each with its numbers."""
    numbers, width = found.column(group, name, first, end).tolist(), found.width(group, name)
    return [numbers[k : k + width] for k in range(0, len(numbers), width)]


def test_numbers_and_lists_of_them_are_read_again_and_texts_are_left_out():
    found = table(WHOLE)
    assert (found.names, found.groups, found.bounds(0, "episode_index")) == (
        ("action", "episode_index"),
        (50,),
        (0, 1),
    )
    assert list(found.column(0, "episode_index")) == [k // 25 for k in range(50)]
    for one, other in zip(rows(found, "action", 7, 31), ROWS[7:31], strict=True):
        assert one == pytest.approx(other, abs=1e-7)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=40), st.integers(1, 7))
def test_any_whole_numbers_and_lists_of_any_length_are_read_again(numbers, size):
    lists = [[float(k)] * size for k in range(len(numbers))]
    found = table(encode([Column("a", "int64", numbers), Column("b", "float32", lists, is_list=True)]))
    assert list(found.column(0, "a")) == numbers
    assert rows(found, "b") == lists


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(1, 40)), min_size=1, max_size=10))
def test_runs_and_packed_bits_are_decoded(pieces):
    data = b"".join(run(value, count) for value, count in pieces)
    expected = [value for value, count in pieces for _ in range(count)]
    assert runs(CompactReader(data), 3, len(expected)) == expected
    bits = [value & 1 for value in expected]
    assert runs(CompactReader(packed(bits)), 1, len(bits)) == bits


@pytest.mark.parametrize("width", [3, 11, 20])
def test_groups_of_packed_numbers_of_any_width_are_decoded(width):
    values = [(k * 2654435761) % (1 << width) for k in range(16)]
    body = sum(value << (width * k) for k, value in enumerate(values)).to_bytes(2 * width, "little")
    assert runs(CompactReader(bytes((2 << 1 | 1,)) + body), width, 13) == values[:13]


def test_a_structure_of_metadata_is_read_again():
    fields = {
        1: 7,
        2: Long(-(2**40)),
        3: True,
        4: False,
        5: "é",
        6: None,
        12: [{1: 1}, {}],
        13: [3] * 20,
        14: b"\xff",
    }
    expected = {
        1: 7,
        2: -(2**40),
        3: True,
        4: False,
        5: "é".encode(),
        12: [{1: 1}, {}],
        13: [3] * 20,
        14: b"\xff",
    }
    assert CompactReader(struct(fields)).struct() == expected


def test_lists_in_lists_without_end_are_an_error():
    with pytest.raises(ParquetError, match="nested deeper than 12 structures and lists"):
        CompactReader(b"\x19" + b"\x19" * 100_000).struct()


def test_a_number_of_more_than_64_bits_is_an_error():
    assert CompactReader(b"\xff" * 9 + b"\x01").varint() == 2**64 - 1
    with pytest.raises(ParquetError, match="longer than 64 bits"):
        CompactReader(b"\xff" * 9 + b"\x7f").varint()  # too large for a position in a file


def test_a_run_of_numbers_that_no_memory_holds_is_refused():
    many = 2**31 - 1
    page = struct({1: 0, 2: 8, 3: 8, 5: {1: many, 2: 8, 3: 3, 4: 3}}) + bytes(8)
    chunk = {1: 2, 2: [8], 3: ["a"], 4: 0, 5: Long(many), 6: Long(len(page)), 7: Long(len(page)), 9: Long(4)}
    group = {1: [{2: Long(4), 3: chunk}], 2: Long(len(page)), 3: Long(many)}
    footer = struct({1: 2, 2: [{4: "schema", 5: 1}, {1: 2, 3: 0, 4: "a"}], 3: Long(many), 4: [group]})
    found = table(b"PAR1" + page + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(
        ParquetError, match="announces 2147483647 numbers of 2147483647: it is damaged, or too large"
    ):
        found.column(0, "a")


SNAPPY = {
    "literal": (bytes((3, 2 << 2)) + b"abc", b"abc"),
    "long literal": (bytes((100, 60 << 2, 99)) + b"x" * 100, b"x" * 100),
    "copy that overlaps itself": (bytes((9, 1 << 2)) + b"ab" + bytes((0b000_011_01, 2)), b"ababababa"),
    "literal of two bytes' length": (
        bytes((0x90, 0x03, 61 << 2, 0x8F, 0x01)) + bytes(k % 251 for k in range(400)),
        bytes(k % 251 for k in range(400)),
    ),
    "copy by eleven bits": (
        bytes((0x94, 0x03, 61 << 2, 0x8F, 0x01))
        + bytes(k % 251 for k in range(400))
        + bytes((0b001_000_01, 0x2C)),
        bytes(k % 251 for k in range(400)) + bytes(k % 251 for k in range(100, 104)),
    ),
    "copy by two bytes": (bytes((6, 2 << 2)) + b"abc" + bytes((2 << 2 | 2, 3, 0)), b"abcabc"),
    "copy by four bytes": (bytes((6, 2 << 2)) + b"abc" + bytes((2 << 2 | 3, 3, 0, 0, 0)), b"abcabc"),
}


@pytest.mark.parametrize("name", SNAPPY)
def test_snappy_is_unpacked(name):
    data, expected = SNAPPY[name]
    assert decompressed(1, data, len(expected)) == expected


@pytest.mark.parametrize(
    ("codec", "data", "size", "sentence"),
    [
        (1, bytes((9, 0)) + b"a" + bytes((1, 5)), 9, "copies from before its start"),
        (1, bytes((3, 2 << 2)) + b"abc", 4, "announces another size"),
        (1, bytes((5, 0)) + b"a", 5, "a page has 1 bytes, and 5 are announced"),
        (2, b"nothing", 5, "compressed by gzip cannot be read"),
        (6, b"nothing", 5, "compressed by zstd cannot be read"),
        (4, b"", 5, "compressed by Brotli: write it with snappy"),
    ],
)
def test_what_cannot_be_unpacked_is_named(codec, data, size, sentence):
    with pytest.raises(ParquetError, match=sentence):
        decompressed(codec, data, size)


def test_what_is_no_table_says_so():
    for data, sentence in (
        (b"", "cut off, or none"),
        (WHOLE[:-5], "cut off, or none"),
        (
            b"version https://git-lfs.github.com/spec/v1\n",
            "a file of Git LFS is a pointer until it is pulled",
        ),
        (WHOLE[:-8] + b"\xff\xff\xff\x7fPAR1", "announce 2147483647 bytes"),
    ):
        with pytest.raises(ParquetError, match=sentence):
            table(data)
    with pytest.raises(
        ParquetError, match="it has no column 'state' of numbers: it has action, episode_index"
    ):
        table(WHOLE).column(0, "state")


def header(name: str, numbers: int, size: int, kind: int = 0) -> bytes:
    """A table with a column of equal numbers in one page, which announces `size` bytes."""
    body = bytes([1]) + varint(numbers << 1) + b"\0"
    fields = {1: numbers, 2: 8, 3: 3, 4: 3} if kind == 0 else {1: numbers, 2: 0}
    page = thrift({1: kind, 2: size, 3: len(body), (5 if kind == 0 else 7): fields}) + body
    chunk = {
        1: 4,
        2: [0],
        3: [name],
        4: 0,
        5: Long(numbers),
        6: Long(len(page)),
        7: Long(len(page)),
        9: Long(4),
    }
    return table_of(page, [chunk], numbers)


def table_of(pages: bytes, chunks: list, count: int, groups: int = 1) -> bytes:
    group = {1: [{2: Long(4), 3: chunk} for chunk in chunks], 2: Long(1), 3: Long(count)}
    footer = thrift(
        {1: 2, 2: [{4: "schema", 5: 1}, {1: 4, 3: 0, 4: "a"}], 3: Long(count), 4: [group] * groups}
    )
    return b"PAR1" + pages + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def test_pages_that_announce_more_than_their_numbers_need_are_refused_before_they_are_unpacked():
    for kind, words in (
        (0, "announces 60000000 bytes for 40 numbers"),
        (2, "announces 60000000 bytes for 40 numbers"),
    ):
        with pytest.raises(ParquetError, match=words):
            table(header("a", 40, 60_000_000, kind)).column(0, "a")
    with pytest.raises(ParquetError, match="two dictionaries, or one of 2000000 numbers"):
        table(header("a", 2_000_000, 100, 2)).column(0, "a")


def test_groups_that_share_their_bytes_are_refused():
    pages = bytes(500)
    chunk = {1: 4, 2: [0], 3: ["a"], 4: 0, 5: Long(40), 6: Long(400), 7: Long(400), 9: Long(4)}
    assert table(table_of(pages, [chunk], 40)).groups == (40,)
    with pytest.raises(ParquetError, match="its columns announce more bytes than it has"):
        table(table_of(pages, [chunk], 40, groups=50))


@pytest.mark.parametrize("name", MADE)
def test_tables_that_pyarrow_has_made_are_read(name):
    found = table(MADE[name])
    assert (found.groups, found.bounds(1, "episode_index")) == ((12, 12), (1, 1))
    actions = [row for group in (0, 1) for row in rows(found, "action", group=group)]
    assert actions == [
        pytest.approx([round(math.sin(k / 3 + j), 1) for j in range(6)], abs=1e-7) for k in range(24)
    ]
    assert found.column(1, "episode_index", 3, 5).tolist() == [1, 1]


@pytest.mark.parametrize("name", ["own", *MADE])
@example([(206, 1)])  # in format version 2, a dictionary of -1 numbers
@settings(max_examples=300)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=4))
def test_any_damaged_table_is_numbers_or_an_error(name, changes):
    data = bytearray({"own": WHOLE, **MADE}[name])
    for at, value in changes:
        data[at % len(data)] = value
    with suppress(ParquetError):
        found = table(bytes(data))
        for group in range(len(found.groups)):
            for name in found.names:
                found.bounds(group, name)
                found.column(group, name)
