"""Library overrides: a preparation before saving that keeps the chains of overridden armatures."""

import bpy


def prepare_to_save() -> None:
    """Reads the linked armatures that overrides refer to, which gives the overrides' properties storage of their own.

    Without it Blender 5.0 mistakes the override's storage for a single value and cannot read it back: the chains would be lost.
    """
    for rig in bpy.data.objects:
        if rig.type == "ARMATURE" and rig.override_library:
            str(rig.override_library.reference.limber.device.port)
