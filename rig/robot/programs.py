"""Consent to users' own programs on this computer: which may run, each by its full path and the digest of its
content.

A .blend or a calibration file can name a program as the robot's protocol, and its author must not decide that
it runs here. So consent is stored in neither of them, but in a file in the user's own folder. The process
that runs a program compares the digest of the bytes that it runs (`hardware/protocols/program.py`), so a
program that changes after it was allowed is refused at any time.
"""

import json
import os
from pathlib import Path

from ...files import atomic
from ...files.content import SMALL, text
from ...files.plain import json_of
from ...hardware.protocols.interface import ProtocolError
from ...hardware.protocols.program import Program, read_program
from ..blender.user_folder import user_folder

FOLDER, FILE = "programs", "allowed.json"
FORMAT, VERSION = "limber-allowed-programs", 1

_allowed: dict[str, str] | None = (
    None  # digests by full path: those in the file when it was last read, and those allowed in this session
)


def allowed(path: str) -> str:
    """Digest of the content with which a program may run; "" if the user never allowed it."""
    return _known().get(_full(path), "")


def question(path: str) -> Program | None:
    """The program that needs the user's consent; None if its current content is allowed.

    Raises:
        ProtocolError: no path is given, or the program cannot be read.
    """
    if not path.strip():
        raise ProtocolError("No file is chosen: choose the Python file that talks to your robot")
    _read_again()
    program = read_program(Path(_full(path)))
    return None if allowed(path) == program.digest else program


def require(path: str) -> str:
    """Digest of a program whose current content the user has allowed.

    Raises:
        ProtocolError: the program is not allowed (the message names path and digest), or as `question`.
    """
    program = question(path)
    if program is not None:
        raise ProtocolError(
            f"{program.path} is a program that you have not allowed on this computer as it is now (SHA-256"
            f" {program.digest}): press Connect in the Robot panel, and allow it if you trust it"
        )
    return allowed(path)


def allow(path: str, digest: str) -> str:
    """Stores the user's consent to a program with this content; returns why it lasts for this session only,
    or "".
    """
    _read_again()
    _known()[_full(path)] = digest
    path_of_list = _file()
    if path_of_list is None:
        return "The user's folder of Blender cannot be made: Limber asks again after a restart"
    try:
        atomic.write_text(
            path_of_list,
            json.dumps({"format": FORMAT, "version": VERSION, "programs": _known()}, indent=1) + "\n",
        )
    except OSError as error:
        return f"{path_of_list} cannot be written ({error.strerror}): Limber asks again after a restart"
    return ""


def _full(path: str) -> str:
    return os.path.normcase(os.path.abspath(path.strip()))


def _file() -> Path | None:
    folder = user_folder(FOLDER)
    return folder / FILE if folder else None


def _known() -> dict[str, str]:
    global _allowed
    if _allowed is None:
        _allowed = _read()
    return _allowed


def _read_again() -> None:
    """Reads what another Blender of this user has allowed meanwhile."""
    _known().update(_read())


def _read() -> dict[str, str]:
    """Content of the file; a missing or damaged file allows nothing."""
    file_path = _file()
    try:
        content = json_of(text(file_path, SMALL)) if file_path else None
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict) or content.get("format") != FORMAT or content.get("version") != VERSION:
        return {}
    programs = content.get("programs")
    if not isinstance(programs, dict):
        return {}
    return {path: digest for path, digest in programs.items() if isinstance(digest, str)}
