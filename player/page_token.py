"""The token of the page's address, stored in a file so that a bookmark on a phone remains valid."""

import os
import re
import secrets
import stat
from pathlib import Path

from ..files import atomic
from ..files.content import text
from .errors import PlayerError

TOKEN = re.compile(r"[A-Za-z0-9_-]{16,200}")
OTHERS = stat.S_IRWXG | stat.S_IRWXO  # permissions of others than the owner


def kept_token(path: Path) -> str:
    """The token in a file; if the file is missing, it is made with a new token.

    Raises:
        PlayerError: The file has no token, or others may read it.
        OSError: The file cannot be read or written.
    """
    if not path.exists():
        token = secrets.token_urlsafe(16)
        atomic.write_private(path, f"{token}\n")
        return token
    try:
        token = text(path, 1000).strip()
    except UnicodeDecodeError:
        token = ""
    if TOKEN.fullmatch(token) is None:
        raise PlayerError(f"{path} has no token: name a file that is not there, and it is made with one")
    if os.name == "posix" and path.stat().st_mode & OTHERS:
        raise PlayerError(f"{path}: others may read this token: chmod 600 {path}")
    return token
