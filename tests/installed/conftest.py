"""Fixtures of tests on the package as a user has it: the built zip, installed by Blender's own operator into
an empty profile.

`make build` comes first. The checkout cannot be imported here, so that no test passes because of it.
"""

import importlib
import importlib.util
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import bpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULE = "bl_ext.user_default.limber"

sys.modules.pop("limber")
sys.path[:] = [folder for folder in sys.path if folder and Path(folder).resolve() != ROOT]


@pytest.fixture(scope="session")
def package() -> Path:
    """Path of the built zip."""
    version = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]
    path = ROOT / "build" / f"limber-{version}.zip"
    assert path.exists(), f"no {path}: run `make build` first"
    return path


@pytest.fixture(scope="session")
def installed(package: Path) -> str:
    """Installs the package without enabling it; returns its module's name."""
    assert "FINISHED" in bpy.ops.extensions.package_install_files(
        filepath=str(package), repo="user_default", enable_on_install=False
    )
    return MODULE


@pytest.fixture
def enabled(installed: str) -> Iterator[ModuleType]:
    """The installed extension's root module, enabled in an empty file, and disabled afterwards."""
    bpy.ops.wm.read_homefile(use_empty=True)
    assert "FINISHED" in bpy.ops.preferences.addon_enable(module=installed)
    yield importlib.import_module(installed)
    bpy.ops.preferences.addon_disable(module=installed)


@pytest.fixture(scope="session")
def rigs() -> ModuleType:
    """tests/blender/rigs.py, which makes armatures and targets and uses Blender only."""
    spec = importlib.util.spec_from_file_location("rigs", ROOT / "tests" / "blender" / "rigs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
