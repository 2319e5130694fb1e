"""Runs makers' own programs in .venv-makers, if they are installed."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAKERS = ROOT / ".venv-makers"
PYTHON = MAKERS / "bin" / "python"
CLIENTS = Path(__file__).parent / "clients"
LELAMP = MAKERS / "src" / "lelamp_runtime"
MISSING = "no .venv-makers here: scripts/makers.sh makes it, with {}"
NO_LELAMP = (
    f"no {LELAMP.relative_to(ROOT)} here: git clone https://github.com/humancomputerlab/lelamp_runtime"
)
PATIENCE = 300.0  # [s] longest waiting time, since the machine may be busy


def has(module: str) -> bool:
    """Whether the makers' Python has a module."""
    return any(MAKERS.glob(f"lib/python3.*/site-packages/{module}"))


def run(client: str, *given: object, **variables: str) -> str:
    """Runs a client; returns its output."""
    command = [str(PYTHON), str(CLIENTS / f"{client}.py"), *map(str, given)]
    ran = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, **variables},
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
