"""Runs checks and files of tests in processes of their own, some at a time, and counts what came of them and
what it cost.

A process that crashes or hangs takes its own files with it, never the run. Where it had several, each is run
once more alone: the crash is a failure, what else those files have to say is not lost, and the output names
the one that did it. Output comes in order, in full only where something failed.
"""

import ast
import os
import signal
import subprocess
import tempfile
import threading
import time
import xml.etree.ElementTree as ET
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# [s] for one process: the longest takes about 100 s on two cores, five times that where others keep these
# busy
LIMIT = 600.0
LOOK = 0.05  # [s] between two looks at whether a process has ended
HEARTBEAT = 20.0  # [s] between lines that say what is running
NO_TEST_COLLECTED = 5  # pytest's exit code
CASES = "LIMBER_CASES"  # of the environment: which cases of each test; see tests/cases.py
WINDOW = "LIMBER_WINDOW"  # of the environment: which window; see scripts/window.sh
THREADS = "LIMBER_THREADS"  # of the environment: how many a Blender module has; see tests/threads.py

# Of every process. The cores are already taken, by processes. What one process compiles the next one loads,
# also where the machine's settings forbid Python to keep it: a process with a Blender would compile for 4 s.
ENVIRONMENT = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ENVIRONMENT |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(ROOT / "build" / "bytecode")}


@dataclass(frozen=True)
class Job:
    """One process: files of tests, or a check that passes or fails as a whole.

    Attributes:
        title: In the output.
        command: Without the files.
        files: Of tests; empty for a check.
        results: JUnit file that the process writes; None: the exit code says it all.
        cases: Which cases of each test; see tests/cases.py.
        window: Name of the window that it plays in; see scripts/window.sh.
        threads: How many threads its Blender evaluates with; empty: as Blender chooses. See tests/threads.py.
    """

    title: str
    command: tuple[str, ...]
    files: tuple[str, ...] = ()
    results: Path | None = None
    cases: str = ""
    window: str = ""
    threads: str = ""

    @property
    def environment(self) -> dict[str, str]:
        """What its process finds in its environment besides."""
        variables = {CASES: self.cases, WINDOW: self.window, THREADS: self.threads}
        return {name: value for name, value in variables.items() if value}

    def alone(self) -> "list[Job]":
        """A job for each of its files."""
        return [replace(self, title=file, files=(file,)) for file in self.files]


@dataclass
class Outcome:
    """What came of processes.

    Attributes:
        reasons: Of what was skipped, each with the test's name.
        seconds: How long they took [s].
        processor: Time that they and their children had of a processor [s].
        lost: Whether the process ended without saying what it had done.
    """

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    reasons: list[str] = field(default_factory=list)
    output: str = ""
    seconds: float = 0.0
    processor: float = 0.0
    lost: bool = False

    def __iadd__(self, other: "Outcome") -> "Outcome":
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.reasons += other.reasons
        self.seconds += other.seconds
        self.processor += other.processor
        return self

    @property
    def sentence(self) -> str:
        return f"{self.passed} passed, {self.failed} failed" + (
            f", {self.skipped} skipped" if self.skipped else ""
        )

    @property
    def cost(self) -> str:
        return f"{self.seconds:.1f} s, {self.processor:.1f} s of a processor"


@dataclass(frozen=True)
class Ring:
    """Jobs under one title."""

    title: str
    jobs: tuple[Job, ...] = ()
    missing: str = ""  # why it cannot run here, and what mends it
    rank: int = 2  # jobs of a lower one start first: long ones, so that no core waits for the last of them
    waits: bool = False  # its jobs wait most of the time: they run one after the other, beside the others


class Runner:
    """Runs jobs and knows which ones are running, so that an interrupt leaves none behind."""

    def __init__(self) -> None:
        self._running: dict[subprocess.Popen[bytes], str] = {}
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, job: Job) -> Outcome:
        """What came of the job; where its process crashed or hung, of each of its files alone."""
        outcome = self._run(job)
        if outcome.lost and len(job.files) > 1 and not self._stopped:
            outcome.output += f"\n{job.title} ended without results; its files, each alone:\n"
            for each in job.alone():
                alone = self._run(each)
                outcome += alone
                outcome.output += f"{each.title}: {alone.sentence}\n" + (alone.output if alone.failed else "")
        return outcome

    def _run(self, job: Job) -> Outcome:
        if job.results:
            job.results.unlink(missing_ok=True)
        began = time.monotonic()
        with tempfile.TemporaryFile() as output:
            with self._lock:
                if self._stopped:
                    return Outcome()
                process = subprocess.Popen(
                    job.command + job.files,
                    cwd=ROOT,
                    env=os.environ | ENVIRONMENT | job.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
                self._running[process] = job.title
            processor, in_time = wait_for(process, began + LIMIT)
            with self._lock:
                del self._running[process]
            outcome = read_results(job, process.returncode)
            output.seek(0)
            outcome.output = output.read().decode("utf-8", "replace")
        if not in_time:
            outcome.output += f"\n{job.title} did not end within {LIMIT:.0f} s and was killed\n"
        outcome.seconds, outcome.processor = time.monotonic() - began, processor
        return outcome

    def running(self) -> list[str]:
        with self._lock:
            return list(self._running.values())

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            for process in self._running:
                os.killpg(process.pid, signal.SIGKILL)


def wait_for(process: "subprocess.Popen[bytes]", until: float) -> tuple[float, bool]:
    """Waits for a process's end, and kills it with its children when its time [s, monotonic] is over.

    Returns the time that it and its children had of a processor [s], and whether it ended in time.
    """
    in_time = True
    while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
        if time.monotonic() > until:
            in_time = False
            os.killpg(process.pid, signal.SIGKILL)
            ended = os.wait4(process.pid, 0)
            break
        time.sleep(LOOK)
    _, status, usage = ended
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, in_time


def read_results(job: Job, code: int) -> Outcome:
    """What a process did, from the file it wrote; a bad exit that the file does not explain (a crash, no test
    in the file) is a failure.
    """
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
    else:
        outcome.lost = True
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
    print(f"  {word:<6}  {job.title}  ({counts}{outcome.cost})")
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
    """Runs all jobs, `workers` at a time and beside them one that waits, and prints what came of each."""
    runner, total = Runner(), Outcome()
    with ThreadPoolExecutor(workers) as pool, ThreadPoolExecutor(1) as waiting:
        try:
            by_rank = sorted(rings, key=lambda ring: ring.rank)
            futures = {
                job: (waiting if ring.waits else pool).submit(runner.run, job)
                for ring in by_rank
                for job in ring.jobs
            }
            for ring in rings:
                print(f"\n== {ring.title}", flush=True)
                if ring.missing:
                    print(f"  skipped: {ring.missing}")
                    total += Outcome(skipped=1, reasons=[f"{ring.title}: {ring.missing}"])
                elif not ring.jobs:
                    print("  FAILED  there is no test here")
                    total += Outcome(failed=1)
                sum_of_ring = Outcome()
                for job in ring.jobs:
                    outcome = wait(futures[job], runner)
                    show(job, outcome)
                    sum_of_ring += outcome
                print(f"          {sum_of_ring.processor:.0f} s of a processor in all")
                total += sum_of_ring
        except KeyboardInterrupt:
            runner.stop()
            raise
    return total
