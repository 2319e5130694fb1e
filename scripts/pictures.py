"""Makes the documents' pictures of the interface anew, from a real window: `python scripts/pictures.py [NAME ...]`.

Each is a part of a photograph that a play of tests/window/plays takes. `make demo` leaves the pictures of the demo in build/demo,
`make bench` those of the solvers in build/bench.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
WINDOW = ROOT / "scripts" / "window.sh"
PLAYS = ROOT / "tests" / "window" / "plays"
PHOTOGRAPHS = ROOT / "build" / "window"
PICTURES = ROOT / "docs" / "pictures"


@dataclass(frozen=True)
class Picture:
    """A part of a photograph.

    Attributes:
        name: Of the file in docs/pictures, without its suffix.
        play: Which takes the photograph, in a window of 1600 pixels by `height`.
        photograph: Its name.
        box: Left, top, width and height [pixels] of the part.
    """

    name: str
    play: str
    photograph: str
    box: tuple[int, int, int, int]
    height: int = 1000


FAMILIES = ("limber", "feetech_sts", "dynamixel", "maestro", "servo_animation")
TABLE = (
    Picture("authoring", "authoring", "authoring", (543, 80, 770, 980), 1180),
    Picture("compare", "compare", "compared", (8, 208, 760, 308)),
    Picture("first_minutes", "first_minutes", "first_playing", (313, 75, 1000, 640)),
    Picture("mechanism_panel", "mechanism", "mechanism_live", (560, 0, 1040, 1000)),
    Picture("overlays", "overlays", "overlays_late", (245, 75, 800, 520)),
    Picture("panel", "live", "live_playing", (590, 75, 723, 832)),
    Picture("retarget_panel", "retarget", "retarget_live", (1316, 82, 262, 862)),
    Picture("robot_calibrate", "robot_states", "robot_calibrate", (1303, 81, 280, 680)),
    Picture("robot_feedback", "robot_states", "robot_feedback", (0, 79, 1584, 890)),
    Picture("robot_found", "robot_states", "robot_found", (1300, 80, 280, 780)),
    Picture("zones", "zones", "zones", (360, 60, 960, 780), 1300),
    *(Picture(f"family_{family}", "robot_families", f"family_{family}", (1318, 80, 258, 1010), 1150) for family in FAMILIES),
)


def make(pictures: list[Picture]) -> None:
    """Plays what is needed, each play once, and cuts the pictures out."""
    for (name, height), group in groupby(sorted(pictures, key=_window), key=_window):
        done = subprocess.run(
            [WINDOW, "run", PLAYS / f"{name}.py", PHOTOGRAPHS / f"{name}.png"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "LIMBER_WINDOW_SMOOTH": "1", "LIMBER_WINDOW_SIZE": f"1600x{height}"},
        )
        if done.returncode:
            sys.exit(f"pictures: the play {name} failed:\n{done.stderr}")
        for picture in group:
            cut(picture)
            print(f"pictures: docs/pictures/{picture.name}.png", flush=True)


def _window(picture: Picture) -> tuple[str, int]:
    return picture.play, picture.height


def cut(picture: Picture) -> None:
    left, top, width, height = picture.box
    with Image.open(PHOTOGRAPHS / f"{picture.photograph}.png") as photograph:
        photograph.crop((left, top, left + width, top + height)).save(PICTURES / f"{picture.name}.png", optimize=True)


def main(names: list[str]) -> None:
    unknown = set(names) - {picture.name for picture in TABLE}
    if unknown:
        sys.exit(f"pictures: there is no {', '.join(sorted(unknown))}: choose of {', '.join(picture.name for picture in TABLE)}")
    PHOTOGRAPHS.mkdir(parents=True, exist_ok=True)
    make([picture for picture in TABLE if picture.name in names or not names])
    print("Look at them before they are committed: `git diff --stat docs/pictures`")


if __name__ == "__main__":
    main(sys.argv[1:])
