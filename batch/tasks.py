"""Files to bake and their outputs, and the journal of what was baked before. Knows no Blender."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ..files import atomic
from ..files.plain import json_of

SUFFIX = "_baked"
ENTRY = (
    "source",
    "output",
    "state",
    "how",
    "read",
    "made",
)  # keys of a journal entry that decide whether a file is baked again
PART = f"{atomic.PART}.blend"  # end of the name of a file that is being written


class BatchError(Exception):
    """The command cannot be carried out; the message gives the remedy."""


@dataclass(frozen=True)
class Settings:
    """Settings for all files of a batch.

    Attributes:
        frames: First and last; None: the range of each chain.
        only_live: Bake only what was live when the file was saved.
        scripts: Allow Python in the files (drivers with expressions, registered texts).
    """

    frames: tuple[int, int] | None = None
    only_live: bool = False
    scripts: bool = False


@dataclass(frozen=True)
class Task:
    """A file to bake, and where to save the result."""

    source: Path
    output: Path


@dataclass
class Outcome:
    """Outcome of one file.

    Attributes:
        state: "baked", "nothing to bake", "failed", or "baked already".
        reason: Why it failed, or why there was nothing to bake.
        actions, frames, remarks: Fields of `rig.output.bake_scene.Baked`, for all scenes together.
        seconds: Time [s] from opening to saving the file.
    """

    source: str
    output: str
    state: str
    reason: str = ""
    actions: list[str] = field(default_factory=list)
    frames: int = 0
    remarks: list[str] = field(default_factory=list)
    seconds: float = 0.0


def plan(paths: list[Path], folder: Path | None, in_place: bool) -> list[Task]:
    """Tasks for files and folders: of a folder all .blend files, except outputs of an earlier bake.

    Args:
        paths: Files and folders.
        folder: Folder for the outputs; None: beside each file.
        in_place: Overwrite the files.

    Raises:
        BatchError: a file is missing or no .blend file, there is none, or two have the same output.
    """
    sources: list[tuple[Path, Path]] = []  # file, and the folder to which its path in the output is relative
    for path in (path.resolve() for path in paths):
        if path.is_dir():
            inside = sorted(
                file
                for file in path.rglob("*.blend")
                if not file.stem.endswith(SUFFIX) and not file.name.endswith(PART)
            )
            sources += [(file, path) for file in inside]
        elif not path.exists():
            raise BatchError(f"There is no file {path}: name .blend files, or folders that have some")
        elif path.suffix != ".blend":
            raise BatchError(f"{path} is no .blend file: name .blend files, or folders that have some")
        else:
            sources.append((path, path.parent))
    if not sources:
        raise BatchError(
            f"No .blend file is in {', '.join(map(str, paths))}: name .blend files, or folders that have some"
        )
    tasks = [Task(source, _output(source, root, folder, in_place)) for source, root in dict(sources).items()]
    source_of: dict[Path, Path] = {}
    for task in tasks:
        other = source_of.setdefault(task.output, task.source)
        if other != task.source:
            raise BatchError(
                f"{other} and {task.source} would both be baked to {task.output}: give their common folder,"
                " or bake them separately"
            )
        if not in_place and task.output == task.source:
            raise BatchError(f"{task.source} would be overwritten: choose another folder, or use --in-place")
    return tasks


def _output(source: Path, root: Path, folder: Path | None, in_place: bool) -> Path:
    if in_place:
        return source
    if folder is None:
        return source.with_name(source.stem + SUFFIX + ".blend")
    return folder.resolve() / source.relative_to(root)


def digest(path: Path) -> str:
    """SHA-256 of a file; "" if it does not exist."""
    if not path.exists():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Journal:
    """Record of what was baked, one line of JSON per file, so that an interrupted batch can continue.

    Args:
        path: Path of the journal file; unreadable lines count as not baked.
        settings: Files that were baked with other settings are baked again.
        version: Version of Limber; files that another version baked are baked again.

    Raises:
        BatchError: The file cannot be read.
    """

    def __init__(self, path: Path, settings: Settings, version: str) -> None:
        self.path, self.how = path, json.dumps([asdict(settings), version])
        self.problem = ""
        self._done: dict[tuple[str, str], dict[str, str]] = {}  # source and output -> the last entry
        if path.exists():
            for entry in _entries(path):
                self._done[entry["source"], entry["output"]] = entry

    def has(self, task: Task) -> bool:
        """Whether the file has been baked in its present state, and the output is unchanged."""
        entry = self._done.get((str(task.source), str(task.output)))
        if entry is None or entry["how"] != self.how or entry["state"] == "failed":
            return False
        before = entry["made"] if task.output == task.source and entry["made"] else entry["read"]
        return digest(task.source) == before and (not entry["made"] or digest(task.output) == entry["made"])

    def note(self, task: Task, read: str, outcome: Outcome) -> None:
        """Adds the outcome of a task. `read` is the source's digest before the bake. If writing fails,
        `problem` says so and the batch goes on.
        """
        try:
            output_digest = digest(task.output) if outcome.state == "baked" else ""
            self.path.parent.mkdir(parents=True, exist_ok=True)
            atomic.append_lines(
                self.path,
                [json.dumps({**asdict(outcome), "how": self.how, "read": read, "made": output_digest})],
            )
        except OSError as error:
            said = f"{self.path} cannot be written ({error.strerror})"
            self.problem = f"{said}: a later batch bakes these files again; choose another --journal"


def _entries(path: Path) -> Iterator[dict[str, str]]:
    """Valid entries of a journal: a run that was killed leaves half a line, and a user may have edited some.

    Raises:
        BatchError: The file cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise BatchError(f"{path} cannot be read ({error.strerror}): choose another --journal") from error
    for line in lines:
        try:
            entry = json_of(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and all(isinstance(entry.get(name), str) for name in ENTRY):
            yield entry
