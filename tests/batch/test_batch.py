"""Which files are baked, where, by whom; what was done is not done again. Blenders are stood for by commands
that answer as they do.
"""

import json
import sys
from pathlib import Path

import pytest
from limber.batch.runs import ANSWER, run
from limber.batch.spread import SpreadError
from limber.batch.tasks import BatchError, Journal, Outcome, Settings, Task, digest, plan

# Writes the output as a bake does, and says so; the source's text says what goes wrong.
BLENDER = f"""
import json, sys, time
_, source, output, settings = sys.argv[1:]
text = open(source).read()
if text == "crash":
    print("Writing: crash.txt"); sys.exit(11)
if text == "hang":
    time.sleep(60)
open(output, "w").write("baked " + text)
print("Blender says this and that")
print("{ANSWER}" + json.dumps({{"source": source, "output": output, "state": "baked", "frames": 3}}))
"""
LAUNCHER = [sys.executable, "-c", BLENDER]
PATIENT = 60.0  # [s]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with three files, one in a folder of its own."""
    (tmp_path / "day").mkdir()
    for name in ("walk", "run", "day/walk"):
        (tmp_path / f"{name}.blend").write_text(name)
    return tmp_path


def baked(tasks, launcher=LAUNCHER, limit=PATIENT, workers=2, scheduler="") -> dict[str, Outcome]:
    return {
        task.source.stem: outcome
        for task, outcome in run(tasks, Settings(), launcher, limit, workers, scheduler)
    }


# which files


def test_a_file_is_baked_beside_itself_under_a_name_of_its_own(files):
    assert plan([files / "walk.blend"], None, False) == [
        Task(files / "walk.blend", files / "walk_baked.blend")
    ]


def test_a_folder_stands_for_its_files_but_those_that_a_bake_made(files):
    (files / "walk_baked.blend").write_text("")
    (files / "run.7.part.blend").write_text("")
    (files / "run.blend1").write_text("")
    assert [task.source.relative_to(files).as_posix() for task in plan([files], None, False)] == [
        "day/walk.blend",
        "run.blend",
        "walk.blend",
    ]


def test_another_folder_gets_the_same_tree(files, tmp_path):
    tasks = plan([files], tmp_path / "out", False)
    assert {task.output.relative_to(tmp_path / "out").as_posix() for task in tasks} == {
        "day/walk.blend",
        "run.blend",
        "walk.blend",
    }


def test_a_file_that_is_named_twice_is_baked_once(files):
    assert len(plan([files / "walk.blend", files / "walk.blend", files], None, False)) == 3


@pytest.mark.parametrize(
    ("given", "to", "sentence"),
    [
        (["nowhere.blend"], None, "There is no file .*nowhere.blend: name .blend files"),
        (["note.txt"], None, "note.txt is no .blend file: name .blend files"),
        (["none"], None, "No .blend file is in .*none: name .blend files"),
        (
            ["walk.blend", "day/walk.blend"],
            "out",
            "walk.blend and .*day/walk.blend would both be baked to .*give their common folder",
        ),
        (["walk.blend"], ".", "walk.blend would be overwritten: choose another folder, or use --in-place"),
    ],
)
def test_what_cannot_be_baked_as_asked_is_refused_before_anything_begins(files, given, to, sentence):
    (files / "note.txt").write_text("")
    (files / "none").mkdir()
    with pytest.raises(BatchError, match=sentence):
        plan([files / name for name in given], files / to if to else None, False)


# by whom


def test_files_that_fail_are_named_with_the_reason_and_the_others_are_baked(files):
    (files / "run.blend").write_text("crash")
    came = baked(plan([files / "walk.blend", files / "run.blend"], None, False))
    assert (came["walk"].state, came["walk"].frames) == ("baked", 3)
    assert came["run"].state == "failed"
    assert "exit status 11" in came["run"].reason
    assert "Writing: crash.txt" in came["run"].reason
    assert (files / "walk.blend").read_text() == "walk"


def test_a_file_that_takes_too_long_is_given_up(files):
    (files / "run.blend").write_text("hang")
    assert "took longer than 1 s" in baked(plan([files / "run.blend"], None, False), limit=1.0)["run"].reason


def test_a_blender_that_is_not_there_is_named(files):
    assert (
        "cannot be started: [Errno 2] No such file or directory: '/no/blender'"
        in baked(plan([files / "run.blend"], None, False), ["/no/blender"])["run"].reason
    )


def test_a_cluster_whose_workers_know_nothing_of_limber_bakes_as_well(files):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        came = baked(
            plan([files / "walk.blend", files / "run.blend"], None, False),
            scheduler=cluster.scheduler_address,
        )
    assert {outcome.state for outcome in came.values()} == {"baked"}
    assert (files / "run_baked.blend").read_text() == "baked run"


def test_a_scheduler_that_does_not_answer_is_named(files, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("limber.batch.spread.TIMEOUT", "0.3s")
    with pytest.raises(SpreadError, match=r"tcp://127\.0\.0\.1:9"):
        baked(plan([files], None, False), scheduler="tcp://127.0.0.1:9")


def test_a_scheduler_without_workers_is_named(files):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster,
        pytest.raises(SpreadError, match="has no workers"),
    ):
        baked(plan([files], None, False), scheduler=cluster.scheduler_address)


def test_a_cluster_without_dask_says_what_to_install(files, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SpreadError, match="pip install distributed"):
        baked(plan([files], None, False), scheduler="tcp://somewhere")


# going on


@pytest.fixture
def done(files) -> tuple[Task, Path]:
    """A task that was done, and its journal."""
    (task,) = plan([files / "walk.blend"], None, False)
    journal = files / "journal.jsonl"
    read = digest(task.source)
    task.output.write_text("baked")
    Journal(journal, Settings(), "1.0").note(task, read, Outcome(str(task.source), str(task.output), "baked"))
    return task, journal


def test_what_was_baked_is_there_at_the_next_run(done):
    task, journal = done
    assert Journal(journal, Settings(), "1.0").has(task)


@pytest.mark.parametrize("change", ["source", "output", "output gone", "settings", "version"])
def test_what_has_changed_since_is_baked_again(done, change):
    task, journal = done
    if change == "source":
        task.source.write_text("other")
    elif change == "output":
        task.output.write_text("other")
    elif change == "output gone":
        task.output.unlink()
    settings = Settings(frames=(1, 5)) if change == "settings" else Settings()
    assert not Journal(journal, settings, "1.1" if change == "version" else "1.0").has(task)


def test_what_failed_is_tried_again(done):
    task, journal = done
    Journal(journal, Settings(), "1.0").note(
        task, digest(task.source), Outcome(str(task.source), str(task.output), "failed", "why")
    )
    assert not Journal(journal, Settings(), "1.0").has(task)


def test_a_file_that_was_baked_in_place_is_not_baked_over_its_own_keys(files):
    (task,) = plan([files / "walk.blend"], None, True)
    journal, read = files / "journal.jsonl", digest(task.source)
    task.source.write_text("baked")
    Journal(journal, Settings(), "1.0").note(task, read, Outcome(str(task.source), str(task.output), "baked"))
    assert Journal(journal, Settings(), "1.0").has(task)
    task.source.write_text("animated anew")
    assert not Journal(journal, Settings(), "1.0").has(task)


def test_a_journal_whose_last_line_is_cut_off_counts_as_far_as_it_goes(done):
    task, journal = done
    with journal.open("a") as file:
        file.write(json.dumps({"source": str(task.source)})[:-4])
    assert Journal(journal, Settings(), "1.0").has(task)


@pytest.mark.parametrize(
    "line",
    ["[]", "3", '{"source": [], "output": "b"}', '{"source": "SOURCE", "output": "OUTPUT"}', "[" * 100_000],
)
def test_lines_of_a_journal_that_say_nothing_are_left_out(files, line):
    task, journal = Task(files / "walk.blend", files / "walk_baked.blend"), files / "journal.jsonl"
    journal.write_text(
        line.replace("SOURCE", str(task.source)).replace("OUTPUT", str(task.output)) + "\n", encoding="utf-8"
    )
    assert not Journal(journal, Settings(), "1.0").has(task)


def test_what_follows_a_line_that_was_cut_off_counts(done):
    task, journal = done
    whole = journal.read_text(encoding="utf-8")
    journal.write_text(whole.rstrip()[:-20], encoding="utf-8")
    Journal(journal, Settings(), "1.0").note(
        task, digest(task.source), Outcome(str(task.source), str(task.output), "baked")
    )
    assert Journal(journal, Settings(), "1.0").has(task)


def test_a_journal_that_cannot_be_written_or_read_is_named(files):
    task = Task(files / "walk.blend", files / "walk_baked.blend")
    journal = Journal(files / "walk.blend" / "journal.jsonl", Settings(), "1.0")
    journal.note(task, "", Outcome(str(task.source), str(task.output), "failed"))
    assert "journal.jsonl cannot be written" in journal.problem
    with pytest.raises(BatchError, match="cannot be read"):
        Journal(files, Settings(), "1.0")
