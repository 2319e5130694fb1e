"""The command `limber_bake`: bakes many .blend files, several in each Blender process.

    blender --command limber_bake FILE_OR_FOLDER ...

It bakes all chains that have a target, and all live retargets and mechanisms, in all scenes. WALK.blend
becomes WALK_baked.blend in the same folder, or WALK.blend in the folder of --to. The same command again
continues an interrupted batch: files that have not changed since they were baked are skipped.
"""

import argparse
import json
import sys
from pathlib import Path

from ..files import atomic
from ..rig.blender.limber_version import limber_version
from . import command
from .bake import begin
from .records import Records, TaskRecord
from .shares import work
from .tasks import BatchError, FileTask, plan, sources
from .workers import WorkersError

NAME = "limber_bake"
RECORDS = "limber_bake"  # name of the records' folder, inside the folder of the baked files
SUFFIX = "_baked"


def main(argv: list[str], launcher: list[str] | None = None) -> int:
    """Runs the command; with `command.SHARE` as its first argument, works on a share that it reads from
    standard input. Returns the exit code: 0; 1 if a file failed, or the report was not written; 2 if the
    batch was refused or its records cannot be written; 130 if it was interrupted.

    Args:
        argv: Arguments after the command's name.
        launcher: First words of the command that starts another Blender with Limber; None: this Blender.
    """
    if argv[:1] == [command.SHARE]:
        work(sys.stdin, begin)
        return 0
    options = _arguments().parse_args(argv)
    words = launcher if launcher and not options.blender else None
    words = words or command.launcher(NAME, "bake_command", options.blender)
    return command.until_interrupted(NAME, lambda: _bake(options, words))


def _bake(options: argparse.Namespace, launcher: list[str]) -> int:
    try:
        ended = command.run(_batch(options), launcher, options)
    except (BatchError, WorkersError) as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        return command.NOTHING_STARTED
    except OSError as error:
        why = f"{error.filename} cannot be written ({error.strerror}): choose another --journal"
        print(f"{NAME}: {why}", file=sys.stderr)
        return command.NOTHING_STARTED
    for task, record in ended:
        for remark in record.facts.get("remarks", []):
            print(f"{task.source.name}: {remark}")
    problem = _write_report(options.report, ended)
    if problem:
        print(f"{NAME}: {problem}", file=sys.stderr)
    return command.sum_up(NAME, ended) or int(bool(problem))


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=NAME, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE_OR_FOLDER",
        help="a folder means all .blend files in it",
    )
    parser.add_argument(
        "--to", type=Path, metavar="FOLDER", help="folder for the baked files, under their own names"
    )
    parser.add_argument("--in-place", action="store_true", help="overwrite the source files")
    parser.add_argument(
        "--frames",
        nargs=2,
        type=int,
        metavar=("FIRST", "LAST"),
        help="default: in each scene, the ranges of all its chains together",
    )
    parser.add_argument("--only-live", action="store_true", help="only chains that were saved live")
    parser.add_argument(
        "--scripts", action="store_true", help="allow Python in the files: drivers with expressions need it"
    )
    parser.add_argument(
        "--journal",
        type=Path,
        metavar="FOLDER",
        help=f"records of what was baked (default: {RECORDS} beside the baked files)",
    )
    parser.add_argument(
        "--report", type=Path, metavar="FILE.json", help="write the outcome of each file, for other programs"
    )
    command.add_options(parser)
    return parser


def _batch(options: argparse.Namespace) -> command.Batch:
    """The batch for these options; raises BatchError if the files cannot be baked with them."""

    def output(source: Path, folder: Path) -> Path:
        if options.in_place:
            return source
        if options.to is None:
            return source.with_name(source.stem + SUFFIX + ".blend")
        return options.to.resolve() / source.relative_to(folder)

    tasks = plan(sources(options.files, ".blend", SUFFIX), output, options.in_place)
    settings = {
        "frames": options.frames,
        "only_live": options.only_live,
        "scripts": options.scripts,
        "version": limber_version(),
    }
    folder = options.journal or (options.to or tasks[0].output.parent) / RECORDS
    if folder.is_file():
        raise BatchError(f"--journal {folder} is a file, and records have a folder now: choose another one")
    return command.Batch(NAME, tasks, Records(folder.resolve(), settings), settings, _sentence)


def _sentence(record: TaskRecord) -> str:
    if record.state == "baked":
        return f"{record.facts['frames']} frames in {record.facts['seconds']:.1f} s"
    return f"{record.state}. {record.reason}"


def _write_report(path: Path | None, ended: list[tuple[FileTask, TaskRecord]]) -> str:
    """Writes the outcomes to a file, if there is a path; returns the reason if that failed, or ""."""
    if path is None:
        return ""
    outcomes = [
        {
            "source": str(task.source),
            "output": str(task.output),
            "state": record.state,
            "reason": record.reason,
            **record.facts,
        }
        for task, record in ended
    ]
    try:
        atomic.write_text(path, json.dumps(outcomes, indent=1) + "\n")
    except OSError as error:
        return f"{path} cannot be written ({error.strerror}): choose another --report"
    return ""


CLI_COMMANDS = {NAME: main}
