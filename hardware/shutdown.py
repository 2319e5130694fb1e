"""Shutdown of worker processes without blocking Blender."""

from __future__ import annotations

import _thread
import contextlib
import subprocess

# [s] wait for the worker to end by itself: it slows the robot down and disarms it, in at most 1.6 s; then it
# is killed
CLOSE_GRACE = 1.8
# [s] wait for the end of a killed process, which comes at once except during a call of a driver
KILL_GRACE = 1.0


def shut_down_in_background(process: subprocess.Popen[bytes], grace: float = CLOSE_GRACE) -> None:
    """Close the worker's input, upon which it disarms and ends, and return at once; it is killed if it runs
    after `grace` [s].
    """
    # threading.Thread.start would wait until the thread runs
    _thread.start_new_thread(shut_down, (process, grace))


def shut_down(process: subprocess.Popen[bytes], grace: float = CLOSE_GRACE) -> None:
    """Close the worker's input, upon which it disarms and ends, and wait for its end; it is killed if it runs
    after `grace` [s]. For use at exit, when no thread can be started.
    """
    _close_input(process)
    _wait(process, grace)


def _close_input(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):  # closing flushes, which fails if the worker has ended
        process.stdin.close()  # type: ignore[union-attr]  # the worker disarms and ends when its input ends


def _wait(process: subprocess.Popen[bytes], grace: float) -> None:
    try:
        process.wait(grace)
    except subprocess.TimeoutExpired:
        process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(KILL_GRACE)
    process.stderr.close()  # type: ignore[union-attr]
