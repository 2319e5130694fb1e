"""Files that match a path with the wildcards *, ? and [...]."""

import os
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from ...files.presence import is_file, is_folder

WILDCARDS = "*?["


def is_pattern(name: str) -> bool:
    """Whether a file's name has wildcards."""
    return any(wildcard in name for wildcard in WILDCARDS)


def matching_files(pattern: Path, count: Callable[[], None]) -> Iterator[Path]:
    """Files that match an absolute path with wildcards, sorted. A part of the path that exists literally is
    not treated as a pattern.

    Args:
        count: Called for each entry of a folder that is compared with the pattern.
    """
    paths = [Path(pattern.anchor)]
    for part in pattern.parts[1:]:
        paths = [path for folder in paths for path in _matching_entries(folder, part, count)]
    return filter(is_file, paths)


def _matching_entries(folder: Path, part: str, count: Callable[[], None]) -> Iterator[Path]:
    """Entries of a folder that match one part of a pattern; a part without wildcards need not exist, one
    that exists is taken literally. `count` is called for each entry that is compared with wildcards.
    """
    if not is_pattern(part) or os.path.lexists(folder / part):
        yield folder / part
        return
    for name in _entry_names(folder):
        count()
        if fnmatchcase(name, part) and name.startswith(".") <= part.startswith("."):
            # hidden files must be named explicitly
            yield folder / name


def _entry_names(folder: Path) -> list[str]:
    """Names in a folder, sorted; empty if it cannot be read."""
    try:
        return sorted(os.listdir(folder)) if is_folder(folder) else []
    except OSError:
        return []
