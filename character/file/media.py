"""Picture and sounds of a character file: separate members, which a reader can leave unread."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from ...files.json_fields import JsonFields
from ...files.png import png_size
from ...files.sounds import SOUNDS
from .errors import CharacterFileError

THUMBNAIL = "thumbnail.png"  # name of the member that holds the picture
WIDEST = 1024  # [pixels] largest side of the picture; a larger one is refused
MOST_SOUNDS = 16  # largest number of sounds; more are refused
# [bytes] largest size of all sounds together that is exported: three minutes of uncompressed stereo. With it
# a file remains below the sizes that older readers accept.
MOST_SOUND_BYTES = 30_000_000
LONGEST_BEGIN = 1e6  # [s] latest begin of a sound, after the clip's; later ones are refused


class PackedSound(NamedTuple):
    """A sound that is played with the clip.

    Attributes:
        name: Name of its file, without a folder.
        begin: Its begin [s] after the clip's.
        data: Content of the file.
    """

    name: str
    begin: float
    data: bytes

    @property
    def suffix(self) -> str:
        """Suffix of the sound's file, such as ".wav"."""
        return PurePosixPath(self.name).suffix.lower()


def sounds_json(sounds: tuple[PackedSound, ...]) -> list[dict[str, Any]]:
    """The sounds for the JSON, without their content."""
    return [{"name": sound.name, "begin": sound.begin} for sound in sounds]


def media_members(thumbnail: bytes, sounds: tuple[PackedSound, ...]) -> dict[str, bytes]:
    """Members with the picture and the sounds, by their names."""
    members = {_member(k, sound.name): sound.data for k, sound in enumerate(sounds)}
    return {**members, THUMBNAIL: thumbnail} if thumbnail else members


def thumbnail_of(members: Mapping[str, bytes], name: str) -> bytes:
    """The picture of a file; b"" if the file has no picture.

    Raises:
        CharacterFileError: the member is no picture, or a larger one than Limber makes.
    """
    data = members.get(THUMBNAIL, b"")
    if data and max(png_size(data) or (WIDEST + 1,)) > WIDEST:
        raise CharacterFileError(
            f"'{name}': its member '{THUMBNAIL}' is no PNG picture of up to {WIDEST} pixels: export it again"
        )
    return data


def sounds_of(plain: JsonFields, members: Mapping[str, bytes], name: str) -> tuple[PackedSound, ...]:
    """The sounds of a file.

    Raises:
        CharacterFileError: there are more than `MOST_SOUNDS`, or a sound is missing, begins before the clip
            or later than `LONGEST_BEGIN`, or is of a format that is not supported.
    """
    if not plain.has("sounds"):
        return ()
    if len(plain.get("sounds", list)) > MOST_SOUNDS:
        plain.wrong("sounds", f"at most {MOST_SOUNDS} sounds")
    sounds = []
    for k, stored in enumerate(plain.children("sounds", "sound")):
        file_name, begin = stored.get("name", str), stored.number("begin", LONGEST_BEGIN)
        is_sound = SOUNDS.get(PurePosixPath(file_name).suffix.lower())
        if is_sound is None or begin < 0.0:
            stored.wrong("name", f"a sound ({', '.join(SOUNDS)}) that begins with the clip or in it")
        member = _member(k, file_name)
        if not is_sound(members.get(member, b"")):
            raise CharacterFileError(
                f"'{name}': its member '{member}' is missing, or no sound: export it again"
            )
        sounds.append(PackedSound(file_name, begin, members[member]))
    return tuple(sounds)


def _member(number: int, name: str) -> str:
    """Name of the member with a sound."""
    return f"sound{number}{PurePosixPath(name).suffix.lower()}"
