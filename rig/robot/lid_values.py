"""The value of a robot that is how far a chain's lids are closed."""

import bpy


def lid_path(chain: bpy.types.PropertyGroup) -> str:
    """Path of the property that says how far the lids of a chain are closed, from its armature object."""
    return f"{chain.path_from_id()}.eyes.lid"
