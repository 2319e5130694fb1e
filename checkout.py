"""Loads this checkout as the package `limber`, as Blender does from its extension folder: for tests and
benchmarks (not in the zip).
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent


def load_limber(root: Path = ROOT) -> ModuleType:
    """Imports the package in the folder `root` under the name `limber`, whatever the folder is called."""
    if "limber" in sys.modules:
        return sys.modules["limber"]
    spec = importlib.util.spec_from_file_location(
        "limber", root / "__init__.py", submodule_search_locations=[str(root)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no package at {root}")
    package = importlib.util.module_from_spec(spec)
    sys.modules["limber"] = package
    spec.loader.exec_module(package)
    return package
