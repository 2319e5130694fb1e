"""Blender continues to refuse scripts' writes after a drawing, as it can after a render in another thread,
while a program moves a target.
"""

import sys
import threading
import traceback
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

from remote import PLACE, listening, send_place

LIMIT = 30.0  # [s] longest time of a thread


class KeepTheLock(bpy.types.Panel):
    """Two threads restore the lock in the wrong order: that of the drawing, and one that could write during
    it.
    """

    bl_space_type, bl_region_type, bl_category, bl_label = "VIEW_3D", "UI", "Limber", "Keep the Lock"

    begun, drawn = threading.Event(), threading.Event()
    thread: threading.Thread | None = None

    def draw(self, _context):
        if KeepTheLock.thread is None:
            manager = bpy.data.window_managers[0]
            KeepTheLock.thread = threading.Thread(
                target=lambda: setattr(manager, "keeps_the_lock", True), daemon=True
            )
            KeepTheLock.thread.start()
            self.begun.wait(LIMIT)


def _updated(_manager, _context):
    KeepTheLock.begun.set()
    KeepTheLock.drawn.wait(LIMIT)


def play(stage):
    raised = []
    stage.at_end.callback(setattr, sys, "excepthook", sys.excepthook)
    sys.excepthook = lambda *error: raised.append("".join(traceback.format_exception(*error)))
    rig, chain = listening(stage)
    session = stage.part("rig.live.live").session(rig, rig.limber.chains[0])
    stage.open_tab()
    bpy.types.WindowManager.keeps_the_lock = bpy.props.BoolProperty(update=_updated)
    bpy.utils.register_class(KeepTheLock)
    yield from stage.until(KeepTheLock.begun.is_set)
    KeepTheLock.drawn.set()
    KeepTheLock.thread.join()
    stage.facts["refused"] = stage.part("rig.blender.write_access").is_refused()

    send_place(rig)
    vector = stage.part("rig.authoring.targets").Vector
    yield from stage.until(
        lambda: raised or (chain.target.matrix_world.translation - vector(PLACE)).length < 1e-5
    )
    yield from stage.until(lambda: raised or session.outputs.filtered_aim_error < 1e-3)
    stage.facts["raised"] = raised
