from bpy.props import StringProperty

from ...rig.authoring.mechanism import build
from ...rig.authoring.work import SlicedWork
from ...rig.blender.counting import counted
from ...rig.blender.file_reading import in_steps
from ...rig.bones.imported_robot import is_robot
from ...robots.closures import read_closures
from ...robots.gallery.full_model import Progress
from ..files import ReadsFile, shown_files
from ..operator import UndoOperator
from ..stepwise import Stepwise
from ..subject import rig_of


class LIMBER_OT_import_closures(Stepwise, ReadsFile, UndoOperator):
    """Import the loop closures of a URDF robot from its YAML file. Its links become bodies of a mechanism,
    with motors. Esc cancels
    """

    bl_label = "Import Closures"

    filepath: StringProperty(
        name="File",
        description="YAML file with the robot's loop closures",
        subtype="FILE_PATH",
        options={"SKIP_SAVE"},
    )
    filter_glob: shown_files("*.yaml;*.yml")

    @classmethod
    def why_not(cls, context) -> str:
        rig = rig_of(context)
        if rig is None or rig.type != "ARMATURE" or not is_robot(rig):
            return (
                "No imported robot is active: import its file first (File > Import > Robot), and click its"
                " armature"
            )
        return "The mechanism is live: press End Live first" if rig.limber.mechanism.live else ""

    settings = ("filepath",)
    nothing = "Nothing was imported"
    cancelled = "The import is cancelled: nothing has changed"

    def _begin(self, context):
        return SlicedWork(
            in_steps(self.is_watched, Progress(0.0, f"Reading {self.path.name}"), read_closures, self.path)
        )

    def _finish(self, context):
        rig = rig_of(context)
        loops, warnings = build.from_closures(rig, self.work.result)
        self.warn(warnings)
        counts = f"{counted(loops, 'closed loop')} and {counted(len(rig.limber.mechanism.motors), 'motor')}"
        self.report({"INFO"}, f"Robot '{rig.name}' has {counts}: press Check Mechanism")
