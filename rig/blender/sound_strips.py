"""Sound strips of a scene's sequencer: added with an imported motion, and found for the export of a
motion.
"""

from collections.abc import Iterator
from math import inf, prod
from pathlib import Path
from typing import NamedTuple

import bpy

from ...files.presence import is_file
from .actions import fcurves, playing
from .errors import RigError

CHANNELS = 128  # number of the sequencer's channels


def strips_of(owner: "bpy.types.SequenceEditor | bpy.types.MetaStrip") -> bpy.types.bpy_prop_collection:
    """Strips of a sequencer or meta strip."""
    # strips were called sequences before Blender 4.4
    return owner.strips if hasattr(owner, "strips") else owner.sequences


def add(scene: bpy.types.Scene, path: Path, frame: int) -> "bpy.types.SoundStrip":
    """Adds a sound at a frame, in the first free channel, or the last if none is free; returns its strip.

    Raises:
        RigError: the file is no sound that Blender can play, or this Blender is built without audio.
    """
    if not bpy.app.build_options.audaspace:
        raise RigError(
            f"This Blender is built without sound, so the motion has none: add '{path.name}' in another"
            " Blender"
        )
    strips = strips_of(scene.sequence_editor_create())
    taken = {strip.channel for strip in strips if strip.frame_final_end > frame}
    channel = next((k for k in range(1, CHANNELS + 1) if k not in taken), CHANNELS)
    try:
        strip = strips.new_sound(path.stem, str(path), channel, frame)
    except RuntimeError as error:
        raise RigError(
            f"Sound '{path.name}' cannot be read, so the motion has none: convert it to WAV"
        ) from error
    if strip.frame_final_duration <= 1:  # Blender makes a strip of one frame from a file without sound
        sound = strip.sound
        strips.remove(strip)
        if sound is not None and not sound.users:
            bpy.data.sounds.remove(sound)
        raise RigError(
            f"Sound '{path.name}' is empty or no sound that Blender plays, so the motion has none: convert it"
            " to WAV"
        )
    return strip


class HeardSound(NamedTuple):
    """A sound strip, and the frames of the scene in which it is heard.

    Attributes:
        strip: The strip.
        metas: The meta strips that it is in, the outermost first.
        begin, end: First frame in which the strip is heard, and the frame after the last one; its meta strips
            may cut it.
    """

    strip: "bpy.types.SoundStrip"
    metas: "tuple[bpy.types.MetaStrip, ...]"
    begin: float
    end: float

    @property
    def file(self) -> Path:
        """Path of the sound's file."""
        sound = self.strip.sound
        return Path(bpy.path.abspath(sound.filepath, library=sound.library))

    @property
    def is_cut_at_begin(self) -> bool:
        """Whether the beginning of the sound's file is not heard, since the strip or a meta strip cuts it."""
        return self.begin != self.strip.frame_start

    @property
    def volume(self) -> float:
        """Volume of the strip, times those of its meta strips; 1 is the file's volume."""
        return prod(strip.volume for strip in self._with_volume)

    @property
    def has_animated_volume(self) -> bool:
        """Whether the volume of the strip or of one of its meta strips is animated."""
        return any(_is_animated(strip, "volume") for strip in self._with_volume)

    @property
    def _with_volume(self) -> "list[bpy.types.Strip]":
        """The strip and its meta strips, as far as they have a volume."""
        # meta strips have a volume from Blender 5.1 on
        return [strip for strip in (*self.metas, self.strip) if hasattr(strip, "volume")]

    @property
    def differences(self) -> list[str]:
        """Sentences on how the file, played alone from its beginning, differs from the strip."""
        strip, sentences = self.strip, []
        if self.end < strip.frame_start + strip.frame_duration:
            sentences.append(
                f"Sound '{strip.name}' is cut at its end: without Blender it plays to its file's end"
            )
        changes = [
            f"animated {name}" if is_animated else f"{name} {value:g}"
            for name, value, usual, is_animated in (
                ("volume", self.volume, 1.0, self.has_animated_volume),
                ("pan", strip.pan, 0.0, _is_animated(strip, "pan")),
            )
            if is_animated or value != usual
        ]
        if changes:
            sentences.append(
                f"Sound '{strip.name}' plays as in its file without Blender, which leaves out the strip's"
                f" {' and '.join(changes)}: change the sound file itself"
            )
        return sentences


def heard(scene: bpy.types.Scene, frames: range) -> list[HeardSound]:
    """Sounds that are heard in these frames of a scene, those in meta strips too, ordered by their first
    frames. Strips that are muted or in a muted channel, or whose volume is 0 and not animated, are left
    out.
    """
    editor = scene.sequence_editor
    sounds = [
        sound
        for sound in (_sounds(editor) if editor is not None else ())
        if sound.begin <= frames[-1] and sound.end > frames[0]
        if sound.volume or sound.has_animated_volume
    ]
    return sorted(sounds, key=lambda sound: (sound.begin, sound.strip.channel))


def _sounds(
    owner: "bpy.types.SequenceEditor | bpy.types.MetaStrip",
    metas: "tuple[bpy.types.MetaStrip, ...]" = (),
    begin: float = -inf,
    end: float = inf,
) -> Iterator[HeardSound]:
    """The unmuted sounds of a sequencer or meta strip.

    Args:
        owner: The sequencer or meta strip.
        metas: The meta strip and those that it is in; () for a sequencer.
        begin, end: First frame of the meta strip that is heard, and the one after the last.
    """
    for strip in strips_of(owner):
        first, after = max(begin, strip.frame_final_start), min(end, strip.frame_final_end)
        if strip.mute or owner.channels[strip.channel].mute or first >= after:
            continue
        if strip.type == "META":
            yield from _sounds(strip, (*metas, strip), first, after)
        elif strip.type == "SOUND" and strip.sound:
            yield HeardSound(strip, metas, first, after)


def _is_animated(strip: "bpy.types.Strip", name: str) -> bool:
    """Whether keyframes or a driver of the scene change a property of a strip."""
    scene, path = strip.id_data, strip.path_from_id(name)
    curves = [curve for action, slot in playing(scene) for curve in fcurves(action, slot)]
    curves += scene.animation_data.drivers if scene.animation_data else []
    return any(curve.data_path == path for curve in curves)


def beginning_at(scene: bpy.types.Scene, frame: int) -> HeardSound | None:
    """The first sound whose file exists and begins to play at a frame; None if there is no such sound."""
    for sound in heard(scene, range(frame, frame + 1)):
        if sound.begin == frame and not sound.is_cut_at_begin and is_file(sound.file):
            return sound
    return None
