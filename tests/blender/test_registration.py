"""Tests that the extension can be registered repeatedly in a real Blender, and that a failure halfway leaves
nothing behind.
"""

from collections import Counter
from inspect import get_annotations
from itertools import combinations

import bpy
import limber
import pytest
from limber import registration
from limber.batch import bake_command, retarget_command
from limber.panels import menus
from limber.rig.events import handlers

pytestmark = pytest.mark.every_blender

CLASSES = len(registration.classes())


def limber_classes() -> set[str]:
    return {name for name in dir(bpy.types) if name.startswith("LIMBER_")}


def panels() -> list[type]:
    return [cls for cls in registration.classes() if issubclass(cls, bpy.types.Panel)]


def test_operators_and_panels_are_there_once_registered():
    names = limber_classes()
    assert any("_OT_" in name for name in names)
    assert any("_PT_" in name for name in names)


def test_no_name_is_half_translated():
    """Blender looks names up with their context, and has no translation with Limber's context."""
    built_in = set(bpy.types.PropertyGroup.bl_rna.properties.keys())
    for cls in registration.classes():
        if issubclass(cls, bpy.types.Panel | bpy.types.Menu | bpy.types.Operator):
            assert cls.bl_rna.translation_context == registration.TRANSLATION_CONTEXT, cls
        annotated = {name for base in cls.__mro__ for name in get_annotations(base)} - built_in
        registered = getattr(bpy.types, cls.__name__, cls).bl_rna.properties
        for prop in (registered[name] for name in annotated & set(registered.keys())):
            assert prop.translation_context == registration.TRANSLATION_CONTEXT, (cls, prop.identifier)
    assert bpy.types.Object.bl_rna.properties["limber"].translation_context == "Limber"


def test_unregistering_takes_every_class_away_and_registering_brings_all_back():
    registered = limber_classes()
    limber.unregister()
    gone = limber_classes()
    limber.register()
    assert gone == set()
    assert limber_classes() == registered


def test_a_reopened_file_keeps_the_extension(reopen):
    before = limber_classes()
    reopen()
    assert limber_classes() == before


def test_property_groups_come_after_those_that_they_point_to():
    order = [cls.__name__ for cls in registration.classes()]
    assert (
        order.index("LimberShare")
        < order.index("LimberChannel")
        < order.index("LimberDevice")
        < order.index("LimberRig")
    )


def test_panels_come_after_the_panel_that_they_are_part_of_and_after_all_lists_and_menus():
    order = [cls.__name__ for cls in registration.classes()]
    parts = [cls for cls in panels() if hasattr(cls, "bl_parent_id")]
    assert len(parts) > 20
    for cls in parts:
        assert order.index(cls.bl_parent_id) < order.index(cls.__name__)
    assert min(order.index(cls.__name__) for cls in panels()) == CLASSES - len(panels())


def test_panels_with_the_same_parent_differ_in_their_order():
    """Otherwise the names of their modules would determine their order in the tab."""
    shown = [cls for cls in panels() if cls.bl_region_type == "UI"]
    assert [cls.__name__ for cls in shown if not hasattr(cls, "bl_order")] == [], (
        "bl_order is missing: the place among its neighbours"
    )
    orders = Counter((getattr(cls, "bl_parent_id", ""), cls.bl_order) for cls in shown)
    assert [panel for panel, count in orders.items() if count > 1] == []


def left() -> dict[str, object]:
    """Data of the extension that Blender has."""
    lists = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    return {
        "classes": {cls.__name__ for cls in registration.classes() if cls.is_registered} | limber_classes(),
        "properties": [hasattr(bpy.types.Object, "limber"), hasattr(bpy.types.WindowManager, "limber_view")],
        "menus": [
            draw in getattr(bpy.types, name)._dyn_ui_initialize() for name, draw in menus.MENU_ENTRIES.items()
        ],
        "handlers": {name: len(found) for name, found in lists.items() if isinstance(found, list)},
        "timers": [
            bpy.app.timers.is_registered(handlers.redraw),
            bpy.app.timers.is_registered(handlers._after_enable),
        ],
    }


def commands_known(monkeypatch) -> dict[int, str]:
    """Names of the commands added to Blender's command line from now on, by the identity of their handles,
    since Blender itself does not list them.
    """
    known: dict[int, str] = {}
    add, remove = bpy.utils.register_cli_command, bpy.utils.unregister_cli_command

    def added(name: str, main):
        handle = add(name, main)
        known[id(handle)] = name
        return handle

    def removed(handle) -> None:
        remove(handle)
        del known[id(handle)]

    monkeypatch.setattr(bpy.utils, "register_cli_command", added)
    monkeypatch.setattr(bpy.utils, "unregister_cli_command", removed)
    return known


def fails(*_arguments) -> None:
    raise ZeroDivisionError


@pytest.mark.parametrize(
    "broken", ["first class", "class in the middle", "last class", "handlers", "command"]
)
def test_a_part_that_fails_leaves_nothing_registered(broken: str, monkeypatch):
    limber.unregister()
    nothing, commands = left(), commands_known(monkeypatch)
    limber.register()
    registered = left()
    assert set(commands.values()) == {bake_command.NAME, retarget_command.NAME}
    limber.unregister()
    assert not commands
    register_class, numbers = (
        bpy.utils.register_class,
        {
            "first class": 0,
            "class in the middle": CLASSES // 2,
            "last class": CLASSES - 1,
        },
    )
    failing = registration.classes()[numbers[broken]] if broken in numbers else None
    with monkeypatch.context() as patched:
        if broken == "handlers":
            patched.setattr(handlers, "_after_enable", fails)  # after all handlers have been added
        elif broken == "command":
            patched.setattr(bpy.utils, "register_cli_command", fails)
        else:
            patched.setattr(
                bpy.utils, "register_class", lambda cls: fails() if cls is failing else register_class(cls)
            )
        with pytest.raises(ZeroDivisionError):
            limber.register()
    after = left()
    assert not commands
    limber.register()
    assert after == nothing
    assert left() == registered != nothing


def rna_of(cls: type):
    """Blender's description of a class's properties, which for an operator is not that of the class
    itself.
    """
    if not issubclass(cls, bpy.types.Operator):
        return cls.bl_rna
    return getattr(bpy.ops.limber, cls.bl_idname.partition(".")[2]).get_rna_type()


def test_choices_differ_in_the_letters_that_a_sidebar_of_usual_width_has_room_for():
    room = 14  # number of letters beside a name
    alike = [
        (cls.__name__, prop.identifier, one.name, other.name)
        for cls in registration.classes()
        if issubclass(cls, bpy.types.PropertyGroup | bpy.types.Operator)
        for prop in rna_of(cls).properties
        if prop.type == "ENUM"
        for one, other in combinations(prop.enum_items, 2)
        if one.name != other.name and one.name[:room] == other.name[:room]
    ]
    assert alike == []
