"""Entry point of a process that reads a file: `python -I reading_process_entry.py NAME PACKAGE PATH...`.

Run as a script by `reading_process`, outside any package: it loads the extension's folder under the package
name that it has in Blender, with Blender's search path, so that pickled classes have the same names.
"""

import importlib
import importlib.util
import os
import pickle
import sys
import threading
from pathlib import Path
from types import ModuleType


def load_package(name: str, folder: Path) -> None:
    """Import the package in `folder` under a dotted name, whose parents become empty packages. Raises
    ImportError if there is no package in the folder.
    """
    parts = name.split(".")
    for k in range(1, len(parts)):
        parent = ModuleType(".".join(parts[:k]))
        parent.__path__ = []
        sys.modules[parent.__name__] = parent
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no package in {folder}")
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    spec.loader.exec_module(package)


def end_with_blender() -> None:
    """Wait until standard input is closed, which happens when Blender ends; then exit the process."""
    while os.read(0, 64):
        pass
    os._exit(1)


def main() -> None:
    name, package, *path = sys.argv[1:]
    sys.path[:] = path
    load_package(name, Path(package))
    function, arguments = pickle.load(sys.stdin.buffer)
    threading.Thread(target=end_with_blender, daemon=True).start()
    answer = importlib.import_module(f"{name}.files.reading_process").called(function, arguments)
    sys.stdout.buffer.write(answer)
    sys.stdout.flush()
    os._exit(0)  # exit at once, since the other thread still waits for standard input


if __name__ == "__main__":
    main()
