"""Tests that files of every earlier version open with all their settings, and live motion continues.

The files are made here, with classes created from the record of each version (versions/record.py).
"""

import json
from pathlib import Path

import bpy
import limber
import pytest
from bpy import props

from tests.blender.rigs import UPRIGHT, build, target
from tests.blender.shown import missed, no_handler_raises  # noqa: F401

pytestmark = pytest.mark.every_blender

RECORDS = sorted(path for path in (Path(__file__).parent / "versions").glob("*.json") if "-" not in path.name)
NEAR = 1e-6
MAKE = {
    "FLOAT": props.FloatProperty,
    "INT": props.IntProperty,
    "BOOLEAN": props.BoolProperty,
    "STRING": props.StringProperty,
}
MAKE_ARRAY = {
    "FLOAT": props.FloatVectorProperty,
    "INT": props.IntVectorProperty,
    "BOOLEAN": props.BoolVectorProperty,
}


@pytest.fixture(autouse=True)
def extension(unregistered):
    """An empty file without the extension, which is registered when the old file exists."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    yield
    if hasattr(bpy.types.Object, "limber"):
        limber.unregister()
    bpy.ops.wm.read_factory_settings(use_empty=True)


def classes_after(record: dict) -> list[type]:
    """Registered classes of that version, those that others contain first."""
    made: dict[str, type] = {}

    def make(name: str) -> type:
        if name not in made:
            annotations = {
                field: property_after(entry, make)
                for field, entry in record["classes"][name].items()
                if field != "name"
            }
            made[name] = type(name, (bpy.types.PropertyGroup,), {"__annotations__": annotations})
            bpy.utils.register_class(made[name])
        return made[name]

    def property_after(entry: dict, make):
        kind = entry["type"]
        if kind == "ENUM":
            options = {"ENUM_FLAG"} if entry["flag"] else set()
            return props.EnumProperty(
                items=[(item, item, "", "NONE", value) for item, value in entry["items"]], options=options
            )
        if kind in {"POINTER", "COLLECTION"}:
            of = make(entry["of"]) if entry["of"] in record["classes"] else getattr(bpy.types, entry["of"])
            return (props.PointerProperty if kind == "POINTER" else props.CollectionProperty)(type=of)
        return MAKE_ARRAY[kind](size=entry["size"]) if "size" in entry else MAKE[kind]()

    make(record["root"])
    return list(made.values())


def fill(group, values: dict, entries: dict, classes: dict) -> None:
    for name, value in values.items():
        entry = entries[name]
        if entry.get("of") in classes and entry["type"] == "COLLECTION":
            for inner in value:
                fill(getattr(group, name).add(), inner, classes[entry["of"]], classes)
        elif entry.get("of") in classes:
            fill(getattr(group, name), value, classes[entry["of"]], classes)
        elif entry["type"] == "POINTER":
            setattr(group, name, thing(entry, value))
        elif entry["type"] == "ENUM" and not entry["flag"]:
            if value:  # if an enumeration had no item for its number, the file has none either
                setattr(group, name, value)
        else:
            setattr(group, name, set(value) if entry.get("flag") else value)


def thing(entry: dict, value: dict):
    found = {"Object": bpy.data.objects, "Action": bpy.data.actions}[entry["of"]]
    return found.get(value["id"]) or (
        found.new(value["id"]) if entry["of"] == "Action" else target(name=value["id"])
    )


def differing(group, values: dict, entries: dict, classes: dict, path: str = "") -> list[str]:
    """Settings whose values differ from those in the old file."""
    found = []
    for name, value in values.items():
        entry, here = entries[name], f"{path}.{name}"
        if not hasattr(group, name):
            found.append(f"{here} is gone")
            continue
        now = getattr(group, name)
        if entry.get("of") in classes and entry["type"] == "COLLECTION":
            found += [f"{here} has {len(now)} instead of {len(value)}"] if len(now) != len(value) else []
            for k, (item, inner) in enumerate(zip(now, value, strict=False)):
                found += differing(item, inner, classes[entry["of"]], classes, f"{here}[{k}]")
        elif entry.get("of") in classes:
            found += differing(now, value, classes[entry["of"]], classes, here)
        elif entry["type"] == "POINTER":
            found += [f"{here} is {now}"] if now is None or now.name != value["id"] else []
        elif entry["type"] == "FLOAT" and "size" not in entry:
            found += (
                [f"{here} is {now} instead of {value}"]
                if abs(now - value) > NEAR * max(1, abs(value))
                else []
            )
        else:
            was = set(value) if entry.get("flag") else value
            found += [f"{here} is {now!r} instead of {was!r}"] if now != was else []
    return found


@pytest.fixture(params=RECORDS, ids=lambda path: path.stem)
def opened(request, tmp_path):
    """A file of that version, opened by this one: its record and its rig."""
    record = json.loads(request.param.read_text(encoding="utf-8"))
    classes, values = record["classes"], record["values"]
    made = classes_after(record)
    bpy.types.Object.limber = props.PointerProperty(type=made[-1])
    rig = build(UPRIGHT)
    fill(rig.limber, values, classes[record["root"]], classes)
    rig.limber.chains[0].live = True
    path = str(tmp_path / "old.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    del bpy.types.Object.limber
    for cls in reversed(made):
        bpy.utils.unregister_class(cls)
    bpy.context.preferences.addons.new().module = limber.__package__
    limber.register()
    bpy.ops.wm.open_mainfile(filepath=path)
    return record, bpy.data.objects["Rig"]


def test_every_setting_is_as_it_was_saved(opened):
    record, rig = opened
    values = {**record["values"]}
    values["chains"] = [{**values["chains"][0], "live": True}]
    assert differing(rig.limber, values, record["classes"][record["root"]], record["classes"]) == []


def test_what_was_saved_live_looks_at_its_target(opened):
    _, rig = opened
    chain = rig.limber.chains[0]
    from limber.rig.live import live

    assert live.session(rig, chain).problem == ""
    for frame in range(2, 60):
        bpy.context.scene.frame_set(frame)
    assert missed(rig, chain) < 1.0
