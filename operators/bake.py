from time import perf_counter

import bpy

from ..rig.bake import Bake
from ..rig.errors import RigError
from .subject import chain_of, poll_chain, rig_of

BUDGET = 0.03  # [s] of baking between two looks at the keyboard: the interface stays awake


class LIMBER_OT_bake(bpy.types.Operator):
    """Bake the warped, filtered motion of the chain's frame range to keys on a new action; the action that was there is kept. Esc
    cancels"""

    bl_idname = "limber.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not poll_chain(cls, context):
            return False
        chain = chain_of(context)
        if chain.target is None:
            cls.poll_message_set(f"Chain '{chain.name}' has no target: choose the object that it looks at")
            return False
        return True

    def invoke(self, context, event):
        if not self._begin(context):
            return {"CANCELLED"}
        manager = context.window_manager
        manager.progress_begin(0, self.bake.total)
        self.timer = manager.event_timer_add(0.001, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        if not self._begin(context):
            return {"CANCELLED"}
        try:
            while self.bake.step():
                pass
        except RigError as error:
            return self._give_up(error)
        return self._finish()

    def modal(self, context, event):
        if event.type == "ESC":
            self._leave(context)
            self.bake.cancel()
            self.report({"WARNING"}, "Baking is cancelled: nothing was written")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        until = perf_counter() + BUDGET
        try:
            more = True
            while more and perf_counter() < until:
                more = self.bake.step()
        except RigError as error:
            self._leave(context)
            return self._give_up(error)
        context.window_manager.progress_update(len(self.bake.frames))
        context.workspace.status_text_set(f"Baking frame {self.bake.frames[-1]} of {self.bake.end}. Esc: cancel")
        if more:
            return {"RUNNING_MODAL"}
        self._leave(context)
        return self._finish()

    def _begin(self, context) -> bool:
        rig, chain = rig_of(context), chain_of(context)
        try:
            self.bake = Bake(context.scene, [(rig, chain)], chain.frame_start, chain.frame_end)
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return False
        return True

    def _give_up(self, error):
        self.bake.cancel()
        self.report({"ERROR"}, f"Nothing was baked. {error}")
        return {"CANCELLED"}

    def _finish(self):
        drivers = self.bake.muted_drivers()
        held = len(self.bake.held)
        actions = self.bake.finish()
        if drivers:
            self.report({"WARNING"}, f"Drivers of {', '.join(drivers)} are muted: they would win over the keys")
        if held:
            self.report({"WARNING"}, f"In {held} frames the target could not be looked at; the chain kept its pose there")
        self.report({"INFO"}, f"{self.bake.total} frames are baked to {', '.join(repr(action.name) for action in actions)}")
        return {"FINISHED"}

    def _leave(self, context) -> None:
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)
