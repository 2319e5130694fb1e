"""Tests character files: a file read back is equal, and damaged or malicious files are refused."""

import io
import json
import math
import random
import struct
import zipfile
import zlib
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from limber.character.behaviour.data import Gesture
from limber.character.behaviour.ready import READY
from limber.character.body.feet import Foot
from limber.character.file import archive, reading, writing
from limber.character.file.errors import CharacterFileError
from limber.character.file.media import MOST_SOUNDS, THUMBNAIL, PackedSound
from limber.character.file.models import options_of
from limber.character.file.tracks import MOST_LENGTH, WIDTH, ArrayReader, ClipTrack
from limber.files.json_fields import JsonFields
from limber.files.png import png, png_size
from limber.solvers.expressive.measures import MOST_JOINTS
from limber.solvers.kinematics.skeleton import End
from limber.solvers.whole_body.body import Body

from tests import deep
from tests.character.samples import body, chain, character, mechanism, robot, skeleton
from tests.jsons import texts

GOLDEN = Path(__file__).parent / "golden"  # one file of each version that was ever written
DAMAGES = 1500
WAVE = b"RIFF\0\0\0\0WAVE"


@pytest.fixture(scope="module")
def members() -> dict[str, bytes]:
    return writing.members_of(character())


WHOLE = writing.members_of(
    replace(
        character(),
        behaviour=READY["CALM"](["Proud"]),
        mechanisms=(mechanism(),),
        bodies=(body(),),
        robots=(robot(),),
        thumbnail=png(2, 1, bytes(8)),
        sounds=(PackedSound("Hello there.WAV", 0.0, WAVE), PackedSound("bell.ogg", 1.5, b"OggS")),
    )
)


@pytest.fixture(scope="module")
def data(members: dict[str, bytes]) -> bytes:
    return archive.packed(members)


def same(first, second) -> bool:
    """Whether two values of a character file are equal, arrays to the last bit."""
    if isinstance(first, ClipTrack):
        return same(first.rows, second.rows)
    if isinstance(first, np.ndarray):
        return np.array_equal(first, second, equal_nan=True)
    if hasattr(first, "__dataclass_fields__") and not isinstance(first, type):
        return all(same(getattr(first, f.name), getattr(second, f.name)) for f in fields(first))
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(same, first, second))
    return first == second


def repacked(members: dict[str, bytes], listed: dict[str, bytes] | None = None, **changes) -> bytes:
    """A file whose manifest has other fields, or lists other members."""
    packed = io.BytesIO(archive.packed(listed or members))
    manifest = json.loads(zipfile.ZipFile(packed).read(archive.MANIFEST))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(archive.MANIFEST, json.dumps({**manifest, **changes}))
        for name, content in members.items():
            file.writestr(name, content)
    return stream.getvalue()


def changed(members: dict[str, bytes], **fields) -> dict[str, bytes]:
    """Members whose JSON has other fields."""
    plain = json.loads(members[reading.CHARACTER])
    return {**members, reading.CHARACTER: json.dumps({**plain, **fields}).encode()}


def test_a_character_that_no_player_would_read_is_not_written(tmp_path, monkeypatch):
    with pytest.raises(CharacterFileError, match="1001 parts of one kind"):
        writing.write(tmp_path / "a.limber", replace(character(), remarks=("A remark",) * 1001))
    with pytest.raises(CharacterFileError, match=r"description has 5\.\d MB, and players read 4:"):
        writing.write(tmp_path / "a.limber", replace(character(), remarks=("a" * 5_000_000,)))
    monkeypatch.setattr(archive, "MOST_TOTAL", 1000)
    with pytest.raises(CharacterFileError, match="export fewer frames at once"):
        writing.write(tmp_path / "a.limber", character())
    assert not list(tmp_path.iterdir())


def test_what_is_written_is_read_equal_to_the_last_bit(tmp_path: Path):
    gesture = Gesture("Nod", "Arm", "agree", np.array([[0.0, np.nan, 0.1], [0.2, np.nan, 0.0]]), 2.0)
    ready = READY["ATTENTIVE"](["Proud"])
    written = replace(character(), behaviour=replace(ready, gestures=(gesture,)), mechanisms=(mechanism(),))
    writing.write(tmp_path / "a.limber", written)
    assert same(reading.read(tmp_path / "a.limber"), written)


def test_a_foot_of_as_many_links_as_may_be_written_is_read():
    sole = tuple((f"Toe {k}", np.zeros((1, 3))) for k in range(reading.MOST_ITEMS - 2))
    links = [*body().body.link_ends, *(End(2, name=link) for link, _ in sole)]
    walker = replace(body(), body=Body(body().body.joints, links), feet=(Foot("Hand", sole),))
    members = writing.members_of(replace(character(), bodies=(walker,)))
    assert same(reading.character_of(members, "a.limber").bodies[0].feet, walker.feet)


def test_the_same_character_gives_the_same_bytes(data: bytes):
    assert archive.packed(writing.members_of(character())) == data


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.limber")), ids=lambda path: path.stem)
def test_files_of_every_version_are_read(path: Path):
    assert reading.read(path).chains[0].name == "Shade"


def test_there_is_a_golden_file_of_the_version_that_is_written():
    major, minor = archive.VERSION
    assert (GOLDEN / f"v{major}_{minor}.limber").is_file()


def test_a_newer_major_version_is_refused_and_says_so(members):
    with pytest.raises(CharacterFileError, match=r"version 2\.0, .*install a newer Limber"):
        archive.unpacked(repacked(members, version=[2, 0]), "a.limber")


def test_fields_and_members_of_a_newer_minor_version_are_ignored(members):
    newer = {**changed(members, moods=["calm"]), "moods.json": b"{}"}
    assert same(reading.character_of(archive.unpacked(archive.packed(newer), "a"), "a"), character())
    unlisted = repacked(members, version=[1, 7])
    assert same(reading.character_of(archive.unpacked(unlisted, "a"), "a"), character())


def test_a_member_that_is_not_what_was_exported_is_named(members):
    swapped = {**members, reading.ARRAYS: bytes(len(members[reading.ARRAYS]))}
    with pytest.raises(CharacterFileError, match=r"'arrays\.f64' is not what was exported"):
        archive.unpacked(repacked(swapped, members), "a.limber")


def test_a_member_that_unpacks_to_more_than_it_says_is_not_read_to_its_end(members):
    bomb = {**members, reading.ARRAYS: bytes(200_000_000)}
    with pytest.raises(CharacterFileError, match="is larger than it says"):
        archive.unpacked(repacked(bomb, members), "a.limber")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_that_would_be_unpacked_whole_is_refused(members, method: int):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as file:
        file.writestr(archive.MANIFEST, "{}")
    with pytest.raises(CharacterFileError, match="packed in another way"):
        archive.unpacked(stream.getvalue(), "a.limber")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"fps_base": 1e-320}, "fps: expected rates from"),
        ({"robots": json.loads(WHOLE[reading.CHARACTER])["robots"] * 9}, "at most 8 robots"),
        ({"robots": json.loads(WHOLE[reading.CHARACTER])["robots"] * 2}, "twice"),
    ],
)
def test_what_would_harm_is_refused(fields: dict, sentence: str):
    with pytest.raises(CharacterFileError, match=sentence):
        reading.character_of(changed(WHOLE, **fields), "a.limber")


def test_a_behaviour_that_looks_at_what_is_not_there_is_refused():
    plain = json.loads(WHOLE[reading.CHARACTER])
    plain["behaviour"]["states"][0]["everyone"]["target"] = "Moon"
    with pytest.raises(CharacterFileError, match="no 'Moon'"):
        reading.character_of(changed(WHOLE, **plain), "a.limber")


def test_a_list_of_members_that_is_longer_than_a_characters_is_not_read(data: bytes):
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as file:
        for number in range(archive.MOST_MEMBERS + 1):
            file.writestr(str(number), b"")
    with pytest.raises(CharacterFileError, match="more members"):
        archive.unpacked(many.getvalue(), "a.limber")
    large = data[: -archive.END_LENGTH] + struct.pack("<4sLQL", b"PK\x06\x07", 0, 0, 1) + data[-22:]
    with pytest.raises(CharacterFileError, match="more members"):
        archive.unpacked(large, "a.limber")


def test_a_damaged_file_is_refused_and_nothing_else_is_raised(data: bytes):
    source = random.Random(7)
    refused = 0
    for _ in range(DAMAGES):
        broken = bytearray(data)
        for _ in range(source.choice((1, 1, 2, 8))):
            kind, at = source.randrange(4), source.randrange(len(broken))
            if kind == 0:
                broken[at] = source.randrange(256)
            elif kind == 1:
                del broken[at : at + source.randrange(1, 200)]
            elif kind == 2:
                broken[at:at] = source.randbytes(source.randrange(1, 40))
            else:
                broken[at : at + 4] = source.choice((b"\xff" * 4, b"\0" * 4, b"PK\x03\x04"))
        try:
            reading.character_of(archive.unpacked(bytes(broken), "a.limber"), "a.limber")
        except CharacterFileError:
            refused += 1
    assert refused > 0.9 * DAMAGES


@settings(max_examples=deep.count(200, 600))
@given(texts(json.loads(WHOLE[reading.CHARACTER])))
def test_whatever_the_json_says_the_file_is_read_or_refused(text: str):
    members = {**WHOLE, reading.CHARACTER: text.encode()}
    with suppress(CharacterFileError):
        reading.character_of(members, "a.limber")


@settings(max_examples=deep.count(70, 200))
@given(texts({"format": archive.FORMAT, "version": [1, 0], "members": {"a": {"bytes": 1, "sha256": ""}}}))
def test_whatever_the_manifest_says_the_file_is_read_or_refused(text: str):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        file.writestr(archive.MANIFEST, text)
    with suppress(CharacterFileError):
        archive.unpacked(stream.getvalue(), "a.limber")


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip at all", zlib.compress(b"x" * 1000)])
def test_what_is_no_zip_is_no_character_file(content: bytes):
    with pytest.raises(CharacterFileError, match="no character file"):
        archive.unpacked(content, "a.limber")


def test_a_character_with_a_chain_twice_is_refused(members):
    chains = json.loads(members[reading.CHARACTER])["chains"]
    with pytest.raises(CharacterFileError, match="chain 'Arm' twice"):
        reading.character_of(changed(members, chains=chains * 2), "a.limber")


def test_bodies_and_robots_come_back_as_they_were():
    read = reading.character_of(WHOLE, "whole")
    entry = read.bodies[0]
    assert writing.members_of(read) == WHOLE
    assert read.joint_names[-9:-6] == tuple(f"Walker/{joint.name}" for joint in entry.body.joints)
    assert entry.body.upper.tolist() == [math.inf, 2.0, 2.0]
    assert same(entry.inputs, body().inputs)
    assert same(read.robots, (robot(),))
    assert read.values[0].filter == character().values[0].filter


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("bodies", 0, "velocities"), [1.0, -1.0, 1.0], "numbers above 0"),
        (("bodies", 0, "targets", 1, "link"), "Tail", "there is no link 'Tail'"),
        (("bodies", 0, "base"), "Tail", "a link 'Tail'"),
        (("bodies", 0, "limits"), [], "a row for each of the 3 joints"),
        (("robots", 0, "joints", 0, "joint"), "Rig/Tail", "the name of a joint of the file"),
        (("robots", 0, "joints", 0, "value"), "Glow", "the name of a joint, of a value, or a track"),
        (("robots", 0, "joints", 0, "velocity"), 0.0, "velocity"),
    ],
)
def test_bodies_and_robots_that_cannot_be_are_refused(path: tuple, value: object, words: str):
    plain = json.loads(WHOLE[reading.CHARACTER])
    part = plain
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    with pytest.raises(CharacterFileError, match=words):
        reading.character_of({**WHOLE, reading.CHARACTER: json.dumps(plain).encode()}, "whole")


@pytest.mark.parametrize(("solver", "option"), [("erik_exact", "exact_aim"), ("dls_clamped", "near_targets")])
def test_options_of_a_solver_that_an_older_file_names_apart_are_those_of_the_solver_with_its_option(
    solver, option
):
    stored = JsonFields("chain", {"options": {}}, CharacterFileError)
    assert getattr(options_of(stored, "options", solver), option)


def test_picture_and_sounds_come_back_as_they_were():
    read = reading.character_of(archive.unpacked(archive.packed(WHOLE), "whole"), "whole")
    assert png_size(read.thumbnail) == (2, 1)
    assert [(sound.name, sound.begin, sound.data) for sound in read.sounds] == [
        ("Hello there.WAV", 0.0, WAVE),
        ("bell.ogg", 1.5, b"OggS"),
    ]


SOUND = {"name": "bell.ogg", "begin": 1.5}


@pytest.mark.parametrize(
    ("members", "sounds", "words"),
    [
        ({THUMBNAIL: b"GIF89a"}, [], "no PNG picture"),
        ({THUMBNAIL: png(4000, 1, bytes(16000))}, [], "no PNG picture"),
        ({}, [SOUND], r"'sound0\.ogg' is missing, or no sound"),
        ({"sound0.ogg": WAVE}, [SOUND], r"'sound0\.ogg' is missing, or no sound"),
        ({"sound0.ogg": b"OggS"}, [{**SOUND, "begin": -1.0}], "begins with the clip or in it"),
        ({"sound0.sh": b"OggS"}, [{**SOUND, "name": "bell.sh"}], "expected a sound"),
        ({}, [SOUND] * (MOST_SOUNDS + 1), "at most 16 sounds"),
    ],
)
def test_a_picture_and_sounds_that_cannot_be_are_refused(members: dict, sounds: list, words: str):
    bare = writing.members_of(character())
    with pytest.raises(CharacterFileError, match=words):
        reading.character_of({**changed(bare, sounds=sounds), **members}, "a.limber")


@pytest.mark.parametrize("field", ["targets", "remarks", "values"])
def test_a_file_with_more_of_one_kind_than_a_character_has_is_refused(members, field):
    entries = json.loads(members[reading.CHARACTER])[field][:1] or [""]
    crowded = changed(members, **{field: entries * (reading.MOST_ITEMS + 1)})
    with pytest.raises(CharacterFileError, match="more than 1000 items"):
        reading.character_of(crowded, "a.limber")


def test_a_chain_that_its_solver_would_compute_for_too_long_is_refused():
    joints = tuple(
        replace(skeleton().joints[2], name=f"Link{k} X", parent=k - 1) for k in range(MOST_JOINTS + 1)
    )
    long = replace(chain(), skeleton=replace(skeleton(), joints=joints))
    with pytest.raises(CharacterFileError, match=f"Expressive moves at most {MOST_JOINTS} joints"):
        reading.character_of(writing.members_of(character(long)), "a.limber")


def test_a_crowded_object_deep_in_the_file_is_refused(members):
    factors = {str(k): 1.0 for k in range(reading.MOST_ITEMS + 1)}
    with pytest.raises(CharacterFileError, match="more than 1000 items"):
        reading.character_of(changed(members, newer=[[{"factors": factors}]]), "a.limber")


def test_arrays_that_many_references_share_count_as_often_as_they_are_read():
    """64 kB can unpack to an array of 64 MB, and each of a thousand references would read it again."""
    reader = ArrayReader(bytes(WIDTH * MOST_LENGTH))
    shared = JsonFields("a.limber", {"rows": {"at": 0, "shape": [MOST_LENGTH]}}, CharacterFileError)
    for _ in range(archive.MOST_TOTAL // (WIDTH * MOST_LENGTH)):
        reader.get(shared, "rows", (-1,))
    with pytest.raises(CharacterFileError, match="at most 64 MB of arrays in all"):
        reader.get(shared, "rows", (-1,))
