"""Tests motion files: written values are read again, and any content is read as motion or refused with an
error that names the position.
"""

import json
import math
import os
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from limber.files.sounds import sound_beside
from limber.hardware.motion_files import (
    FORMATS,
    ExportError,
    LargeMotionError,
    MotionFileError,
    Named,
    Settings,
    Take,
    frames_at,
    read,
    write,
)
from limber.hardware.motion_files.files import copy_beside

from tests.hardware.moves import POSES, REACHY, arm, device, lamp, motion, move, move_bytes, pose

SHARED = Path(__file__).resolve().parents[3] / "shared" / "robots"


def test_a_reachy_move_has_the_head_in_the_base_s_frame_and_joints_as_the_urdf_counts_them(tmp_path):
    path = tmp_path / "move.json"
    path.write_bytes(move_bytes())
    found = read(path)
    row = move()["set_target_data"][20]
    assert found.poses["head"][20][11] == pytest.approx(row["head"][2][3] + 0.177)
    values = {column.name: column.values[20] for column in found.columns}
    assert values == pytest.approx(
        {
            "yaw_body": row["body_yaw"],
            "right_antenna": -row["antennas"][0],
            "left_antenna": -row["antennas"][1],
        }
    )


def test_a_flat_head_absent_antennas_and_null_are_read_as_the_daemon_reads_them(tmp_path):
    rows = [{"head": [number for line in pose(0.1) for number in line], "antennas": None}] * 2
    path = tmp_path / "move.json"
    path.write_bytes(move_bytes(time=[0, 0.5], set_target_data=rows))
    assert [column.values for column in read(path).columns] == [(0.0, 0.0)] * 3


def test_rows_between_frames_lie_on_a_curve_through_the_frames():
    frames = tuple((0.1 * k * k, 0.5 * k) for k in range(5))
    found = frames_at(Take(device("pan", "tilt"), 1, 10.0, frames, 5), 20, "Curve")
    assert found.values[::2] == frames
    assert found.values[3] == pytest.approx((0.225, 0.75))
    assert len(found.values) == 9


def test_a_joint_is_written_with_the_name_and_sign_of_its_maker(tmp_path):
    found = motion(renamed=[Named("base_pan", -1.0), Named("neck")])
    assert [column.name for column in found.recording.columns] == ["base_pan", "neck"]
    assert found.recording.columns[0].values == tuple(-row[0] for row in found.values)


def test_a_position_beyond_its_limits_is_refused_with_the_frame():
    take = Take(device("pan"), 1, 50.0, ((0.0,), (3.5,)), 2)
    with pytest.raises(
        ExportError, match=r"Joint 'pan', frame 2: 200.5 degrees; expected -171.9 degrees to 171.9 degrees"
    ):
        frames_at(take, 50, "Far")


NAN = json.dumps(move()).replace("0.2", "NaN", 1).encode()
WRONG = [
    ("move.json", b"{", r"'move.json': it is no JSON"),
    ("move.json", b"\xff\xfe", "byte 1 is no UTF-8 text"),
    ("move.json", b"[1]", "none of the known formats"),
    ("move.docx", b"{}", r"'.docx' is no suffix of a motion file; expected one of .csv, "),
    ("move.json", move_bytes(time=[0.0]), "'set_target_data' has 51 rows for 1 times"),
    ("move.json", move_bytes(time=[0.0] * 51), "row 2: its time 0 s is not after 0 s of the row before"),
    ("move.json", move_bytes(time=[*range(50), "x"]), "time, number 51: expected a finite number, found 'x'"),
    ("move.json", move_bytes(time=[*range(50), 10**400]), "time, number 51: expected a finite number"),
    (
        "move.json",
        move_bytes(time=[0], set_target_data=[{"head": [1, 2, 3]}]),
        "row 1, head: expected 16 numbers",
    ),
    (
        "move.json",
        move_bytes(time=[0], set_target_data=[{"head": pose(0.0), "antennas": [0]}]),
        "row 1, antennas: expected 2 numbers",
    ),
    (
        "move.json",
        move_bytes(time=[0], set_target_data=[{"head": [[0] * 4] * 4}]),
        "its last row is not 0, 0, 0, 1",
    ),
    (
        "move.json",
        move_bytes(time=[0], set_target_data=[{"head": [[2, 0, 0, 0], *pose(0.0)[1:]]}]),
        "it is no rotation",
    ),
    (
        "move.json",
        move_bytes(time=[0], set_target_data=[{"head": [[-1, 0, 0, 0], *pose(0.0)[1:]]}]),
        "it mirrors",
    ),
    ("move.json", move_bytes(time=[], set_target_data=[]), "it has no motion"),
    ("move.json", b"[1]", r"\(.*, JSON\): choose its format, or another file"),
    (
        "file-000.parquet",
        b"PAR1",
        "a part of a dataset of LeRobot: choose the dataset's folder, or its file meta/info.json",
    ),
    (
        "wave.csv",
        b'seconds,pan\n"0,5",1\n',
        "row 1, column 'seconds': expected a number, found '0,5': write decimals with a point",
    ),
    ("wave.csv", b"seconds,pan\n0,x\n", "expected a number, found 'x': correct it, or choose another file"),
    ("wave.csv", b"", "its first line is no heading"),
    ("wave.csv", b"seconds,pan\n0,1\n1", "row 2: it has 1 columns, and the heading 2"),
    ("wave.csv", b"seconds,pan\n0,1\n1,nan", "row 2, column 'pan': expected a number, found 'nan'"),
    ("wave.csv", b"pan,tilt\n0,1", "the first column is 'pan'; expected the time"),
    ("wave.csv", b"seconds,pan [ticks]\n0,1", "'ticks' is no unit; expected one of deg, degrees, rad, m, mm"),
    ("wave.csv", b"seconds,pan,pan\n0,1,2", "two joints are called 'pan'"),
    ("wave.csv", b"seconds,pan\n0,1\n1e9,2", "give times in seconds, a day at most"),
    ("wave.csv", b"seconds,pan\n0,1e300", "joint 'pan', row 1: its value is 1e\\+300"),
    (
        "wave.json",
        b'{"format": "limber motion", "version": 2}',
        "version: expected a whole number from 1 to 1",
    ),
]


@pytest.mark.parametrize(
    ("name", "data", "sentence"), WRONG, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_file_that_cannot_be_used_is_named_with_the_place(tmp_path, name, data, sentence):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(MotionFileError, match=sentence) as refused:
        read(path)
    assert name in str(refused.value)


def test_a_missing_and_a_huge_file_say_so(tmp_path, monkeypatch):
    with pytest.raises(MotionFileError, match="cannot be read"):
        read(tmp_path / "none.csv")
    monkeypatch.setattr("limber.hardware.motion_files.reading.LARGEST", 10)
    (tmp_path / "long.csv").write_bytes(b"seconds,pan\n0,1")
    with pytest.raises(MotionFileError, match=r"'long.csv': it has .* MB, more than .*: import it in parts"):
        read(tmp_path / "long.csv", settings=ALL)


ALL = Settings(allow_large=True)


def test_over_50_mb_and_over_an_hour_are_read_only_where_that_is_allowed(tmp_path):
    large, long = tmp_path / "large.json", tmp_path / "long.csv"
    large.write_bytes(move_bytes() + b" " * 50_000_000)
    long.write_text("seconds,pan\n0,1\n17000,2\n")
    with pytest.raises(
        LargeMotionError,
        match=r"'large.json': it has 50 MB, more than 50: Tick Large File to import all of it",
    ):
        read(large)
    with pytest.raises(
        LargeMotionError,
        match=r"it has 4.7 hours of motion in 2 rows: are its times in milliseconds\? Tick Large File",
    ):
        read(long)
    assert read(large, settings=ALL).poses
    assert read(long, settings=ALL).seconds == 17000.0


PIECES = st.sampled_from(
    [
        b"",
        b"nan",
        b"1e999",
        b"-",
        b",",
        b"[",
        b"{}",
        b"null",
        b"\xff",
        b"\0",
        b'"',
        b"9" * 400,
        b"\n",
        b"[[[[",
    ]
)


@st.composite
def edited(draw, data: bytes) -> bytes:
    """A file in which up to three pieces are replaced, or whose end is missing."""
    for _ in range(draw(st.integers(1, 3))):
        begin = draw(st.integers(0, len(data)))
        end = min(len(data), begin + draw(st.integers(0, 12)))
        data = data[:begin] + draw(PIECES) + data[end:]
    return data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data


READ = [name for key, form in FORMATS.items() if form.read is not None for name in form.variants or (key,)]


FORMER = {
    "csv": ("csv", ".csv"),
    "joints_csv": ("csv", ".csv"),
    "ros2_yaml": ("ros2", ".yaml"),
    "ros2_json": ("ros2", ".json"),
    "servo_animation_h": ("servo_animation", ".h"),
    "servo_animation_bin": ("servo_animation", ".bin"),
    "servo_animation_json": ("servo_animation", ".json"),
}


def test_names_that_were_formats_are_the_variants_of_one_format_each():
    for name, (form, suffix) in FORMER.items():
        assert FORMATS[form].variants[name].make is FORMATS[name].make
        assert FORMATS[name].suffix == suffix
    assert set(FORMATS) & set(FORMER) == {"csv"}


def test_a_name_that_is_no_format_is_an_error_that_has_it():
    with pytest.raises(KeyError, match="ros1_bag"):
        FORMATS["ros1_bag"]


@pytest.mark.parametrize("name", ["joints_csv", "ros2_json"])
def test_a_variant_is_read_by_its_name_by_its_format_s_and_by_its_content(tmp_path, name):
    path = tmp_path / f"wave{FORMATS[name].suffix}"
    path.write_bytes(sample(name))
    recordings = [read(path, form) for form in (name, FORMER[name][0], "auto")]
    assert recordings[0].times
    assert recordings == recordings[:1] * 3


def test_a_variant_s_name_reads_a_file_of_any_suffix_as_that_variant(tmp_path):
    path = tmp_path / "wave.txt"
    path.write_bytes(sample("ros2_json"))
    assert read(path, "ros2_json").times
    path.write_bytes(sample("ros2_yaml"))
    with pytest.raises(MotionFileError, match="JSON"):
        read(path, "ros2_json")


def sample(name: str) -> bytes | dict[str, bytes]:
    short = replace(motion(REACHY, poses=POSES, rows=3), poses={"head": POSES["head"][:3]})
    return FORMATS[name].make({"lelamp": lamp, "lerobot": arm}.get(name, lambda rows: short)(3), Settings())


@pytest.mark.parametrize("name", READ)
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_damaged_file_is_motion_or_an_error_that_names_it(tmp_path, name, data):
    whole = sample(name)
    path = tmp_path / f"damaged{FORMATS[name].suffix}"
    shutil.rmtree(path, ignore_errors=True)
    if isinstance(whole, bytes):
        path.write_bytes(data.draw(edited(whole)))
    else:
        victim = data.draw(st.sampled_from(sorted(whole)))
        write(path, whole | {victim: data.draw(edited(whole[victim]))})
    for form in (name, "auto"):
        with suppress(MotionFileError):
            read(path, form)


def test_the_sound_beside_a_move_is_the_one_that_its_player_takes(tmp_path):
    move = tmp_path / "wave.json"
    assert sound_beside(move) is None
    for suffix in (".aac", ".opus", ".mp3", ".wav"):
        (tmp_path / f"wave{suffix}").write_bytes(b"")
        (tmp_path / f"other{suffix}").write_bytes(b"")
        assert sound_beside(move) == tmp_path / f"wave{suffix}"


BEGINNINGS = {
    ".wav": b"RIFF\x24\x00\x00\x00WAVEfmt ",
    ".mp3": b"\xff\xfb\x90\x00",
    ".MP3": b"ID3\x04\x00",
    ".ogg": b"OggS\x00\x02",
    ".oga": b"OggS\x00\x02",
    ".opus": b"OggS\x00\x02",
    ".flac": b"fLaC\x00\x00",
    ".m4a": b"\x00\x00\x00\x20ftypM4A ",
    ".aac": b"\xff\xf1\x50\x80",
}


@pytest.mark.parametrize("suffix", BEGINNINGS)
def test_a_sound_is_copied_beside_its_motion(tmp_path, suffix):
    (tmp_path / f"sound{suffix}").write_bytes(BEGINNINGS[suffix] + bytes(9))
    copy = copy_beside(tmp_path / f"sound{suffix}", tmp_path / "wave.json")
    assert copy == tmp_path / f"wave{suffix.lower()}"
    assert copy.read_bytes() == BEGINNINGS[suffix] + bytes(9)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *((name, BEGINNINGS[".wav"]) for name in ("id_rsa", "token.json", "other.blend", "wave")),
        *((f"key{suffix}", b"-----BEGIN OPENSSH PRIVATE KEY-----") for suffix in BEGINNINGS),
        *((f"empty{suffix}", b"") for suffix in BEGINNINGS),
    ],
)
def test_what_is_no_sound_by_name_and_content_is_not_copied(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ExportError, match=f"{name}' is no sound"):
        copy_beside(tmp_path / name, tmp_path / "wave.json")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_that_is_named_as_a_sound_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "sound.wav")
    with pytest.raises(ExportError, match=r"sound\.wav' cannot be read \(it is no file\)"):
        copy_beside(tmp_path / "sound.wav", tmp_path / "wave.json")


def test_a_sound_replaces_no_other_file(tmp_path):
    (tmp_path / "sound.wav").write_bytes(BEGINNINGS[".wav"])
    (tmp_path / "wave.wav").write_bytes(b"a recording")
    with pytest.raises(
        ExportError, match=r"wave\.wav' is there already and is not sound '.*sound\.wav'.*move that file away"
    ):
        copy_beside(tmp_path / "sound.wav", tmp_path / "wave.json")
    assert (tmp_path / "wave.wav").read_bytes() == b"a recording"


@pytest.mark.skipif(not SHARED.is_dir(), reason="no folder shared/robots beside this checkout")
def test_a_move_made_elsewhere_is_read():
    found = read(SHARED / "reachy_mini" / "move_example.json")
    assert (len(found.times), found.rate) == (101, pytest.approx(50.0))


def of_table(tmp_path, text: str, name: str = "wave.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read(path)


@pytest.mark.parametrize(
    ("heading", "factor"),
    [
        ("time [ms]", 1e-3),
        ("Time (s)", 1.0),
        ("t_ms", 1e-3),
        ("__time", 1.0),
        ("%time [ns]", 1e-9),
        ("time_from_start", 1.0),
        ("Elapsed", 1.0),
        ("timestamp_us", 1e-6),
        ("sec", 1.0),
        ("header.stamp.sec", 1.0),
    ],
)
def test_the_time_of_a_table_is_in_any_column_in_the_unit_that_its_heading_has(tmp_path, heading, factor):
    found = of_table(tmp_path, f"row,pan,{heading}\n0,0.5,0\n1,0.6,1\n")
    assert found.times == (0.0, factor)
    assert [column.name for column in found.columns] == ["row", "pan"]


@pytest.mark.parametrize(
    ("heading", "name", "unit", "value"),
    [
        ("elbow [deg]", "elbow", "rad", math.radians(2.0)),
        ("elbow (DEG)", "elbow", "rad", math.radians(2.0)),
        ("elbow_deg", "elbow", "rad", math.radians(2.0)),
        ("elbow [\u00b0]", "elbow", "rad", math.radians(2.0)),
        ("elbow_rad", "elbow", "rad", 2.0),
        ("lift [cm]", "lift", "m", 0.02),
        ("left_arm_m", "left_arm_m", "plain", 2.0),
        ("/joint_states/elbow/position", "elbow", "plain", 2.0),
        ("elbow_position", "elbow", "plain", 2.0),
        ("elbow.position [deg]", "elbow", "rad", math.radians(2.0)),
        ("elbow_pos", "elbow", "plain", 2.0),
        ("q_elbow", "elbow", "plain", 2.0),
        ("q_1", "q_1", "plain", 2.0),
        ("qpos_elbow", "elbow", "plain", 2.0),
        ("joint_angle(1)", "joint_angle(1)", "plain", 2.0),
        ("elbow [rev]", "elbow", "rad", 2.0 * math.tau),
        ('"elbow, deg"', "elbow", "rad", math.radians(2.0)),
        ('"Upper arm, left"', "Upper arm, left", "plain", 2.0),
        ("Joint 1 in degrees", "Joint 1", "rad", math.radians(2.0)),
        ("elbow_flex.pos", "elbow_flex", "degrees", 2.0),
        ("gripper.pos", "gripper", "range_0_100", 2.0),
    ],
)
def test_a_column_has_the_name_of_its_joint_and_its_unit(tmp_path, heading, name, unit, value):
    (column,) = of_table(tmp_path, f"seconds,{heading}\n0,2\n1,2\n").columns
    assert (column.name, column.unit) == (name, unit)
    assert column.values == pytest.approx((value, value))


def test_columns_of_velocities_and_efforts_and_without_a_heading_are_not_read(tmp_path):
    found = of_table(tmp_path, ",seconds,a,a/velocity,a_effort,a.torque,a [rad/s],servo 3\n0,0,1,2,3,4,5,6\n")
    assert [column.name for column in found.columns] == ["a"]
    found = of_table(
        tmp_path, "seconds,a_vel,dq_a,tau_a,a,battery [V],a_eff [Nm],timestamp\n0,1,2,3,4,5,6,7\n"
    )
    assert [column.name for column in found.columns] == ["a"]


def test_short_marks_belong_to_a_name_where_nothing_shows_that_they_are_quantities(tmp_path):
    names = ["neck_pos", "q_elbow", "tau_x", "jaw_vel", "lid_pos", "head"]
    heading = "seconds,neck_pos [rad],q_elbow [rad],tau_x,jaw_vel,lid_pos,head [rad]"
    assert [column.name for column in of_table(tmp_path, f"{heading}\n0,1,2,3,4,5,6\n").columns] == names


@pytest.mark.parametrize("seconds", ["secs", "header.stamp.sec", "sec"])
@pytest.mark.parametrize("nanoseconds", ["nsecs", "header.stamp.nanosec", "nanosec"])
def test_seconds_and_nanoseconds_are_one_time(tmp_path, seconds, nanoseconds):
    found = of_table(tmp_path, f"{seconds},{nanoseconds},a\n7,500000000,1\n8,0,2\n8,250000000,3\n")
    assert found.times == pytest.approx((7.5, 8.0, 8.25))
    assert [column.name for column in found.columns] == ["a"]


@pytest.mark.parametrize("mark", [";", "\t"])
def test_numbers_with_decimal_commas_are_read_where_columns_are_separated_by_another_mark(tmp_path, mark):
    text = "time|elbow [deg]|lift [mm]\n0,00|10,5|-,5\n0,02|2,5e1|3\n".replace("|", mark)
    found = of_table(tmp_path, text)
    assert found.times == (0.0, 0.02)
    elbow, lift = found.columns
    assert elbow.values == pytest.approx((math.radians(10.5), math.radians(25.0)))
    assert lift.values == pytest.approx((-0.0005, 0.003))


@pytest.mark.parametrize(
    "text",
    [
        "# written by a logger, 2026\n# version 3\nseconds,pan\n0,1\n1,2\n",
        "seconds,pan\n0,1,\n1,2,\n",
        "seconds,pan,\n0,1,\n1,2,\n",
        "seconds,pan,,\n0,1\n1,2\n",
        "// of a logger\nseconds,pan\n# a pause\n0,1\n\n1,2\n",
        "sep=;\nseconds;pan\n0;1\n1;2\n",
        "sep=\t\nseconds\tpan\n0\t1\n1\t2\n",
        "# seconds,pan\n0,1\n1e0,2\n",
        "% seconds pan\n0\t1\n1\t2\n",
        "seconds  pan\n0    1\n1    2\n",
    ],
)
def test_comments_above_a_heading_and_separators_at_lines_ends_say_nothing(tmp_path, text):
    found = of_table(tmp_path, text)
    assert [(column.name, column.values) for column in found.columns] == [("pan", (1.0, 2.0))]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_a_table_that_a_spreadsheet_saved_as_unicode_text_is_read(tmp_path, encoding):
    path = tmp_path / "wave.csv"
    path.write_bytes("seconds\tpan [\u00b0]\n0\t90\n".encode(encoding))
    assert read(path).columns[0].values == pytest.approx((math.pi / 2,))


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("pan,tilt\n1,2\n3,4\n", (0.0, 0.04)),
        ("Frame #,pan,tilt\n10,1,2\n14,3,4\n", (0.4, 0.56)),
        ("pan;index;tilt\n1;0;2\n3;2;4\n", (0.0, 0.08)),
    ],
)
def test_rows_of_a_table_without_times_are_frames(tmp_path, text, times):
    path = tmp_path / "wave.csv"
    path.write_text(text)
    found = read(path, settings=Settings(frame_rate=25.0))
    assert found.times == pytest.approx(times)
    assert found.assumed_rate == 25.0
    assert {column.name: column.values for column in found.columns} == {"pan": (1.0, 3.0), "tilt": (2.0, 4.0)}
    with pytest.raises(MotionFileError, match="expected the time"):
        read(path)


@pytest.mark.parametrize("units", ["ms,deg,mA,-", "[ms],[deg],[mA],", "(ms),(Degrees),(mA),none"])
def test_a_row_of_units_counts_as_part_of_the_heading(tmp_path, units):
    found = of_table(tmp_path, f"t,pan,motor,lift\n{units}\n0,90,1,2\n40,0,1,3\n")
    assert found.times == (0.0, 0.04)
    assert [(column.name, column.unit) for column in found.columns] == [("pan", "rad"), ("lift", "plain")]
    assert found.columns[0].values == pytest.approx((math.pi / 2, 0.0))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("time,pan\ns,furlong\n0,1\n", "row 1, column 'pan': 'furlong' is neither a number nor a unit"),
        ("0,1\n1,2\n", "its first row has numbers: write the names of the columns above them"),
        ("frame,pan\n1,1\n1,2\n", "row 2: its time 0.04 s is not after"),
        ("time,pan,pan\n0,1,2\n", "two joints are called 'pan'"),
    ],
)
def test_what_a_table_leaves_open_is_named(tmp_path, text, sentence):
    path = tmp_path / "wave.csv"
    path.write_text(text)
    with pytest.raises(MotionFileError, match=sentence):
        read(path, settings=Settings(frame_rate=25.0))


def test_a_table_may_be_separated_by_tabs_and_be_called_tsv(tmp_path):
    assert of_table(tmp_path, "seconds\tpan\n0\t1\n1\t2\n", "wave.tsv").columns[0].values == (1.0, 2.0)


def test_a_table_of_another_arm_is_no_lamps_though_they_share_a_joints_name(tmp_path):
    found = of_table(tmp_path, "timestamp,shoulder_pan.pos,wrist_roll.pos\n0,10,20\n1,11,21\n")
    assert [(column.name, column.unit, column.servo) for column in found.columns] == [
        ("shoulder_pan", "degrees", -1),
        ("wrist_roll", "degrees", -1),
    ]


PAN_TILT = {"pan": (1.0, 1.5), "tilt": (2.0, 2.5)}
NAMED_CELLS = {
    "a row for each joint and time": "time,joint,position\n0,pan,1\n0,tilt,2\n.1,pan,1.5\n.1,tilt,2.5\n",
    "joints one after the other": "joint_name;t;value_rad\npan;0;1\npan;0,1;1,5\ntilt;0;2\ntilt;0,1;2,5\n",
    "units in a column": "t,name,angle,unit\n0,pan,1,rad\n0,tilt,2,rad\n.1,pan,1.5,rad\n.1,tilt,2.5,rad\n",
    "lists in cells": "Time,header.frame_id,name,position,velocity\n"
    "10.0,,\"['pan', 'tilt']\",\"[1.0, 2.0]\",[]\n10.1,,\"['pan', 'tilt']\",\"[1.5, 2.5]\",[]\n",
    "numbered columns": "Time,name_0,name_1,position_0,position_1\n1,pan,tilt,1,2\n1.1,pan,tilt,1.5,2.5\n",
    "rostopic echo -p": "%time,field.name0,field.name1,field.position0,field.position1\n"
    "1500000000000000000,pan,tilt,1,2\n1500000000100000000,pan,tilt,1.5,2.5\n",
    "ros2 topic echo --csv": "17,0,,pan,tilt,1.0,2.0,0.0,0.0\n17,100000000,,pan,tilt,1.5,2.5,0.0,0.0\n",
    "ros2 topic echo --csv of a frame": "17,0,base,pan,tilt,1,2\n17,100000000,base,pan,tilt,1.5,2.5\n",
    "PlotJuggler's arrays": "__time,/joint_states/position[0;pan],/joint_states/position[1;tilt]\n0,1,2\n.1,1.5,2.5\n",
    "quantities before names": "t,position.pan,position.tilt,velocity.pan,effort.tilt\n0,1,2,0,0\n.1,1.5,2.5,0,0\n",
    "MuJoCo's names of quantities": "tout,qpos_pan,qpos_tilt,qvel_pan,qvel_tilt\n0,1,2,7,7\n.1,1.5,2.5,7,7\n",
    "texts beside joints": "t,pan,mode,tilt,is_done\n0,1,idle,2,False\n.1,1.5,run,2.5,True\n",
    "a second time": "t,pan,time.1,header/stamp,tilt\n0,1,0,7,2\n.1,1.5,.1,7.1,2.5\n",
    "bars": "t|pan|tilt\n0|1|2\n.1|1.5|2.5\n",
}


@pytest.mark.parametrize("kind", NAMED_CELLS)
def test_tables_name_their_joints_in_headings_or_in_cells(tmp_path, kind):
    found = of_table(tmp_path, NAMED_CELLS[kind])
    assert {column.name: column.values for column in found.columns} == PAN_TILT
    assert found.seconds == pytest.approx(0.1, abs=1e-6)


OPENSIM = """Coordinates
version=1
nRows=2
nColumns=3
inDegrees={}

Units are S.I. units (second, meters, Newtons, ...)
endheader
"""


@pytest.mark.parametrize(("in_degrees", "factor"), [("yes", math.radians(1.0)), ("no", 1.0)])
def test_opensims_motion_has_its_unit_above_the_table(tmp_path, in_degrees, factor):
    path = tmp_path / "gait.mot"
    path.write_text(OPENSIM.format(in_degrees) + "time\tknee_angle_r\tpelvis_tx\n0\t9\t.5\n.1\t8\t.6\n")
    knee, pelvis = read(path).columns
    assert (knee.name, knee.unit) == ("knee_angle_r", "rad")
    assert knee.values == pytest.approx((9.0 * factor, 8.0 * factor))
    assert (pelvis.unit, pelvis.values) == ("m", (0.5, 0.6))


def test_of_opensims_states_the_values_of_coordinates_are_read(tmp_path):
    path = tmp_path / "states.sto"
    names = ("/jointset/hip/flexion/value", "/jointset/hip/flexion/speed", "/forceset/soleus/activation")
    path.write_text(OPENSIM.format("no") + "\t".join(("time", *names)) + "\n0\t1\t2\t.3\n.1\t1.5\t2\t.3\n")
    (column,) = read(path).columns
    assert (column.name, column.unit, column.values) == ("flexion", "rad", (1.0, 1.5))


@pytest.mark.parametrize("state", ["actual", "target"])
def test_a_recording_of_a_universal_robots_state_has_its_joints_alone(tmp_path, state):
    names = [f"{state}_{q}_{k}" for q in ("q", "qd", "current", "TCP_pose") for k in range(6)]
    rows = (" ".join(map(str, (time, *range(24), 7))) for time in (0.0, 0.008))
    found = of_table(tmp_path, "\n".join((" ".join(("timestamp", *names, "robot_mode")), *rows)))
    assert [column.name for column in found.columns][:3] == [
        "shoulder_pan_joint",
        "shoulder_lift_joint",
        "elbow_joint",
    ]
    assert [column.values[0] for column in found.columns] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert {column.unit for column in found.columns} == {"rad"}


def test_measured_positions_of_a_robots_state_count_before_commanded_ones(tmp_path):
    found = of_table(
        tmp_path, "timestamp,target_q_0,target_q_1,actual_q_0,actual_q_1\n0,1,2,3,4\n1,1,2,3,4\n"
    )
    assert [column.values[0] for column in found.columns] == [3.0, 4.0]


def test_positions_of_a_robots_state_may_have_their_numbers_in_brackets(tmp_path):
    found = of_table(tmp_path, "time,O_T_EE[0],q[0],q[1],dq[0],tau_J[0]\n0,9,1,2,8,7\n1,9,1,2,8,7\n")
    assert [(column.name, column.values[0]) for column in found.columns] == [
        ("joint_1", 1.0),
        ("joint_2", 2.0),
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("t,joint,position\n0,pan,1\n0,pan,2\n", "row 2: 'pan' has a second value at 0"),
        ("t,joint,position\n0,pan,1\n0,tilt,2\n1,pan,1\n", "'tilt' has no value at 1"),
        (
            "t,name,position\n0,['a'],[1]\n1,['b'],[1]\n",
            "row 2: it names '\\['b'\\]', and the first row others",
        ),
        ("t,name,position\n0,['a'],[]\n", "row 1: it has 0 positions for 1 names"),
        ("t,name_0,position_0\n0,a,1\n1,b,1\n", "row 2: it names 'b', and the first row others"),
    ],
)
def test_cells_that_name_joints_otherwise_are_named(tmp_path, text, sentence):
    with pytest.raises(MotionFileError, match=sentence):
        of_table(tmp_path, text)


@pytest.mark.parametrize(
    ("heading", "first", "second"),
    [
        ("timestamp", "2025-01-01T00:00:00.000", "2025-01-01T00:00:00.100"),
        ("time", "2025-01-01 23:59:59.95", "2025-01-02 00:00:00.05"),
        ("time", "2025-01-01T00:00:00Z", "2025-01-01T01:00:00.100+01:00"),
        ("clock", "00:00:07.900", "00:00:08.000"),
        ("datetime", "2025-01-01 00:00:00.000", "2025-01-01 00:00:00.100"),
        ("timestamp", "1700000000000", "1700000000100"),
        ("timestamp", "1700000000000000", "1700000000100000"),
        ("rosbagTimestamp", "1700000000000000000", "1700000000100000000"),
        ("secs_since_start", "0", ".1"),
        ("Elapsed Time (s)", "0", ".1"),
        ("sim_time", "0", ".1"),
        ("Zeit (ms)", "0", "100"),
    ],
)
def test_times_are_dates_or_count_from_any_moment_in_any_unit(tmp_path, heading, first, second):
    found = of_table(tmp_path, f"{heading},pan\n{first},1\n{second},2\n")
    assert found.seconds == pytest.approx(0.1, abs=1e-6)
    assert [column.name for column in found.columns] == ["pan"]


@pytest.mark.parametrize("unit", ["Grad", "grados", "degr\u00e9s", "gradi"])
@pytest.mark.parametrize("heading", ["arm ({})", "arm_{}"])
def test_degrees_are_known_in_other_languages(tmp_path, unit, heading):
    (column,) = of_table(tmp_path, f"t;{heading.format(unit)}\n0;90,0\n").columns
    assert (column.name, column.unit) == ("arm", "rad")
    assert column.values == pytest.approx((math.pi / 2,))


@pytest.mark.parametrize(
    "text",
    [
        '{"time": [0, 0.1], "pan": [1, 1.5], "tilt": [2, 2.5]}',
        '[{"time": 0, "pan": 1, "tilt": 2}, {"time": 0.1, "pan": 1.5, "tilt": 2.5}]',
        '{"time": 0, "pan": 1, "tilt": 2}\n{"time": 0.1, "pan": 1.5, "tilt": 2.5}\n{"ti',
        '[{"t_ms": 0, "joint": "pan", "position": 1}, {"t_ms": 0, "joint": "tilt", "position": 2},'
        '{"t_ms": 100, "joint": "pan", "position": 1.5}, {"t_ms": 100, "joint": "tilt", "position": 2.5}]',
    ],
)
@pytest.mark.parametrize("name", ["wave.json", "wave.jsonl"])
def test_tables_may_be_json(tmp_path, text, name):
    found = of_table(tmp_path, text, name)
    assert {column.name: column.values for column in found.columns} == PAN_TILT
    assert found.times == pytest.approx((0.0, 0.1))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[{"time": 0, "pan": 1}, {"time": 1}]', "row 2 has other fields than the first"),
        ('{"time": [0, 1], "pan": [1]}', "its columns have from 1 to 2 values"),
    ],
)
def test_tables_as_json_with_gaps_are_named(tmp_path, text, sentence):
    with pytest.raises(MotionFileError, match=sentence):
        of_table(tmp_path, text, "wave.json")


@pytest.mark.parametrize("name", ["wave.txt", "wave.dat"])
def test_a_table_may_be_called_a_text(tmp_path, name):
    assert of_table(tmp_path, "time pan\n0 1\n1 2\n", name).columns[0].values == (1.0, 2.0)
