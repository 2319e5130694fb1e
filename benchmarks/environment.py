"""Creates .venv-bench, the environment with the libraries that `benchmarks.peers` compares: the available
ones of requirements/bench.txt.

    python -m benchmarks.environment

It installs all at once if possible, otherwise one by one, so that a library without a package for this
computer is named and the others are installed. An environment that has them all is changed only when the
requirements or Python's version change.
"""

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".venv-bench"
REQUIREMENTS = ROOT / "requirements" / "bench.txt"


def wanted(text: str) -> list[str]:
    """The requirements listed in a file's text."""
    lines = (line.split("#")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


def install(python: Path, packages: Sequence[str]) -> str:
    """Installs packages; returns "", or the last line of pip's error."""
    command = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--prefer-binary",
        *packages,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["no word"])[-1]


def fill(folder: Path, packages: Sequence[str]) -> dict[str, str]:
    """Creates the environment if it does not exist, and installs the packages; returns those that could not
    be installed, each with the reason.
    """
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    if not install(python, packages):
        return {}
    print("  not all at once: one by one", flush=True)
    failures = {package: install(python, [package]) for package in packages}
    return {package: why for package, why in failures.items() if why}


def main() -> None:
    text = REQUIREMENTS.read_text()
    digest = hashlib.sha256((sys.version + text).encode()).hexdigest()
    ready = FOLDER / "ready"
    if ready.exists() and ready.read_text() == digest:
        return
    print(f"{FOLDER.name}: downloads about 300 MB", flush=True)
    ready.unlink(missing_ok=True)
    failures = fill(FOLDER, wanted(text))
    for package, why in failures.items():
        print(f"{FOLDER.name}: {package} could not be had: {why}")
    if not failures:
        ready.write_text(digest)


if __name__ == "__main__":
    main()
