import bpy
from bpy.props import BoolProperty

from ..rig import robot
from ..rig.bake import Bake
from ..rig.errors import RigError
from ..rig.goal import no_target
from .subject import chain_of, poll_chain, rig_of

BUDGET = 0.03  # [s] of baking between two looks at the keyboard: the interface stays awake
FRAMES_NAMED = 5  # in a report


class LIMBER_OT_bake(bpy.types.Operator):
    """Bake the warped, filtered motion of the range to keys on a new action; the one that was there is kept. Esc cancels"""

    bl_idname = "limber.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    all_chains: BoolProperty(
        name="All Chains",
        description="Bake all chains of the armature that have a target, over this chain's range: chains that hang on each other belong"
        " together",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context):
        if not poll_chain(cls, context):
            return False
        chain = chain_of(context)
        if chain.target is None:
            cls.poll_message_set(no_target(chain))
            return False
        if rig_of(context).mode == "EDIT":
            cls.poll_message_set("Leave Edit Mode first: Bake works in Object Mode or Pose Mode")
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
            return self._finish()
        except RigError as error:
            return self._give_up(error)
        finally:
            self.bake.cancel()

    def modal(self, context, event):
        if event.type == "ESC":
            if event.shift:  # the stop key comes here first
                robot.stop_all()
            self.cancel(context)
            self.report({"WARNING"}, "Baking is cancelled: nothing was written")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        more = False
        try:
            more = self.bake.run(BUDGET)
            if more:
                context.window_manager.progress_update(len(self.bake.frames))
                context.workspace.status_text_set(f"Baking frame {self.bake.frames[-1]} of {self.bake.end}. Esc: cancel")
                return {"RUNNING_MODAL"}
            return self._finish()
        except RigError as error:
            return self._give_up(error)
        finally:
            if not more:
                self.cancel(context)

    def cancel(self, context):
        """Blender calls this as well, when it closes meanwhile."""
        self.bake.cancel()
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)

    def _begin(self, context) -> bool:
        rig, chain = rig_of(context), chain_of(context)
        pairs = [(rig, other) for other in rig.limber.chains if other.target] if self.all_chains else [(rig, chain)]
        try:
            self.bake = Bake(context.scene, pairs, chain.frame_start, chain.frame_end)
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return False
        return True

    def _give_up(self, error):
        self.report({"ERROR"}, f"Nothing was baked. {error}")
        return {"CANCELLED"}

    def _finish(self):
        held = self.bake.held
        drivers = self.bake.mute_drivers()
        actions = self.bake.finish()
        for name, remark in self.bake.remarks.items():
            self.report({"WARNING"}, f"Chain '{name}': {remark}")
        if drivers:
            self.report({"WARNING"}, f"Drivers of {', '.join(drivers)} are muted: they would win over the keys")
        if held:
            frames = ", ".join(map(str, list(held)[:FRAMES_NAMED])) + (" ..." if len(held) > FRAMES_NAMED else "")
            self.report({"WARNING"}, f"In {len(held)} frames ({frames}) the goal could not be followed. {next(iter(held.values()))}")
        self.report({"INFO"}, f"{self.bake.total} frames are baked to {', '.join(repr(action.name) for action in actions)}")
        return {"FINISHED"}
