"""A user's protocol file: its bytes, and the digest with which it is allowed to run."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from .interface import ProtocolError

MOST_BYTES = 1 << 20  # [bytes] largest size of a program; a larger file is refused, as hardly written by hand


@dataclass(frozen=True, slots=True)
class Program:
    """Content of a program file that was read once, so that the bytes shown, compared and run are
    the same.
    """

    path: Path
    source: bytes

    @property
    def digest(self) -> str:
        """SHA-256 of the content, as hexadecimal digits."""
        return hashlib.sha256(self.source).hexdigest()


def read_program(path: Path) -> Program:
    """Read a file without running it.

    Raises:
        ProtocolError: The file is missing, cannot be read, or is too large.
    """
    try:
        is_other = path.exists() and not path.is_file()
    except (OSError, ValueError):
        is_other = False  # the error of opening the file, below, gives the reason
    if is_other:
        raise ProtocolError(
            f"The robot's file {path} is no file: choose the Python file that talks to your robot"
        )
    try:
        with path.open("rb") as file:
            source = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: an impossible path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ProtocolError(f"The robot's file {path} cannot be read: {reason}") from error
    if len(source) > MOST_BYTES:
        raise ProtocolError(
            f"The robot's file {path} has more than {MOST_BYTES} bytes: choose the Python file that talks to"
            " your robot"
        )
    return Program(path, source)


def read_allowed(path: Path, allowed: str) -> Program:
    """Read a program file whose content the user has allowed to run.

    Args:
        path: Path of the file.
        allowed: The digest of the content that the user has allowed; "" if no content is allowed.

    Raises:
        ProtocolError: As `read_program`, or the content is not what was allowed.
    """
    program = read_program(path)
    if program.digest != allowed:
        raise ProtocolError(
            f"{path} is not the program that you have allowed on this computer: connect again, and allow it"
            " if you trust it"
        )
    return program
