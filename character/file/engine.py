"""Digest of the engine: tells whether two programs compute a character's motion by the same code.

The compiled kernel computes what the Python code computes, so it is not in the digest.
"""

import hashlib
from functools import cache
from pathlib import Path

PACKAGES = ("character", "motion", "solvers")  # packages that compute a character's motion
ROOT = Path(__file__).resolve().parents[2]
DIGITS = 16  # number of hexadecimal digits of a SHA-256 that are kept


@cache
def engine_digest() -> str:
    """Digest of the engine's sources on this computer: the first `DIGITS` digits of a SHA-256."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted(
            (ROOT / package).rglob("*.py"), key=lambda path: path.relative_to(ROOT).as_posix()
        ):
            # as text, since line ends differ between systems
            source = path.read_text(encoding="utf-8")
            digest.update(f"{path.relative_to(ROOT).as_posix()}\n{len(source)}\n{source}".encode())
    return digest.hexdigest()[:DIGITS]
