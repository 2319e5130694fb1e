"""The folder of pyserial, for processes that do not see Blender's installed packages."""

from __future__ import annotations

import importlib.util


def pyserial_folder() -> str:
    """Folder of pyserial (in Blender: unpacked from the extension's wheel); empty if it is missing."""
    spec = importlib.util.find_spec("serial")
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    return folders[0] if folders else ""
