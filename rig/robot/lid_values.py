"""The value of a robot that follows how far a chain's lids are closed."""

import bpy


def lid_path(chain: bpy.types.PropertyGroup) -> str:
    """Data path, from the armature object, of the property that has how far a chain's lids are closed."""
    return f"{chain.path_from_id()}.eyes.lid"
