"""Blender's permission for connections to other computers: Preferences > System > Allow Online Access."""

import bpy

from ...hardware.address import Address
from .errors import RigError


def require(address: Address) -> None:
    """Raises RigError for an address of another computer while Blender may not go online."""
    if not (address.is_loopback or bpy.app.online_access):
        raise RigError(
            f"{address.authority} is another computer, and Blender may not go online: Preferences > System >"
            " Allow Online Access; 127.0.0.1, this computer, needs none"
        )
