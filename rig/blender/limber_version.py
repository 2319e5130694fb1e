"""Version of the Limber that is installed in this Blender."""

import tomllib
from functools import cache
from pathlib import Path

MANIFEST = Path(__file__).resolve().parents[2] / "blender_manifest.toml"


@cache
def limber_version() -> str:
    """Version number of Limber, from its manifest."""
    return str(tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["version"])
