"""Runs checks and files of tests in separate processes, several at a time, and counts their results and their
time.

If a process crashes or hangs, only its own files are lost. If it had several files, each is run again alone:
the crash is a failure, the results of the other files are not lost, and the output names the file that caused
it. Output is printed in the order of the jobs, in full only for failures.
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
# [s] time limit for one process: the longest takes about 150 s on two idle cores, five times that on busy
# ones
LIMIT = 900.0
LOOK = 0.05  # [s] time between two checks whether a process has ended
HEARTBEAT = 20.0  # [s] time between two lines that list the running jobs
NO_TEST_COLLECTED = 5  # pytest's exit code if no test was collected
CASES = "LIMBER_CASES"  # environment variable: which cases of each test run; see tests/cases.py
WINDOW = "LIMBER_WINDOW"  # environment variable: name of the window; see scripts/window.sh
# environment variable: number of threads of a Blender module; see tests/threads.py
THREADS = "LIMBER_THREADS"
# environment variable: time [s] after which tests print where they are; see tests/hanging.py
HANGING = "LIMBER_HANGING"
LAST_WORDS = 30.0  # [s] time by which they print it before their process is killed

# Environment variables of every process. Other processes keep the cores busy already, so each uses one
# thread. Bytecode that one process compiles is stored for the next one, even if the machine's settings forbid
# that: a process with a Blender would compile for 4 s.
ENVIRONMENT = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ENVIRONMENT["LP_NUM_THREADS"] = "0"  # windows are drawn in software by the thread that draws
ENVIRONMENT |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(ROOT / "build" / "bytecode")}
ENVIRONMENT[HANGING] = str(LIMIT - LAST_WORDS)


@dataclass(frozen=True)
class Job:
    """One process: files of tests, or a check that passes or fails as a whole.

    Attributes:
        title: Title in the output.
        command: Command line, without the files.
        files: Files of tests; empty for a check.
        results: JUnit file that the process writes; None: the exit code is the only result.
        cases: Which cases of each test; see tests/cases.py.
        window: Name of the window in which it runs; see scripts/window.sh.
        threads: Number of threads of its Blender; empty: as Blender chooses. See tests/threads.py.
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
        """Environment variables of its process, in addition to those of this one and `ENVIRONMENT`."""
        variables = {CASES: self.cases, WINDOW: self.window, THREADS: self.threads}
        return {name: value for name, value in variables.items() if value}

    def alone(self) -> "list[Job]":
        """A separate job for each of its files."""
        return [replace(self, title=file, files=(file,)) for file in self.files]


@dataclass
class Outcome:
    """Results of processes.

    Attributes:
        reasons: Reasons for skipped tests, each with the test's name.
        seconds: Duration [s].
        processor: Processor time of the processes and their children [s].
        lost: Whether the process ended without writing its results.
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
    missing: str = ""  # why the ring cannot run here, and the remedy; "" if it can
    # jobs of rings with a lower rank start first: long ones, so that no core waits for the last of them
    rank: int = 2
    waits: bool = False  # whether its jobs mostly wait: a few of them run beside the others


class Runner:
    """Runs jobs and keeps track of the running processes, so that an interrupt ends them all."""

    def __init__(self) -> None:
        self._running: dict[subprocess.Popen[bytes], str] = {}
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, job: Job) -> Outcome:
        """Result of a job; if its process ended without results and had several files, the sum of the results
        of each file alone.
        """
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
    """Waits for the end of a process, and kills it with its children if it runs until the time `until` [s,
    monotonic].

    Returns the processor time of the process and its children [s], and whether it ended in time.
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
    """Results of a job's process, from the file that it has written. A bad exit code that the file does not
    explain (a crash, no test in the file) is a failure.
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
    """Reason for which a test, or a whole file, was skipped."""
    # a whole file, for which pytest writes (path, line, reason)
    if skip.get("message") == "collection skipped":
        return ast.literal_eval(skip.text or "")[2].removeprefix("Skipped: ")
    return skip.get("message", "")


def show(job: Job, outcome: Outcome) -> None:
    word = "FAILED" if outcome.failed else "ok"
    counts = f"{outcome.sentence}, " if job.results else ""
    print(f"  {word:<6}  {job.title}  ({counts}{outcome.cost})")
    if outcome.failed:
        print("\n".join(f"  | {line}" for line in outcome.output.strip().splitlines()))


def wait(future: "Future[Outcome]", runner: Runner) -> Outcome:
    """Waits for a job's result; meanwhile prints a line with the running jobs at intervals."""
    while True:
        try:
            return future.result(timeout=HEARTBEAT)
        except TimeoutError:
            print(f"          running: {', '.join(runner.running())}", flush=True)


def run_all(rings: list[Ring], workers: int, waiting_workers: int = 1) -> Outcome:
    """Runs all jobs, `workers` at a time and `waiting_workers` jobs that mostly wait in addition, and prints
    the result of each.
    """
    runner, total = Runner(), Outcome()
    with ThreadPoolExecutor(workers) as pool, ThreadPoolExecutor(waiting_workers) as waiting:
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
