"""Folders of the user for Limber's own files, outside of .blend files and of the extension's code."""

from pathlib import Path

import bpy


def user_folder(name: str, create: bool = True) -> Path | None:
    """Path of the user's folder of that name, created unless `create` is False; None if it cannot be created.

    It is in the extension's user directory, or in Blender's if Limber runs from a source checkout.
    """
    try:
        folder = bpy.utils.extension_path_user(__package__.rpartition(".")[0], path=name, create=create)
    except ValueError:
        folder = bpy.utils.user_resource("DATAFILES", path=f"limber/{name}", create=create)
    except OSError:
        return None
    return Path(folder) if folder else None
