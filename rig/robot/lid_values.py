"""The value of a robot that follows how far a chain's eyelids are closed."""

import bpy


def lid_path(chain: bpy.types.PropertyGroup) -> str:
    """Data path, from the armature object, of the property that says how far a chain's eyelids are closed."""
    return f"{chain.path_from_id()}.eyes.lid"
