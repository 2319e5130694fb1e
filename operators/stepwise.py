"""Base class of long operators: work in small steps with progress, Esc to cancel, and a responsive
interface.
"""

import bpy

from ..files.large import LargeError
from ..rig.output.stepped import SteppedJob
from ..rig.robot import links
from .files import browse
from .operator import ERRORS, Operator

BUDGET = 0.05  # [s] time of work between two checks for events


class Stepwise(Operator):
    """Base of long operators: modal when a user starts them; run to the end at once when a script calls them.

    Subclasses implement `_begin(context)`, which returns the work or raises RigError, and `_finish(context)`.
    They set `nothing` and `cancelled`, the reports of a failure and of cancelling, and may implement
    `_says()`, which returns the text of the status bar. An operator that asks the user first defines
    `settings`, the names of the properties to ask for; it asks if the first of them is not set.
    `_ask(context)` opens the file browser; subclasses override it to open a dialog.
    """

    work: SteppedJob
    nothing = ""
    cancelled = ""
    settings: tuple[str, ...] = ()
    is_watched = False  # whether a user waits at a window while the work is done in steps
    is_asking = False  # whether a dialog or the file browser is or was open, and work has not begun

    def invoke(self, context, event):
        if self.settings and not self.properties.is_property_set(self.settings[0]):
            self.is_asking = True
            return self._ask(context)
        self.is_watched = True
        try:
            work = self.work = self._begin(context)
        except ERRORS as error:
            return self.refuse(error)
        manager = context.window_manager
        manager.progress_begin(0, work.total)
        self.timer = manager.event_timer_add(0.001, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def _ask(self, context) -> set[str]:
        return browse(context, self)

    def run(self, context):
        if self.is_asking and not bpy.app.background:
            # a dialog or the file browser cannot show progress: the operator is invoked again outside of it
            return self._again()
        work = self.work = self._begin(context)
        try:
            while work.run(BUDGET):
                pass
            return self._finish(context)
        finally:
            work.cancel()

    def _again(self, **more) -> set[str] | None:
        """Invokes the operator anew, with these settings and `more`; returns None or, after reporting an
        error, {"CANCELLED"}: the result of `run`.
        """
        again = getattr(bpy.ops.limber, type(self).bl_idname.removeprefix("limber."))
        try:
            again("INVOKE_DEFAULT", **{name: getattr(self, name) for name in self.settings}, **more)
        except RuntimeError as error:  # Blender raises the operator's reported errors here
            self.report({"ERROR"}, str(error).removeprefix("Error: ").partition("\nLocation:")[0].strip())
            return {"CANCELLED"}
        return None

    def _says(self) -> str:
        return self.work.says

    def modal(self, context, event):
        if event.type == "ESC":
            if event.shift:  # Shift Esc stops robots; a modal operator gets it before the keymap
                links.stop_all()
            self.cancel(context)
            self.report({"WARNING"}, self.cancelled)
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        more = False
        try:
            more = self.work.run(BUDGET)
            if more:
                context.window_manager.progress_update(self.work.done)
                context.workspace.status_text_set(f"{self._says()}. Esc: cancel")
                return {"RUNNING_MODAL"}
            return self._finish(context) or {"FINISHED"}
        except LargeError as error:
            self._again(question=str(error))
            return {"CANCELLED"}
        except ERRORS as error:
            return self.refuse(error)
        finally:
            if not more:
                self.cancel(context)

    def cancel(self, context):
        """Cancels the work and removes timer and progress.

        Blender calls this too when the window closes, and when the user leaves the dialog or the file
        browser: then no work has begun.
        """
        if self.is_asking:
            return
        self.work.cancel()
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)

    def refuse(self, error) -> set[str]:
        self.report({"ERROR"}, f"{self.nothing}. {error}")
        return {"CANCELLED"}
