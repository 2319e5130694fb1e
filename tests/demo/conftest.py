"""The demo's files are scripts beside each other: tests import them as the demo does."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "demo"))
