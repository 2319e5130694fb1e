"""Linked objects and library overrides: why they cannot be edited, and a preparation before saving that keeps
overridden chains.
"""

import bpy


def why_not_editable(rig: bpy.types.Object) -> str:
    """Why an armature or mechanism cannot be edited, with the remedy; "" if it can be."""
    if rig.is_editable:
        return ""
    kind = "Armature" if rig.type == "ARMATURE" else "Mechanism"
    return (
        f"{kind} '{rig.name}' is linked from another file: make a library override of it (Object > Library"
        " Override > Make)"
    )


def prepare_to_save() -> None:
    """Reads properties of the linked armatures that overrides refer to, so that Blender gives the overrides'
    properties storage of their own.

    Without it Blender 5.0 mistakes the override's storage for a single value and cannot read it back: the
    chains would be lost.
    """
    for rig in bpy.data.objects:
        if rig.type == "ARMATURE" and rig.override_library:
            str(rig.override_library.reference.limber.device.port)
