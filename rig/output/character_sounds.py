"""Sounds of the scene's sequencer for a character file."""

from pathlib import Path
from typing import NamedTuple

import bpy

from ...character.file.media import MOST_SOUND_BYTES, MOST_SOUNDS, PackedSound
from ...hardware.errors import ExportError
from ...hardware.motion_files.sounds import read_sound
from ..blender.sound_strips import heard


class ClipSounds(NamedTuple):
    """The sounds of a clip.

    Attributes:
        sounds: The sounds that go into the file.
        remarks: Sentences on those that cannot be exported as they are.
        beside: Sound that begins with the clip and is to be copied beside the file, since it is too large and
            the file has no other; None for none.
    """

    sounds: tuple[PackedSound, ...]
    remarks: list[str]
    beside: Path | None


def clip_sounds(scene: bpy.types.Scene, frames: range) -> ClipSounds:
    """Sounds that begin in these frames of a scene, read from their files. A sound whose strip does not begin
    where its file begins, that cannot be read, or that is beyond the number or size of sounds gets a remark
    instead; one too large at the first frame can be copied to stand beside the file (`beside`).
    """
    seconds_a_frame = scene.render.fps_base / scene.render.fps
    sounds: list[PackedSound] = []
    remarks: list[str] = []
    beside = None
    for sound in heard(scene, frames):
        path, name = sound.file, sound.strip.name
        if sound.is_cut_at_begin or sound.begin < frames[0]:
            remarks.append(
                f"Sound '{name}' is not in the file: it does not begin with its file's begin, and players"
                " without Blender begin there. Cut the sound file itself"
            )
            continue
        try:
            data = read_sound(path)
        except ExportError as error:
            remarks.append(str(error))
            continue
        if (
            len(sounds) == MOST_SOUNDS
            or sum(len(packed.data) for packed in sounds) + len(data) > MOST_SOUND_BYTES
        ):
            remarks.append(
                f"Sound '{name}' is not in the file: a character has at most {MOST_SOUNDS} sounds, of"
                f" {MOST_SOUND_BYTES // 1_000_000} MB together. Convert it to OGG or MP3"
            )
            beside = path if sound.begin == frames[0] else beside
            continue
        remarks += sound.differences
        begin = (sound.begin - frames[0]) * seconds_a_frame
        sounds.append(PackedSound(path.name, begin, data))
    return ClipSounds(tuple(sounds), remarks, None if sounds else beside)
