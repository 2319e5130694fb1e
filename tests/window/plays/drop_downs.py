"""Opens every drop-down of every panel of the tab, and selects every item by mouse, including drop-downs that
appear only for some item. Where the mouse is not used on everything (`alone.EVERYTHING`), it selects an item
in each panel, and the script sets the others.
"""

import sys
import traceback
from collections.abc import Generator, Iterator
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from alone import EVERYTHING, Alone, Button

from tests.blender.enumerations import offered

STEP = 19  # [pixels] distance of two tries in an open menu: less than a row's height
FIRST = 20  # [pixels] distance from the button to the first try
TRIES = 24


def lamp() -> None:
    """The demo lamp, with an item in each list that has drop-downs."""
    bpy.ops.limber.add_demo_lamp()
    rig = bpy.context.object
    bpy.ops.limber.add_channel()
    bpy.ops.limber.add_coupled_limit()
    chain = rig.limber.chains[0]
    chain.ends.add().bone = chain.end
    rig.limber.retarget.coupled_limits[0].joints.add()
    rig.limber.device.auxiliaries.add()
    chain.eyes.lids.add()
    for items in ("states", "transitions", "gestures", "chains"):
        bpy.ops.limber.add_to_behaviour(items=items)
    source = bpy.data.objects.new("Source", bpy.data.armatures.new("Source"))
    bpy.context.scene.collection.objects.link(source)
    rig.limber.retarget.source = source


def bones() -> None:
    """An armature that is a mechanism, with an active bone."""
    bpy.ops.limber.add_demo_lamp()
    rig = bpy.context.object
    settings = rig.limber.mechanism
    settings.uid, settings.use_bones = "bones", True
    settings.closures.add()
    bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones.active = rig.data.bones[0]


def neck() -> None:
    """A mechanism of objects."""
    bpy.ops.limber.add_mechanism(kind="neck")


def body() -> None:
    """One of the bodies of a mechanism of objects."""
    neck()
    joints = bpy.context.object.limber.mechanism.joints
    bpy.context.view_layer.objects.active = joints[0].object.limber.part.second


def hinge() -> None:
    """One of the joints of a mechanism of objects."""
    neck()
    bpy.context.view_layer.objects.active = bpy.context.object.limber.mechanism.joints[0].object


SCENES = (lamp, bones, neck, body, hinge)


def is_choice(button: Button) -> bool:
    return button.kind == "prop" and button.owner.bl_rna.properties[button.what].type == "ENUM"


def choice(buttons: list[Button], path: str) -> Button:
    """The drop-down at that path."""
    return next(button for button in buttons if is_choice(button) and button.path == path)


class Choices:
    """Tries the drop-downs of a scene.

    Attributes:
        offered, picked: Keys of the items of each drop-down, by its path, and keys that the property had
            after a click.
        blank: Paths of fields that were empty after a click.
        clicked: Panels in which a click has changed a drop-down.
    """

    def __init__(self, stage) -> None:
        self.stage, self.alone = stage, Alone(stage)
        self.clicked: set[type] = set()
        self.offered: dict[str, list[str]] = {}
        self.picked: dict[str, list[str]] = {}
        self.blank: list[str] = []

    def explore(self, buttons: list[Button]) -> Generator[float | None, None, list[Button]]:
        """Tries all untested drop-downs of the tab's buttons, and those that appear with each item. Returns
        the tab's buttons afterwards.
        """
        while fresh := [
            button for button in buttons if is_choice(button) and button.path not in self.offered
        ]:
            buttons = yield from self.try_all(fresh[0])
        return buttons

    def try_all(self, button: Button) -> Generator[float | None, None, list[Button]]:
        """Tries every item of a drop-down, and restores its value. Returns the tab's buttons afterwards."""
        path, before = button.path, getattr(button.owner, button.what)
        keys = self.offered[path] = [key for key, *_ in offered(button.owner, button.what) if key]
        picked = self.picked[path] = []
        for number in range(TRIES):
            if set(picked) == set(keys):
                break
            is_clicked = EVERYTHING or button.panel not in self.clicked
            if is_clicked:
                yield from self.click(button, number)
            else:
                self.set(button, next(key for key in keys if key not in picked))
            buttons = self.alone.buttons()
            button = choice(buttons, path)
            value = getattr(button.owner, button.what)
            if is_clicked and value != before:
                self.clicked.add(button.panel)
            for key in sorted(value) if isinstance(value, set) else [value]:
                if key not in keys:
                    self.blank.append(f"{path}: {key!r}")
                elif key not in picked:
                    picked.append(key)
                    button = choice((yield from self.explore(buttons)), path)
        setattr(button.owner, button.what, before)
        return self.alone.buttons()

    def set(self, button: Button, key: str) -> None:
        """Selects an item without the mouse."""
        is_set = button.owner.bl_rna.properties[button.what].is_enum_flag
        setattr(button.owner, button.what, {key} if is_set else key)

    def click(self, button: Button, number: int) -> Iterator[float | None]:
        """Opens it, and clicks `number` steps below; items that are drawn one below the other are visible
        already.
        """
        yield from self.alone.show(button)
        x, y = self.alone.place
        if button.options.get("expand") or button.owner.bl_rna.properties[button.what].is_enum_flag:
            y -= number * STEP
        else:
            self.stage.click((x, y))
            yield None
            y -= FIRST + number * STEP
        self.stage.move((x, y))  # an item takes no click if the mouse was not on it before
        yield None
        self.stage.click((x, y))
        yield None
        self.stage.press("ESC", self.alone.place)
        yield None


def play(stage):
    raised = []
    stage.at_end.callback(setattr, sys, "excepthook", sys.excepthook)
    sys.excepthook = lambda *error: raised.append("".join(traceback.format_exception(*error)))
    choices = Choices(stage)
    for build in SCENES:
        for thing in list(bpy.data.objects):
            bpy.data.objects.remove(thing)
        with stage.context():
            build()
        stage.open_tab()
        yield 0.1
        yield from choices.explore(choices.alone.buttons())
    stage.facts["not drawn"] = sorted(
        f"{cls.__name__}.{prop.identifier}"
        for cls in stage.part("registration").classes()
        if issubclass(cls, bpy.types.PropertyGroup)
        for prop in cls.bl_rna.properties
        if prop.type == "ENUM" and f"{cls.__name__}.{prop.identifier}" not in choices.offered
    )
    stage.facts.update(offered=choices.offered, picked=choices.picked, blank=choices.blank, raised=raised)
    stage.facts["panels"] = sorted(panel.__name__ for panel in choices.clicked)
