from bpy.props import StringProperty

from ...files.content import text as read_text
from ...files.reasons import reason
from ...rig.authoring.mechanism import build
from ...rig.blender.counting import counted
from ...rig.blender.errors import RigError
from ...rig.reading.imported_robot import is_robot
from ..files import ReadsFile, shown_files
from ..operator import UndoOperator
from ..subject import rig_of


class LIMBER_OT_import_closures(ReadsFile, UndoOperator):
    """Import the loop closures of a URDF robot from its YAML file. Its links become bodies of a mechanism, with motors"""

    bl_label = "Import Closures"

    filepath: StringProperty(name="File", description="The file with the robot's closures", subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: shown_files("*.yaml;*.yml")

    @classmethod
    def why_not(cls, context) -> str:
        rig = rig_of(context)
        if rig is None or rig.type != "ARMATURE" or not is_robot(rig):
            return "No imported robot is active: import its file first (File > Import > Robot), and click its armature"
        return "The mechanism is live: press End Live first" if rig.limber.mechanism.live else ""

    def run(self, context):
        try:
            text = read_text(self.path)
        except (OSError, UnicodeDecodeError) as error:
            raise RigError(f"'{self.filepath}' cannot be read ({reason(error)}): choose the robot's YAML file") from error
        rig = rig_of(context)
        loops, warnings = build.from_closures(rig, text)
        self.warn(warnings)
        said = f"{counted(loops, 'closed loop')} and {counted(len(rig.limber.mechanism.motors), 'motor')}"
        self.report({"INFO"}, f"Robot '{rig.name}' has {said}: press Check Mechanism")
