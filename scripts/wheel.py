"""Builds the wheel of the player, which plays character files without Blender, into build/."""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"


class WheelError(Exception):
    """The wheel cannot be built; the message says what pip said."""


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


def main() -> int:
    try:
        wheel = build()
    except WheelError as error:
        print(f"wheel: {error}", file=sys.stderr)
        return 1
    print(f"wheel: {wheel.relative_to(ROOT)}, {wheel.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
