"""Arming without a press: once after this computer was switched on, if its installer, the person who sets it
up for the robot, has permitted it.

The permission is in a file on this computer, `arm_at_start.json` in the user's configuration folder, with one
SHA-256 for the character file and a calibration file beside it, so that other files in their place arm
nothing. Used permissions and faults are stored in the user's state folder.
"""

import hashlib
import json
import os
import stat
from pathlib import Path
from typing import NamedTuple

from ..files import atomic
from ..files.content import SMALL, content, text
from ..files.plain import json_of
from ..files.reasons import reason
from .errors import PlayerError
from .robots import calibration_beside

FORMAT, VERSION = "limber-arm-at-start", 1
BOOT = Path("/proc/sys/kernel/random/boot_id")  # file whose content changes each time that Linux starts
UNPERMITTED = "nobody has permitted it for {file} as it is now: type limber arm-at-start {file} in a terminal"
WRITABLE = stat.S_IWGRP | stat.S_IWOTH  # permissions of others than the owner to write a file


def _folder(variable: str, otherwise: str) -> Path:
    """Limber's folder in one of the user's by the XDG Base Directory Specification: the one that the
    environment variable names, else `otherwise` in the home folder.
    """
    named = os.environ.get(variable, "")
    return Path(named if os.path.isabs(named) else Path.home() / otherwise) / "limber"


def permission_path() -> Path:
    """Path of the file with the installer's permissions; it need not exist."""
    return _folder("XDG_CONFIG_HOME", ".config") / "arm_at_start.json"


class Permission(NamedTuple):
    """Permission to arm at the start, for files with this SHA-256 (`_digest`)."""

    digest: str

    @property
    def _state_folder(self) -> Path:
        return _folder("XDG_STATE_HOME", ".local/state")

    @property
    def _fault_path(self) -> Path:
        """Path of a file that exists from a fault until a person clears all robots, or arms while none has a
        fault.
        """
        return self._state_folder / f"fault-{self.digest[:32]}"

    def claim(self) -> str:
        """Uses up the single arming that is permitted after this computer was switched on. Returns "" if the
        robot may be armed, else the reason why not: a stored fault, after which nothing is used up, an
        earlier use, or a file that cannot be read or made.
        """
        if self._fault_path.exists():
            return "after a fault a person clears or arms first"
        try:
            boot = content(BOOT, SMALL).decode().strip()
            self._state_folder.mkdir(parents=True, exist_ok=True)
            is_first = atomic.claim(self._state_folder / f"armed-{self.digest[:32]}-{boot}")
        except OSError as error:
            return f"{error.filename}: {reason(error)}"
        return (
            "" if is_first else "it is permitted once after this computer was switched on, and that was used"
        )

    def note_fault(self) -> None:
        """Stores that there was a fault; raises OSError if that fails."""
        self._state_folder.mkdir(parents=True, exist_ok=True)
        atomic.claim(self._fault_path)

    def note_person(self) -> None:
        """Clears stored faults, since a person has cleared them or armed."""
        self._fault_path.unlink(missing_ok=True)


def permission_for(character: Path) -> Permission | None:
    """The installer's permission for a character file; None if there is none.

    Raises:
        PlayerError: The installer's file is damaged, or others may write it.
        OSError: A file cannot be read.
    """
    path = permission_path()
    if not path.exists():
        return None
    if os.name == "posix" and (path.stat().st_mode & WRITABLE or path.stat().st_uid not in (0, os.getuid())):
        raise PlayerError(f"{path}: others may write it, so it is not followed: chmod 600 {path}")
    digest = _digest(character)
    return Permission(digest) if digest in _allowed(path) else None


def allow(character: Path) -> Path:
    """Permits arming at the start for the current content of a character file; returns the path of the
    installer's file.

    Raises:
        PlayerError: The installer's file is damaged.
        OSError: A file cannot be read or written.
    """
    path = permission_path()
    allowed = _allowed(path) if path.exists() else {}
    allowed[_digest(character)] = str(character.resolve())
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = {"format": FORMAT, "version": VERSION, "characters": allowed}
    atomic.write_private(path, json.dumps(plain, indent=1) + "\n")
    return path


def _digest(character: Path) -> str:
    """SHA-256 over the SHA-256 of a character file and, if there is one, that of the calibration file beside
    it.
    """
    beside = calibration_beside(character)
    files = [character, beside] if beside.exists() else [character]
    return hashlib.sha256(b"".join(hashlib.sha256(content(path)).digest() for path in files)).hexdigest()


def _allowed(path: Path) -> dict[str, str]:
    """Paths of the character files in the installer's file, by their digests; raises PlayerError if it is
    damaged.
    """
    try:
        plain = json_of(text(path, SMALL))
    except ValueError as error:
        raise PlayerError(
            f"{path} is no JSON ({error}): delete it, and let the installer write it"
        ) from error
    characters = plain.get("characters") if isinstance(plain, dict) else None
    if not isinstance(characters, dict) or (plain.get("format"), plain.get("version")) != (FORMAT, VERSION):
        raise PlayerError(f"{path} is not of this version: delete it, and let the installer write it again")
    return {digest: name for digest, name in characters.items() if isinstance(name, str)}
