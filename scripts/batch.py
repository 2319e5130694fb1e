"""The batch commands on this checkout, with the Blender module of this Python:
`.venv/bin/python scripts/batch.py [limber_bake | limber_retarget] FILE_OR_FOLDER ...`; without a command's
name, limber_bake runs.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from checkout import load_limber

if __name__ == "__main__":
    load_limber().register()
    from limber.batch import bake_command, retarget_command

    commands = {command.NAME: command for command in (bake_command, retarget_command)}
    words = sys.argv[1:]
    name = words.pop(0) if words[:1] and words[0] in commands else bake_command.NAME
    code = commands[name].main(words, [sys.executable, __file__, name])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # a Blender module may hang while the interpreter ends
