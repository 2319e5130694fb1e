"""`limber_bake` on this checkout, with the Blender module of this Python: `.venv/bin/python scripts/batch.py
FILE_OR_FOLDER ...`.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from checkout import load_limber

if __name__ == "__main__":
    load_limber().register()
    from limber.batch import command

    code = command.main(sys.argv[1:], [sys.executable, __file__])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # a Blender module may hang while the interpreter ends
