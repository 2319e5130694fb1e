"""Photographs the player's page, with the lamp that `make demo` has exported, in Chromium, for the
documents.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
LAMP = ROOT / "build" / "demo" / "without_blender" / "lamp.limber"
PROGRAM = (
    "import sys; from checkout import load_limber; load_limber();"
    " from limber.player.command import main; sys.exit(main(sys.argv[1:]))"
)
COLOURS = 64  # number of colours: letters stay smooth, and the file small
WIDTH, HEIGHT = 760, 900  # [pixels] size of the page
ROBOT = "document.querySelector('#robots p').textContent"


def button(text: str) -> str:
    """JavaScript expression for the button with a text."""
    return f"[...document.querySelectorAll('button')].find(b => b.textContent === {text!r})"


def make(path: Path, character: Path = LAMP) -> None:
    """Plays a character with a virtual robot, directs it in a browser until it speaks, and writes the
    picture of the page to `path`.
    """
    sys.path.insert(0, str(ROOT))
    from tests.player.browser import browsing

    command = [sys.executable, "-c", PROGRAM, "play", str(character), "--port", "virtual", "--page", "0"]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        ) as player,
        browsing(Path(folder)) as tab,
    ):
        address = next(match[1] for line in player.stdout if (match := re.match(r"Page: (\S+)", line)))
        tab.resize(WIDTH, HEIGHT)
        tab.open(address)
        tab.click(button("Arm"))
        tab.until(f"{ROBOT} === 'Armed: the robot follows'")
        tab.click(button("arrive"))
        tab.until(f"{button('Attending')}.classList.contains('on')")
        tab.click(button("speak"))
        tab.until(f"{button('Speaking')}.classList.contains('on')")
        # the influence of the behaviour's state is reached, and so are its postures
        tab.until("state.chains[0].influence > 0.99")
        tab.value("scrollTo(0, 0)")
        tab.picture(path)
        player.terminate()
        player.communicate()
    with Image.open(path) as picture:
        picture.quantize(COLOURS).save(path)


if __name__ == "__main__":
    make(ROOT / "docs" / "pictures" / "player_page.png", *map(Path, sys.argv[1:]))
