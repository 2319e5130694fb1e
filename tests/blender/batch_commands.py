"""Runs the batch commands in the test's own Blender, as `blender --command` does; their workers are other
Blenders, which the checkout's program starts.
"""

import io
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import ModuleType

PROGRAM = [sys.executable, str(Path(__file__).resolve().parents[2] / "scripts" / "batch.py")]


def run(command: ModuleType, program: list[str], *arguments) -> subprocess.CompletedProcess:
    """Exit code and output of a command.

    Args:
        command: Module of the command.
        program: First words of the command line that starts a worker.
        arguments: Arguments of the command, as objects whose texts they are.
    """
    stdout, stderr = io.StringIO(), io.StringIO()
    with redirect_stdout(stdout), redirect_stderr(stderr):
        code = command.main([str(argument) for argument in arguments], program)
    return subprocess.CompletedProcess(program, code, stdout.getvalue(), stderr.getvalue())
