"""Builds the wheel of the player, which plays character files without Blender, into build/, and copies the
wheels of the compiled kernel beside it. The player uses the kernel that fits its computer; without one it is
slower.
"""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from build_kernel import KernelBuildError, make_wheels

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"


class WheelError(Exception):
    """The wheel cannot be built; the message contains pip's output."""


def build(folder: Path = BUILD) -> Path:
    """Builds the wheel into a folder, and returns its path; raises WheelError."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wheel = folder / f"limber-{project['version']}-py3-none-any.whl"
    wheel.unlink(missing_ok=True)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(folder),
        str(ROOT),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or not wheel.is_file():
        raise WheelError(f"pip could not build {wheel.name}:\n{done.stdout}{done.stderr}")
    return wheel


def kernels(folder: Path = BUILD) -> list[Path]:
    """Replaces the wheels of the compiled kernel in a folder, one for each platform; returns their paths.
    Raises KernelBuildError.
    """
    for old in folder.glob("limber_kernel-*.whl"):
        old.unlink()
    return [Path(shutil.copy(wheel, folder)) for wheel in make_wheels()]


def main() -> int:
    try:
        wheels = [build()]
    except WheelError as error:
        print(f"wheel: {error}", file=sys.stderr)
        return 1
    try:
        wheels += kernels()
    except KernelBuildError as error:
        print(f"wheel: the kernel is left out, so the player is slower: {error}", file=sys.stderr)
    for wheel in wheels:
        print(f"wheel: {wheel.relative_to(ROOT)}, {wheel.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
