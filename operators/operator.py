"""Base classes of operators: name, poll, and reports of errors."""

from collections.abc import Iterable

import bpy

from ..hardware.errors import HardwareError
from ..inputs.errors import InputError
from ..motion import MotionError
from ..rig.blender.counting import merged
from ..rig.blender.errors import RigError
from ..rig.events import handlers
from ..robots.errors import UrdfError

ERRORS = (RigError, InputError, HardwareError, MotionError, UrdfError)


class Operator(bpy.types.Operator):
    """Base of Limber's operators; the class name gives the identifier: `LIMBER_OT_live` is `limber.live`.

    Subclasses implement `run(context)`, which does the work and returns None for {"FINISHED"}, else Blender's
    result. It may raise one of `ERRORS`, which is reported; the operator is then cancelled. They may override
    `why_not(context)`.
    """

    def __init_subclass__(cls, **arguments) -> None:
        super().__init_subclass__(**arguments)
        cls.bl_idname = f"limber.{cls.__name__.removeprefix('LIMBER_OT_')}"

    @classmethod
    def why_not(cls, context) -> str:
        """Why the operator cannot be used now, as a sentence with the remedy; "" if it can."""
        return ""

    @classmethod
    def poll(cls, context) -> bool:
        why = cls.why_not(context)
        if why:
            cls.poll_message_set(why)
        return not why

    def execute(self, context) -> set[str]:
        try:
            result = self.run(context) or {"FINISHED"}
        except ERRORS as error:
            return self.refuse(error)
        # Blender redraws only editors that show its own changed data, and not the panel below a dialog
        handlers.redraw()
        return result

    def warn(self, sentences: Iterable[str]) -> None:
        """Reports warnings; those that differ only in quoted names and numbers are merged into one."""
        for sentence in merged(sentences):
            self.report({"WARNING"}, sentence)

    def show(self, context, title: str, sentences: list[str], icon: str) -> None:
        """Shows sentences in a popup, if Blender has a window; those that differ only in names and numbers
        are merged into one.
        """

        def draw(popup, _context) -> None:
            for sentence in merged(sentences):
                popup.layout.label(text=sentence, translate=False)

        if not bpy.app.background:
            context.window_manager.popup_menu(draw, title=title, icon=icon)

    def offer(self, context, title: str, choices: Iterable[tuple[str, dict]], icon: str = "NONE") -> set[str]:
        """Opens a menu whose entries call this operator; `choices` are (text, properties) of the entries.
        Returns the result for `invoke`.
        """
        idname, listed = type(self).bl_idname, list(choices)

        def draw(menu, _context) -> None:
            for text, properties in listed:
                button = menu.layout.operator(idname, text=text)
                for name, value in properties.items():
                    setattr(button, name, value)

        context.window_manager.popup_menu(draw, title=title, icon=icon)
        return {"INTERFACE"}

    def refuse(self, error) -> set[str]:
        """Reports an error, given as exception or sentence, and returns {"CANCELLED"}."""
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}


class UndoOperator(Operator):
    """Base of operators that change data, with undo."""

    bl_options = {"REGISTER", "UNDO"}
