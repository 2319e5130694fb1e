"""Tests motion files that Limber writes, with their makers' own programs, and reads tables of these
programs.
"""

import json
from dataclasses import replace

import numpy as np
import pytest
from limber.files.parquet import ParquetTable
from limber.hardware.lerobot import calibration as lerobot
from limber.hardware.lerobot.calibration import LeRobotMotor
from limber.hardware.motion_files import FORMATS, EpisodeChoice, Settings, read, write

from tests.hardware.moves import POSES, REACHY, arm, lamp, motion
from tests.hardware.served_bus import ServedBus
from tests.makers.python import LELAMP, MISSING, NO_LELAMP, has, run
from tests.makers.reachy import IS_THERE, MakersDaemon, environment
from tests.makers.reachy import MISSING as NO_REACHY
from tests.makers.test_feetech_clients import ARM, mode_of, number

NEAR = 1e-6  # [rad, m] tolerance
needs_lerobot = pytest.mark.skipif(
    not (has("lerobot") and has("datasets")),
    reason=MISSING.format("LeRobot and the libraries of its datasets"),
)


def written(path, name: str, found):
    write(path, FORMATS[name].make(found, Settings()))
    return path


@needs_lerobot
def test_lerobot_loads_a_dataset_and_replays_it_on_its_arm(tmp_path):
    found = arm(61)
    root = written(tmp_path / "wave", "lerobot", found)
    lerobot.save(tmp_path / "arm.json", ARM)
    with ServedBus({motor.id: 2000.0 for motor in ARM.values()}) as bus:
        told = json.loads(
            run("lerobot_replay", bus.port, tmp_path, root, HF_HUB_OFFLINE="1").splitlines()[-1]
        )
        goals = {name: number(bus.registers(motor.id), 42) for name, motor in ARM.items()}
    assert (told["fps"], told["task"], told["names"]) == (30, "Wave", [f"{name}.pos" for name in ARM])
    for k, named in enumerate(found.named):
        mode = mode_of(named.name)
        values = [named.scale.joint(row[k], mode) for row in told["action"]]
        assert values == pytest.approx([row[k] for row in found.values], abs=NEAR)
        last = int(ARM[named.name].position(told["action"][-1][k], mode))
        assert goals[named.name] == min(max(last, ARM[named.name].range_min), ARM[named.name].range_max)


@needs_lerobot
def test_lerobot_merges_datasets_and_what_it_has_merged_is_read(tmp_path):
    found = [arm(31), replace(arm(41), title="Another")]
    roots = [written(tmp_path / f"set {k}", "lerobot", one) for k, one in enumerate(found)]
    told = json.loads(run("lerobot_merge", tmp_path / "merged", *roots, HF_HUB_OFFLINE="1").splitlines()[-1])
    assert told["episodes"] == 2
    for place, (one, root) in enumerate(zip(found, roots, strict=True)):
        episode = read(tmp_path / "merged", settings=Settings(episode=EpisodeChoice(place)))
        assert len(episode.times) == len(one.values)
        assert episode.columns == read(root).columns
    actions = np.array(
        [row for root in roots for row in zip(*(column.values for column in read(root).columns), strict=True)]
    )
    assert told["mean"] == pytest.approx(actions.mean(axis=0), abs=1e-4)
    assert told["std"] == pytest.approx(actions.std(axis=0), abs=1e-4)
    assert told["max"] == pytest.approx(actions.max(axis=0), abs=1e-4)


@needs_lerobot
@pytest.mark.parametrize("kind", ["as lerobot", "plain", "zstd", "gzip", "second version", "one group"])
def test_tables_of_the_library_that_lerobot_uses_are_read(tmp_path, kind):
    expected = json.loads(run("parquet_tables", tmp_path / "a.parquet", kind))
    with (tmp_path / "a.parquet").open("rb") as file:
        table = ParquetTable(file)
        assert {"action", "timestamp", "episode_index"} <= set(table.names)
        found: dict[str, list] = {name: [] for name in expected}
        for group in range(len(table.groups)):
            for name in expected:
                numbers, width = table.column(group, name).tolist(), table.width(group, name)
                found[name] += (
                    [numbers[k : k + width] for k in range(0, len(numbers), width)]
                    if name == "action"
                    else numbers
                )
            some, width = table.column(group, "action", 3, 7).tolist(), table.width(group, "action")
            assert [some[k : k + width] for k in range(0, len(some), width)] == found["action"][
                -table.groups[group] :
            ][3:7]
    assert found == expected


@needs_lerobot
@pytest.mark.skipif(not LELAMP.is_dir(), reason=NO_LELAMP)
def test_lelamps_own_player_plays_an_animation_to_its_end(tmp_path):
    found = lamp(31)
    motors = {name: LeRobotMotor(k, 0, 0, 1000, 3000 + 10 * k) for k, name in enumerate(lelamp_names(), 1)}
    lerobot.save(tmp_path / "lamp.json", motors)
    written(tmp_path / "move.csv", "lelamp", found)
    last = (tmp_path / "move.csv").read_text().splitlines()[-1].split(",")[1:]
    (tmp_path / "idle.csv").write_text(
        "\n".join([*(tmp_path / "move.csv").read_text().splitlines()[:1], ",".join(["0", *last])])
    )
    with ServedBus({motor.id: 2000.0 for motor in motors.values()}) as bus:
        assert "Starting move" in run("lelamp_animation", bus.port, tmp_path, LELAMP)
        for motor, value, column in zip(
            motors.values(), map(float, last), zip(*found.values, strict=True), strict=True
        ):
            assert number(bus.registers(motor.id), 42) == int(motor.position(value, "range_m100_100"))
            scale = found.named[motor.id - 1].scale
            assert scale.joint(value, "range_m100_100") == pytest.approx(-column[-1], abs=NEAR)


def lelamp_names() -> tuple[str, ...]:
    from limber.hardware.motion_files.lelamp import JOINTS

    return JOINTS


@pytest.mark.skipif(not IS_THERE, reason=NO_REACHY)
def test_reachy_minis_own_library_reads_a_move_with_its_sound_and_plays_it(tmp_path):
    poses = {"head": tuple(tuple(row) for row in POSES["head"])}
    found = motion(REACHY, poses=poses)
    (tmp_path / "moves").mkdir()
    path = written(tmp_path / "moves" / "wave.json", "reachy_mini", found)
    path.with_suffix(".wav").write_bytes(b"RIFF")
    with MakersDaemon(tmp_path, "--mockup-sim") as daemon:
        variables = {
            name: value
            for name, value in environment(tmp_path).items()
            if name in ("HOME", "PYTHONPATH", "HF_HUB_OFFLINE")
        }
        told = json.loads(
            run("reachy_move", *daemon.address.split(":"), path.parent, "wave", **variables).splitlines()[-1]
        )
        state = daemon.get("/api/state/full?with_head_joints=true")
    assert (told["description"], told["sound"]) == ("Wave", "wave.wav")
    assert told["duration"] == pytest.approx(1.0)
    again = read(path)
    columns = {column.name: column.values for column in again.columns}
    assert told["time"] == pytest.approx(found.times, abs=NEAR)
    expected = np.array(found.poses["head"])[:-1].reshape(-1, 4, 4)
    expected[:, 2, 3] -= 0.177
    assert np.abs(np.array(told["head"]) - expected).max() < NEAR
    assert told["body_yaw"] == pytest.approx(columns["yaw_body"][:-1], abs=NEAR)
    assert np.array(told["antennas"]).T.tolist() == pytest.approx(
        [pytest.approx([-v for v in columns[name][:-1]], abs=NEAR) for name in REACHY[1:]]
    )
    assert state["body_yaw"] == pytest.approx(columns["yaw_body"][-1], abs=0.02)
    assert state["antennas_position"] == pytest.approx([-columns[name][-1] for name in REACHY[1:]], abs=0.02)
