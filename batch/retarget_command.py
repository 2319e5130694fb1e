"""The command `limber_retarget`: lets a robot follow many clips of motion capture, many in each Blender.

    blender --command limber_retarget CLIPS --robot so101 --to FOLDER --format lerobot

CLIPS are .bvh files, or folders that have some. Each clip gets a verdict in FOLDER/manifest.json: good,
flagged (with its faults: pops, joints at their limits, sliding feet, lost aim) or failed. The same command
again continues an interrupted batch, and works only on what has changed.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from ..files.parquet import ParquetError
from ..files.presence import is_file
from ..hardware.errors import HardwareError
from ..hardware.motion_files.lerobot_dataset import INFO
from ..rig.authoring.gallery_folders import folder_of
from ..rig.blender.errors import RigError
from ..rig.blender.limber_version import limber_version
from ..rig.output.clips.bvh import SUFFIX
from . import command
from .index import MANIFEST, write_index
from .records import Records, TaskRecord
from .retarget import begin
from .shares import work
from .tasks import BatchError, digest, plan, sources
from .workers import WorkersError

NAME = "limber_retarget"
RECORDS, CLIPS = "records", "clips"  # folders inside the folder of --to
# format -> suffix of the clips' files
SUFFIXES = {"lerobot": ".parquet", "reachy": ".json", "csv": ".csv"}


def main(argv: list[str], launcher: list[str] | None = None) -> int:
    """Runs the command. Returns the exit code: 0; 1 if a clip failed; 2 if the batch was refused, or its
    records or index cannot be written; 130 if it was interrupted. `argv` and `launcher` as for
    `bake_command.main`.
    """
    if argv[:1] == [command.SHARE]:
        work(sys.stdin, begin)
        return 0
    options = _arguments().parse_args(argv)
    words = launcher if launcher and not options.blender else None
    words = words or command.launcher(NAME, "retarget_command", options.blender)
    return command.until_interrupted(NAME, lambda: _retarget(options, words))


def _retarget(options: argparse.Namespace, launcher: list[str]) -> int:
    folder = options.to.resolve()
    try:
        batch = _batch(options, folder)
        ended = command.run(batch, launcher, options)
        is_whole = write_index(folder, batch.tasks, batch.records, options.format, options.only_good)
    except (BatchError, RigError, WorkersError, HardwareError, ParquetError) as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        return command.NOTHING_STARTED
    except OSError as error:
        print(f"{NAME}: {error.filename}: {error.strerror}: choose another --to", file=sys.stderr)
        return command.NOTHING_STARTED
    if is_whole:
        print(f"{NAME}: {folder / MANIFEST} has the verdict on each clip")
    else:
        print(f"{NAME}: other shards are not done yet: the last one writes {MANIFEST}")
    return command.sum_up(NAME, ended)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=NAME, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "clips", nargs="+", type=Path, metavar="CLIPS", help=f"{SUFFIX} files, or folders that have some"
    )
    parser.add_argument(
        "--robot",
        default="",
        metavar="NAME|FILE",
        help="a robot of the gallery, or a URDF, xacro or MJCF file; with --setup: which of its armatures",
    )
    parser.add_argument("--to", type=Path, required=True, metavar="FOLDER", help="folder for all results")
    parser.add_argument("--format", choices=list(SUFFIXES), default="lerobot", help="default %(default)s")
    parser.add_argument(
        "--setup",
        type=Path,
        metavar="FILE.blend",
        help="a file with the robot, its pairs, calibration and gaze (default: Pair by Names)",
    )
    parser.add_argument(
        "--rate", type=int, default=0, metavar="HZ", help="rows per second (default: the format's)"
    )
    parser.add_argument(
        "--values",
        choices=("degrees", "range_m100_100", "plain"),
        default="degrees",
        help="unit of an arm's values in a LeRobot dataset (default %(default)s)",
    )
    parser.add_argument("--only-good", action="store_true", help="leave flagged clips out of the dataset")
    command.add_options(parser)
    return parser


def _batch(options: argparse.Namespace, folder: Path) -> command.Batch:
    """The batch for these options; raises BatchError or RigError if the clips cannot be retargeted
    with them.
    """
    if options.setup is None and not is_file(Path(options.robot)):
        folder_of(options.robot)
    if options.setup is not None and not is_file(options.setup):
        raise BatchError(f"There is no file {options.setup}: give a .blend file as --setup")
    if not 0 <= options.rate <= 255:
        raise BatchError(f"A --rate of {options.rate} Hz cannot be had: choose 1 to 255")
    if (folder / INFO).exists() and not (folder / RECORDS).exists():
        raise BatchError(f"{folder} is another LeRobot dataset, which would be lost: choose another --to")

    def output(source: Path, root: Path) -> Path:
        return folder / CLIPS / source.relative_to(root).with_suffix(SUFFIXES[options.format])

    tasks = plan(sources(options.clips, SUFFIX), output, root=folder)
    settings = _settings(options)
    return command.Batch(NAME, tasks, Records(folder / RECORDS, settings), settings, _sentence)


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """Everything on which the results depend, besides the clips."""
    robot = Path(options.robot)
    is_path = options.setup is None and is_file(robot)
    setup = options.setup.resolve() if options.setup is not None else None
    return {
        "robot": str(robot.resolve()) if is_path else options.robot,
        "robot_digest": digest(robot) if is_path else "",
        "setup": str(setup) if setup else "",
        "setup_digest": digest(setup) if setup else "",
        "format": options.format,
        "rate": options.rate,
        "values": options.values,
        "version": limber_version(),
    }


def _sentence(record: TaskRecord) -> str:
    if not record.reason:
        return f"{record.state}, {record.facts['seconds']:g} s"
    return f"{record.state}. {record.reason}"


CLI_COMMANDS = {NAME: main}
