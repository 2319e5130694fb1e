from pathlib import Path

import bpy
from bpy.props import StringProperty
from bpy_extras.io_utils import ImportHelper

from ...rig.authoring.mechanism import build
from ...rig.blender.counting import counted
from ...rig.reading.imported_robot import is_robot
from ..errors import reports_errors
from ..files import shown_files
from ..subject import rig_of


class LIMBER_OT_import_closures(bpy.types.Operator, ImportHelper):
    """Import the loop closures of a URDF robot from its YAML file. Its links become bodies of a mechanism, with motors"""

    bl_idname = "limber.import_closures"
    bl_label = "Import Closures"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".yaml"
    filepath: StringProperty(name="File", description="The file with the robot's closures", subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: shown_files("*.yaml;*.yml")

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        if rig is None or rig.type != "ARMATURE" or not is_robot(rig):
            cls.poll_message_set("No imported robot is active: import its file first (File > Import > Robot), and click its armature")
            return False
        if rig.limber.mechanism.live:
            cls.poll_message_set("The mechanism is live: press End Live first")
            return False
        return True

    @reports_errors
    def execute(self, context):
        try:
            text = Path(self.filepath).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            self.report({"ERROR"}, f"'{self.filepath}' cannot be read ({error}): choose the robot's YAML file")
            return {"CANCELLED"}
        rig = rig_of(context)
        loops, warnings = build.from_closures(rig, text)
        for warning in warnings:
            self.report({"WARNING"}, warning)
        said = f"{counted(loops, 'closed loop')} and {counted(len(rig.limber.mechanism.motors), 'motor')}"
        self.report({"INFO"}, f"Robot '{rig.name}' has {said}: press Check Mechanism")
        return {"FINISHED"}
