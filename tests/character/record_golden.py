"""Records a character file of the version that is written now, for the tests of later versions:
`.venv/bin/python -m tests.character.record_golden`. A file that is there is not replaced.
"""

import sys
import tempfile
import wave
from pathlib import Path

import bpy

from checkout import load_limber

GOLDEN = Path(__file__).parent / "golden"
FRAMES = 49


def voice(folder: Path) -> Path:
    """A sound of a tenth of a second."""
    path = folder / "voice.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(2000)
        file.writeframes(bytes(range(200)))
    return path


def main() -> None:
    limber = load_limber()
    from limber.character.file import archive
    from limber.rig.blender import sound_strips

    major, minor = archive.VERSION
    path = GOLDEN / f"v{major}_{minor}.limber"
    if path.exists():
        sys.exit(f"{path} is there already: files of that version were written before")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.preferences.addons.new().module = limber.__package__
    limber.register()
    bpy.ops.limber.add_demo_lamp()
    bpy.context.active_object.limber.chains[0].life.amount = 1.0
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    with tempfile.TemporaryDirectory() as folder:
        sound_strips.add(scene, voice(Path(folder)), 1)
        bpy.ops.limber.live()
        bpy.ops.limber.export_character(filepath=str(path), behaviour="ATTENTIVE")


if __name__ == "__main__":
    main()
