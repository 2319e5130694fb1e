"""The folders of this user on this computer in which Limber keeps files: never in a .blend, and never in the extension's own code."""

from pathlib import Path

import bpy


def user_folder(name: str) -> Path | None:
    """A folder for files of one kind; it is made. None: it cannot be made.

    That is the extension's folder of the user's, or Blender's where Limber runs from its sources and is no extension.
    """
    try:
        made = bpy.utils.extension_path_user(__package__.rpartition(".")[0], path=name, create=True)
    except ValueError:
        made = bpy.utils.user_resource("DATAFILES", path=f"limber/{name}", create=True)
    except OSError:
        return None
    return Path(made) if made else None
