"""Builds the installable package with Blender's own extension tool, which also checks it:
build/limber-VERSION.zip.

The same sources give the same bytes, wherever and whenever they are built with the same zlib.
"""

import hashlib
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from build_kernel import KernelBuildError, make_wheels

ROOT = Path(__file__).resolve().parents[1]
WHEELS = ROOT / "wheels"
PINS = ROOT / "requirements" / "wheels.txt"
PIN = re.compile(r"^([\w.-]+)==(\S+) --hash=sha256:([0-9a-f]{64})$", re.MULTILINE)
BUILD = ROOT / "build"
ENTRY_DATE = (1980, 1, 1, 0, 0, 0)  # date of every file in the package: the earliest that a zip can have
ENTRY_MODE = 0o100644  # access rights of every file in the package: a regular file that its owner may write

# files and folders that are allowed at the top of the package; anything else in the checkout is a stray file
# or needs a decision
TOP_LEVEL = {
    "LICENSE",
    "README.md",
    "__init__.py",
    "api.py",
    "batch",
    "character",
    "blender_manifest.toml",
    "files",
    "hardware",
    "inputs",
    "motion",
    "operators",
    "panels",
    "registration.py",
    "rig",
    "solvers",
    "robots",
    "wheels",
}


class BuildError(Exception):
    """The package cannot be built; the message says why, and what to do."""


def manifest() -> dict:
    return tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))


def package_path() -> Path:
    """Path of the built package."""
    return BUILD / f"limber-{manifest()['version']}.zip"


def extension_tool() -> Path:
    """Path of Blender's command line tool for extensions, which the Blender module of this environment
    contains. Raises BuildError if it is not there.
    """
    tools = sorted(
        Path(sysconfig.get_path("purelib")).glob("bpy/*/scripts/addons_core/bl_pkg/cli/blender_ext.py")
    )
    if not tools:
        raise BuildError("this Python has no Blender module with the extension tool: run `make setup`")
    return tools[-1]


def run(*command: object) -> None:
    done = subprocess.run(
        [sys.executable, *map(str, command)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BuildError(f"{Path(str(command[0])).name} failed:\n{done.stdout}{done.stderr}")


def fetch_wheels() -> None:
    """Downloads the missing bundled wheels into wheels/, checks each against its digest in
    requirements/wheels.txt, and builds those of the compiled kernel. Raises BuildError.
    """
    try:
        built = {wheel.name for wheel in make_wheels()}
    except KernelBuildError as error:
        raise BuildError(str(error)) from error
    fetched = [ROOT / wheel for wheel in manifest()["wheels"] if Path(wheel).name not in built]
    if not all(wheel.exists() for wheel in fetched):
        download = [
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--require-hashes",
        ]
        run(*download, "--requirement", PINS, "--dest", WHEELS)
    for wheel in fetched:
        check_wheel(wheel)


def check_wheel(wheel: Path) -> None:
    """Raises BuildError for a wheel whose content differs from its digest in requirements/wheels.txt, or that
    has no digest there.
    """
    name, version, *_ = wheel.name.split("-")
    pins = {(pin[1], pin[2]): pin[3] for pin in PIN.finditer(PINS.read_text(encoding="utf-8"))}
    pinned = pins.get((name, version), "")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if digest != pinned:
        expected = f"its SHA-256 is {digest}, and {PINS.name} has {pinned or 'none for it'}"
        raise BuildError(
            f"wheels/{wheel.name} is not the wheel that was chosen: {expected}. Delete it, and it is fetched"
            " again"
        )


def make_reproducible(package: Path) -> None:
    """Rewrites a zip with its files sorted by name, and with fixed dates and access rights, which would
    otherwise differ from build to build.
    """
    with zipfile.ZipFile(package) as archive:
        contents = {
            entry.filename: (archive.read(entry), entry.compress_type)
            for entry in archive.infolist()
            if not entry.is_dir()
        }
    part = package.with_suffix(".part")
    with zipfile.ZipFile(part, "w") as archive:
        for name, (data, compression) in sorted(contents.items()):
            entry = zipfile.ZipInfo(name, ENTRY_DATE)
            entry.create_system = 3  # written as Unix on every system, so that the bytes are the same
            entry.external_attr = ENTRY_MODE << 16
            archive.writestr(entry, data, compression, compresslevel=9)
    part.replace(package)


def build() -> Path:
    """Builds and checks the package; returns its path. Raises BuildError if it cannot be built, or has files
    that `TOP_LEVEL` does not allow.
    """
    fetch_wheels()
    package = package_path()
    BUILD.mkdir(exist_ok=True)
    package.unlink(missing_ok=True)
    run(extension_tool(), "build", "--source-dir", ROOT, "--output-filepath", package)
    make_reproducible(package)
    run(extension_tool(), "validate", package)
    with zipfile.ZipFile(package) as archive:
        strays = sorted({name.split("/")[0] for name in archive.namelist()} - TOP_LEVEL)
    if strays:
        package.unlink()
        raise BuildError(
            f"these would go into the package: {', '.join(strays)}. Remove them, exclude them in"
            " blender_manifest.toml, or add them to TOP_LEVEL in scripts/build.py"
        )
    return package


def main() -> int:
    try:
        package = build()
    except BuildError as error:
        print(f"build: {error}", file=sys.stderr)
        return 1
    kilobytes = package.stat().st_size / 1000
    print(f"build: {package.relative_to(ROOT)}, {kilobytes:.0f} kB, made and checked by Blender's own tool")
    return 0


if __name__ == "__main__":
    sys.exit(main())
