"""The container of a character file: a zip of named members with their sizes and digests.

`manifest.json` contains the version, and size and SHA-256 of every other member. Members are read by name and
never unpacked to disk, and nothing in them is executed. A reader refuses a newer major version, and ignores
members and fields that it does not know.
"""

import hashlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...files import atomic
from ...files.content import LARGE, content
from ...files.json_fields import JsonFields
from ...files.plain import json_of
from ...files.reasons import reason
from .errors import CharacterFileError

FORMAT = "limber character"
# (major, minor): readers of an older major version refuse the file; a newer minor version only adds fields,
# which older readers ignore
VERSION = (1, 1)
MANIFEST = "manifest.json"
# limits beyond which a reader refuses a file, so that a malicious one cannot fill the memory
MOST_MEMBERS = 64  # largest number of members
MOST_MANIFEST = 100_000  # [bytes] largest size of the manifest, and of the zip's list of members
MOST_TOTAL = 64_000_000  # [bytes] largest unpacked size of all members together
ENTRY_DATE = (1980, 1, 1, 0, 0, 0)  # earliest date in a zip, so that the same character gives the same file
# [bytes] length of a zip's end of central directory record, and of the ZIP64 locator before it; below, their
# signatures
END_LENGTH, LOCATOR_LENGTH = 22, 20
END, LOCATOR = b"PK\x05\x06", b"PK\x06\x07"
DAMAGED = (  # exceptions that Python raises for zips that are damaged or malicious
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    IndexError,
    KeyError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)


def write(path: Path, members: Mapping[str, bytes]) -> None:
    """Writes a character file, whole or not at all.

    Args:
        path: Path of the file.
        members: Content of its members by their names.

    Raises:
        OSError: the file cannot be written.
    """
    atomic.write(path, packed(members))


def packed(members: Mapping[str, bytes]) -> bytes:
    """The bytes of a character file with these members."""
    listed = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in sorted(members.items())
    }
    manifest = {"format": FORMAT, "version": list(VERSION), "members": listed}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in {MANIFEST: json.dumps(manifest, indent=1).encode(), **members}.items():
            entry = zipfile.ZipInfo(name, ENTRY_DATE)
            entry.create_system = 3  # Unix, whatever the system, so that the bytes are the same
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def read(path: Path) -> dict[str, bytes]:
    """Members of a character file by their names; errors as for `unpacked`.

    Raises:
        OSError: the file cannot be read, or is larger than 50 MB.
    """
    return unpacked(content(path, LARGE), path.name)


def unpacked(data: bytes, name: str) -> dict[str, bytes]:
    """Members of a character file by their names.

    Args:
        data: The bytes of the file.
        name: Name of the file, for messages.

    Raises:
        CharacterFileError: the data is no character file, is damaged or beyond the limits, or is of a newer
            major version.
    """
    _check_end(data, name)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            manifest = _manifest(archive, name)
            return {member: _member(archive, member, entry, name) for member, entry in manifest.items()}
    except CharacterFileError:
        raise
    except DAMAGED as error:
        why = reason(error) if isinstance(error, OSError) else str(error) or type(error).__name__
        raise CharacterFileError(f"'{name}' is damaged: {why}. Export it again") from error


def _check_end(data: bytes, name: str) -> None:
    """Raises CharacterFileError unless the data ends as a zip with few members does, so that its list of
    members is short.
    """
    end = data[-END_LENGTH:]
    if len(end) < END_LENGTH or not end.startswith(END):
        raise CharacterFileError(f"'{name}' is no character file, or is cut off: export it again")
    count, size = int.from_bytes(end[10:12], "little"), int.from_bytes(end[12:16], "little")
    is_large = data[-END_LENGTH - LOCATOR_LENGTH : -END_LENGTH].startswith(LOCATOR)
    if is_large or count > MOST_MEMBERS or size > MOST_MANIFEST:
        raise CharacterFileError(f"'{name}' has more members than a character file: export it again")


def _manifest(archive: zipfile.ZipFile, name: str) -> dict[str, JsonFields]:
    """The manifest's entries for the other members, by their names. Raises CharacterFileError if the manifest
    is missing or invalid, of a newer major version, or beyond the limits.
    """
    if MANIFEST not in archive.namelist():
        raise CharacterFileError(f"'{name}' is no character file: it has no {MANIFEST}")
    text = _bytes(archive, MANIFEST, MOST_MANIFEST, name)
    fields = JsonFields(f"{name}, {MANIFEST}", _json(text, f"{name}, {MANIFEST}"), CharacterFileError)
    fields.choice("format", (FORMAT,))
    version = fields.numbers("version", 2)
    if version[0] > VERSION[0]:
        raise CharacterFileError(
            f"'{name}' is of version {version[0]:g}.{version[1]:g}, and this Limber reads up to"
            f" {VERSION[0]}: install a newer Limber, or export the character with an older one"
        )
    members = dict(fields.child("members").members("member"))
    if len(members) > MOST_MEMBERS:
        raise CharacterFileError(f"{name}, {MANIFEST}: more than {MOST_MEMBERS} members")
    if sum(entry.whole("bytes", 0, MOST_TOTAL) for entry in members.values()) > MOST_TOTAL:
        raise CharacterFileError(f"{name}, {MANIFEST}: more than {MOST_TOTAL // 1_000_000} MB")
    return members


def _member(archive: zipfile.ZipFile, member: str, entry: JsonFields, name: str) -> bytes:
    """Content of a member. Raises CharacterFileError unless its size and digest are those in its entry of the
    manifest.
    """
    size = entry.whole("bytes", 0, MOST_TOTAL)
    data = _bytes(archive, member, size, name)
    digest = hashlib.sha256(data).hexdigest()
    if len(data) != size or digest != entry.get("sha256", str):
        raise CharacterFileError(
            f"'{name}' is damaged: its member '{member}' is not what was exported. Export it again"
        )
    return data


def _bytes(archive: zipfile.ZipFile, member: str, most: int, name: str) -> bytes:
    """Content of a member. Raises CharacterFileError if it is larger than `most` bytes or packed by another
    method.
    """
    if archive.getinfo(member).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # members compressed by other methods are unpacked whole before their size is known
        raise CharacterFileError(f"'{name}' is damaged: its member '{member}' is packed in another way")
    with archive.open(member) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise CharacterFileError(f"'{name}' is damaged: its member '{member}' is larger than it says")
    return data


def _json(data: bytes, name: str) -> Any:
    """Value of JSON data. Raises CharacterFileError, which begins with `name`, if it is no JSON."""
    try:
        return json_of(data.decode("utf-8"))
    except ValueError as error:
        raise CharacterFileError(f"{name}: expected JSON: {error}") from error
