"""Runs inside a real Blender's event loop: installs the built package, opens its tab, and runs a script step
by step.

A script is a file with a generator function `play(stage)`. A timer of Blender runs it, so that the interface
works between its steps:

    def play(stage):
        stage.open_tab()                        # the sidebar with the Limber tab
        yield 0.5                               # [s] to wait, while Blender draws and handles events;
                                                None: one cycle of its event loop
        stage.photograph("tab")                 # build/window/tab.png: the whole screen
        stage.facts["panels"] = 7               # values that the test checks

A script begins with an empty scene, Blender's default settings and the newly enabled extension. Each line of
standard input names a script, a file for its facts, a file for a last picture and the scale of the interface,
separated by tabs. The scripts run one after another until one fails or the input ends; then Blender quits.
scripts/window.sh starts this program.
"""

import importlib
import json
import os
import queue
import runpy
import sys
import threading
import time
import tomllib
import traceback
from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import screen

REPO = Path(__file__).resolve().parents[1]
PICTURES = Path(os.environ["LEFT"])  # folder for pictures; see window.sh
RUN = Path(sys.argv[sys.argv.index("--") + 1])
SCREEN = RUN / "Xvfb_screen0"
MODULE = "bl_ext.user_default.limber"
SMOOTH = "LIMBER_WINDOW_SMOOTH"
FIRST = 1.0  # [s] time after the start by which the window exists
AFRESH = 0.2  # [s] time after the settings were reset by which the interface is drawn
LOOK = 0.1  # [s] time between two checks whether there is a script to run
IDLE = 0.005  # [s] sleep in each cycle of Blender's event loop: Blender's own value
# smallest number of cycles of Blender's event loop in each wait: if drawing takes long, the effect of a click
# is not visible after the first one
TURNS = 3


class Stage:
    """The window, and the functions with which a script uses it.

    Attributes:
        facts: Values that the test checks, by name.
        at_end: Functions to call after the script, which restore the state of Blender and of the extension's
            modules and classes for the next one.
    """

    def __init__(self) -> None:
        self.at_end = ExitStack()
        self.facts: dict[str, object] = {"blender": bpy.app.version_string}

    @property
    def window(self) -> bpy.types.Window:
        return bpy.context.window_manager.windows[0]

    def part(self, name: str) -> ModuleType:
        """A module of the installed package: `stage.part("rig.live.live")`."""
        return importlib.import_module(f"{MODULE}.{name}")

    def until(self, condition: Callable[[], bool], limit: float = 90.0) -> Generator[float, None, None]:
        """Waits, as steps of a script, until a condition is met: `yield from stage.until(lambda: ...)`.
        Raises TimeoutError after `limit` [s].
        """
        give_up = time.monotonic() + limit
        while not condition():
            if time.monotonic() > give_up:
                raise TimeoutError(f"it did not come to be within {limit:g} s")
            yield 0.05

    def area(self, kind: str = "VIEW_3D") -> bpy.types.Area:
        """The largest area of that type."""
        return max(
            (area for area in self.window.screen.areas if area.type == kind),
            key=lambda area: area.width * area.height,
        )

    def region(self, kind: str = "WINDOW", area: str = "VIEW_3D") -> bpy.types.Region:
        return next(region for region in self.area(area).regions if region.type == kind)

    def context(self, area: str = "VIEW_3D", region: str = "WINDOW"):
        """Context override in which an operator is called as from that area: `with stage.context():
        bpy.ops...`.
        """
        return bpy.context.temp_override(
            window=self.window, area=self.area(area), region=self.region(region, area)
        )

    def open_tab(self, category: str = "Limber") -> None:
        """Opens that tab in the 3D view's sidebar; it is visible after the next redraw."""
        self.area().spaces.active.show_region_ui = True
        self.redraw()
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
        self.region("UI").active_panel_category = category
        self.redraw()

    def maximise(self) -> None:
        """Maximises the 3D view."""
        with self.context():
            bpy.ops.screen.screen_full_area()

    def redraw(self) -> None:
        for area in self.window.screen.areas:
            area.tag_redraw()

    def photograph(self, name: str) -> Path:
        """Photographs the whole screen as it was last drawn (wait a little after a change); returns the path
        build/window/NAME.png.
        """
        PICTURES.mkdir(parents=True, exist_ok=True)
        path = PICTURES / f"{name}.png"
        screen.photograph(SCREEN, path)
        return path

    def point(self, x: float, y: float, region: str = "WINDOW", area: str = "VIEW_3D") -> tuple[int, int]:
        """Pixel of the window at a point of a region, given as shares from 0 to 1 from its lower left
        corner.
        """
        bounds = self.region(region, area)
        return int(bounds.x + x * (bounds.width - 1)), int(bounds.y + y * (bounds.height - 1))

    def move(self, pixel: tuple[int, int]) -> None:
        """Moves the mouse to a pixel of the window."""
        self.window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=pixel[0], y=pixel[1])

    def click(self, pixel: tuple[int, int]) -> None:
        self.move(pixel)
        self.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=pixel[0], y=pixel[1])
        self.window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=pixel[0], y=pixel[1])

    def press(self, key: str, pixel: tuple[int, int] | None = None, **modifiers: bool) -> None:
        """Types a key with the mouse at a pixel (default: the middle of the 3D view): `stage.press("SPACE")`,
        `stage.press("A", shift=True)`.
        """
        x, y = pixel or self.point(0.5, 0.5)
        self.move((x, y))
        self.window.event_simulate(type=key, value="PRESS", x=x, y=y, **modifiers)
        self.window.event_simulate(type=key, value="RELEASE", x=x, y=y, **modifiers)


def install() -> None:
    """Installs the built package into this run's empty profile, with Blender's own operator. Raises
    FileNotFoundError without a package, RuntimeError if Blender does not enable it.
    """
    version = tomllib.loads((REPO / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]
    package = REPO / "build" / f"limber-{version}.zip"
    if not package.exists():
        raise FileNotFoundError(f"no {package}: run `make build` first")
    bpy.ops.extensions.package_install_files(
        filepath=str(package), repo="user_default", enable_on_install=True
    )
    if MODULE not in bpy.context.preferences.addons:
        raise RuntimeError("the package was installed but not enabled")


def start_afresh() -> None:
    """Resets Blender to its default settings and start-up file, and enables the extension again. Its modules
    stay imported, as when a user disables and enables it: importing takes a second of a processor.
    """
    bpy.ops.wm.read_factory_settings()
    bpy.ops.preferences.addon_enable(module=MODULE)


def draw_roughly() -> None:
    """Switches off smooth lines, the endless floor, outlines and the view below the sidebar: drawn in
    software, these take half of a redraw's time.
    """
    system = bpy.context.preferences.system
    system.viewport_aa = "OFF"
    system.use_overlay_smooth_wire = system.use_edit_mode_smooth_wire = False
    system.use_region_overlap = False
    for screen_layout in bpy.data.screens:
        for area in screen_layout.areas:
            for space in area.spaces:
                if space.type == "VIEW_3D":
                    space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
                    space.shading.show_object_outline = False


def settle_in(scale: float) -> None:
    """Sets up the state in which every script begins, with an interface of this scale."""
    bpy.context.preferences.view.show_splash = False
    bpy.context.preferences.view.ui_scale = scale
    bpy.context.preferences.view.use_save_prompt = False
    if SMOOTH not in os.environ:
        draw_roughly()
    for each in list(bpy.data.objects):
        bpy.data.objects.remove(each)


def rest() -> float:
    """Sleeps in each cycle of Blender's event loop. Blender does so itself if it is idle, but not while
    events may be simulated; an idle window would then keep a core busy.
    """
    time.sleep(IDLE)
    return 0.0


class Performance:
    """Runs a script step by step, and writes its facts and a last picture to files."""

    def __init__(self, script: Path, facts: Path, picture: Path) -> None:
        self.stage = Stage()
        self._facts, self._picture = facts, picture
        self._steps: Generator[float | None, None, None] = runpy.run_path(str(script))["play"](self.stage)
        self._pauses: list[float] = []  # [s] remaining parts of a wait

    def advance(self) -> float | None:
        """Runs the next step; returns the time until the following one [s], or None at the end. Raises the
        exceptions of the script.
        """
        if not self._pauses:
            try:
                pause = next(self._steps)
            except StopIteration:
                self._finish()
                return None
            self._pauses = [0.0] if pause is None else [pause / TURNS] * TURNS
        return self._pauses.pop()

    def photograph(self) -> None:
        screen.photograph(SCREEN, self._picture)

    def _finish(self) -> None:
        self.photograph()
        self.stage.at_end.close()
        part = self._facts.with_suffix(".part")
        part.write_text(json.dumps(self.stage.facts, indent=1) + "\n", encoding="utf-8")
        part.replace(self._facts)


class Director:
    """Runs the scripts that standard input names, from a timer of Blender."""

    def __init__(self) -> None:
        self._orders: queue.Queue[str] = queue.Queue()
        self._performance: Performance | None = None
        self._began = False

    def read(self) -> None:
        """Queues the lines of standard input until it ends, then an empty one, at which Blender quits."""
        with os.fdopen(0, encoding="utf-8") as lines:
            for line in lines:
                self._orders.put(line.rstrip("\n"))
        self._orders.put("")

    def advance(self) -> float | None:
        try:
            return self._step()
        except BaseException:  # any exception of a script must reach the test and end Blender
            traceback.print_exc()
            sys.stderr.flush()
            if self._performance is not None:
                self._performance.photograph()
            os._exit(1)

    def _step(self) -> float | None:
        if self._performance is None:
            return self._begin()
        pause = self._performance.advance()
        if pause is None:
            self._performance = None
            return 0.0
        return pause

    def _begin(self) -> float | None:
        if self._orders.empty():
            return LOOK
        order = self._orders.get()
        if not order:
            return self._quit()
        is_first = not self._began
        if is_first:
            install()
        else:
            start_afresh()
        self._began = True
        *paths, scale = order.split("\t")
        settle_in(float(scale))
        self._performance = Performance(*map(Path, paths))
        return FIRST if is_first else AFRESH

    def _quit(self) -> None:
        bpy.context.preferences.view.use_save_prompt = False
        bpy.ops.wm.quit_blender()


bpy.context.preferences.view.show_splash = False
director = Director()
threading.Thread(target=director.read, daemon=True).start()
bpy.app.timers.register(rest, persistent=True)
bpy.app.timers.register(director.advance, first_interval=FIRST, persistent=True)
