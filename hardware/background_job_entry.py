"""Entry point of a background job's process: `python -I background_job_entry.py PACKAGE PYSERIAL TASK
ARGUMENTS`.

Run as a script by `background_job`, outside any package, like `worker/entry.py`; it prints events, and ends
when Blender does.
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
# module of each task, whose `run(arguments, serial)` yields events
TASKS = {"scan": "scan", "change": "change_servo", "describe": "describe"}


def end_with_blender(entry: dict[str, Any]) -> None:
    """Wait until standard input is closed, which happens when Blender ends; then exit the process. `entry`:
    the functions of worker/entry.py, by name.
    """
    entry["notice_end_of_input"](threading.Event())
    os._exit(0)  # ends at once, since the main thread may wait for a driver


def main() -> None:
    package, pyserial, task, arguments = sys.argv[1:]
    entry = runpy.run_path(str(ENTRY))
    threading.Thread(target=end_with_blender, args=(entry,), daemon=True).start()
    entry["load_package"]("limber", Path(package))
    events = importlib.import_module("limber.hardware.job_events")
    errors = importlib.import_module("limber.hardware.errors")
    work = importlib.import_module(f"limber.hardware.{TASKS[task]}")
    serial = entry["load_package"]("serial", Path(pyserial)) if pyserial else None
    last = events.Ended()
    try:
        for event in work.run(json.loads(arguments), serial):
            print(events.to_line(event), flush=True)
    except errors.HardwareError as error:
        last = events.Ended(failed=str(error))
    print(events.to_line(last), flush=True)


if __name__ == "__main__":
    main()
