"""Tests the runner of the test suites (rings): its counts of passed, failed and skipped tests, and that it
never passes if no test ran.
"""

import dataclasses
import importlib.util
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


rings = script("rings")
runner = sys.modules["runner"]
PYTEST = (
    sys.executable,
    "-m",
    "pytest",
    "-q",
    "-p",
    "no:hypothesispytest",
)  # its start takes a second, which tests that do not use it save


def job(tmp_path: Path, *sources: str):
    """A job of files with these tests, like the jobs of a ring."""
    files = [tmp_path / f"test_it_{number}.py" for number in range(len(sources))]
    for file, source in zip(files, sources, strict=True):
        file.write_text(source, encoding="utf-8")
    results = tmp_path / "it.xml"
    command = (*PYTEST, "--rootdir", str(tmp_path), "-c", "/dev/null", f"--junitxml={results}")
    return runner.Job("it", command, tuple(map(str, files)), results)


def run_tests(tmp_path: Path, *sources: str):
    """The outcome of files of tests in one process."""
    return runner.Runner().run(job(tmp_path, *sources))


def test_passed_failed_and_skipped_are_counted_and_a_skip_keeps_its_reason(tmp_path: Path):
    source = """
import pytest
def test_good(): pass
def test_bad(): assert False
@pytest.mark.skip(reason="no such machine")
def test_missing(): pass
"""
    outcome = run_tests(tmp_path, source)
    assert outcome.sentence == "1 passed, 1 failed, 1 skipped"
    assert outcome.reasons == ["it: test_missing: no such machine"]


def test_an_error_in_a_fixture_is_a_failure(tmp_path: Path):
    source = """
import pytest
@pytest.fixture
def broken(): raise ValueError
def test_it(broken): pass
"""
    assert run_tests(tmp_path, source).sentence == "0 passed, 1 failed"


def test_a_file_that_is_skipped_as_a_whole_is_no_failure_and_keeps_its_reason(tmp_path: Path):
    outcome = run_tests(
        tmp_path, "import pytest\npytest.skip('no emulator', allow_module_level=True)\ndef test_it(): pass"
    )
    assert outcome.sentence == "0 passed, 0 failed, 1 skipped"
    assert outcome.reasons[0].endswith(": no emulator")


@pytest.mark.parametrize(
    "source", ["", "import nothing_of_that_name", "def test_it(): import os; os.kill(os.getpid(), 11)"]
)
def test_a_file_without_a_test_one_that_does_not_load_and_one_that_crashes_are_failures(
    tmp_path: Path, source: str
):
    assert run_tests(tmp_path, source).failed == 1


def test_a_process_that_does_not_end_is_killed_and_a_failure(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(runner, "LIMIT", 1.0)
    outcome = runner.Runner().run(runner.Job("it", (sys.executable, "-c", "import time; time.sleep(60)")))
    assert outcome.failed == 1
    assert "did not end" in outcome.output


def test_after_a_crash_each_file_of_the_process_is_run_alone_and_the_one_that_crashed_is_named(
    tmp_path: Path,
):
    outcome = run_tests(
        tmp_path,
        "def test_good(): pass",
        "def test_it(): import os; os.kill(os.getpid(), 11)",
        "def test_bad(): assert 1 == 2",
    )
    assert (outcome.passed, outcome.failed) == (
        1,
        3,
    ), "a crash, the crash of that file alone, and the failure"
    assert "test_it_1.py: 0 passed, 1 failed" in outcome.output
    assert "assert 1 == 2" in outcome.output


def test_files_of_a_process_that_ends_with_failures_are_not_run_again(tmp_path: Path):
    assert (
        run_tests(tmp_path, "def test_good(): pass", "def test_bad(): assert False").sentence
        == "1 passed, 1 failed"
    )


def test_the_processors_time_counts_children_and_not_waiting():
    work = "import time\nwhile time.process_time() < 0.5: pass"
    parent = (
        f"import subprocess, sys, time; time.sleep(0.5); subprocess.run([sys.executable, '-c', {work!r}])"
    )
    outcome = runner.Runner().run(runner.Job("it", (sys.executable, "-c", parent)))
    assert outcome.processor >= 0.5
    assert outcome.seconds >= outcome.processor + 0.4


def test_what_a_process_compiles_is_kept_for_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "compiled_once.py").write_text("", encoding="utf-8")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setitem(runner.ENVIRONMENT, "PYTHONPYCACHEPREFIX", str(tmp_path / "kept"))
    command = (
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import compiled_once",
    )
    assert runner.Runner().run(runner.Job("it", command)).passed == 1
    assert list((tmp_path / "kept").rglob("compiled_once*.pyc"))


def test_a_ring_without_tests_fails_and_a_ring_that_cannot_run_is_named():
    total = runner.run_all([runner.Ring("empty"), runner.Ring("window", missing="no screen")], workers=1)
    assert total.sentence == "0 passed, 1 failed, 1 skipped"
    assert total.reasons == ["window: no screen"]


@pytest.mark.parametrize("folder", [*rings.PLAIN_FOLDERS, "blender", "installed"])
def test_every_file_has_a_process_and_only_one(folder: str):
    assert sorted(named(rings.shared_jobs(".venv", folder, rings.files(folder), 7))) == names(
        rings.files(folder)
    )


def test_the_first_blender_runs_all_tests_and_others_those_that_are_marked_unless_all_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.delenv(rings.CASES, raising=False)
    everything = names(rings.files("blender"))
    assert sorted(named(rings.in_blender("blender", ".venv").jobs)) == everything
    marked = named(rings.in_blender("blender", ".venv-4.2").jobs)
    assert set(marked) < set(everything)
    assert all("every_blender" in (ROOT / file).read_text(encoding="utf-8") for file in marked)
    monkeypatch.setenv(rings.CASES, "1:0")
    assert sorted(named(rings.in_blender("blender", ".venv-4.2").jobs)) == everything


def test_tests_that_end_their_blender_with_a_window_come_last():
    files = ("tests/window/test_remote.py", "tests/window/test_restart.py")
    listed = subprocess.run(
        (*PYTEST, "--collect-only", *files), cwd=ROOT, capture_output=True, text=True, check=True
    )
    tests = [line for line in listed.stdout.splitlines() if "::" in line]
    assert len({test.partition("::")[0] for test in tests[:-1]}) == len(files)
    assert tests[-1].endswith(
        "::test_a_target_that_is_sent_is_followed_where_blender_goes_on_refusing_writes"
    )


def test_files_with_windows_have_processes_with_their_neighbours():
    assert named(rings.window_jobs("newer", is_main=True)) == names(rings.files("window"))


@pytest.mark.parametrize(
    ("missing", "main"),
    [((), "newer"), (("newer",), "older"), (("older",), "newer")],
    ids=["both are there", "no newer", "no older"],
)
def test_the_first_window_that_is_there_runs_all_the_other_what_is_marked_and_one_that_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...], main: str
):
    def ask(command, **_options):
        is_missing = command[-1] in missing
        return subprocess.CompletedProcess(
            command, int(is_missing), stdout="5.2.2\n", stderr=f"no {command[-1]} Blender\n"
        )

    monkeypatch.setattr(rings.subprocess, "run", ask)
    found = list(rings.window())
    assert [ring.missing for ring in found if ring.missing] == [f"no {name} Blender" for name in missing]
    jobs = {
        name: [job for ring in found for job in ring.jobs if job.window == name] for name in rings.WINDOWS
    }
    assert named(jobs.pop(main)) == names(rings.files("window"))
    marked = named(jobs.popitem()[1])
    assert bool(marked) == (not missing)
    assert all(rings.WINDOW_MARK in (ROOT / file).read_text(encoding="utf-8") for file in marked)


def test_a_job_with_a_window_tells_it_to_its_tests(tmp_path: Path):
    told = dataclasses.replace(
        job(tmp_path, "import os\ndef test_it(): assert os.environ['LIMBER_WINDOW'] == 'older'"),
        window="older",
    )
    assert runner.Runner().run(told).sentence == "1 passed, 0 failed"


def test_a_job_with_a_blender_tells_it_how_many_threads_it_has(tmp_path: Path):
    told = dataclasses.replace(
        job(tmp_path, "import os\ndef test_it(): assert os.environ['LIMBER_THREADS'] == '1'"), threads="1"
    )
    assert runner.Runner().run(told).sentence == "1 passed, 0 failed"


def test_blender_has_its_own_threads_in_one_of_the_blenders_that_run_the_tests_for_all():
    threads = {
        name: {job.threads for job in rings.in_blender("blender", name).jobs}
        for name in (".venv", ".venv-4.2")
    }
    assert threads == {".venv": {"1"}, ".venv-4.2": {"1"}}
    assert rings.THREADS[rings.NEWEST] == ""


def test_processes_that_take_long_begin_before_short_ones():
    ranks = {ring.title: ring.rank for name in ("plain", "blender") for ring in rings.RINGS[name]()}
    long = [rank for title, rank in ranks.items() if "blender" in title]
    assert max(long) < min(ranks[f"tests/{folder}"] for folder in ("house", "solvers", "robots", "demo"))


def test_tests_that_wait_for_robots_leave_the_cores_to_others():
    waiting = {ring.title for ring in rings.RINGS["plain"]() if ring.waits}
    assert waiting == {"tests/hardware", "tests/player", "tests/makers"}


def test_rings_that_wait_run_beside_the_others_and_beside_each_other(tmp_path: Path):
    titles = ("working", "waiting 1", "waiting 2")

    def meeting(title: str) -> runner.Ring:
        code = (
            "import pathlib, time\n"
            f"folder = pathlib.Path({str(tmp_path)!r}); (folder / {title!r}).touch()\n"
            f"while not all((folder / title).exists() for title in {titles}): time.sleep(0.05)"
        )
        return runner.Ring(title, (runner.Job(title, (sys.executable, "-c", code)),), waits="wait" in title)

    total = runner.run_all(list(map(meeting, titles)), workers=1, waiting_workers=2)
    assert total.sentence == "3 passed, 0 failed"


def test_tests_that_hang_say_where_each_thread_is(tmp_path: Path):
    (tmp_path / "test_it.py").write_text("import time\ndef test_it(): time.sleep(60)", encoding="utf-8")
    command = (*PYTEST, "-p", "tests.hanging", "--rootdir", str(tmp_path), "-c", "/dev/null", str(tmp_path))
    environment = os.environ | {runner.HANGING: "0.5"}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        assert any("most recent call first" in line for line in process.stderr)
        process.kill()


def test_every_process_of_tests_says_where_it_hangs_in_time():
    assert 0.0 < float(runner.ENVIRONMENT[runner.HANGING]) < runner.LIMIT
    assert "pytest_configure" in (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")


def names(paths: list[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in paths]


def named(jobs) -> list[str]:
    """The files of jobs."""
    return [file for job in jobs for file in job.files]


@pytest.mark.parametrize(("cases", "seen"), [("4:1", "3 passed, 0 failed"), ("1:0", "8 passed, 3 failed")])
def test_of_tests_for_every_blender_the_asked_share_of_cases_is_tried_and_never_none_and_of_others_none(
    tmp_path: Path, cases: str, seen: str
):
    tests = """
import pytest
@pytest.mark.every_blender
@pytest.mark.parametrize("k", range(9))
def test_many(k): assert k in (1, 2, 3, 4, 5, 6)
@pytest.mark.every_blender
def test_one(): pass
def test_other(): pass
"""
    (tmp_path / "test_it.py").write_text(tests, encoding="utf-8")
    results = tmp_path / "it.xml"
    alone = ("--rootdir", str(tmp_path), "-c", "/dev/null")
    command = (*PYTEST, "-p", "tests.cases", *alone, f"--junitxml={results}")
    assert runner.Runner().run(runner.Job("it", command, (str(tmp_path),), results, cases)).sentence == seen


def test_nothing_run_is_no_success(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(rings.RINGS, "window", lambda: iter([runner.Ring("window", missing="no screen")]))
    assert rings.main(["window"]) == 1


def test_a_photograph_has_the_colours_of_the_screen(tmp_path: Path):
    width, height = 3, 2
    header = [
        100,
        7,
        2,
        24,
        width,
        height,
        0,
        0,
        32,
        0,
        32,
        32,
        4 * width,
        4,
        0xFF0000,
        0xFF00,
        0xFF,
        8,
        256,
        1,
        width,
        height,
        0,
        0,
        0,
    ]
    colours = [(10 * k, 100 + k, 200 + k) for k in range(width * height)]
    pixels = b"".join(bytes((blue, green, red, 0)) for red, green, blue in colours)
    screen, picture = tmp_path / "screen", tmp_path / "picture.png"
    screen.write_bytes(struct.pack(">25I", *header) + bytes(12) + pixels)
    script("screen").photograph(screen, picture)
    data = picture.read_bytes()
    start = data.index(b"IDAT")
    rows = zlib.decompress(data[start + 4 : start + 4 + struct.unpack(">I", data[start - 4 : start])[0]])
    line = 1 + 3 * width
    seen = [
        tuple(rows[r * line + 1 + 3 * c : r * line + 4 + 3 * c]) for r in range(height) for c in range(width)
    ]
    assert seen == colours
