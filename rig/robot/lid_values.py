"""The property of a chain's eyelids that an auxiliary value follows, so that a robot's lids close too."""

import bpy


def lid_path(chain: bpy.types.PropertyGroup) -> str:
    """Data path, from the armature object, of the property that tells how far a chain's eyelids are closed:
    0 open, 1 closed.
    """
    return f"{chain.path_from_id()}.eyes.lid"
