"""A user's consents to programs on this computer, each with the program's full path and the digest of its
content.

A file that names a program as the robot's protocol may come from anywhere, and its author must not decide
that the program runs here. So consents are stored in the user's folder and never in such a file. The process
that runs a program compares the digest of the bytes that it runs (`program.py`), so a program that changes
after it was allowed is refused at any time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from ...files import atomic
from ...files.content import SMALL, text
from ...files.plain import json_of
from .interface import ProtocolError
from .program import Program, read_program

FORMAT, VERSION = "limber-allowed-programs", 1


class ProgramConsents:
    """Consents of one user.

    Args:
        list_path: Returns the path of the file with the consents; None if it cannot be stored.
    """

    def __init__(self, list_path: Callable[[], Path | None]) -> None:
        self._list_path = list_path
        # digests by full path: those in the file when it was last read, and those allowed in this session
        self._allowed: dict[str, str] | None = None

    def allowed(self, path: str) -> str:
        """Digest of the content with which a program may run; "" if the user never allowed it."""
        return self._known().get(_full(path), "")

    def question(self, path: str) -> Program | None:
        """The program that needs the user's consent; None if its current content is allowed.

        Raises:
            ProtocolError: no path is given, or the program cannot be read.
        """
        if not path.strip():
            raise ProtocolError("No file is chosen: choose the Python file that talks to your robot")
        self._known().update(self._read())  # consents that another process of this user has stored meanwhile
        program = read_program(Path(_full(path)))
        return None if self.allowed(path) == program.digest else program

    def require(self, path: str) -> str:
        """Digest of a program whose current content the user has allowed.

        Raises:
            ProtocolError: the program is not allowed (the message names path and digest), or as `question`.
        """
        program = self.question(path)
        if program is not None:
            raise ProtocolError(
                f"{program.path} is a program that you have not allowed on this computer as it is now (SHA-256"
                f" {program.digest}): press Connect in the Robot panel, and allow it if you trust it"
            )
        return self.allowed(path)

    def allow(self, path: str, digest: str) -> str:
        """Store the user's consent to a program whose content has this digest; return why the consent ends
        with this session, "" if it was stored.
        """
        known = self._known()
        known.update(self._read())
        known[_full(path)] = digest
        list_path = self._list_path()
        if list_path is None:
            return "The user's folder of Blender cannot be made: Limber asks again after a restart"
        content = {"format": FORMAT, "version": VERSION, "programs": known}
        try:
            atomic.write_text(list_path, json.dumps(content, indent=1) + "\n")
        except OSError as error:
            return f"{list_path} cannot be written ({error.strerror}): Limber asks again after a restart"
        return ""

    def _known(self) -> dict[str, str]:
        if self._allowed is None:
            self._allowed = self._read()
        return self._allowed

    def _read(self) -> dict[str, str]:
        """Digests by full path in the file; empty if it is missing or damaged."""
        list_path = self._list_path()
        try:
            content = json_of(text(list_path, SMALL)) if list_path else None
        except (OSError, ValueError):
            return {}
        if (
            not isinstance(content, dict)
            or content.get("format") != FORMAT
            or content.get("version") != VERSION
        ):
            return {}
        programs = content.get("programs")
        if not isinstance(programs, dict):
            return {}
        return {path: digest for path, digest in programs.items() if isinstance(digest, str)}


NO_CONSENTS = ProgramConsents(lambda: None)
"""Consents in a host in which nobody can allow a program: it runs none."""


def _full(path: str) -> str:
    """Full path of a program, the same for all spellings."""
    return os.path.normcase(os.path.abspath(path.strip()))
