"""Registers Limber's classes, properties and handlers with Blender, collected from the modules that define
them, and unregisters them in reverse order.

A module of `PACKAGES` may define
    classes                 property groups, operators, panels, lists and menus with names Limber... or
                            LIMBER_...; classes with other names are their base classes. Panels appear in
                            the tab in the order of their `bl_order`. Docstrings are tooltips
    PROPERTIES              {(Blender's type, name): property to add to it}
    MENU_ENTRIES            {name of one of Blender's menus: function that draws at its end}
    CLI_COMMANDS            {name of a command on Blender's command line: its function}
    register, unregister    functions for everything else: handlers, keys, overlays. unregister() is also
                            called after a register() that failed halfway
"""

from contextlib import ExitStack
from functools import cache
from importlib import import_module
from inspect import get_annotations
from pkgutil import walk_packages
from types import ModuleType

import bpy

PACKAGES = ("rig", "operators", "panels", "batch")
# Translation context of all of Limber's names. Blender's catalogues have no entries for it, so they stay in
# English. Otherwise only names that Blender uses too would be translated, and in Blender's sense: "Connect"
# is "Verbunden" (connected) in German. Lines of panels are drawn with translate=False.
TRANSLATION_CONTEXT = "Limber"

_registered = ExitStack()


def register_all() -> None:
    """Registers all parts of the extension; if one fails, none stays registered."""
    with ExitStack() as undone:
        for cls in classes():
            _leave_in_english(cls)
            _set_tooltip(cls)
            bpy.utils.register_class(cls)
            undone.callback(bpy.utils.unregister_class, cls)
        for module in modules():
            for (owner, name), prop in getattr(module, "PROPERTIES", {}).items():
                _set_context(prop)
                setattr(owner, name, prop)
                undone.callback(delattr, owner, name)
            for name, draw in getattr(module, "MENU_ENTRIES", {}).items():
                menu = getattr(bpy.types, name)
                menu.append(draw)
                undone.callback(menu.remove, draw)
            for name, main in getattr(module, "CLI_COMMANDS", {}).items():
                handle = bpy.utils.register_cli_command(name, main)
                undone.callback(bpy.utils.unregister_cli_command, handle)
        for module in modules():
            if hasattr(module, "register"):
                undone.callback(module.unregister)
                module.register()
        _registered.callback(undone.pop_all().close)


def unregister_all() -> None:
    """Undoes `register_all`."""
    _registered.close()


@cache
def classes() -> tuple[type, ...]:
    """Limber's classes to register with Blender, each after the classes that it needs; panels last, in the
    order of the tab.
    """
    unordered = [
        value
        for module in modules()
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, bpy.types.bpy_struct)
        and value.__module__ == module.__name__
        and _is_named(value)
    ]
    # Blender draws panels of equal order as they were registered, and needs a subpanel's parent before it
    unordered.sort(
        key=lambda cls: (
            issubclass(cls, bpy.types.Panel),
            bool(getattr(cls, "bl_parent_id", "")),
            getattr(cls, "bl_order", 0),
        )
    )
    by_name = {cls.__name__: cls for cls in unordered}
    ordered: dict[type, None] = {}

    # Blender refuses a class that refers to an unregistered class.
    def put(cls: type) -> None:
        for name in _needed(cls) & by_name.keys():
            put(by_name[name])
        ordered[cls] = None

    for cls in unordered:
        put(cls)
    return tuple(ordered)


def _leave_in_english(cls: type[bpy.types.Operator | bpy.types.Panel | bpy.types.PropertyGroup]) -> None:
    """Sets the translation context of a class, and of its properties, to Limber's."""
    cls.bl_translation_context = TRANSLATION_CONTEXT
    for base in cls.__mro__:
        for prop in get_annotations(base).values():
            _set_context(prop)


def _set_tooltip(cls: type[bpy.types.Operator | bpy.types.Panel | bpy.types.Menu]) -> None:
    """Sets the tooltip of an operator, panel or menu: its docstring on one line. Blender would keep the
    docstring's line breaks, and put the full stop that it adds on a line of its own.
    """
    if "bl_description" in cls.bl_rna.properties and cls.__doc__:
        cls.bl_description = " ".join(cls.__doc__.split()).removesuffix(".")


def _set_context(prop: object) -> None:
    """Sets the translation context of an unregistered property to Limber's; other annotations are
    unchanged.
    """
    if isinstance(prop, bpy.props._PropertyDeferred):
        prop.keywords["translation_context"] = TRANSLATION_CONTEXT


def _is_named(cls: type) -> bool:
    """Whether a class is to be registered: its name begins with "Limber", in any case; base classes have
    others.
    """
    return cls.__name__.lower().startswith("limber")


def _needed(cls: type) -> set[str]:
    """Names of the classes that must be registered before a class: the types of its properties, and its
    parent panel.
    """
    properties = [prop for base in cls.__mro__ for prop in get_annotations(base).values()]
    pointed_at = [getattr(prop, "keywords", {}).get("type") for prop in properties]
    return {getattr(cls, "bl_parent_id", ""), *(target.__name__ for target in pointed_at if target)}


@cache
def modules() -> tuple[ModuleType, ...]:
    """All modules in the packages `PACKAGES`, which are imported."""
    packages = [import_module(f".{name}", __package__) for name in PACKAGES]
    return tuple(
        import_module(module_info.name)
        for package in packages
        for module_info in walk_packages(package.__path__, f"{package.__name__}.")
    )
