"""Tests that installing, enabling, disabling and enabling again leaves nothing of the extension behind."""

import importlib
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import bpy
import pytest
from bpy import types

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
)  # types to which add-ons add properties


def subclasses(kind: type) -> set[type]:
    return {each for direct in kind.__subclasses__() for each in {direct, *subclasses(direct)}}


def own(kind: type, module: str) -> list[type]:
    """The classes of a kind that the extension has registered."""
    return sorted(
        (each for each in subclasses(kind) if each.__module__.startswith(module) and each.is_registered),
        key=lambda each: each.__name__,
    )


def classes(module: str) -> set[str]:
    kinds = (
        types.Operator,
        types.Panel,
        types.PropertyGroup,
        types.UIList,
        types.Menu,
        types.AddonPreferences,
    )
    return {each.__name__ for kind in kinds for each in own(kind, module)}


def handlers() -> dict[str, int]:
    return {
        name: len(found)
        for name in dir(bpy.app.handlers)
        if isinstance(found := getattr(bpy.app.handlers, name), list)
    }


def timers(module: str) -> set[str]:
    """The extension's functions that are registered as Blender's timers."""
    modules = [each for name, each in sys.modules.items() if name.startswith(module)]
    functions = {
        value for each in modules for value in vars(each).values() if isinstance(value, FunctionType)
    }
    return {each.__qualname__ for each in functions if bpy.app.timers.is_registered(each)}


def properties() -> set[str]:
    return {
        f"{carrier}.{name}"
        for carrier in CARRIERS
        for name in getattr(bpy.types, carrier).bl_rna.properties.keys()  # noqa: SIM118
    }


def keys() -> set[tuple[str, str]]:
    maps = bpy.context.window_manager.keyconfigs.addon.keymaps
    return {(keymap.name, item.idname) for keymap in maps for item in keymap.keymap_items}


def is_extended(menu: type) -> bool:
    return hasattr(getattr(menu, "draw", None), "_draw_funcs")


def everything(module: str) -> dict[str, object]:
    return {
        "classes": classes(module),
        "handlers": handlers(),
        "timers": timers(module),
        "properties": properties(),
        "keys": keys(),
        "menus drawn into": {
            menu.__name__: len(menu.draw._draw_funcs) for menu in subclasses(types.Menu) if is_extended(menu)
        },
    }


def test_the_package_and_its_wheels_lie_in_the_profile(enabled: ModuleType):
    profile = Path(bpy.utils.resource_path("USER"))
    assert (profile / "extensions" / "user_default" / "limber" / "LICENSE").exists()
    for module in ("serial/__init__.py", "threadpoolctl.py", "ruamel/yaml/__init__.py"):
        assert list(profile.glob(f"extensions/.local/lib/*/site-packages/{module}")), module


def test_solvers_run_in_the_compiled_code_of_the_wheel_until_limber_is_switched_off(installed: str):
    bpy.ops.preferences.addon_enable(module=installed)
    library = importlib.import_module(f"{installed}.solvers.kernel.library")
    kernel = library.kernel()
    assert kernel.path.is_relative_to(Path(bpy.utils.resource_path("USER")) / "extensions" / ".local")
    if sys.platform == "linux":
        assert kernel.path.name in Path("/proc/self/maps").read_text()
    bpy.ops.preferences.addon_disable(module=installed)
    if sys.platform == "linux":
        assert kernel.path.name not in Path("/proc/self/maps").read_text()
    with pytest.raises(library.KernelError, match="switched off"):
        library.check(kernel.forward(None, None, None, None))


def test_enabling_does_not_wait_for_the_yaml_reader(enabled: ModuleType):
    assert not [name for name in sys.modules if name.partition(".")[0] == "ruamel"]


def test_enabling_brings_operators_panels_properties_and_keys(enabled: ModuleType):
    there = everything(enabled.__name__)
    assert any("_OT_" in name for name in there["classes"])
    assert any("_PT_" in name for name in there["classes"])
    assert any(name.endswith(".limber") for name in there["properties"])
    assert any(name.startswith("limber.") for _, name in there["keys"])


def test_every_panel_stands_in_the_limber_tab_of_the_3d_view(enabled: ModuleType):
    everywhere = own(types.Panel, enabled.__name__)
    panels = [
        panel for panel in everywhere if "INSTANCED" not in getattr(panel, "bl_options", ())
    ]  # panels that are open by default
    assert panels
    for panel in panels:
        assert (panel.bl_space_type, panel.bl_region_type, panel.bl_category) == (
            "VIEW_3D",
            "UI",
            "Limber",
        ), panel.__name__


def test_every_operator_has_a_tooltip(enabled: ModuleType):
    for operator in own(types.Operator, enabled.__name__):
        assert operator_rna(operator.bl_idname).description, operator.bl_idname


def test_every_property_that_a_panel_can_show_has_a_tooltip(enabled: ModuleType):
    silent = []
    for kind in (types.PropertyGroup, types.Operator):
        for each in own(kind, enabled.__name__):
            rna = each.bl_rna if kind is types.PropertyGroup else operator_rna(each.bl_idname)
            silent += [
                f"{each.__name__}.{name}"
                for name in each.__annotations__
                if is_shown(rna.properties[name]) and not rna.properties[name].description
            ]
    assert silent == []


def is_shown(prop: types.Property) -> bool:
    """Whether a property is shown; lists and groups show their items instead."""
    return prop.type != "COLLECTION" and not (
        prop.type == "POINTER" and issubclass(type(prop.fixed_type), types.PropertyGroup)
    )


def operator_rna(idname: str) -> types.Struct:
    namespace, name = idname.split(".")
    return getattr(getattr(bpy.ops, namespace), name).get_rna_type()


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
        pytest.skip(
            "the Blender 4.2 module crashes when it reads preferences, with or without this extension"
        )
    module = enabled.__name__
    first = everything(module)
    bpy.ops.wm.save_userpref()
    bpy.ops.preferences.addon_disable(module=module)
    bpy.ops.wm.read_userpref()
    assert module in bpy.context.preferences.addons
    assert everything(module)["classes"] == first["classes"]


def test_every_module_of_the_package_loads_with_the_bundled_wheels_alone(enabled: ModuleType):
    root = Path(enabled.__file__).parent
    for path in sorted(root.rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        importlib.import_module(f"{enabled.__name__}.{name}".removesuffix(".__init__"))
