"""Makes the documents' pictures of the interface and of the code: `python scripts/pictures.py [NAME ...]`.

A picture of the interface is a part of a photograph that a script in tests/window/plays takes in a real
window; an animated picture is made of many photographs. Pictures of the code, `packages` and `frame`, need no
window. `make demo` writes the pictures of the demo to build/demo, `make bench` those of the solvers to
build/bench. A picture of a gallery robot is made only by name, from the output of `make demo ROBOT=NAME`:
`scripts/pictures.py gallery_so101`. The pictures of Motion Check and of the player's page, which needs
Chromium, show the lamp that `make demo` has written.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import package_picture
import page_picture
from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).resolve().parents[1]
WINDOW = ROOT / "scripts" / "window.sh"
PLAYS = ROOT / "tests" / "window" / "plays"
PHOTOGRAPHS = ROOT / "build" / "window"
PICTURES = ROOT / "docs" / "pictures"


@dataclass(frozen=True)
class Picture:
    """A part of a photograph.

    Attributes:
        name: Name of the file in docs/pictures, without its suffix.
        play: Name of the script that takes the photograph, in a window of 1600 by `height` pixels.
        photograph: Name of the photograph.
        box: Left, top, width and height of the part [pixels].
    """

    name: str
    play: str
    photograph: str
    box: tuple[int, int, int, int]
    height: int = 1000


FAMILIES = ("limber", "feetech_sts", "dynamixel", "maestro", "servo_animation")
TABLE = (
    Picture("authoring", "authoring", "authoring", (543, 80, 770, 980), 1180),
    Picture("behaviour", "behaviour", "behaviour", (1300, 80, 280, 560), 1700),
    Picture("compare", "compare", "compared", (8, 208, 760, 308)),
    Picture("first_minutes", "first_minutes", "first_playing", (313, 75, 1000, 640)),
    Picture("mechanism_panel", "mechanism", "mechanism_live", (560, 0, 1040, 1000)),
    Picture("overlays", "overlays", "overlays_late", (245, 75, 800, 520)),
    Picture("own_rig", "own_rig", "own_rig_live", (245, 80, 1040, 815)),
    Picture("panel", "live", "live_playing", (590, 75, 723, 832)),
    Picture("retarget_panel", "retarget", "retarget_live", (1316, 82, 262, 862)),
    Picture("robot_calibrate", "robot_states", "robot_calibrate", (1303, 81, 280, 1078), 1250),
    Picture("robot_feedback", "robot_states", "robot_feedback", (0, 79, 1584, 1140), 1250),
    Picture("robot_found", "robot_states", "robot_found", (1300, 80, 280, 1078), 1250),
    Picture("so101_zero", "robot_lerobot", "robot_lerobot", (600, 75, 990, 1155), 1300),
    Picture("walker", "walker", "walker_step", (0, 28, 1316, 1160), 1300),
    Picture("zones", "zones", "zones", (360, 60, 960, 780), 1300),
    *(
        Picture(f"family_{family}", "robot_families", f"family_{family}", (1318, 80, 258, 1310), 1450)
        for family in FAMILIES
    ),
)


CODE = ("packages", "frame")  # names of the pictures in docs/architecture.md
ROBOT = "gallery_"  # prefix of the names of gallery robots' pictures
ROBOTS = tuple(f"{ROBOT}{name}" for name in ("reachy_mini", "so101", "lelamp", "open_duck_mini"))
RIG = "own_rig_"  # prefix of the names of the sheets for the guide's page *Your own rig*
RIGS = tuple(f"{RIG}{name}" for name in ("human", "horse", "tentacle", "walk"))
CHECK = "motion_check"
PAGE = "player_page"
MIDDLE_FRAMES = ("0046", "0118", "0190")  # middle frame of each posture in the demo
ROBOT_SIZE = (320, 240)  # [pixels] size of the picture of one posture
FILMS = {  # animated pictures docs/pictures/NAME.webp: name -> (script, text below the picture)
    "lamp_film": ("film", "orange: where the virtual robot is"),
    "robot_film": ("robot_film", "right: the pose that the virtual robot reports"),
}
COLOURS = 64  # number of colours of a picture of the code: letters stay smooth, and the file small
FILM_SIZE = (720, 480)  # [pixels] size of the window for animated pictures
FILM_FRAME = 83  # [ms] duration of a picture: two frames of the scene, at 24 per second
FILM_QUALITY = 80  # quality of 100: lines stay sharp, and the file stays under 1 MB


def play(name: str, width: int, height: int, seconds: int = 400) -> dict:
    """Runs a script in a window of this size [pixels], for at most `seconds` [s]; returns the facts that it
    reports. Ends the program if the script fails.
    """
    done = subprocess.run(
        [WINDOW, "run", PLAYS / f"{name}.py", PHOTOGRAPHS / f"{name}.png"],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "LIMBER_WINDOW_SMOOTH": "1",
            "LIMBER_WINDOW_SIZE": f"{width}x{height}",
            "LIMBER_WINDOW_LIMIT": str(seconds),
        },
    )
    if done.returncode:
        sys.exit(f"pictures: the play {name} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def film(name: str) -> None:
    """Plays the script of `FILMS[name]` in a window, and writes its photographs, with captions and a legend,
    to docs/pictures/NAME.webp.
    """
    which, legend = FILMS[name]
    folder = PHOTOGRAPHS / "film"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    facts = play(which, *FILM_SIZE, seconds=2400)
    left, top, width, height = facts["box"]
    caption, frames = "", []
    for number, path in enumerate(sorted(folder.glob("*.png"))):
        caption = facts["captions"].get(str(number), caption)
        with Image.open(path) as photograph:
            frame = photograph.crop((left, top, left + width, top + height))
        write = ImageDraw.Draw(frame)
        write.text((16, 12), caption, (255, 255, 255), ImageFont.load_default(22))
        write.text((16, height - 28), legend, (255, 150, 40), ImageFont.load_default(14))
        frames.append(frame)
    path = PICTURES / f"{name}.webp"
    frames[0].save(
        path,
        save_all=True,
        append_images=frames[1:],
        duration=FILM_FRAME,
        loop=0,
        quality=FILM_QUALITY,
        method=6,
    )
    print(f"pictures: docs/pictures/{path.name}, {path.stat().st_size / 1e3:.0f} kB", flush=True)


def make(pictures: list[Picture]) -> None:
    """Runs the scripts of these pictures, each once, and cuts the pictures out of their photographs."""
    for (name, height), group in groupby(sorted(pictures, key=_window), key=_window):
        play(name, 1600, height)
        for picture in group:
            cut(picture)
            print(f"pictures: docs/pictures/{picture.name}.png", flush=True)


def _window(picture: Picture) -> tuple[str, int]:
    return picture.play, picture.height


def draw_code(names: list[str]) -> None:
    """Draws the pictures of the code: from its source (`packages`), or traced while it runs (`frame`)."""
    for name in names:
        path = PICTURES / f"{name}.png"
        if name == "packages":
            for package, other in package_picture.draw(path):
                print(f"pictures: {package} imports {other}: that arrow runs back up")
        else:
            trace = [sys.executable, "-m", "benchmarks.frame_path", "--picture", path]
            subprocess.run(trace, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        with Image.open(path) as picture:
            picture.convert("RGB").quantize(COLOURS).save(path, optimize=True)
        print(f"pictures: docs/pictures/{path.name}", flush=True)


def draw_robots(names: list[str]) -> None:
    """For each gallery robot, joins the middle frames of its postures to one picture. `make demo ROBOT=NAME`
    must have written them to build/demo; the program ends if they are missing.
    """
    for name in names:
        frames = sorted((ROOT / "build" / "demo" / name.removeprefix(ROBOT) / "frames").glob("*.png"))
        middle = [path for path in frames if path.stem.endswith(MIDDLE_FRAMES) and "erik" not in path.stem]
        if len(middle) != len(MIDDLE_FRAMES):
            sys.exit(
                f"pictures: {name} needs the demo's frames: run `make demo ROBOT={name.removeprefix(ROBOT)}`"
            )
        pictures = [
            Image.open(path).resize(ROBOT_SIZE, Image.Resampling.LANCZOS)
            for path in sorted(middle, key=lambda path: path.stem[-4:])
        ]
        strip = Image.new("RGB", (sum(picture.width for picture in pictures), ROBOT_SIZE[1]))
        for k, picture in enumerate(pictures):
            strip.paste(picture, (k * ROBOT_SIZE[0], 0))
        strip.quantize(256).save(PICTURES / f"{name}.png", optimize=True)
        print(f"pictures: docs/pictures/{name}.png", flush=True)


def draw_rigs(names: list[str]) -> None:
    """Draws the sheets of *Your own rig* in a separate process, since they need a Blender without a
    window.
    """
    if names:
        rigs = [name.removeprefix(RIG) for name in names]
        subprocess.run(
            [sys.executable, ROOT / "scripts" / "own_rig_pictures.py", *rigs],
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        print(*(f"pictures: docs/pictures/{name}.png" for name in names), sep="\n", flush=True)


def draw_check() -> None:
    """Draws Motion Check's picture in a separate process, since it needs a Blender without a window."""
    subprocess.run(
        [sys.executable, ROOT / "scripts" / "check_picture.py"],
        cwd=ROOT,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    print(f"pictures: docs/pictures/{CHECK}.svg", flush=True)


def cut(picture: Picture) -> None:
    left, top, width, height = picture.box
    with Image.open(PHOTOGRAPHS / f"{picture.photograph}.png") as photograph:
        photograph.crop((left, top, left + width, top + height)).save(
            PICTURES / f"{picture.name}.png", optimize=True
        )


def main(names: list[str]) -> None:
    known = {CHECK, PAGE, *FILMS, *CODE, *ROBOTS, *RIGS, *(picture.name for picture in TABLE)}
    if unknown := set(names) - known:
        sys.exit(f"pictures: there is no {', '.join(sorted(unknown))}: choose of {', '.join(sorted(known))}")
    draw_code([name for name in CODE if name in names or not names])
    draw_rigs([name for name in RIGS if name in names or not names])
    # only by name, since each needs a demo of two minutes
    draw_robots([name for name in ROBOTS if name in names])
    if CHECK in names or not names:
        draw_check()
    if PAGE in names or not names:
        page_picture.make(PICTURES / f"{PAGE}.png")
    PHOTOGRAPHS.mkdir(parents=True, exist_ok=True)
    make([picture for picture in TABLE if picture.name in names or not names])
    for name in FILMS:
        if name in names or not names:
            film(name)
    print("Look at them before they are committed: `git diff --stat docs/pictures`")


if __name__ == "__main__":
    main(sys.argv[1:])
