"""Tests files of motion with parsers that read them as their readers do."""

import csv
import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.hardware.motion_files import FORMATS, ExportError, Settings, make_motion
from limber.hardware.motion_files.boards import BOARDS
from limber.hardware.motion_files.table import MotionTable, Track, encode
from limber.hardware.protocols.limber import Move
from limber.hardware.protocols.limber.payloads import encode_payload

from tests.hardware.devices import direct, one_to_one
from tests.hardware.exporting import LIMITS, device, filtered, motion
from tests.hardware.motion_table import decode

POSITION = st.integers(0, 0xFFFF)


def made(name: str, found, **settings) -> bytes:
    return FORMATS[name].make(found, Settings(**settings))


def array(header: bytes) -> bytes:
    """The bytes of a C array."""
    return bytes(
        int(number, 0)
        for number in (
            re.search(r"= \{(.*)\}", header.decode("ascii"), re.S)[1].replace("\n", " ").split(",")[:-1]
        )
    )


# --- the firmware's table
@st.composite
def tables(draw) -> MotionTable:
    rows, count = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    tracks = [
        Track(
            k,
            draw(st.booleans()),
            draw(POSITION),
            draw(POSITION),
            draw(POSITION),
            tuple(draw(st.lists(POSITION, min_size=rows, max_size=rows))),
        )
        for k in range(count)
    ]
    return MotionTable(tuple(tracks), draw(st.integers(1, 50)), draw(st.booleans()))


@given(tables())
def test_a_table_is_read_as_it_was_written(table):
    assert decode(encode(table)) == table


def test_a_channel_that_stands_takes_half_a_byte_a_row():
    still = MotionTable(
        (
            Track(0, False, 4000, 20000, 1000, (12000,) * 1001),
            Track(1, False, 4000, 20000, 1000, (8000,) * 1001),
        ),
        1,
        False,
    )
    moving = MotionTable(
        (Track(0, False, 4000, 20000, 1000, tuple(range(12000, 13001))), still.tracks[1]), 1, False
    )
    assert len(encode(still)) == 8 + 20 + 1001
    assert len(encode(moving)) == len(
        encode(still)
    )  # the first row's change, and its own half byte: 7 steps become one


def test_the_table_has_the_very_units_of_the_wire_and_what_the_board_may_do():
    found = motion(robot=device(3, on_silence="detach", lowest=600.0, highest=2400.0))
    table = decode(array(made("firmware", found)))
    assert [track.servo for track in table.tracks] == [0, 1, 2]
    assert {(track.detaches, track.lowest, track.highest) for track in table.tracks} == {
        (True, 600 * 8, 2400 * 8)
    }
    assert {track.speed for track in table.tracks} == {
        3000
    }  # 1.5 times 180 degrees/s with 1000 us per quarter turn
    for row, positions in enumerate(found.positions):
        _, payload = encode_payload(Move(positions))
        assert b"".join(track.positions[row].to_bytes(2, "big") for track in table.tracks) == payload[2:]


def test_the_header_says_what_it_is_how_much_fits_and_where_servos_begin():
    text = made("firmware", motion(), start_pin=15).decode("ascii")
    assert re.search(r"// \d+\.\d s, \d+ rows at 50 Hz, 6 servos: 1\.\d kB\.", text)
    assert re.search(
        r"// Arduino Uno has room for 22\.9 kB beside the firmware: about \d+ s of motion like this\.", text
    )
    assert "It is played once, when pin 15 is joined to ground" in text
    assert "//   servo 0: 1500 us (joint 0)" in text
    assert "#define LIMBER_MOTION_START_PIN 15" in text


def test_what_the_header_says_fits_does_fit_and_no_more():
    """A motion that is a second longer is refused; the message names the length that fits."""
    robot = device(12)
    once = filtered(robot, seconds=6.0)
    there_and_back = once.frames + once.frames[::-1]
    refused = None
    for times in range(2, 40):
        take = replace(once, frames=there_and_back * times, last=once.first + len(there_and_back) * times - 1)
        found = make_motion(take, 50, "Arm", loops=False)
        try:
            text = made("firmware", found).decode("ascii")
        except ExportError as error:
            refused = str(error)
            break
        fits = float(re.search(r"about (\d+) s of motion like this", text)[1])
    said = re.fullmatch(
        r"(.*) s of this motion are (.*) kB, and Arduino Uno has room for 22\.9 kB: (.*) s of it fit\."
        " Choose a shorter range, a lower rate, or a larger board",
        refused,
    )
    assert float(said[1]) > float(said[3])
    assert float(said[3]) == pytest.approx(fits, rel=0.02)


@pytest.mark.parametrize(
    ("settings", "robot", "rate", "sentence"),
    [
        ({}, {}, 60, "50 pulses a second, which 60 Hz do not divide"),
        ({"start_pin": 7}, {}, 50, "Pin 7 of Arduino Uno cannot have a button: choose one of 13, 15"),
        ({}, {"joints": 13}, 50, r"Channel 'joint 12' \(servo 12\): Arduino Uno has 12 servos"),
        (
            {},
            {"highest": 2600.0},
            50,
            r"Channel 'joint 0' \(servo 0\): its pulses go from 500 to 2600 us; expected 500 to 2500",
        ),
    ],
)
def test_what_a_board_cannot_play_is_refused(settings, robot, rate, sentence):
    with pytest.raises(ExportError, match=sentence):
        made("firmware", motion(rate=rate, robot=device(**robot), seconds=0.5), **settings)


@pytest.mark.parametrize(
    "name", ["firmware", "servo_animation_h", "servo_animation_bin", "servo_animation_json"]
)
def test_servos_that_take_no_pulses_have_no_table_of_them(name):
    bus = replace(device(1), protocol="feetech_sts")
    with pytest.raises(
        ExportError, match=r"is for servos that take pulses, and the robot's take .*; export CSV or JSON"
    ):
        made(name, motion(robot=bus, seconds=0.5))


def test_a_robot_of_its_users_own_may_have_no_pulses_and_is_asked_for_other_formats():
    own = replace(device(1), protocol="file:/home/me/robot.py")
    with pytest.raises(
        ExportError,
        match="it is not known whether the robot's own protocol has servo pulses; export CSV or JSON",
    ):
        made("servo_animation_json", motion(robot=own, seconds=0.5))


def test_every_board_has_room_and_names_for_its_servos():
    assert {board.servos for board in BOARDS.values()} == {12, 16}
    assert min(board.room for board in BOARDS.values()) > 20_000


def test_a_name_cannot_break_out_of_the_comment():
    found = replace(motion(seconds=0.5), title="Arm\\\n#error é")
    assert "'Arm??#error ?'" in made("firmware", found).decode("ascii")


# --- CSV and JSON
def test_csv_has_a_row_for_each_moment():
    found = motion()
    heading, *rows = csv.reader(made("csv", found).decode("utf-8").splitlines())
    assert heading == ["seconds", *(f"joint {k} [deg]" for k in range(6)), *(f"servo {k}" for k in range(6))]
    assert len(rows) == len(found.values)
    assert [float(row[0]) for row in rows[:3]] == [0.0, 0.02, 0.04]
    for row, values, positions in zip(rows, found.values, found.positions, strict=True):
        assert [float(cell) for cell in row[1:7]] == pytest.approx(
            [57.29577951 * value for value in values], abs=1e-4
        )
        assert [float(cell) for cell in row[7:]] == pytest.approx(positions, abs=1e-3)


def test_json_has_every_row_in_full():
    found = motion(loops=True)
    document = json.loads(made("json", found))
    assert (document["format"], document["version"], document["rate"], document["loops"]) == (
        "limber motion",
        1,
        50,
        True,
    )
    assert [tuple(values) for values in document["values"]] == list(found.values)
    assert [tuple(positions) for positions in document["positions"]] == list(found.positions)
    assert document["joints"][0] == {
        "name": "joint 0",
        "unit": "rad",
        "lower": -1.2,
        "upper": 1.2,
        "velocity": LIMITS.velocity,
        "acceleration": LIMITS.acceleration,
        "jerk": LIMITS.jerk,
    }
    assert document["channels"][1] == {"servo": 1, "joints": ["joint 1"], "lowest": 500.0, "highest": 2500.0}


# --- blender-servo-animation
def library_plays(data: bytes) -> list[dict[int, int]]:
    """Commands that the Arduino library reads from stored motion: a frame ends at any line feed, and a
    command begins at any 3C.
    """
    frames, frame, command = [], {}, b""
    for value in data:
        if value == 0x0A:
            frames.append(frame)
            frame, command = {}, b""
            continue
        if value == 0x3C:
            command = b""
        command += bytes((value,)) if len(command) < 5 else b""
        if len(command) == 5 and command[0] == 0x3C and command[4] == 0x3E:
            frame[command[1]] = command[2] << 8 | command[3]
    return frames


def test_its_library_plays_every_row_with_no_position_off_by_more_than_one():
    found = motion(rate=60, robot=device(3), seconds=8.0)
    frames = library_plays(made("servo_animation_bin", found))
    assert len(frames) == len(found.positions)
    wanted = [tuple(round(position) for position in row) for row in found.positions]
    off = [frame[k] - row[k] for frame, row in zip(frames, wanted, strict=True) for k in range(3)]
    assert set(off) == {0, 1}
    stepped = {
        row[k] & 0xFF
        for frame, row in zip(frames, wanted, strict=True)
        for k in range(3)
        if frame[k] != row[k]
    }
    assert stepped == {0x0A, 0x3C}


def test_its_header_has_the_same_bytes_and_counts_them():
    found = motion(rate=30, robot=device(2), seconds=1.0)
    text = made("servo_animation_h", found)
    data = array(text)
    assert data == made("servo_animation_bin", found)
    for line in (
        b"const byte FPS = 30;",
        b"const int FRAMES = %d;" % len(found.positions),
        b"const int LENGTH = %d;" % len(data),
    ):
        assert line in text


def test_its_json_has_the_true_positions_of_each_servo():
    found = motion(rate=30, robot=device(2), seconds=1.0)
    document = json.loads(made("servo_animation_json", found))
    assert (document["fps"], document["frames"], document["bones"]) == (30, len(found.positions), 2)
    assert document["positions"] == [{str(k): round(row[k]) for k in range(2)} for row in found.positions]


@pytest.mark.parametrize("servo", [10, 60])
def test_servos_whose_number_its_player_takes_for_something_else_are_refused(servo):
    robot = one_to_one("virtual", [direct("jaw", servo, LIMITS)])
    with pytest.raises(ExportError, match=rf"Channel 'jaw' \(servo {servo}\): [Ss]ervo {servo} never moves"):
        made("servo_animation_bin", motion(robot=robot, seconds=0.5))


def test_a_servo_whose_number_begins_a_command_is_refused_in_its_json_too():
    robot = one_to_one("virtual", [direct("jaw", 60, LIMITS)])
    with pytest.raises(
        ExportError,
        match=r"Servo 60 never moves with .*: its id is the byte that starts a command; choose another id",
    ):
        made("servo_animation_json", motion(robot=robot, seconds=0.5))


def test_pulses_that_its_player_cannot_be_told_are_refused():
    robot = one_to_one("virtual", [direct("jaw", 0, LIMITS, zero=2600.0, highest=3600.0)])
    with pytest.raises(ExportError, match=r"Channel 'jaw' \(servo 0\): pulses of 26\d\d us cannot be had"):
        made("servo_animation_bin", motion(robot=robot, seconds=0.5))


def test_more_bytes_than_its_header_can_count_are_refused():
    with pytest.raises(ExportError, match="counts bytes up to 32767"):
        made("servo_animation_h", motion(rate=255, robot=device(9), seconds=4.0))
