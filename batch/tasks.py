"""Which files are baked to which, and what was done before. Knows no Blender."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ..files import atomic
from ..files.plain import json_of

SUFFIX = "_baked"
ENTRY = ("source", "output", "state", "how", "read", "made")  # of the journal: what decides whether a file is baked again
PART = f"{atomic.PART}.blend"  # of a file that is being written


class BatchError(Exception):
    """The files cannot be baked as asked; the message says what mends it."""


@dataclass(frozen=True)
class Settings:
    """What all files are baked with.

    Attributes:
        frames: First and last; None: as each chain says.
        only_live: Only what was saved live.
        scripts: Python in the files may run (drivers with expressions, registered texts).
    """

    frames: tuple[int, int] | None = None
    only_live: bool = False
    scripts: bool = False


@dataclass(frozen=True)
class Task:
    """One file to bake."""

    source: Path
    output: Path


@dataclass
class Outcome:
    """What came of one file.

    Attributes:
        state: "baked", "nothing to bake", "failed", or "there already".
        reason: Why it failed.
        actions, frames, remarks: As `rig.output.bake_scene.Baked`, of all scenes.
        seconds: It took Blender, from opening to saving.
    """

    source: str
    output: str
    state: str
    reason: str = ""
    actions: list[str] = field(default_factory=list)
    frames: int = 0
    remarks: list[str] = field(default_factory=list)
    seconds: float = 0.0


def plan(given: list[Path], folder: Path | None, in_place: bool) -> list[Task]:
    """The files to bake; folders stand for all .blend files in them, but for those that a bake has made.

    Raises:
        BatchError: a file is missing or no .blend file, there is none, or two would be written to the same place.
    """
    sources: list[tuple[Path, Path]] = []  # file, and the folder from which its place in the output counts
    for path in (path.resolve() for path in given):
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*.blend") if not file.stem.endswith(SUFFIX) and not file.name.endswith(PART))
            sources += [(file, path) for file in inside]
        elif not path.exists():
            raise BatchError(f"There is no file {path}: name .blend files, or folders that have some")
        elif path.suffix != ".blend":
            raise BatchError(f"{path} is no .blend file: name .blend files, or folders that have some")
        else:
            sources.append((path, path.parent))
    if not sources:
        raise BatchError(f"No .blend file is in {', '.join(map(str, given))}: name .blend files, or folders that have some")
    tasks = [Task(source, _output(source, root, folder, in_place)) for source, root in dict(sources).items()]
    places: dict[Path, Path] = {}
    for task in tasks:
        other = places.setdefault(task.output, task.source)
        if other != task.source:
            raise BatchError(
                f"{other} and {task.source} would both be baked to {task.output}: give their common folder, or bake them apart"
            )
        if not in_place and task.output == task.source:
            raise BatchError(f"{task.source} would be written over: choose another folder, or say --in-place")
    return tasks


def _output(source: Path, root: Path, folder: Path | None, in_place: bool) -> Path:
    if in_place:
        return source
    if folder is None:
        return source.with_name(source.stem + SUFFIX + ".blend")
    return folder.resolve() / source.relative_to(root)


def digest(path: Path) -> str:
    """Of a file's bytes; "" where there is none."""
    if not path.exists():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Journal:
    """What was baked, a line of JSON for each file, so that a batch that was broken off goes on where it was.

    Args:
        path: Of its file; what cannot be read of it counts as not done.
        settings: Files that were baked with others are baked again.
        version: Of Limber; the same.

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
        """Whether the file was baked as it is now, and what came of it is still there."""
        entry = self._done.get((str(task.source), str(task.output)))
        if entry is None or entry["how"] != self.how or entry["state"] == "failed":
            return False
        before = entry["made"] if task.output == task.source and entry["made"] else entry["read"]
        return digest(task.source) == before and (not entry["made"] or digest(task.output) == entry["made"])

    def note(self, task: Task, read: str, outcome: Outcome) -> None:
        """Add an outcome. `read`: the source's digest before. Where that fails, `problem` says so: the files are baked nevertheless."""
        try:
            made = digest(task.output) if outcome.state == "baked" else ""
            self.path.parent.mkdir(parents=True, exist_ok=True)
            atomic.append_lines(self.path, [json.dumps({**asdict(outcome), "how": self.how, "read": read, "made": made})])
        except OSError as error:
            said = f"{self.path} cannot be written ({error.strerror})"
            self.problem = f"{said}: a later batch bakes these files again; choose another --journal"


def _entries(path: Path) -> Iterator[dict[str, str]]:
    """What a journal says that is whole: a run that was killed leaves half a line, and a user may have changed some.

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
