"""Runs the rings of tests on all cores, a file in a process of its own (those of `tests/blender` share some); closes with a line of sums.

    python scripts/rings.py            the usual ones
    python scripts/rings.py blender    one ring or several: lint, plain, blender, installed, window, newest

A Blender that crashes or hangs takes its own process with it, never the run. Output comes in order, in full only where something failed.
"""

import ast
import os
import re
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "build" / "tests"
LIMIT = 600.0  # [s] for one process: the longest test file takes about 60 s on two cores, five times that where others keep these busy
APART = 3  # files of windows that are neighbours by name run at so many different times
MORE_THAN_CORES = 1  # files at a time: those with a robot wait for it most of the time
HEARTBEAT = 20.0  # [s] between lines that say what is running
NO_TEST_COLLECTED = 5  # pytest's exit code
PLAIN_FOLDERS = ("house", "files", "motion", "solvers", "urdf", "hardware", "batch", "benchmarks", "demo")
BLENDERS = {".venv": "the newest Blender for Python 3.11", ".venv-4.2": "Blender 4.2", ".venv-newest": "the newest Blender"}
NEWEST = ".venv-newest"
# Which cases of each test in `tests/blender`: every how many-th, from which on. Blenders seldom differ from case to case.
SOME_CASES = {".venv": "1:0", ".venv-4.2": "6:0", NEWEST: "6:1"}
CASES = "LIMBER_CASES"  # of the environment: these in every Blender
SHARES = 14  # processes that the files of `tests/blender` share: each start of a Blender costs two seconds

# The cores are already taken, by files.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Job:
    """One process: a file of tests, or a check that passes or fails as a whole."""

    title: str
    command: tuple[str, ...]
    results: Path | None = None  # JUnit file that the process writes; None: the exit code says it all
    cases: str = ""


@dataclass
class Outcome:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    reasons: list[str] = field(default_factory=list)  # of what was skipped, each with the test's name
    output: str = ""
    seconds: float = 0.0

    def __iadd__(self, other: "Outcome") -> "Outcome":
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.reasons += other.reasons
        return self

    @property
    def sentence(self) -> str:
        return f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else "")


@dataclass(frozen=True)
class Ring:
    title: str
    jobs: tuple[Job, ...] = ()
    missing: str = ""  # why it cannot run here, and what mends it
    is_slow: bool = False  # its files start before the others', so that no core waits for the last of them


def python(environment: str) -> str:
    return str(ROOT / environment / "bin" / "python")


def file_job(environment: str, path: Path) -> Job:
    name = path.relative_to(ROOT).as_posix()
    return job(environment, name, (name,))


def job(environment: str, name: str, paths: tuple[str, ...]) -> Job:
    results = RESULTS / (re.sub(r"[^\w.-]", "_", f"{environment.lstrip('.')}-{name}") + ".xml")
    options = ("-q", "--no-header", f"--junitxml={results}", "-o", f"faulthandler_timeout={LIMIT - 30}")
    cases = os.environ.get(CASES) or SOME_CASES[environment]
    return Job(name, (python(environment), "-m", "pytest", *options, *paths), results, cases)


def shared_jobs(environment: str, folder: str) -> Iterator[Job]:
    """Every so many-th file of a folder: neighbours are alike, and alike in how long they take."""
    names = [path.relative_to(ROOT).as_posix() for path in files(folder)]
    for share in range(SHARES):
        if some := tuple(names[share::SHARES]):
            yield job(environment, f"tests/{folder} {share + 1} of {SHARES}", some)


def files(folder: str) -> list[Path]:
    return sorted((ROOT / "tests" / folder).rglob("test_*.py"))


def apart(paths: list[Path]) -> list[Path]:
    """Neighbours by name, such as those with a robot, at other times: side by side they would draw too slowly for a robot to be armed."""
    return [path for start in range(APART) for path in paths[start::APART]]


def lint() -> Iterator[Ring]:
    checks = {"ruff check": ("ruff", "check", "."), "ruff format": ("ruff", "format", "--check", "."), "mypy": ("mypy",)}
    yield Ring("lint", tuple(Job(title, (python(".venv"), "-m", *command)) for title, command in checks.items()))


def plain() -> Iterator[Ring]:
    for folder in PLAIN_FOLDERS:
        yield Ring(f"tests/{folder}", tuple(file_job(".venv", path) for path in files(folder)))


def in_blender(folder: str, environment: str) -> Ring:
    title = f"tests/{folder} in {BLENDERS[environment]}"
    if environment == NEWEST and not (ROOT / NEWEST / "ready").exists():
        return Ring(title, missing=f"no {NEWEST} here; `make setup` makes it where there is a Python 3.13")
    if folder == "blender":
        return Ring(title, tuple(shared_jobs(environment, folder)))
    return Ring(title, tuple(file_job(environment, path) for path in files(folder)))


def blender() -> Iterator[Ring]:
    for environment in (".venv", ".venv-4.2"):
        yield in_blender("blender", environment)


def newest() -> Iterator[Ring]:
    yield in_blender("blender", NEWEST)


def installed() -> Iterator[Ring]:
    for environment in BLENDERS:
        yield in_blender("installed", environment)


def window() -> Iterator[Ring]:
    asked = subprocess.run([ROOT / "scripts" / "window.sh", "available"], capture_output=True, text=True, check=False)
    title = "tests/window in a real window"
    if asked.returncode == 0:
        yield Ring(title, tuple(file_job(".venv", path) for path in apart(files("window"))), is_slow=True)
    else:
        yield Ring(title, missing=asked.stderr.strip())


RINGS: dict[str, Callable[[], Iterator[Ring]]] = {
    "lint": lint,
    "plain": plain,
    "blender": blender,
    "installed": installed,
    "window": window,
    "newest": newest,
}
USUAL = ("lint", "plain", "blender", "installed", "window")  # without `newest`, which costs two more minutes for the same tests


class Runner:
    """Runs jobs and knows which ones are running, so that an interrupt leaves none behind."""

    def __init__(self) -> None:
        self._running: dict[subprocess.Popen[str], str] = {}
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, job: Job) -> Outcome:
        if job.results:
            job.results.unlink(missing_ok=True)
        began = time.monotonic()
        with self._lock:
            if self._stopped:
                return Outcome()
            process = subprocess.Popen(
                job.command,
                cwd=ROOT,
                env={**os.environ, **ONE_THREAD, **({CASES: job.cases} if job.cases else {})},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
            )
            self._running[process] = job.title
        try:
            output, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            output += f"\n{job.title} did not end within {LIMIT:.0f} s and was killed\n"
        with self._lock:
            del self._running[process]
        outcome = read_results(job, process.returncode)
        outcome.output, outcome.seconds = output, time.monotonic() - began
        return outcome

    def running(self) -> list[str]:
        with self._lock:
            return list(self._running.values())

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            for process in self._running:
                os.killpg(process.pid, signal.SIGKILL)


def read_results(job: Job, code: int) -> Outcome:
    """What a process did, from the file it wrote; a bad exit that the file does not explain (a crash, no test in the file) is a failure."""
    outcome = Outcome()
    if job.results is None:
        return Outcome(passed=int(code == 0), failed=int(code != 0))
    if job.results.exists():
        for case in ET.parse(job.results).iter("testcase"):
            skip = case.find("skipped")
            if case.find("failure") is not None or case.find("error") is not None:
                outcome.failed += 1
            elif skip is not None:
                outcome.skipped += 1
                outcome.reasons.append(f"{job.title}: {case.get('name')}: {reason_of(skip)}")
            else:
                outcome.passed += 1
    skipped_whole = code == NO_TEST_COLLECTED and outcome.skipped
    if code != 0 and not outcome.failed and not skipped_whole:
        outcome.failed += 1
    return outcome


def reason_of(skip: ET.Element) -> str:
    """Why a test, or a whole file, was skipped."""
    if skip.get("message") == "collection skipped":  # of a file: pytest then writes (path, line, reason)
        return ast.literal_eval(skip.text or "")[2].removeprefix("Skipped: ")
    return skip.get("message", "")


def show(job: Job, outcome: Outcome) -> None:
    word = "FAILED" if outcome.failed else "ok"
    counts = f"{outcome.sentence}, " if job.results else ""
    print(f"  {word:<6}  {job.title}  ({counts}{outcome.seconds:.1f} s)")
    if outcome.failed:
        print("\n".join(f"  | {line}" for line in outcome.output.strip().splitlines()))


def wait(future: "Future[Outcome]", runner: Runner) -> Outcome:
    """The outcome; until it is there, a line now and then says what is running."""
    while True:
        try:
            return future.result(timeout=HEARTBEAT)
        except TimeoutError:
            print(f"          running: {', '.join(runner.running())}", flush=True)


def run_all(rings: list[Ring], workers: int) -> Outcome:
    runner, total = Runner(), Outcome()
    with ThreadPoolExecutor(workers) as pool:
        try:
            slow_first = sorted(rings, key=lambda ring: not ring.is_slow)
            futures = {job: pool.submit(runner.run, job) for ring in slow_first for job in ring.jobs}
            for ring in rings:
                print(f"\n== {ring.title}", flush=True)
                if ring.missing:
                    print(f"  skipped: {ring.missing}")
                    total += Outcome(skipped=1, reasons=[f"{ring.title}: {ring.missing}"])
                elif not ring.jobs:
                    print("  FAILED  there is no test here")
                    total += Outcome(failed=1)
                for job in ring.jobs:
                    outcome = wait(futures[job], runner)
                    show(job, outcome)
                    total += outcome
        except KeyboardInterrupt:
            runner.stop()
            raise
    return total


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in RINGS]
    if unknown:
        print(f"no ring {', '.join(unknown)}: there are {', '.join(RINGS)}", file=sys.stderr)
        return 2
    began = time.monotonic()
    RESULTS.mkdir(parents=True, exist_ok=True)
    rings = [ring for name in names or USUAL for ring in RINGS[name]()]
    total = run_all(rings, (os.cpu_count() or 1) + MORE_THAN_CORES)
    print(f"\n== All rings ({time.monotonic() - began:.0f} s)")
    for reason in total.reasons:
        print(f"skipped: {reason}")
    if total.passed + total.failed == 0:
        print("no test ran", file=sys.stderr)
        return 1
    print(total.sentence)
    return int(total.failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
