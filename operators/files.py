"""Operators that ask for a file in Blender's browser: one to read, or one to write."""

from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty


def shown_files(pattern: str):
    """The property by which the browser shows some files alone.

    Args:
        pattern: Of their names: "*.csv;*.json".
    """
    return StringProperty(name="Files Shown", description="Which files the browser shows", default=pattern, options={"HIDDEN"})


class ReadsFile:
    """An operator that asks for the file to read. `filter_glob` is the subclass's own."""

    filepath: StringProperty(name="File", description="The file to read", subtype="FILE_PATH", options={"SKIP_SAVE"})

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}


class WritesFile:
    """An operator that asks for the file to write.

    Subclasses have a `filter_glob`, say in `_usual_path(context)` what the browser offers, and write in `_write(context, path)`, which
    returns what Blender wants to know. `suffix` is added where it is missing.
    """

    filepath: StringProperty(name="File", description="The file to write", subtype="FILE_PATH", options={"SKIP_SAVE"})
    check_existing: BoolProperty(name="Check Existing", description="Ask before a file is replaced", default=True, options={"HIDDEN"})

    suffix = ""

    def invoke(self, context, event):
        self.filepath = str(self._usual_path(context))
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        if not self.filepath:
            self.report({"ERROR"}, "No file is chosen: give one")
            return {"CANCELLED"}
        return self._write(context, self._path(bpy.path.abspath(self.filepath)))

    def _path(self, given: str) -> Path:
        return Path(bpy.path.ensure_ext(given, self.suffix))
