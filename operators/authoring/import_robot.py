from collections.abc import Generator
from os import stat
from os.path import basename

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from ...rig.authoring.robot_import import ImportedRobot, importing
from ...rig.authoring.work import SlicedWork
from ...rig.blender.errors import RigError
from ...rig.blender.file_reading import FileReading
from ...robots.errors import UrdfError
from ...robots.gallery.full_model import Progress
from ...robots.reading import SUFFIXES
from ...robots.robot_files import link_names, read_files
from ..files import ReadsLargeFile, browse, shown_files
from ..framing import frame
from ..operator import UndoOperator
from ..stepwise import Stepwise

UP_AXES = [
    (
        "AUTO",
        "Automatic",
        (
            "Rotate each DAE or glTF file from its up axis to Z, except files of programs that name Y"
            " as up axis for every mesh, such as MeshLab and trimesh"
        ),
    ),
    (
        "FILE",
        "From File",
        "Rotate each DAE file from the up axis that it names to Z, and each glTF file from Y",
    ),
    ("IGNORE", "Ignore", "Do not rotate DAE and glTF files, as in ROS's viewer RViz"),
]


class LIMBER_OT_import_robot(ReadsLargeFile, Stepwise, UndoOperator):
    """Import a robot from its URDF, xacro or MJCF file: a bone for each link, with joint axes, limits, meshes
    and closed loops. Esc cancels
    """

    bl_label = "Import Robot"

    filepath: StringProperty(
        name="File",
        description="The robot's URDF, xacro or MJCF file",
        subtype="FILE_PATH",
        # not remembered: else the next import would read this file again, as if it had been dropped
        options={"SKIP_SAVE"},
    )
    filter_glob: shown_files(";".join(f"*{suffix}" for suffix in SUFFIXES))
    root: StringProperty(
        name="Root Link",
        description="Link that becomes the root of the hierarchy. Empty: the root of the file",
        search=lambda self, _context, _text: links_of(self.filepath, self.arguments),
    )
    with_meshes: BoolProperty(name="Meshes", description="Import the links' meshes", default=True)
    up_axis: EnumProperty(name="Mesh Up Axis", description="Up axis of DAE and glTF meshes", items=UP_AXES)
    close_loops: BoolProperty(
        name="Closed Loops",
        description=(
            "Make a mechanism from the closed loops that the file marks: by equality constraints in MJCF,"
            " or by pairs of links named closing_NAME_1 and closing_NAME_2"
        ),
        default=True,
    )
    arguments: StringProperty(
        name="Arguments",
        description="Arguments of the xacro file as name:=value, separated by spaces",
        options={"SKIP_SAVE"},
    )

    # the root link comes first: it is never set for a file that is dropped into a viewport, so that a dialog
    # asks for these settings
    settings = (
        "root",
        "filepath",
        "with_meshes",
        "up_axis",
        "close_loops",
        "arguments",
        "allow_large",
    )
    nothing = "Nothing was imported"
    cancelled = "The import is cancelled: nothing was imported"

    def _ask(self, context):
        if not self.properties.is_property_set("filepath"):
            return browse(context, self)
        # the file was dropped into a viewport, so no file browser has asked for the options
        return context.window_manager.invoke_props_dialog(
            self, width=420, title=basename(self.filepath), confirm_text=self.bl_label
        )

    def _begin(self, context):
        arguments, wrong = arguments_of(self.arguments)
        if wrong:
            raise RigError(f"Argument '{wrong}' has no value: write name:=value, with spaces between several")
        call = str(self.path), self.root.strip(), self.with_meshes, self.up_axis, arguments, self.allow_large
        return SlicedWork(self._steps(context, FileReading(self.is_watched, read_files, *call)))

    def _steps(self, context, reading: FileReading) -> Generator[Progress, None, ImportedRobot]:
        files = yield from reading.steps(Progress(0.0, f"Reading {self.path.name}"))
        return (yield from importing(context, files, self.with_meshes, self.up_axis, self.close_loops))

    def _finish(self, context):
        imported = self.work.result
        frame(context, imported.rig.users_collection[0].objects)
        self.warn(imported.warnings)
        self.report({"WARNING"} if imported.warnings else {"INFO"}, imported.sentence)


class LIMBER_FH_robot(bpy.types.FileHandler):
    """Import a robot's file that is dropped into a viewport"""

    bl_idname = "LIMBER_FH_robot"
    bl_label = "Robot"
    bl_import_operator = "limber.import_robot"
    bl_file_extensions = ";".join(SUFFIXES)

    @classmethod
    def poll_drop(cls, context):
        return context.area is not None and context.area.type == "VIEW_3D"


def _add_to_menu(menu, _context) -> None:
    """Draws the operator at the end of File > Import."""
    menu.layout.operator(LIMBER_OT_import_robot.bl_idname, text="Robot (.urdf, .xacro, .xml)")


MENU_ENTRIES = {"TOPBAR_MT_file_import": _add_to_menu}


def arguments_of(text: str) -> tuple[dict[str, str], str]:
    """(values by name, first invalid word or "") of xacro arguments that are written "name:=value ..."."""
    split_words = [(word, *word.partition(":=")) for word in text.split()]
    wrong = next((word for word, name, sign, _ in split_words if not name or not sign), "")
    return {name: value for _, name, _, value in split_words}, wrong


# ((path, time of modification [ns], xacro arguments) of the file whose links are listed, its reading)
_listing: tuple[tuple[str, int, str], FileReading[list[str]]] | None = None


def links_of(path: str, arguments: str = "") -> list[str]:
    """Names of the links of a robot file, from which the root can be chosen; empty while the file is being
    read, and if it cannot be read. The file browser calls this at every redraw, but the file is read only
    once; if Blender has a window, a separate process reads it.
    """
    global _listing
    try:
        key = path, stat(path).st_mtime_ns, arguments
        if _listing is None or _listing[0] != key:
            if _listing is not None:
                _listing[1].cancel()
            _listing = key, FileReading(not bpy.app.background, link_names, path, arguments_of(arguments)[0])
        return _listing[1].result() or []
    except (OSError, UrdfError, RigError):
        return []
