"""Tests retargeting many clips of motion capture to a robot's files by one command: verdicts, one dataset,
and the same files however the work is divided or interrupted.
"""

import json
import os
import re
import select
import shutil
import signal
import subprocess
from pathlib import Path

import bpy
import pytest
from limber.batch import retarget_command
from limber.files.parquet import ParquetTable
from limber.hardware.motion_files import FORMATS, Settings
from limber.rig.live import live
from limber.rig.output.clips.motion import clip_motion
from limber.rig.output.clips.recorded import ClipCheck
from limber.rig.output.clips.scene import follow, import_clip
from limber.rig.output.clips.verdict import judge
from limber.rig.output.export import Export

from tests.blender import batch_commands
from tests.blender.clips import Clip, walk
from tests.blender.figures import XSENS, figure
from tests.blender.test_gallery import added

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "batch.md").read_text(encoding="utf-8")


COMMAND = [*batch_commands.PROGRAM, retarget_command.NAME]


def retargeted(clips: Path, to: Path, *options) -> subprocess.CompletedProcess:
    return batch_commands.run(retarget_command, COMMAND, clips, "--to", to, *options)


def beginning(places: dict[str, Path], to: Path, **pipes) -> subprocess.Popen:
    """The command in a process of its own, to end it early."""
    words = (places["clips"], "--to", to, "--setup", places["body.blend"], "--workers", 1)
    return subprocess.Popen([*COMMAND, *map(str, words)], stdout=subprocess.PIPE, text=True, **pipes)


def manifest(folder: Path) -> dict[str, dict]:
    return {row["clip"]: row for row in json.loads((folder / "manifest.json").read_text())}


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".part" not in path.name
    }


def columns(path: Path) -> dict[str, list[list[float]]]:
    """Rows of the columns of numbers in a Parquet table of one group."""
    rows = {}
    with path.open("rb") as file:
        table = ParquetTable(file)
        for name in table.names:
            numbers, width = table.column(0, name).tolist(), table.width(0, name)
            rows[name] = [numbers[k : k + width] for k in range(0, len(numbers), width)]
    return rows


def pop() -> Clip:
    clip = walk()
    clip.turn([20], "LeftElbow", 2, 60.0)
    return clip


def slide() -> Clip:
    return walk(stride=0.0, period=1.5, shift=lambda time: 0.2 * min(max((time - 0.15) / 0.45, 0.0), 1.0))


def bent(joint: str, axis: int, angle: float) -> Clip:
    """A walk in which a joint is rotated slowly by an angle [degrees], and back."""
    clip = walk()
    for frame in range(8, 33):
        share = 1.0 - abs(frame - 20) / 12.5
        clip.turn([frame], joint, axis, angle * share)
    return clip


def without(*joints: str) -> Clip:
    clip = walk()
    clip.joints = joints
    return clip


@pytest.fixture(scope="module")
def places(tmp_path_factory) -> dict[str, Path]:
    """A file with a robot without pairs, a folder of clips, and the folder to which they were retargeted."""
    folder = tmp_path_factory.mktemp("retarget")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    figure(XSENS, "Body")
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "body.blend"))
    clips = folder / "clips"
    (clips / "day").mkdir(parents=True)
    walk().write(clips / "walk.bvh")
    walk(50, 60, 0.3).write(clips / "day" / "walk.bvh")
    walk(30, 30, 0.0).write(clips / "stand.bvh")
    pop().write(clips / "pop.bvh")
    slide().write(clips / "slide.bvh")
    (clips / "empty.bvh").write_text("")
    lines = walk().text().splitlines()
    (clips / "cut.bvh").write_text("\n".join(lines[:-3]))
    lines[-5] = "nan " + lines[-5].split(" ", 1)[1]
    (clips / "nan.bvh").write_text("\n".join(lines))
    without("Hips", "LeftHip", "LeftKnee").write(clips / "few.bvh")
    done = retargeted(clips, folder / "one", "--setup", folder / "body.blend", "--workers", 1)
    (folder / "said.txt").write_text(done.stdout + done.stderr)
    assert done.returncode == 1, done.stdout + done.stderr
    return {name: folder / name for name in ("body.blend", "clips", "one", "said.txt")}


def test_each_clip_has_a_verdict_which_names_what_is_wrong(places):
    rows = manifest(places["one"])
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "walk": "good",
        "day/walk": "good",
        "stand": "good",
        "pop": "flagged",
        "slide": "flagged",
        "empty": "failed",
        "cut": "failed",
        "nan": "failed",
        "few": "failed",
    }
    assert "Frame 21: bone 'LeftElbow' of the clip jumps" in rows["pop"]["reason"]
    assert "Foot 'LeftAnkle' of the clip slides" in rows["slide"]["reason"]
    assert "it is empty: export the clip again" in rows["empty"]["reason"]
    assert "it announces 40 frames and has 37 frames" in rows["cut"]["reason"]
    assert "frame 36 has a value that is not a number" in rows["nan"]["reason"]
    assert "only 3 bones of 'Body' could be paired" in rows["few"]["reason"]
    assert "--setup" in rows["few"]["reason"]


@pytest.mark.parametrize(
    ("joint", "axis", "angle", "sentence"),
    [
        ("RightKnee", 1, -80.0, r"bone 'RightKnee' of the clip bends backward by \d\d°"),
        ("LeftElbow", 2, 90.0, r"bone 'LeftElbow' of the clip bends backward by \d\d°"),
        (
            "LeftElbow",
            2,
            -150.0,
            r"bone 'LeftElbow' of the clip bends by 1[67]\d°, farther than a limb folds",
        ),
        ("Head", 2, 140.0, r"bone 'Head' of the clip is rotated by 1\d\d° on what carries it"),
        ("Chest", 1, 140.0, r"bone 'Chest2' of the clip is rotated by 1\d\d° on what carries it"),
    ],
)
def test_a_joint_that_no_person_moves_so_far_is_named_whatever_the_robots_limits_are(
    tmp_path, joint, axis, angle, sentence
):
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    rig = figure(XSENS, "Body")
    frames = follow(rig, import_clip(bent(joint, axis, angle).write(tmp_path / "clip.bvh")))
    check = ClipCheck(bpy.context.scene, rig, frames, FORMATS["lerobot"])
    while check.step():
        pass
    verdict = judge(check.recorded())
    assert verdict.out_of_range == 1
    assert any(re.search(f"Frame \\d+: {sentence}", finding) for finding in verdict.findings)


def test_what_failed_is_named_at_the_end_of_the_output(places):
    said = places["said.txt"].read_text()
    assert "4 failed" in said
    assert f"failed: {places['clips'] / 'empty.bvh'}: it is empty" in said


def test_all_clips_are_episodes_of_one_dataset_which_are_numbered_by_their_paths(places):
    rows = manifest(places["one"])
    episodes = {name: row["episode"] for name, row in rows.items() if row["episode"] is not None}
    assert list(episodes) == ["day/walk", "pop", "slide", "stand", "walk"]
    assert list(episodes.values()) == [0, 1, 2, 3, 4]
    info = json.loads((places["one"] / "meta" / "info.json").read_text())
    assert (info["total_episodes"], info["fps"], info["splits"]) == (5, 30, {"train": "0:5"})
    tables = [columns(places["one"] / f"data/chunk-000/file-{number:03d}.parquet") for number in range(5)]
    index = [value for table in tables for value in table["index"]]
    assert index == [[k] for k in range(info["total_frames"])]
    for (name, number), table in zip(episodes.items(), tables, strict=True):
        assert table["episode_index"] == [[number]] * len(table["index"])
        assert table["action"] == columns(places["one"] / rows[name]["file"])["action"]
        assert len(table["action"][0]) == len(info["features"]["action"]["names"])
    described = places["one"] / "meta/episodes/chunk-000/file-000.parquet"
    assert columns(described)["length"] == [[len(table["index"])] for table in tables]
    # Tasks are the clips' names: texts, each after its length, which Limber writes and does not read.
    tasks = b"".join(len(name).to_bytes(4, "little") + name.encode() for name in episodes)
    assert tasks in described.read_bytes()


def test_two_shards_write_the_same_files_as_one_run(places, tmp_path):
    setup = ("--setup", places["body.blend"], "--workers", 1)
    first = retargeted(places["clips"], tmp_path, *setup, "--shard", "2/2")
    assert "other shards are not done yet" in first.stdout, first.stderr
    assert not (tmp_path / "manifest.json").exists()
    retargeted(places["clips"], tmp_path, *setup, "--shard", "1/2")
    assert contents(tmp_path) == contents(places["one"])


def test_a_cluster_with_two_workers_writes_the_same_files_as_one_run(places, tmp_path):
    distributed = pytest.importorskip("distributed")
    # Workers in threads of this process: each only starts a Blender, and has a port as on another machine.
    workers = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "protocol": "tcp://"}
    with distributed.LocalCluster(**workers, dashboard_address=None) as cluster:
        scheduler = ("--scheduler", cluster.scheduler_address)
        done = retargeted(places["clips"], tmp_path, "--setup", places["body.blend"], *scheduler)
    assert done.returncode == 1, done.stderr
    assert contents(tmp_path) == contents(places["one"])


def test_a_killed_run_loses_the_clip_at_hand_and_goes_on(places, tmp_path):
    process = beginning(places, tmp_path, stderr=subprocess.DEVNULL)
    for said in process.stdout:
        if said.startswith("[2/9]"):
            break
    workers = descendants(process.pid)  # processes of a pool, and their child processes
    process.kill()  # first, since it would replace a worker that was killed
    process.wait()
    for worker in workers:
        ending = os.pidfd_open(worker)
        os.kill(worker, signal.SIGKILL)
        select.select([ending], [], [])  # until it has ended: a record may just be renamed
        os.close(ending)
    states = [json.loads(path.read_text())["state"] for path in (tmp_path / "records").glob("*.json")]
    ended = sum(state in ("good", "flagged") for state in states)
    again = retargeted(places["clips"], tmp_path, "--setup", places["body.blend"], "--workers", 1)
    assert f"{ended} of 9 files are done already" in again.stdout, again.stdout + again.stderr
    assert contents(tmp_path) == contents(places["one"])


def descendants(process: int) -> list[int]:
    return [number for child in children(process) for number in (child, *descendants(child))]


def children(process: int) -> list[int]:
    threads = Path(f"/proc/{process}/task").glob("*/children")  # children of any of its threads
    return [int(number) for thread in threads for number in thread.read_text().split()]


def test_an_interrupted_run_stops_and_says_how_it_goes_on(places, tmp_path):
    process = beginning(places, tmp_path, stderr=subprocess.PIPE)
    assert process.stdout.readline()
    worker = children(process.pid)
    process.send_signal(signal.SIGINT)
    _, complained = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "The same command goes on where it stopped" in complained
    assert not any(Path(f"/proc/{number}").exists() for number in worker)


def test_a_second_run_works_on_the_clip_that_changed_alone(places, tmp_path):
    clips, to = tmp_path / "clips", tmp_path / "to"
    shutil.copytree(places["one"], to)
    shutil.copytree(places["clips"], clips)
    for name in ("empty", "cut", "nan", "few"):
        (clips / f"{name}.bvh").unlink()
    walk(24).write(clips / "stand.bvh")
    done = retargeted(clips, to, "--setup", places["body.blend"], "--workers", 1)
    assert re.findall(r"^\[(.*)\] (\S+):", done.stdout, re.MULTILINE) == [("5/5", "stand.bvh")], done.stderr
    assert done.returncode == 0
    assert len(manifest(to)) == 5


def test_a_table_of_joints_has_a_row_for_each_frame_of_the_clip(places, tmp_path):
    done = retargeted(
        places["clips"] / "walk.bvh", tmp_path, "--setup", places["body.blend"], "--format", "csv"
    )
    assert done.returncode == 0, done.stderr
    rows = (tmp_path / "clips" / "walk.csv").read_text().splitlines()
    assert len(rows) == 1 + 40
    assert rows[0].startswith("seconds,")


def test_another_dataset_is_not_written_over(places, tmp_path):
    (tmp_path / "meta").mkdir()
    (tmp_path / "meta" / "info.json").write_text("{}")
    done = retargeted(places["clips"], tmp_path, "--setup", places["body.blend"])
    assert done.returncode == 2
    assert "is another LeRobot dataset, which would be lost: choose another --to" in done.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--robot", "nobody"), "There is no robot 'nobody' in the gallery: choose one of"),
        (("--setup", "none.blend"), "There is no file none.blend: give a .blend file as --setup"),
    ],
)
def test_a_robot_that_is_not_there_is_named_before_anything_begins(places, tmp_path, options, sentence):
    done = retargeted(places["clips"], tmp_path / "to", *options)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert not (tmp_path / "to").exists()


# The commands in the documents.


@pytest.fixture
def folder(places, tmp_path, monkeypatch) -> Path:
    """The working directory, with a folder of clips as in the documents."""
    (tmp_path / "clips").mkdir()
    for name in ("walk", "stand"):
        shutil.copy(places["clips"] / f"{name}.bvh", tmp_path / "clips")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def asked(places, folder):
    """Function that runs a shell command, and returns the words that it gives to `blender --command`; the
    document's robot.urdf stands for the robot of these tests.
    """
    programs = folder / "programs"
    programs.mkdir()
    blender = programs / "blender"
    blender.write_text('#!/bin/sh\n[ "$1" = --command ] || exit 9\nshift\nprintf "%s\\n" "$@"\n')
    blender.chmod(0o755)

    def run(script: str, **variables: str) -> list[str]:
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        environment = os.environ | {"PATH": path} | variables
        line = ["/bin/sh", "-c", script]
        done = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=300, check=True)
        return [*done.stdout.splitlines(), "--setup", str(places["body.blend"])]

    return run


def work(words: list[str]) -> None:
    """Runs the command of these words in this Blender."""
    name, *arguments = words
    assert name == retarget_command.NAME
    done = batch_commands.run(retarget_command, COMMAND, *arguments)
    assert done.returncode == 0, done.stderr


def block(language: str, word: str) -> str:
    """The code of the documents' block that contains a word."""
    blocks = re.findall(rf"```{language}\n(.*?)```", DOCUMENT, re.DOTALL)
    (code,) = [code for code in blocks if word in code]
    return code


def test_the_documents_first_line_works_as_it_stands(folder, asked):
    (line,) = [
        line for line in DOCUMENT.splitlines() if line.startswith("    blender --command limber_retarget")
    ]
    done = subprocess.run(
        [*batch_commands.PROGRAM, *asked(line)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (folder / "out" / "clips").iterdir()) == ["stand.csv", "walk.csv"]


def test_the_documents_lines_for_an_array_of_jobs_gnu_parallel_and_deadline_are_shards(places, folder, asked):
    shutil.copy(places["clips"] / "slide.bvh", folder / "clips")  # a clip for each shard
    parallel = block("sh", "parallel").partition("parallel ")[2].replace("{}", "2")
    frames = deadline().replace("<STARTFRAME>", "3")
    for line in (block("sh", "SBATCH"), parallel, frames):
        work(asked(line.replace("/4", "/3"), SLURM_ARRAY_TASK_ID="1"))
    assert list(manifest(folder / "out")) == ["slide", "stand", "walk"], "each line has written its own shard"


def deadline() -> str:
    program, arguments = re.search(r'-executable (\S+) -arguments "(.*)"', block("sh", "deadline")).groups()
    return f"{program} {arguments}"


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js, which runs Flamenco's job types")
def test_the_documents_job_type_makes_tasks_that_work(folder, asked):
    script = f"""
        const author = {{
            Task: (name, type) => ({{ name, type, commands: [], addCommand(c) {{ this.commands.push(c); }} }}),
            Command: (name, parameters) => ({{ name, parameters }}),
        }};
        {block("js", "JOB_TYPE")}
        const settings = {{ clips: "clips", robot: "robot.urdf", to: "out", format: "csv", shards: 2 }};
        const job = {{ settings, tasks: [], addTask(t) {{ this.tasks.push(t); }} }};
        compileJob(job);
        console.log(JSON.stringify(job.tasks.map(t => t.commands[0].parameters)));
    """
    made = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    first, second = [" ".join([command["exe"], *command["args"]]) for command in json.loads(made.stdout)]
    assert first == second.replace("2/2", "1/2")
    work(asked(second))
    (clip,) = (folder / "out" / "clips").iterdir()
    assert clip.suffix == ".csv"


def test_a_mover_that_an_export_makes_live_is_not_solved_before_the_export_solves_it(tmp_path):
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    rig = figure(XSENS, "Body")
    walk(5).write(tmp_path / "walk.bvh")
    follow(rig, import_clip(tmp_path / "walk.bvh"))
    live.switch_on(rig, rig.limber.retarget)
    assert rig.limber.retarget.live
    assert live.session(rig, rig.limber.retarget).outputs is None
    bpy.context.scene.frame_set(2)
    assert live.session(rig, rig.limber.retarget).outputs is not None


def test_a_robot_with_servos_visits_each_frame_of_a_clip_once_and_writes_what_export_motion_reads(tmp_path):
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    rig, scene = added("open_duck_mini"), bpy.context.scene
    frames = follow(rig, import_clip(walk(9).write(tmp_path / "walk.bvh")))
    visited = []
    check = ClipCheck(scene, rig, frames, FORMATS["lerobot"])
    bpy.app.handlers.frame_change_post.append(visited_frame := lambda *_: visited.append(scene.frame_current))
    while check.step():
        pass
    bpy.app.handlers.frame_change_post.remove(visited_frame)
    motion = clip_motion(rig, check.recorded(), check.sent, 30, "walk")
    assert visited == list(frames)
    export = Export(scene, rig, frames[0], frames[-1], 30, False, "lerobot", Settings())
    while export.step() and export.done < export.total:
        pass
    export.cancel()
    assert check.sent.rows == export.frames.rows
    assert motion.recording.columns == export.frames.motion(30).recording.columns
