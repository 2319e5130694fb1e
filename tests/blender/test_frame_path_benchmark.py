"""Tests that the command that traces a frame names the files that run from Blender's handler to the bytes on
the wire, in both processes.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MOST_FILES = 55  # files that one live frame may run in Blender: who follows it reads all of them


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Folder with the command's output and its record."""
    folder = tmp_path_factory.mktemp("frame_path")
    command = [sys.executable, "-m", "benchmarks.frame_path", "--names", "--json", folder / "path.json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    (folder / "printed.txt").write_text(done.stdout, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def record(folder: Path) -> dict:
    return json.loads((folder / "path.json").read_text(encoding="utf-8"))


def place(files: list[str], start: str) -> int:
    """Index of the first file whose path begins with `start`."""
    return next(place for place, file in enumerate(files) if file.startswith(start))


def test_a_frame_goes_from_the_handler_by_solver_and_filter_to_the_robot(record):
    files = list(record["frame"]["blender"])
    assert files[0].endswith("/handlers.py")
    assert any("frame_change" in name for name in record["frame"]["blender"][files[0]])
    assert (
        place(files, "rig/")
        < place(files, "solvers/expressive/solver.py")
        < place(files, "character/joint_filters.py")
        < place(files, "hardware/link.py")
    )


def test_a_frame_in_blender_passes_through_few_files(record):
    assert len(record["frame"]["blender"]) <= MOST_FILES


def test_the_worker_makes_bytes_of_it(record):
    files = list(record["frame"]["worker"])
    assert files[0] == "hardware/clock.py", "a turn begins with its time"
    assert place(files, "hardware/worker/") == 1
    assert place(files, "motion/limiter.py") > 0
    assert any(
        "encode" in name for name in record["frame"]["worker"]["hardware/protocols/limber/payloads.py"]
    )


def test_the_clock_goes_the_same_way_for_a_target_that_is_dragged(record):
    tick = record["tick"]
    assert next(iter(tick["blender"])).endswith("/handlers.py")
    for process, file in (
        ("blender", "solvers/expressive/solver.py"),
        ("blender", "character/joint_filters.py"),
        ("worker", "motion/limiter.py"),
    ):
        assert file in tick[process]


@pytest.mark.parametrize("path", ["frame", "tick", "player"])
def test_calls_lead_into_the_engine_once_and_it_calls_no_host(record, folder: Path, path: str):
    assert record[path]["calls_back"] == []
    assert record[path]["crossings"] == 1
    printed = (folder / "printed.txt").read_text(encoding="utf-8").splitlines()
    counts = printed[printed.index("Crossings from a host into the engine") + 1 :]
    assert [line.split()[-1] for line in counts] == ["1", "1", "1"]


def test_totals_count_a_file_of_both_processes_once(record, folder: Path):
    frame = record["frame"]
    both = {*frame["blender"], *frame["worker"]}
    assert frame["files"] == len(both) < len(frame["blender"]) + len(frame["worker"])
    printed = (folder / "printed.txt").read_text(encoding="utf-8").splitlines()
    total = next(line for line in printed if line.startswith("together"))
    assert total.split()[1:] == [str(len(files)) for files in (frame["blender"], frame["worker"], both)]
    assert all(any(line.split()[:1] == [file] for line in printed) for file in both)


def test_only_the_extension_is_counted_and_nothing_of_its_start(record):
    for name in ("frame", "tick"):
        for process in ("blender", "worker"):
            for file, functions in record[name][process].items():
                assert not file.startswith(("benchmarks/", ".venv", "tests/"))
                assert not {"<module>", "register", "main", "Worker.__init__"} & set(functions)
