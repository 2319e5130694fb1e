"""Installed, enabled, disabled, enabled again: what comes with the extension goes with it."""

import importlib
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import bpy
import pytest

CARRIERS = (
    "Object",
    "Armature",
    "Bone",
    "PoseBone",
    "Scene",
    "Action",
    "WindowManager",
    "Collection",
    "Preferences",
)  # types an add-on adds properties to


def classes(module: str) -> set[str]:
    """Every class that the extension has registered, whatever its kind."""
    found = set()
    for kind in (
        bpy.types.Operator,
        bpy.types.Panel,
        bpy.types.PropertyGroup,
        bpy.types.UIList,
        bpy.types.Menu,
        bpy.types.AddonPreferences,
    ):
        found |= {each.__name__ for each in kind.__subclasses__() if each.__module__.startswith(module) and each.is_registered}
    return found


def handlers() -> dict[str, int]:
    return {name: len(found) for name in dir(bpy.app.handlers) if isinstance(found := getattr(bpy.app.handlers, name), list)}


def timers(module: str) -> set[str]:
    """The functions of the extension that wait in Blender's timers."""
    modules = [each for name, each in sys.modules.items() if name.startswith(module)]
    functions = {value for each in modules for value in vars(each).values() if isinstance(value, FunctionType)}
    return {each.__qualname__ for each in functions if bpy.app.timers.is_registered(each)}


def properties() -> set[str]:
    return {f"{carrier}.{name}" for carrier in CARRIERS for name in getattr(bpy.types, carrier).bl_rna.properties.keys()}  # noqa: SIM118


def keys() -> set[tuple[str, str]]:
    maps = bpy.context.window_manager.keyconfigs.addon.keymaps
    return {(keymap.name, item.idname) for keymap in maps for item in keymap.keymap_items}


def everything(module: str) -> dict[str, object]:
    return {
        "classes": classes(module),
        "handlers": handlers(),
        "timers": timers(module),
        "properties": properties(),
        "keys": keys(),
        "draw functions": [len(menu.draw._draw_funcs) for menu in bpy.types.Menu.__subclasses__() if hasattr(menu.draw, "_draw_funcs")],
    }


def test_installing_puts_the_package_in_the_profile_with_its_wheel(installed: str):
    profile = Path(bpy.utils.resource_path("USER"))
    assert (profile / "extensions" / "user_default" / "limber" / "LICENSE").exists()
    assert list(profile.glob("extensions/.local/lib/*/site-packages/serial/__init__.py"))


def test_enabling_brings_operators_panels_properties_and_handlers(enabled: ModuleType):
    module = enabled.__name__
    there = everything(module)
    assert any("_OT_" in name for name in there["classes"])
    assert any("_PT_" in name for name in there["classes"])
    assert any(name.endswith(".limber") for name in there["properties"])
    assert any(name.startswith("limber.") for _, name in there["keys"])


def test_every_panel_stands_in_the_limber_tab_of_the_3d_view(enabled: ModuleType):
    panels = [each for each in bpy.types.Panel.__subclasses__() if each.__module__.startswith(enabled.__name__)]
    assert panels
    for panel in panels:
        assert (panel.bl_space_type, panel.bl_region_type, panel.bl_category) == ("VIEW_3D", "UI", "Limber"), panel.__name__


def test_every_operator_and_every_property_has_a_tooltip(enabled: ModuleType):
    silent = []
    for operator in bpy.types.Operator.__subclasses__():
        if not operator.__module__.startswith(enabled.__name__):
            continue
        rna = getattr(bpy.types, operator.__name__).bl_rna
        silent += [operator.bl_idname] if not rna.description else []
    for group in bpy.types.PropertyGroup.__subclasses__():
        if group.__module__.startswith(enabled.__name__):
            own = [each for each in group.bl_rna.properties if each.identifier in group.__annotations__]
            silent += [f"{group.__name__}.{each.identifier}" for each in own if not each.description]
    assert silent == []


def test_disabling_leaves_nothing_and_enabling_again_brings_the_same(installed: str):
    bpy.ops.wm.read_homefile(use_empty=True)
    before = everything(installed)
    bpy.ops.preferences.addon_enable(module=installed)
    first = everything(installed)
    bpy.ops.preferences.addon_disable(module=installed)
    after = everything(installed)
    bpy.ops.preferences.addon_enable(module=installed)
    second = everything(installed)
    bpy.ops.preferences.addon_disable(module=installed)
    assert after == before
    assert second == first
    assert first["classes"]


def test_saved_preferences_bring_the_extension_back(enabled: ModuleType):
    if bpy.app.version < (4, 3):
        pytest.skip("the Blender 4.2 module crashes when it reads preferences, with or without this extension")
    module = enabled.__name__
    first = everything(module)
    bpy.ops.wm.save_userpref()
    bpy.ops.preferences.addon_disable(module=module)
    bpy.ops.wm.read_userpref()
    assert module in bpy.context.preferences.addons
    assert everything(module)["classes"] == first["classes"]


def test_every_module_of_the_package_loads_with_the_bundled_wheel_alone(enabled: ModuleType):
    root = Path(enabled.__file__).parent
    for path in sorted(root.rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        if not name.endswith(("__init__", "__main__")):
            importlib.import_module(f"{enabled.__name__}.{name}")
