"""The folder of the demo's output: files of an earlier run are deleted, and nothing else. Knows no
Blender.
"""

import re
from pathlib import Path

OWN = ("report.json", "take.npz", "contact_sheet.json", "contact_sheet.png", "plot.png")
FRAME = re.compile(r"\w+_\d{4,}\.png")  # name of a picture's file; see `picture` in main


class FolderError(Exception):
    """The folder has files that the demo did not write, or cannot be made; the message says what to do."""


def prepare(folder: Path, blend: str, *more: str) -> None:
    """Makes `folder` with an empty folder `frames` in it, and deletes the files of an earlier run; `blend` is
    the name of the .blend that the demo will write, `more` are names of other files.

    Other folders in it are kept: the demo's profile, and those of other clips.

    Raises:
        FolderError: it contains a file that the demo did not write, or cannot be made; nothing was deleted.
    """
    frames = folder / "frames"
    try:
        frames.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderError(
            f"The folder {folder} cannot be made ({error}): give another one with --out"
        ) from error
    names = {*OWN, blend, f"{blend}1", *more}  # Blender keeps the previous .blend as .blend1
    old = [path for path in folder.iterdir() if path != frames and not path.is_dir()]
    strange = [path for path in old if path.name not in names]
    pictures = list(frames.iterdir())
    strange += [path for path in pictures if not FRAME.fullmatch(path.name)]
    if strange:
        raise FolderError(
            f"The folder {folder} holds what is not the demo's ({strange[0].name}): give an empty one with"
            " --out"
        )
    for path in [*old, *pictures]:
        path.unlink()
