"""What is in the package that users install, and what is not."""

import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def package() -> Path:
    found = ROOT / "build" / f"limber-{MANIFEST['version']}.zip"
    assert found.exists(), f"no {found}: run `make build` first"
    return found


@pytest.fixture(scope="module")
def names(package: Path) -> set[str]:
    with zipfile.ZipFile(package) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def test_every_source_of_the_extension_is_in(names: set[str]):
    sources = {"__init__.py", "api.py", "registration.py", "blender_manifest.toml", "LICENSE", "README.md"}
    for folder in ("batch", "files", "solvers", "motion", "robots", "character", "rig", "operators", "panels", "hardware"):
        sources |= {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.py")}
    assert sources <= names


def test_the_firmware_is_in_as_sources_since_users_flash_it(names: set[str]):
    firmware = ROOT / "hardware" / "firmware"
    suffixes = {".c", ".cpp", ".h", ".ino"}
    sources = {path.relative_to(ROOT).as_posix() for path in firmware.rglob("*") if path.suffix in suffixes and "build" not in path.parts}
    assert sources
    assert sources <= names


def test_the_package_stays_small(package: Path):
    assert package.stat().st_size < 1.7e6, "meshes of gallery robots are simplified, and the makers' are installed from a folder"


def test_nothing_of_development_and_nothing_compiled_is_in(names: set[str]):
    for name in names:
        parts = PurePosixPath(name).parts
        assert not {"tests", "benchmarks", "scripts", "demo", "docs", "build", "__pycache__"} & set(parts[:-1]), name
        assert not any(part.startswith(".") for part in parts), name
        assert PurePosixPath(name).suffix not in {".pyc", ".so", ".pyd", ".o", ".elf", ".hex", ".npz", ".blend1"}, name


def test_the_manifest_and_the_project_tell_the_same_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == MANIFEST["version"]


def test_bundled_wheels_are_pure_python_and_pinned_by_digest():
    pinned = (ROOT / "requirements" / "wheels.txt").read_text(encoding="utf-8")
    for wheel in MANIFEST["wheels"]:
        name, version, *_, platform = PurePosixPath(wheel).stem.split("-")
        assert platform == "any"
        assert f"{name}=={version} --hash=sha256:" in pinned
