"""Tests whether a path is a file or a folder, for paths from files or users that may be invalid."""

from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether a path is an existing file; False for names that no path can have, such as one of 300
    letters.
    """
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Whether a path is an existing folder; False for names that no path can have."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
