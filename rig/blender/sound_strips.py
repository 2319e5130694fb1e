"""Sound strips of a scene's sequencer: added with an imported motion, and found for the export of a
motion.
"""

from pathlib import Path

import bpy

from ...files.presence import is_file
from .errors import RigError

CHANNELS = 128  # number of the sequencer's channels


def _strips(editor: bpy.types.SequenceEditor) -> bpy.types.bpy_prop_collection:
    return (
        editor.strips if hasattr(editor, "strips") else editor.sequences
    )  # strips were called sequences before Blender 4.4


def add(scene: bpy.types.Scene, path: Path, frame: int) -> "bpy.types.SoundStrip":
    """Adds a sound at a frame, in the first free channel; returns its strip.

    Raises:
        RigError: the file is no sound that Blender can play, or this Blender is built without audio.
    """
    if not bpy.app.build_options.audaspace:
        raise RigError(
            f"This Blender is built without sound, so the motion has none: add '{path.name}' in another"
            " Blender"
        )
    strips = _strips(scene.sequence_editor_create())
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


def heard(scene: bpy.types.Scene, frames: range) -> "list[bpy.types.SoundStrip]":
    """Sound strips that are heard in these frames of a scene, ordered by their first frames."""
    editor = scene.sequence_editor
    strips = [
        strip
        for strip in (_strips(editor) if editor is not None else ())
        if strip.type == "SOUND"
        and not strip.mute
        and strip.sound
        and strip.frame_final_start <= frames[-1]
        and strip.frame_final_end > frames[0]
    ]
    return sorted(strips, key=lambda strip: (strip.frame_final_start, strip.channel))


def file_of(strip: "bpy.types.SoundStrip") -> Path:
    """Path of a sound strip's file."""
    return Path(bpy.path.abspath(strip.sound.filepath, library=strip.sound.library))


def is_cut_at_begin(strip: "bpy.types.SoundStrip") -> bool:
    """Whether a strip begins later than its sound."""
    return strip.frame_final_start != strip.frame_start


def is_cut_at_end(strip: "bpy.types.SoundStrip") -> bool:
    """Whether a strip ends earlier than its sound."""
    return strip.frame_final_end < strip.frame_start + strip.frame_duration


def beginning_at(scene: bpy.types.Scene, frame: int) -> Path | None:
    """File of the sound strip that starts at a frame with the start of its sound; None if there is none."""
    for strip in heard(scene, range(frame, frame + 1)):
        if strip.frame_final_start == frame and not is_cut_at_begin(strip) and is_file(file_of(strip)):
            return file_of(strip)
    return None
