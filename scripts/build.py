"""Builds the installable package with Blender's own extension tool, which also checks it: build/limber-VERSION.zip."""

import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WHEELS = ROOT / "wheels"
BUILD = ROOT / "build"

TOP_LEVEL = {  # what may stand at the top of the package; anything else in the checkout is a stray file or needs a decision
    "LICENSE",
    "README.md",
    "__init__.py",
    "api.py",
    "batch",
    "character",
    "blender_manifest.toml",
    "files",
    "hardware",
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
    """The package cannot be built; the message says what mends it."""


def manifest() -> dict:
    return tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))


def package_path() -> Path:
    """Where the built package lies."""
    return BUILD / f"limber-{manifest()['version']}.zip"


def extension_tool() -> Path:
    """Blender's command line tool for extensions, as the Blender module of this environment ships it."""
    tools = sorted(Path(sysconfig.get_path("purelib")).glob("bpy/*/scripts/addons_core/bl_pkg/cli/blender_ext.py"))
    if not tools:
        raise BuildError("this Python has no Blender module with the extension tool: run `make setup`")
    return tools[-1]


def run(*command: object) -> None:
    done = subprocess.run([sys.executable, *map(str, command)], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{Path(str(command[0])).name} failed:\n{done.stdout}{done.stderr}")


def fetch_wheels() -> None:
    """Puts the bundled wheels into wheels/, each checked against its digest in requirements/wheels.txt."""
    if all((ROOT / wheel).exists() for wheel in manifest()["wheels"]):
        return
    download = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    run(*download, "--requirement", ROOT / "requirements" / "wheels.txt", "--dest", WHEELS)


def build() -> Path:
    """Makes and checks the package, and returns its path."""
    fetch_wheels()
    package = package_path()
    BUILD.mkdir(exist_ok=True)
    package.unlink(missing_ok=True)
    run(extension_tool(), "build", "--source-dir", ROOT, "--output-filepath", package)
    run(extension_tool(), "validate", package)
    with zipfile.ZipFile(package) as archive:
        strays = sorted({name.split("/")[0] for name in archive.namelist()} - TOP_LEVEL)
    if strays:
        package.unlink()
        raise BuildError(
            f"these would go into the package: {', '.join(strays)}. Remove them, exclude them in blender_manifest.toml, "
            "or add them to TOP_LEVEL in scripts/build.py"
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
