"""Tasks of a batch: the files to work on, and the paths of their results."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..files import atomic

# function from a source, and the folder that was named, to the path of the result
Output = Callable[[Path, Path], Path]


class BatchError(Exception):
    """The command cannot be carried out; the message gives the remedy."""


@dataclass(frozen=True)
class FileTask:
    """A file to work on.

    Attributes:
        name: Name of its record, unique among the tasks.
        source: The file.
        output: The file to write.
    """

    name: str
    source: Path
    output: Path


def sources(paths: Sequence[Path], suffix: str, skipped: str = "") -> list[tuple[Path, Path]]:
    """Files, given directly or in folders, sorted by path in each folder, each with the folder that was
    named, or with its own folder.

    Args:
        paths: Files and folders.
        suffix: Suffix of the files; case does not count.
        skipped: End of the stems of files in folders that are skipped, such as results of an earlier batch.

    Raises:
        BatchError: a file is missing or has another suffix, or there is none.
    """
    listed: list[tuple[Path, Path]] = []
    kinds = f"name {suffix} files, or folders that have some"
    for path in (path.resolve() for path in paths):
        if path.is_dir():
            files = (file for file in path.rglob("*") if file.suffix.lower() == suffix and file.is_file())
            listed += [(file, path) for file in sorted(files) if _is_source(file, skipped)]
        elif not path.exists():
            raise BatchError(f"There is no file {path}: {kinds}")
        elif path.suffix.lower() != suffix:
            raise BatchError(f"{path} is no {suffix} file: {kinds}")
        else:
            listed.append((path, path.parent))
    if not listed:
        raise BatchError(f"No {suffix} file is in {', '.join(map(str, paths))}: {kinds}")
    # a file may be named twice, directly and by a folder around it
    return list(dict(listed).items())


def _is_source(file: Path, skipped: str) -> bool:
    """Whether a file in a folder is worked on: neither a result (`skipped`) nor a temporary file."""
    is_result = bool(skipped) and file.stem.endswith(skipped)
    return not is_result and not file.stem.endswith(atomic.PART)


def plan(
    files: Sequence[tuple[Path, Path]], output: Output, in_place: bool = False, root: Path | None = None
) -> list[FileTask]:
    """The tasks of files, sorted by their outputs, so that the order is the same on each machine.

    Args:
        files: Each file, with the folder that was named.
        output: Function that returns the path of a result.
        in_place: Whether results may replace their sources.
        root: Folder of all outputs; tasks are named by their paths in it. None if there is none.

    Raises:
        BatchError: two files have the same output, or one would be overwritten.
    """
    source_of: dict[Path, Path] = {}
    for source, folder in files:
        path = output(source, folder)
        other = source_of.setdefault(path, source)
        if other != source:
            raise BatchError(
                f"{other} and {source} would both be written to {path}: give their common folder, or work on"
                " them separately"
            )
        if not in_place and path == source:
            raise BatchError(f"{source} would be overwritten: choose another folder, or use --in-place")
    return [FileTask(_name(path, root), source_of[path], path) for path in sorted(source_of)]


def _name(output: Path, root: Path | None) -> str:
    """Name of the task with this output: unique, and the same on each machine if its path in `root` is."""
    path = output if root is None else output.relative_to(root)
    return f"{output.stem[:60]}-{hashlib.sha256(path.as_posix().encode('utf-8')).hexdigest()[:12]}"


def shard(tasks: Sequence[FileTask], part: tuple[int, int]) -> list[FileTask]:
    """Tasks of shard k of n, `part` = (k, n): every n-th task, from the k-th on, counted from 1."""
    number, count = part
    return list(tasks[number - 1 :: count])


def part_of(text: str) -> tuple[int, int]:
    """(k, n) of the text "k/n": shard k, counted from 1, of n.

    Raises:
        ValueError: The text is no shard, or k is not from 1 to n.
    """
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise ValueError(f"'{text}' is no shard: give 1/4, 2/4, 3/4 or 4/4 for four of them")
    return int(match[1]), int(match[2])


def digest(path: Path) -> str:
    """SHA-256 of a file; "" if the file does not exist."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
