from functools import lru_cache
from os import stat
from os.path import basename

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from ...rig.authoring.robot_import import import_robot
from ...rig.blender.errors import RigError
from ...robots.errors import UrdfError
from ...robots.reading import SUFFIXES, read
from ..files import ReadsFile, shown_files
from ..framing import frame
from ..operator import UndoOperator

UP_AXES = [
    ("AUTO", "Automatic", "Rotate each DAE file from its up axis to Z, except those of MeshLab, which writes Y up whatever the mesh is"),
    ("FILE", "From File", "Rotate each DAE file from the up axis that it names to Z"),
    ("IGNORE", "Ignore", "Leave DAE files as they are written, as ROS's viewer RViz does"),
]
LINES = 20  # largest number of warnings in the info log; the last one says how many there are


class LIMBER_OT_import_robot(ReadsFile, UndoOperator):
    """Import a robot from its URDF, xacro or MJCF file: a bone for each link, with joint axes, limits, meshes and closed loops"""

    bl_label = "Import Robot"

    filepath: StringProperty(
        name="File",
        description="The robot's URDF, xacro or MJCF file",
        subtype="FILE_PATH",
        options={"SKIP_SAVE"},  # else the next import would start with this file, as if it had been dropped
    )
    filter_glob: shown_files(";".join(f"*{suffix}" for suffix in SUFFIXES))
    root: StringProperty(
        name="Root Link",
        description="Link that becomes the root of the hierarchy; empty: the file's own root",
        search=lambda self, _context, _text: links_of(self.filepath, self.arguments),
    )
    with_meshes: BoolProperty(name="Meshes", description="Import the links' meshes", default=True)
    up_axis: EnumProperty(name="DAE Up Axis", description="Up axis of DAE meshes", items=UP_AXES)
    close_loops: BoolProperty(
        name="Closed Loops",
        description="Make a mechanism of the loops that the file marks: equality constraints of MJCF, pairs of links closing_NAME_1 and"
        " closing_NAME_2",
        default=True,
    )
    arguments: StringProperty(
        name="Arguments", description="Arguments of a xacro file, with spaces between them: name:=value", options={"SKIP_SAVE"}
    )

    def invoke(self, context, event):
        if not self.properties.is_property_set("filepath"):
            return super().invoke(context, event)
        # A file was dropped.
        return context.window_manager.invoke_props_dialog(self, width=420, title=basename(self.filepath), confirm_text=self.bl_label)

    def run(self, context):
        path = self.path
        arguments, wrong = arguments_of(self.arguments)
        if wrong:
            raise RigError(f"Argument '{wrong}' has no value: write name:=value, with spaces between several")
        came = import_robot(context, str(path), self.root.strip(), self.with_meshes, self.up_axis, arguments, self.close_loops)
        frame(context, came.rig.users_collection[0].objects)
        self.warn(came.warnings[:LINES])
        self.report({"WARNING"} if came.warnings else {"INFO"}, came.sentence)


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
    menu.layout.operator(LIMBER_OT_import_robot.bl_idname, text="Robot (.urdf, .xacro, .xml)")


MENU_ENTRIES = {"TOPBAR_MT_file_import": _add_to_menu}


def arguments_of(text: str) -> tuple[dict[str, str], str]:
    """Arguments "name:=value ..." as a dict, and the first word that is not such an argument, or ""."""
    found = [(word, *word.partition(":=")) for word in text.split()]
    wrong = next((word for word, name, sign, _ in found if not name or not sign), "")
    return {name: value for _, name, _, value in found}, wrong


def links_of(path: str, arguments: str = "") -> list[str]:
    """Names of the links of a robot file, to choose the root from; empty if the file cannot be read."""
    try:
        return _links(path, stat(path).st_mtime_ns, arguments)
    except (OSError, UrdfError):
        return []


@lru_cache(maxsize=8)  # the file browser calls it at every redraw
def _links(path: str, _changed: int, arguments: str) -> list[str]:
    return [link.name for link in read(path, arguments=arguments_of(arguments)[0]).links]
