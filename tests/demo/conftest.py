"""Makes the demo's files importable by their names, as scripts beside each other do."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "demo"))
