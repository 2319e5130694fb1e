"""How many threads a Blender module evaluates scenes with: one for each processor that its process may use
when it is imported.
"""

import importlib
import os

ONE = os.environ.get("LIMBER_THREADS") == "1"  # one is asked for; else as many as Blender chooses


def import_blender_with_one_thread() -> None:
    """Imports bpy where this process may use one processor. Afterwards it and processes that it starts may
    use all again. Where the system has no such bounds, Blender chooses.
    """
    if not hasattr(os, "sched_setaffinity"):
        return
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(processors)})
    try:
        importlib.import_module("bpy").ops.wm.read_factory_settings(use_empty=True)
    finally:
        os.sched_setaffinity(0, processors)
