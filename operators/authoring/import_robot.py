from functools import lru_cache
from os import stat
from os.path import basename

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy_extras.io_utils import ImportHelper

from ...rig.authoring.robot_import import import_robot
from ...robots.errors import UrdfError
from ...robots.reading import read
from ..errors import reports_errors
from ..files import shown_files

UP_AXES = [
    ("AUTO", "Automatic", "Rotate each DAE file from its up axis to Z, except those of MeshLab, which writes Y up whatever the mesh is"),
    ("FILE", "From File", "Rotate each DAE file from the up axis that it names to Z"),
    ("IGNORE", "Ignore", "Leave DAE files as they are written, as ROS's viewer RViz does"),
]
LINES = 20  # largest number of warnings in the info log; the last one says how many there are


class LIMBER_OT_import_urdf(bpy.types.Operator, ImportHelper):
    """Import a robot from its URDF file: a bone for each link, with joint axes, limits and meshes"""

    bl_idname = "limber.import_urdf"
    bl_label = "Import URDF"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".urdf"
    filepath: StringProperty(
        name="File",
        description="The robot's URDF file",
        subtype="FILE_PATH",
        options={"SKIP_SAVE"},  # else the next import would start with this file, as if it had been dropped
    )
    filter_glob: shown_files("*.urdf")
    root: StringProperty(
        name="Root Link",
        description="Link that becomes the root of the hierarchy; empty: the file's own root",
        search=lambda self, _context, _text: links_of(self.filepath),
    )
    with_meshes: BoolProperty(name="Meshes", description="Import the links' meshes", default=True)
    up_axis: EnumProperty(name="DAE Up Axis", description="Up axis of DAE meshes", items=UP_AXES)

    def invoke(self, context, event):
        if not self.properties.is_property_set("filepath"):
            return ImportHelper.invoke(self, context, event)
        # A file was dropped.
        return context.window_manager.invoke_props_dialog(self, width=420, title=basename(self.filepath), confirm_text=self.bl_label)

    @reports_errors
    def execute(self, context):
        if not self.filepath:
            self.report({"ERROR"}, "No file is chosen: choose a robot's URDF file")
            return {"CANCELLED"}
        came = import_robot(context, self.filepath, self.root.strip(), self.with_meshes, self.up_axis)
        for warning in came.warnings[:LINES]:
            self.report({"WARNING"}, warning)
        self.report({"WARNING"} if came.warnings else {"INFO"}, came.sentence)
        return {"FINISHED"}


class LIMBER_FH_urdf(bpy.types.FileHandler):
    """Import a URDF file that is dropped into a viewport"""

    bl_idname = "LIMBER_FH_urdf"
    bl_label = "URDF robot"
    bl_import_operator = "limber.import_urdf"
    bl_file_extensions = ".urdf"

    @classmethod
    def poll_drop(cls, context):
        return context.area is not None and context.area.type == "VIEW_3D"


def _add_to_menu(menu, _context) -> None:
    menu.layout.operator(LIMBER_OT_import_urdf.bl_idname, text="URDF (.urdf)")


MENU_ENTRIES = {"TOPBAR_MT_file_import": _add_to_menu}


def links_of(path: str) -> list[str]:
    """Names of the links of a URDF file, to choose the root from; empty where the file cannot be read."""
    try:
        return _links(path, stat(path).st_mtime_ns)
    except (OSError, UrdfError):
        return []


@lru_cache(maxsize=8)  # the file browser calls it at every redraw
def _links(path: str, _changed: int) -> list[str]:
    return [link.name for link in read(path).links]
