"""Entry point of the worker process: `python -I entry.py PACKAGE MAP PYSERIAL`.

Run as a script by `link`, outside any package: it loads the extension's folder as the package `limber`,
independently of its name in Blender, and pyserial from Blender's folder for it, without changing sys.path.
"""

import importlib
import importlib.util
import os
import signal
import sys
import threading
from pathlib import Path
from types import ModuleType


def load_package(name: str, folder: Path) -> ModuleType:
    """Import the package in `folder` under the name `name`, if it is not imported yet.

    Raises:
        ImportError: There is no package in the folder.
    """
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no package in {folder}")
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    spec.loader.exec_module(package)
    return package


def notice_end_of_input(ended: threading.Event) -> None:
    """Wait until standard input is closed, as when Blender ends; then set `ended`."""
    while os.read(0, 64):
        pass
    ended.set()


def main() -> None:
    package, memory_map, pyserial = sys.argv[1:]
    ended = threading.Event()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in Blender's terminal is Blender's to handle
    if sys.platform != "win32":
        # a closed terminal ends Blender or the player, and with it this process's input; Ctrl Z must not
        # prevent the robot from being held
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    threading.Thread(target=notice_end_of_input, args=(ended,), daemon=True).start()
    load_package("limber", Path(package))
    loop = importlib.import_module("limber.hardware.worker.loop")
    loop.run(Path(memory_map), lambda: load_package("serial", Path(pyserial)) if pyserial else None, ended)


if __name__ == "__main__":
    main()
