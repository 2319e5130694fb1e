"""Tests a batch's choice of files, the distribution of its work, and that finished work is not repeated.
Simple processes that work on shares stand in for Blender.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from limber.batch.crews import crew
from limber.batch.records import Records, TaskRecord
from limber.batch.shares import carry_out, job_text
from limber.batch.tasks import BatchError, FileTask, digest, part_of, plan, shard, sources
from limber.batch.workers import WorkersError

ROOT = Path(__file__).resolve().parents[2]
# Writes each output; the source's text says what fails. It records each task that it begins.
WORKER = f"""
import os, signal, sys, time
from contextlib import contextmanager
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
from checkout import load_limber
load_limber()
from limber.batch.records import TaskRecord
from limber.batch.shares import work
from limber.batch.tasks import digest

def do(task):
    with (task.output.parent / "begun.txt").open("a") as file:
        file.write(task.source.stem + "\\n")
    text = task.source.read_text()
    if text == "crash":
        print("Writing: crash.txt", flush=True)
        os._exit(11)
    if text == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if text == "hang":
        time.sleep(60)
    if text == "wrong":
        return TaskRecord("failed", "it is wrong")
    task.output.write_text("baked " + text)
    return TaskRecord("baked", output=digest(task.output), facts={{"frames": 3}})

@contextmanager
def begin(settings):
    yield do

work(sys.stdin, begin)
"""
COMMAND = [sys.executable, "-c", WORKER]
PATIENT = 60.0  # [s] longest waiting time
SETTINGS = {"version": "1.0"}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with three files, one of them in a subfolder."""
    (tmp_path / "day").mkdir()
    for name in ("walk", "run", "day/walk"):
        (tmp_path / f"{name}.blend").write_text(name)
    return tmp_path


def beside(source: Path, _folder: Path) -> Path:
    return source.with_name(f"{source.stem}_baked.blend")


def planned(paths, output=beside, in_place=False) -> list[FileTask]:
    return plan(sources(paths, ".blend", "_baked"), output, in_place)


def recorded(folder: Path, settings=SETTINGS) -> Records:
    return Records(folder / "records", settings)


def baked(
    tasks, folder: Path, command=COMMAND, limit=PATIENT, workers=2, scheduler=""
) -> dict[str, TaskRecord]:
    records = recorded(folder)

    def job(part):
        return job_text(part, records, SETTINGS, limit)

    with crew(scheduler, workers) as processes:
        ended = carry_out(tasks, records, processes, command, job)
        return {task.source.stem: record for task, record in ended}


def begun(folder: Path) -> list[str]:
    """Names of the files on which work has begun."""
    noted = folder / "begun.txt"
    return sorted(noted.read_text().split()) if noted.exists() else []


# Choice of the files.


def test_a_file_is_baked_beside_itself_under_a_name_of_its_own(files):
    (task,) = planned([files / "walk.blend"])
    assert (task.source, task.output) == (files / "walk.blend", files / "walk_baked.blend")


def test_a_folder_stands_for_its_files_but_those_that_a_bake_made(files):
    (files / "walk_baked.blend").write_text("")
    (files / "run.7.part.blend").write_text("")
    (files / "run.blend1").write_text("")
    assert [task.source.relative_to(files).as_posix() for task in planned([files])] == [
        "day/walk.blend",
        "run.blend",
        "walk.blend",
    ]


def test_a_file_that_is_named_twice_is_baked_once(files):
    assert len(planned([files / "walk.blend", files / "walk.blend", files])) == 3


def test_tasks_of_equal_names_have_records_of_their_own(files):
    assert len({task.name for task in planned([files])}) == 3


@pytest.mark.parametrize(
    ("given", "output", "sentence"),
    [
        (["nowhere.blend"], beside, "There is no file .*nowhere.blend: name .blend files"),
        (["note.txt"], beside, "note.txt is no .blend file: name .blend files"),
        (["none"], beside, "No .blend file is in .*none: name .blend files"),
        (
            ["walk.blend", "day/walk.blend"],
            lambda source, folder: Path("/out") / source.relative_to(folder),
            "walk.blend and .*day/walk.blend would both be written to .*give their common folder",
        ),
        (
            ["walk.blend"],
            lambda source, _: source,
            "walk.blend would be overwritten: choose another folder, or use --in-place",
        ),
    ],
)
def test_what_cannot_be_baked_as_asked_is_refused_before_anything_begins(files, given, output, sentence):
    (files / "note.txt").write_text("")
    (files / "none").mkdir()
    with pytest.raises(BatchError, match=sentence):
        planned([files / name for name in given], output)


def test_shards_share_all_files_in_whatever_order_they_are_named(files):
    names = ["walk.blend", "run.blend", "day/walk.blend"]
    tasks = planned([files / name for name in names])
    assert tasks == planned([files / name for name in reversed(names)])
    assert sorted(task.name for k in (1, 2) for task in shard(tasks, (k, 2))) == sorted(
        task.name for task in tasks
    )


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "-1/2", "1/2/3", ""])
def test_what_is_no_shard_is_refused(text):
    with pytest.raises(ValueError, match="is no shard: give 1/4"):
        part_of(text)


# Distribution of the work.


def test_files_that_fail_are_named_with_the_reason_and_the_others_are_baked(files):
    (files / "run.blend").write_text("crash")
    came = baked(planned([files / "run.blend", files / "walk.blend"]), files, workers=1)
    assert (came["walk"].state, came["walk"].facts["frames"]) == ("baked", 3)
    assert came["run"].state == "failed"
    assert "exit status 11" in came["run"].reason
    assert "Writing: crash.txt" in came["run"].reason
    assert (files / "walk.blend").read_text() == "walk"


def test_one_process_works_on_many_files(files):
    tasks = planned([files])
    came = baked(tasks, files, workers=1)
    assert {record.state for record in came.values()} == {"baked"}


def test_a_killed_process_costs_the_file_that_it_worked_on(files):
    (files / "run.blend").write_text("killed")
    came = baked(planned([files / "run.blend", files / "walk.blend"]), files, workers=1)
    assert "ended by SIGKILL" in came["run"].reason
    assert came["walk"].state == "baked"


def test_a_file_that_takes_too_long_is_given_up_and_the_others_are_baked(files):
    (files / "run.blend").write_text("hang")
    came = baked(planned([files / "run.blend", files / "walk.blend"]), files, limit=1.0, workers=1)
    assert "It took longer than the time limit and was stopped: raise --limit" in came["run"].reason
    assert came["walk"].state == "baked"


def test_a_blender_that_is_not_there_is_named(files):
    came = baked(planned([files / "run.blend"]), files, ["/no/blender"])
    assert "cannot be started: [Errno 2] No such file or directory: '/no/blender'" in came["run"].reason


def test_a_cluster_whose_workers_know_nothing_of_limber_bakes_as_well(files):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        tasks = planned([files / "walk.blend", files / "run.blend"])
        came = baked(tasks, files, scheduler=cluster.scheduler_address)
    assert {record.state for record in came.values()} == {"baked"}
    assert (files / "run_baked.blend").read_text() == "baked run"


def test_a_scheduler_that_does_not_answer_is_named(files, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("limber.batch.workers.TIMEOUT", "0.3s")
    with pytest.raises(WorkersError, match=r"tcp://127\.0\.0\.1:9"):
        baked(planned([files]), files, scheduler="tcp://127.0.0.1:9")


def test_a_scheduler_without_workers_is_named(files):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster,
        pytest.raises(WorkersError, match="has no workers"),
    ):
        baked(planned([files]), files, scheduler=cluster.scheduler_address)


def test_a_cluster_without_dask_says_what_to_install(files, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(WorkersError, match="pip install distributed"):
        baked(planned([files]), files, scheduler="tcp://somewhere")


def test_a_process_whose_parent_was_killed_ends_after_the_file_at_hand(files):
    for name in ("walk", "run"):
        (files / f"{name}.blend").write_text(name)
    (files / "run.blend").write_text("hang")
    tasks = planned([files / "run.blend", files / "walk.blend"])
    text = job_text(tasks, recorded(files), SETTINGS, 3.0)
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import subprocess, sys; subprocess.run({COMMAND!r}, input=sys.stdin.read(), text=True)",
        ],
        stdin=subprocess.PIPE,
        text=True,
    )
    parent.stdin.write(text)
    parent.stdin.close()
    while not begun(files):
        assert parent.poll() is None
        time.sleep(0.01)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    assert begun(files) == ["run"]


# Continuing a batch.


@pytest.fixture
def done(files) -> FileTask:
    """A finished task."""
    (task,) = planned([files / "walk.blend"])
    assert baked([task], files)["walk"].state == "baked"
    return task


def test_what_was_baked_is_there_at_the_next_run(done, files):
    assert recorded(files).is_done(done)


@pytest.mark.parametrize("change", ["source", "output", "output gone", "settings"])
def test_what_has_changed_since_is_baked_again(done, files, change):
    if change == "source":
        done.source.write_text("other")
    elif change == "output":
        done.output.write_text("other")
    elif change == "output gone":
        done.output.unlink()
    settings = {"version": "1.1"} if change == "settings" else SETTINGS
    assert not recorded(files, settings).is_done(done)


def test_what_failed_is_tried_again(files):
    (files / "walk.blend").write_text("wrong")
    (task,) = planned([files / "walk.blend"])
    assert baked([task], files)["walk"].reason == "it is wrong"
    assert not recorded(files).is_done(task)


def test_what_was_begun_and_not_ended_is_done_again(done, files):
    recorded(files).write(done, TaskRecord("started"))
    assert not recorded(files).is_done(done)
    assert baked([done], files)["walk"].state == "baked"


def test_a_share_that_is_tried_again_leaves_out_what_is_ended(files):
    tasks = planned([files / "run.blend", files / "walk.blend"])
    records = recorded(files)
    for _ in range(2):
        subprocess.run(COMMAND, input=job_text(tasks, records, SETTINGS, PATIENT), text=True, check=True)
    assert begun(files) == ["run", "walk"]


def test_a_file_that_was_baked_in_place_is_not_baked_over_its_own_keys(files):
    (task,) = planned([files / "walk.blend"], lambda source, _: source, True)
    assert baked([task], files)["walk"].state == "baked"
    assert recorded(files).is_done(task)
    task.source.write_text("animated anew")
    assert not recorded(files).is_done(task)


@pytest.mark.parametrize("text", ["[]", "3", '{"state": []}', '{"state": "baked"}', "[" * 100_000, "{", ""])
def test_records_that_say_nothing_are_left_out(done, files, text):
    recorded(files).path(done).write_text(text, encoding="utf-8")
    assert not recorded(files).is_done(done)


def test_a_record_has_what_came_of_the_file(done, files):
    fields = json.loads(recorded(files).path(done).read_text())
    assert (fields["state"], fields["facts"], fields["output"]) == (
        "baked",
        {"frames": 3},
        digest(done.output),
    )
