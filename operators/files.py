"""Base classes of operators that open Blender's file browser, to read or to write a file."""

from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty


def shown_files(pattern: str):
    """Property that filters the files in the browser.

    Args:
        pattern: Pattern of file names: "*.csv;*.json".
    """
    return StringProperty(name="Files Shown", description="Which files the browser shows", default=pattern, options={"HIDDEN"})


class ReadsFile:
    """Operator that asks for the file to read. Subclasses define `filter_glob`."""

    filepath: StringProperty(name="File", description="The file to read", subtype="FILE_PATH", options={"SKIP_SAVE"})

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}


class WritesFile:
    """Operator that asks for the file to write.

    Subclasses define `filter_glob`, `_usual_path(context)`, the path that the browser suggests, and `_write(context, path)`, which writes
    the file and returns the operator's result. `suffix` is added where it is missing.
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
            self.report({"ERROR"}, "No file name: enter one")
            return {"CANCELLED"}
        return self._write(context, self._path(bpy.path.abspath(self.filepath)))

    def _path(self, given: str) -> Path:
        return Path(bpy.path.ensure_ext(given, self.suffix))
