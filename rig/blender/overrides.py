"""Library overrides: what Blender needs so that an overridden armature keeps its chains in the file."""

import bpy


def prepare_to_save() -> None:
    """Gives the linked armatures below overrides storage of their own, which reading does.

    Without it Blender 5.0 takes the override's storage for one value and cannot read it back: the chains would be lost.
    """
    for rig in bpy.data.objects:
        if rig.type == "ARMATURE" and rig.override_library:
            str(rig.override_library.reference.limber.device.port)
