"""The papers' tables and the peers, side by side, as commands: `python -m benchmarks.NAME`, from the repository's root."""

from checkout import load_limber

load_limber()
