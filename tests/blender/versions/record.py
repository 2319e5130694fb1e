"""Records the settings that a version stores in a .blend: `python tests/blender/versions/record.py VERSION
[CHECKOUT]`, at every release.

The record in this folder has the properties of the classes, and the values of a rig whose settings mostly
differ from the defaults. From it `test_versions.py` makes files as saved by that version, without keeping a
file or the version's code.
"""

import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

# so that no user's preferences have an effect
os.environ.setdefault("BLENDER_USER_RESOURCES", "/nonexistent")

import bpy  # noqa: E402

from checkout import load_limber  # noqa: E402
from tests.blender.enumerations import offered  # noqa: E402

# Properties that keep their values: the rig must look at its target, which the test checks.
KEPT = {
    "live",
    "eye",
    "symmetric",
    "lower",
    "upper",
    "active_chain",
    "active_posture",
    "active_joint",
    "enabled",
    "adopted",
    "influence",
    "keep",
}


def classes_of(group: type, found: dict) -> dict:
    """The properties of a group's class and of those in it: name -> arguments to create the same one."""
    if group.__name__ in found:
        return found
    found[group.__name__] = {}
    for prop in group.bl_rna.properties:
        if prop.identifier == "rna_type":
            continue
        entry = {"type": prop.type}
        if prop.type in {"FLOAT", "INT", "BOOLEAN"} and prop.is_array:
            entry["size"] = prop.array_length
        if prop.type == "ENUM":
            entry["items"] = [(item.identifier, item.value) for item in prop.enum_items]
            entry["flag"] = prop.is_enum_flag
        if prop.type in {"POINTER", "COLLECTION"}:
            entry["of"] = prop.fixed_type.identifier
            inner = bpy.types.PropertyGroup.bl_rna_get_subclass_py(entry["of"])
            if inner is not None:
                classes_of(inner, found)
        found[group.__name__][prop.identifier] = entry
    return found


def vary(group, classes: dict) -> dict:  # noqa: C901 (a case for each kind of property)
    """Sets a group's plain settings to other values than their defaults if a permitted value is known;
    returns all of its values.
    """
    values = {}
    for name, entry in classes[type(group).__name__].items():
        prop = group.bl_rna.properties[name]
        kind = entry["type"]
        if kind == "POINTER":
            inner = getattr(group, name)
            if entry["of"] in classes:
                values[name] = vary(inner, classes)
            elif inner is not None:
                values[name] = {"id": inner.name}
        elif kind == "COLLECTION":
            values[name] = [vary(item, classes) for item in getattr(group, name)]
        else:
            if prop.is_readonly or prop.is_hidden or name in KEPT:
                pass
            elif kind == "FLOAT" and "size" not in entry:
                setattr(
                    group,
                    name,
                    (
                        prop.default * 0.5
                        if prop.default and prop.hard_min <= prop.default * 0.5
                        else prop.default
                    ),
                )
            elif kind == "BOOLEAN" and "size" not in entry:
                setattr(group, name, not prop.default)
            value = getattr(group, name)
            if "size" in entry:
                value = list(value)
            values[name] = sorted(value) if entry.get("flag") else value
            if kind == "ENUM" and not entry["items"]:
                entry["items"] = [(key, number) for key, _, _, number in offered(group, name)]
    return values


def main(version: str, checkout: Path) -> None:
    limber = load_limber(checkout)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.preferences.addons.new().module = limber.__package__
    limber.register()
    from tests.blender.rigs import looking_chain

    rig, _ = looking_chain()
    rig.pose.bones["middle"].rotation_euler.x = 0.4
    bpy.ops.limber.store_posture(name="Lean")
    classes = classes_of(type(rig.limber), {})
    told = {
        "version": version,
        "root": type(rig.limber).__name__,
        "classes": classes,
        "values": vary(rig.limber, classes),
    }
    (Path(__file__).parent / f"{version}.json").write_text(
        json.dumps(told, indent=1) + "\n", encoding="utf-8"
    )
    print(f"recorded {version}: {sum(map(len, classes.values()))} properties of {len(classes)} classes")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else ROOT)
