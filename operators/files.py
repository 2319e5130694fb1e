"""Base classes of operators that open Blender's file browser, to read or to write a file."""

from pathlib import Path
from textwrap import wrap

import bpy
from bpy.props import BoolProperty, StringProperty

from ..rig.blender.errors import RigError

DIALOG = 480  # [pixels] width of the dialog that asks about a large file
LINE = 75  # number of characters per line in this dialog


def shown_files(pattern: str):
    """Property that filters the files in the browser.

    Args:
        pattern: Pattern of file names: "*.csv;*.json".
    """
    return StringProperty(
        name="Files Shown",
        description="Patterns of the names of files that the browser shows",
        default=pattern,
        options={"HIDDEN"},
    )


def _absolute(operator) -> str:
    """Absolute path of the operator's file. Raises RigError if no file was chosen."""
    if not operator.filepath:
        raise RigError(operator.missing)
    return bpy.path.abspath(operator.filepath)


def browse(context, operator) -> set[str]:
    """Opens the file browser for an operator; returns the result of its `invoke`."""
    context.window_manager.fileselect_add(operator)
    return {"RUNNING_MODAL"}


class ReadsFile:
    """Base of operators that open the file browser to choose a file to read. Subclasses define `filter_glob`,
    and may set `missing`, the error message if no file is chosen.
    """

    filepath: StringProperty(
        name="File", description="The file to read", subtype="FILE_PATH", options={"SKIP_SAVE"}
    )

    missing = "No file is chosen: choose the file to read"

    def invoke(self, context, event):
        return browse(context, self)

    @property
    def path(self) -> Path:
        """Path of the chosen file.

        Raises:
            RigError: no file was chosen.
        """
        return Path(_absolute(self))


class ReadsLargeFile(ReadsFile):
    """Base of `Stepwise` operators that read a file, and ask first if it is very large. This class comes
    before `Stepwise` in a subclass's list of bases.

    Subclasses list `allow_large` in `settings`, and may override `draw_settings(layout)`. If a script calls
    the operator, a large file is refused with an error instead, unless `allow_large` is set.
    """

    allow_large: BoolProperty(
        name="Large File",
        description=(
            "Read the file even if it takes more than 50 MB of memory, has more than an hour of motion, or"
            " describes a robot of more than 600 links and meshes"
        ),
        options={"SKIP_SAVE"},
    )
    question: StringProperty(
        name="Question",
        description="Question to confirm before the file is read",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    def invoke(self, context, event):
        if not self.question:
            return super(ReadsFile, self).invoke(context, event)
        self.is_asking = True
        return context.window_manager.invoke_props_dialog(
            self, width=DIALOG, title="Large File", confirm_text=self.bl_label
        )

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        if not self.question:
            self.draw_settings(layout)
            return
        for line in wrap(self.question, LINE):
            layout.label(text=line, translate=False)
        layout.prop(self, "allow_large")

    def draw_settings(self, layout) -> None:
        """Draws the properties that the file browser or a dialog shows."""
        for name in self.settings:
            if name != "filepath":
                layout.prop(self, name)


class WritesFile(ReadsFile):
    """Base of operators that open the file browser to choose a file to write. Subclasses define
    `filter_glob`, and `_usual_path(context)`, the path that the browser suggests. `suffix` is added if the
    chosen name lacks it.
    """

    filepath: StringProperty(
        name="File", description="The file to write", subtype="FILE_PATH", options={"SKIP_SAVE"}
    )
    check_existing: BoolProperty(
        name="Check Existing", description="Ask before a file is replaced", default=True, options={"HIDDEN"}
    )

    missing = "No file name: enter one"
    suffix = ""

    def invoke(self, context, event):
        self.filepath = str(self._usual_path(context))
        return super().invoke(context, event)

    def check(self, context):
        """Adds the suffix to the name, so that Blender asks before the file is replaced. Blender calls it in
        the file browser.
        """
        name = self.filepath
        if bpy.path.basename(name).strip("."):  # without a name the path is only a folder
            self.filepath = bpy.path.ensure_ext(name, self.suffix)
        return self.filepath != name

    @property
    def path(self) -> Path:
        return Path(bpy.path.ensure_ext(_absolute(self), self.suffix))
