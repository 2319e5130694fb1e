"""Base classes of operators that open Blender's file browser, to read or to write a file."""

from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty

from ..rig.blender.errors import RigError


def shown_files(pattern: str):
    """Property that filters the files in the browser.

    Args:
        pattern: Pattern of file names: "*.csv;*.json".
    """
    return StringProperty(name="Files Shown", description="Which files the browser shows", default=pattern, options={"HIDDEN"})


def allow_large():
    """Property by which the user says that a file is read which announces much."""
    return BoolProperty(
        name="Large File",
        description="Read the file also if it announces more than 50 MB in memory, or more than an hour of motion",
        options={"SKIP_SAVE"},
    )


def _absolute(operator) -> str:
    if not operator.filepath:
        raise RigError(operator.missing)
    return bpy.path.abspath(operator.filepath)


def browse(context, operator) -> set[str]:
    """Opens the file browser for an operator; returns the result of its `invoke`."""
    context.window_manager.fileselect_add(operator)
    return {"RUNNING_MODAL"}


class ReadsFile:
    """Base of operators that ask for a file to read. Subclasses define `filter_glob`, and may set `missing`, the error message if no file
    is chosen.
    """

    filepath: StringProperty(name="File", description="The file to read", subtype="FILE_PATH", options={"SKIP_SAVE"})

    missing = "No file is chosen: choose the file to read"

    def invoke(self, context, event):
        return browse(context, self)

    @property
    def path(self) -> Path:
        """The file that was chosen.

        Raises:
            RigError: No file was chosen.
        """
        return Path(_absolute(self))


class WritesFile(ReadsFile):
    """Base of operators that ask for a file to write. Subclasses define `filter_glob`, and `_usual_path(context)`, the path that the
    browser suggests. `suffix` is added if the chosen name lacks it.
    """

    filepath: StringProperty(name="File", description="The file to write", subtype="FILE_PATH", options={"SKIP_SAVE"})
    check_existing: BoolProperty(name="Check Existing", description="Ask before a file is replaced", default=True, options={"HIDDEN"})

    missing = "No file name: enter one"
    suffix = ""

    def invoke(self, context, event):
        self.filepath = str(self._usual_path(context))
        return super().invoke(context, event)

    @property
    def path(self) -> Path:
        return Path(bpy.path.ensure_ext(_absolute(self), self.suffix))
