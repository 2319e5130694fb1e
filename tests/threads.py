"""Sets the number of threads with which a Blender module evaluates scenes: one for each processor that its
process may use when it is imported.
"""

import importlib
import os

ONE = os.environ.get("LIMBER_THREADS") == "1"  # whether one thread is requested; otherwise Blender chooses


def import_blender_with_one_thread() -> None:
    """Imports bpy while this process may use one processor only. Afterwards it and the processes that it
    starts may use all again. On a system without such restrictions Blender chooses.
    """
    if not hasattr(os, "sched_setaffinity"):
        return
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(processors)})
    try:
        importlib.import_module("bpy").ops.wm.read_factory_settings(use_empty=True)
    finally:
        os.sched_setaffinity(0, processors)
