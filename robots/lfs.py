"""Git LFS pointers: small text files instead of large ones that were not downloaded."""

from pathlib import Path

SIGNATURE = b"version https://git-lfs.github.com/spec/"  # first bytes of a pointer (Git LFS specification)
IS_POINTER = (
    "is a Git LFS pointer, not the file itself: run `git lfs pull` in its repository, then import again"
)


def is_lfs_pointer(path: Path) -> bool:
    """Whether the file is a Git LFS pointer; False for a file that cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(SIGNATURE)) == SIGNATURE
    except OSError:
        return False
