"""Clicks every button of the tab once, in an empty scene and with the demo lamp; an opened dialog or file
browser is cancelled. Where the mouse is not used on everything (`alone.EVERYTHING`), it clicks a button in
each panel of each scene.

The scene is restored before each click.
"""

import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import bpy

sys.path.insert(0, str(Path(__file__).parent))

from alone import EVERYTHING, Alone, Button
from drop_downs import is_choice

LEFT_OUT = {  # operator -> reason why it is not clicked
    "limber.add_robot": "imports a robot's model, as test_gallery does",
}
LOG = Path(sys.argv[sys.argv.index("--") + 1]) / "blender.log"
# functions by which operators respond: a report, a menu, sentences in a popup
ANSWERS = ("report", "offer", "show")


def empty() -> None:
    """Does nothing: an empty scene."""


def demo() -> None:
    bpy.ops.limber.add_demo_lamp()


SCENES = (empty, demo)


class Clicks:
    """Clicks buttons, and records the results.

    Attributes:
        facts: Lists of sentences about the buttons that were `clicked`, `greyed` out, `left out`, that
            `raised` an error, were `void` (cancelled without a report) or `unreached` (nothing happened), and
            about `blank` fields.
    """

    def __init__(self, stage) -> None:
        self.stage, self.alone = stage, Alone(stage)
        self.facts: dict[str, list[str]] = {
            name: [] for name in ("clicked", "greyed", "left out", "raised", "void", "unreached", "blank")
        }
        self.results: list[set[str]] = []  # results of the operators' functions since the last click
        self.answers: list[str] = []  # names of the functions by which operators have responded since then
        self._listen(stage.part("operators.operator").Operator)
        for cls in stage.part("registration").classes():
            if issubclass(cls, bpy.types.Operator):
                self._watch(cls)

    def _listen(self, base: type) -> None:
        def noted(operator, name: str, usual=base.__getattribute__):
            if name in ANSWERS:
                self.answers.append(name)
            return usual(operator, name)

        self._replace(base, "__getattribute__", noted)

    def _watch(self, cls: type) -> None:
        def note(function, operator, *arguments) -> set[str]:
            self.results.append(set())  # recorded even if the call raises
            result = function(operator, *arguments)
            self.results[-1] = set(result)
            return result

        def with_event(function):
            return lambda operator, context, event: note(function, operator, context, event)

        def without_event(function):
            return lambda operator, context: note(function, operator, context)

        # Blender checks the number of a function's arguments
        for name, watched in (("invoke", with_event), ("modal", with_event), ("execute", without_event)):
            if hasattr(cls, name):
                self._replace(cls, name, watched(getattr(cls, name)))

    def _replace(self, cls: type, name: str, function) -> None:
        """Replaces a function of a class until the play has ended."""
        self.stage.at_end.enter_context(mock.patch.object(cls, name, function))

    def said(self) -> str:
        """Text that Blender has printed since the last call."""
        ctypes.CDLL(None).fflush(None)
        return self._log.read()

    def click_all(self, scene: str) -> Iterator[float | None]:
        path, clicked = os.path.join(bpy.app.tempdir, f"{scene}.blend"), set()
        bpy.ops.wm.save_as_mainfile(filepath=path)
        with LOG.open(encoding="utf-8", errors="replace") as self._log:
            self.said()
            for key in dict.fromkeys(button.key for button in self.alone.buttons()):
                button = self.find(key)
                if button is None or not self.is_clicked(button):
                    continue
                if button.panel in clicked and not EVERYTHING:
                    continue
                clicked.add(button.panel)
                yield from self.click(button, f"{scene}, {button}")
                bpy.ops.wm.open_mainfile(filepath=path, load_ui=False)
                yield None

    def find(self, key: tuple) -> Button | None:
        return next((button for button in self.alone.buttons() if button.key == key), None)

    def is_clicked(self, button: Button) -> bool:
        if button.kind not in ("operator", "operator_menu_enum"):
            return False
        if button.what in LEFT_OUT:
            self.facts["left out"].append(f"{button}: {LEFT_OUT[button.what]}")
            return False
        return True

    def click(self, button: Button, name: str) -> Iterator[float | None]:
        yield from self.alone.show(button)
        place = self.alone.place
        self.stage.move(place)
        yield None
        self.results.clear()
        self.answers.clear()
        self.said()
        self.stage.click(place)
        yield 0.0
        results, answers = list(self.results), list(self.answers)
        yield from self.cancel(place)
        said = self.said()
        if "Traceback" in said:
            self.facts["raised"].append(f"{name}: {said}")
        elif results and results[-1] == {"CANCELLED"} and not answers:
            self.facts["void"].append(name)
        elif not results and button.kind == "operator" and button.what.startswith("limber."):
            self.facts["greyed" if self.is_greyed(button) else "unreached"].append(name)
        self.facts["clicked"].append(name)
        self.facts["blank"] += [
            f"{name}: {field}"
            for field in self.alone.buttons()
            if is_choice(field) and not self.has_value(field)
        ]

    def has_value(self, field: Button) -> bool:
        value = getattr(field.owner, field.what)
        return isinstance(value, set) or value != ""

    def is_greyed(self, button: Button) -> bool:
        group, _, operator = button.what.partition(".")
        with self.stage.context(region="UI"):
            return not button.is_enabled or not getattr(getattr(bpy.ops, group), operator).poll()

    def cancel(self, place: tuple[int, int]) -> Iterator[float | None]:
        """Closes a dialog, a menu, or a file browser instead of the editors."""
        window = self.stage.window
        for _ in range(2):
            x, y = place
            window.event_simulate(type="ESC", value="PRESS", x=x, y=y)
            window.event_simulate(type="ESC", value="RELEASE", x=x, y=y)
            yield None
        yield from self.stage.until(
            lambda: any(area.type == "VIEW_3D" for area in self.stage.window.screen.areas)
        )


def play(stage):
    sys.excepthook = sys.__excepthook__  # another play may have left one that does not print
    bpy.context.preferences.view.filebrowser_display_type = "SCREEN"
    clicks = Clicks(stage)
    for build in SCENES:
        for thing in list(bpy.data.objects):
            bpy.data.objects.remove(thing)
        stage.open_tab()
        yield 0.1
        with stage.context():
            build()
        yield from clicks.click_all(build.__name__)
    stage.facts.update(clicks.facts)
