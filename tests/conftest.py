"""Makes `import limber` mean this checkout in every ring of tests that does not use the built zip."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from checkout import load_limber

load_limber()
