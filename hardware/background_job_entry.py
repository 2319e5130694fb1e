"""Starts an errand's process: `python -I errand_entry.py PACKAGE PYSERIAL TASK ARGUMENTS`. Knows no Blender.

Run as a script by `errand`, outside any package, as `worker/entry.py` is; it prints news, and ends when Blender does.
"""

import importlib
import json
import os
import runpy
import sys
import threading
from pathlib import Path
from typing import Any

ENTRY = Path(__file__).parent / "worker" / "entry.py"
TASKS = {"scan": "scan", "change": "change_servo", "describe": "describe"}  # modules with `run(arguments, serial)`, which yields news


def end_with_blender(entry: dict[str, Any]) -> None:
    """Wait for the end of standard input, and with it of Blender."""
    entry["notice_end_of_input"](threading.Event())
    os._exit(0)  # whatever the port is doing: the main thread may wait for a driver


def main() -> None:
    package, pyserial, task, arguments = sys.argv[1:]
    entry = runpy.run_path(str(ENTRY))
    threading.Thread(target=end_with_blender, args=(entry,), daemon=True).start()
    entry["load_package"]("limber", Path(package))
    news = importlib.import_module("limber.hardware.job_events")
    errors = importlib.import_module("limber.hardware.errors")
    work = importlib.import_module(f"limber.hardware.{TASKS[task]}")
    serial = entry["load_package"]("serial", Path(pyserial)) if pyserial else None
    last = news.Ended()
    try:
        for told in work.run(json.loads(arguments), serial):
            print(news.to_line(told), flush=True)
    except errors.HardwareError as error:
        last = news.Ended(failed=str(error))
    print(news.to_line(last), flush=True)


if __name__ == "__main__":
    main()
