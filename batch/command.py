"""The command `limber_bake`: bakes many .blend files, each in a Blender process of its own.

    blender --command limber_bake FILE_OR_FOLDER ...

It bakes all chains that have a target, and all live retargets and mechanisms, in all scenes. WALK.blend
becomes WALK_baked.blend in the same folder, or WALK.blend in the folder of --to. The same command again
continues an interrupted batch: files that have not changed since they were baked are skipped.
"""

import argparse
import json
import sys
import time
import tomllib
from dataclasses import asdict
from pathlib import Path

import bpy

from ..files import atomic
from .one import bake_file
from .runs import ANSWER, run
from .spread import SpreadError
from .tasks import BatchError, Journal, Outcome, Settings, Task, digest, plan

NAME = "limber_bake"
JOURNAL = "limber_bake.jsonl"
LIMIT = 3600.0  # [s] default time limit for one file
# The Blender module has no command line of its own.
IN_PYTHON = (
    "import bpy, addon_utils, importlib, sys; addon_utils.enable(sys.argv[1]);"
    " sys.exit(importlib.import_module(sys.argv[1] + '.batch.command').main(sys.argv[2:]))"
)


def main(argv: list[str], launcher: list[str] | None = None) -> int:
    """Runs the command. Returns the exit code: 0; 1 if a file failed or was not written; 2 if nothing was
    started.

    Args:
        argv: Arguments after the command's name.
        launcher: First words of the command that starts another Blender with Limber; None: this Blender.
    """
    if argv[:1] == ["--one"]:
        return _one(*argv[1:])
    options = _arguments().parse_args(argv)
    settings = Settings(tuple(options.frames) if options.frames else None, options.only_live, options.scripts)
    launcher = [options.blender, "--command", NAME] if options.blender else launcher or _own_launcher()
    try:
        tasks = plan(options.files, options.to, options.in_place)
        journal = Journal(options.journal or _journal(tasks, options.to), settings, _version())
        outcomes = _bake(tasks, settings, journal, launcher, options)
    except (BatchError, SpreadError) as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        return 2
    problems = [problem for problem in (journal.problem, _write_report(options.report, outcomes)) if problem]
    for problem in problems:
        print(f"{NAME}: {problem}", file=sys.stderr)
    return _sum_up(outcomes) or int(bool(problems))


def _write_report(path: Path | None, outcomes: list[Outcome]) -> str:
    """Writes the outcomes to a file, if there is a path; returns why that failed, or ""."""
    if path is None:
        return ""
    try:
        atomic.write_text(path, json.dumps([asdict(outcome) for outcome in outcomes], indent=1) + "\n")
    except OSError as error:
        return f"{path} cannot be written ({error.strerror}): choose another --report"
    return ""


def _arguments() -> argparse.ArgumentParser:
    ask = argparse.ArgumentParser(
        prog=NAME, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument(
        "files", nargs="+", type=Path, metavar="FILE_OR_FOLDER", help="a folder means all .blend files in it"
    )
    ask.add_argument(
        "--to", type=Path, metavar="FOLDER", help="folder for the baked files, under their own names"
    )
    ask.add_argument("--in-place", action="store_true", help="overwrite the source files")
    ask.add_argument(
        "--frames", nargs=2, type=int, metavar=("FIRST", "LAST"), help="default: the range of each chain"
    )
    ask.add_argument("--only-live", action="store_true", help="only chains that were saved live")
    ask.add_argument(
        "--scripts", action="store_true", help="allow Python in the files: drivers with expressions need it"
    )
    ask.add_argument(
        "--workers", type=int, default=0, help="Blender processes at a time (default: one per core)"
    )
    ask.add_argument(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help="of a Dask cluster to bake on, which has this Blender and these paths",
    )
    ask.add_argument("--blender", default="", metavar="PATH", help="the Blender to start (default: this one)")
    ask.add_argument(
        "--limit",
        type=float,
        default=LIMIT,
        metavar="SECONDS",
        help="time limit for one file (default %(default)g)",
    )
    ask.add_argument(
        "--journal",
        type=Path,
        metavar="FILE",
        help=f"record of what was baked (default: {JOURNAL} beside the baked files)",
    )
    ask.add_argument("--again", action="store_true", help="also bake files that were baked before")
    ask.add_argument(
        "--report", type=Path, metavar="FILE.json", help="write the outcome of each file, for other programs"
    )
    return ask


def _bake(
    tasks: list[Task], settings: Settings, journal: Journal, launcher: list[str], options: argparse.Namespace
) -> list[Outcome]:
    """Bakes the tasks that are not done yet; returns the outcomes of all, and prints each."""
    done = [] if options.again else [task for task in tasks if journal.has(task)]
    outcomes = [Outcome(str(task.source), str(task.output), "baked already") for task in done]
    todo = [task for task in tasks if task not in done]
    read = {task: digest(task.source) for task in todo}
    began = time.monotonic()
    if done:
        print(f"{NAME}: {len(done)} of {len(tasks)} files are baked already", flush=True)
    runs = run(todo, settings, launcher, options.limit, options.workers, options.scheduler) if todo else ()
    for number, (task, outcome) in enumerate(runs, 1):
        journal.note(task, read[task], outcome)
        outcomes.append(outcome)
        left = (time.monotonic() - began) / number * (len(todo) - number)
        print(
            f"[{len(done) + number}/{len(tasks)}] {_sentence(outcome)}"
            + (f"; about {left:.0f} s left" if left else ""),
            flush=True,
        )
    return outcomes


def _sentence(outcome: Outcome) -> str:
    name = Path(outcome.source).name
    if outcome.state == "baked":
        return f"{name}: {outcome.frames} frames in {outcome.seconds:.1f} s, to {outcome.output}"
    return f"{name}: {outcome.state}. {outcome.reason}"


def _sum_up(outcomes: list[Outcome]) -> int:
    """Prints remarks, counts and failures, the most important last; returns the exit code."""
    for outcome in outcomes:
        for remark in outcome.remarks:
            print(f"{Path(outcome.source).name}: {remark}")
    counts = {
        state: sum(outcome.state == state for outcome in outcomes)
        for state in ("baked", "baked already", "nothing to bake", "failed")
    }
    print(f"{NAME}: " + ", ".join(f"{count} {state}" for state, count in counts.items() if count))
    for outcome in outcomes:
        if outcome.state == "failed":
            print(f"failed: {outcome.source}: {outcome.reason}", file=sys.stderr)
    return 1 if counts["failed"] else 0


def _journal(tasks: list[Task], folder: Path | None) -> Path:
    return (folder or tasks[0].output.parent) / JOURNAL


def _own_launcher() -> list[str]:
    if bpy.app.binary_path:
        return [bpy.app.binary_path, "--command", NAME]
    return [sys.executable, "-c", IN_PYTHON, __package__.rpartition(".")[0]]


def _version() -> str:
    manifest = Path(__file__).resolve().parents[1] / "blender_manifest.toml"
    return str(tomllib.loads(manifest.read_text(encoding="utf-8"))["version"])


def _one(source: str, output: str, settings: str) -> int:
    """Bakes one file in this Blender, and prints its outcome as one line. Returns the exit code."""
    fields = json.loads(settings)
    fields["frames"] = tuple(fields["frames"]) if fields["frames"] else None
    outcome = bake_file(Task(Path(source), Path(output)), Settings(**fields))
    print(f"\n{ANSWER}{json.dumps(asdict(outcome))}", flush=True)
    return int(outcome.state == "failed")


_handle = None


def register() -> None:
    global _handle
    _handle = bpy.utils.register_cli_command(NAME, main)


def unregister() -> None:
    global _handle
    if _handle is not None:
        bpy.utils.unregister_cli_command(_handle)
        _handle = None
