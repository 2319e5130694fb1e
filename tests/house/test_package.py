"""Tests which files the package contains that users install."""

import importlib.util
import os
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from limber.solvers.kernel import library

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


def script(name: str):
    """A module of scripts/."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build_kernel = script("build_kernel")


@pytest.fixture(scope="module")
def build():
    return script("build")


def test_every_source_of_the_extension_is_in(names: set[str]):
    sources = {"__init__.py", "api.py", "registration.py", "blender_manifest.toml", "LICENSE", "README.md"}
    for folder in (
        "batch",
        "files",
        "solvers",
        "motion",
        "robots",
        "character",
        "rig",
        "operators",
        "panels",
        "hardware",
    ):
        sources |= {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.py")}
    assert sources <= names


def test_the_firmware_is_in_as_sources_since_users_flash_it(names: set[str]):
    firmware = ROOT / "hardware" / "firmware"
    suffixes = {".c", ".cpp", ".h", ".ino"}
    sources = {
        path.relative_to(ROOT).as_posix()
        for path in firmware.rglob("*")
        if path.suffix in suffixes and "build" not in path.parts
    }
    assert sources
    assert sources <= names


@pytest.mark.xfail(
    strict=True,
    reason="2.77 MB: 1.48 are Python sources, .63 the compiled kernel of six platforms, most of it compiled"
    " for size, .30 other wheels, .15 meshes",
)
def test_the_package_stays_small(package: Path):
    assert package.stat().st_size < 2.5e6, (
        "meshes of gallery robots are simplified, and the makers' are installed from a folder"
    )


def test_nothing_of_development_and_nothing_compiled_is_in(names: set[str]):
    for name in names:
        parts = PurePosixPath(name).parts
        assert not {"tests", "benchmarks", "scripts", "demo", "docs", "build", "__pycache__"} & set(
            parts[:-1]
        ), name
        assert not any(part.startswith(".") for part in parts), name
        assert PurePosixPath(name).suffix not in {
            ".pyc",
            ".so",
            ".pyd",
            ".o",
            ".elf",
            ".hex",
            ".npz",
            ".blend1",
        }, name


def test_the_manifest_and_the_project_tell_the_same_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == MANIFEST["version"]


FETCHED = [wheel for wheel in MANIFEST["wheels"] if "limber_kernel" not in wheel]


def test_a_kernel_of_other_functions_has_another_version_since_blender_keeps_a_wheel_of_the_same():
    assert build_kernel.wheel_version() == f"{MANIFEST['version']}.{library.VERSION}"


def test_the_kernel_is_bundled_for_each_platform_in_the_manifests_version():
    names = {PurePosixPath(wheel).name for wheel in MANIFEST["wheels"]} - {
        PurePosixPath(wheel).name for wheel in FETCHED
    }
    assert names == {build_kernel.wheel_path(platform).name for platform in build_kernel.PLATFORMS}


def test_a_wheel_of_the_kernel_is_the_same_bytes_whenever_it_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(build_kernel, "WHEELS", tmp_path)
    made = [build_kernel.make_wheel(build_kernel.PLATFORMS[0], b"library").read_bytes() for _ in range(2)]
    assert made[0] == made[1]


def test_the_kernel_of_this_machine_is_compiled_where_sources_have_changed(tmp_path, monkeypatch):
    compiled = []

    def compile_native(folder):
        compiled.append(folder)
        library = tmp_path / "compiled"
        library.write_bytes(b"library %d" % len(compiled))
        return library

    monkeypatch.setattr(build_kernel, "BUILD", tmp_path)
    monkeypatch.setattr(build_kernel, "compile_native", compile_native)
    for digest in ("old", "old", "new", "new"):
        monkeypatch.setattr(build_kernel, "sources_digest", lambda digest=digest: digest)
        library = build_kernel.make_native()
    assert len(compiled) == 2
    assert library.read_bytes() == b"library 2"
    library.unlink()
    assert build_kernel.make_native().read_bytes() == b"library 3"


def test_fetched_wheels_are_pure_python_and_pinned_by_digest():
    pinned = (ROOT / "requirements" / "wheels.txt").read_text(encoding="utf-8")
    for wheel in FETCHED:
        name, version, *_, platform = PurePosixPath(wheel).stem.split("-")
        assert platform == "any"
        assert f"{name}=={version} --hash=sha256:" in pinned


def test_the_package_is_the_same_bytes_whenever_and_wherever_it_is_built(build, tmp_path):
    packages = []
    for number, names in enumerate((("b.py", "a/c.py", "a.whl"), ("a.whl", "a/c.py", "b.py"))):
        package = tmp_path / f"{number}.zip"
        with zipfile.ZipFile(package, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                file = tmp_path / str(number) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(f"content of {name}" * 99)
                file.chmod(0o600 if number else 0o664)
                os.utime(file, (1e9 + 1e7 * number,) * 2)
                archive.write(file, name, zipfile.ZIP_STORED if name == "a.whl" else None)
        build.make_reproducible(package)
        packages.append(package.read_bytes())
    assert packages[0] == packages[1]
    with zipfile.ZipFile(package) as archive:
        assert {entry.filename: entry.compress_type for entry in archive.infolist()} == {
            "a.whl": zipfile.ZIP_STORED,
            "a/c.py": zipfile.ZIP_DEFLATED,
            "b.py": zipfile.ZIP_DEFLATED,
        }
        assert archive.read("b.py").decode() == "content of b.py" * 99


def test_the_package_has_no_source_of_the_kernel_which_its_wheels_have_compiled(names: set[str]):
    assert not [name for name in names if name.startswith("solvers/kernel/") and not name.endswith(".py")]


def test_the_built_package_has_neither_dates_nor_access_rights_of_its_files(package: Path):
    with zipfile.ZipFile(package) as archive:
        entries = archive.infolist()
    assert {(entry.date_time, entry.external_attr >> 16) for entry in entries} == {
        ((1980, 1, 1, 0, 0, 0), 0o100644)
    }
    assert [entry.filename for entry in entries] == sorted(entry.filename for entry in entries)


def test_a_wheel_that_differs_from_its_digest_is_refused_by_name(build, tmp_path):
    for wheel in FETCHED:
        build.check_wheel(ROOT / wheel)
        changed = tmp_path / PurePosixPath(wheel).name
        changed.write_bytes((ROOT / wheel).read_bytes()[:-1] + b"!")
        with pytest.raises(
            build.BuildError, match=rf"wheels/{changed.name} is not the wheel that was chosen.*Delete it"
        ):
            build.check_wheel(changed)
    unpinned = tmp_path / "other-1.0-py3-none-any.whl"
    unpinned.write_bytes(b"")
    with pytest.raises(build.BuildError, match="has none for it"):
        build.check_wheel(unpinned)
