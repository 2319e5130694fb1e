from bpy.props import StringProperty

from ...rig.authoring import joint_limits
from ...rig.authoring.work import SlicedWork
from ...rig.blender.counting import counted
from ...rig.blender.file_reading import FileReading
from ...robots.gallery.full_model import Progress
from ...robots.joint_limits import read_joint_limits
from ..files import ReadsFile, shown_files
from ..operator import UndoOperator
from ..stepwise import Stepwise
from ..subject import needs_rig, rig_of


class LIMBER_OT_import_joint_limits(Stepwise, ReadsFile, UndoOperator):
    """Import limits of velocity, acceleration and jerk from MoveIt's joint_limits.yaml, for joints that have
    the names in the file. Esc cancels
    """

    bl_label = "Import Joint Limits"

    filepath: StringProperty(
        name="File", description="MoveIt's joint_limits.yaml", subtype="FILE_PATH", options={"SKIP_SAVE"}
    )
    filter_glob: shown_files("*.yaml;*.yml")

    why_not = staticmethod(needs_rig)

    settings = ("filepath",)
    nothing = "Nothing was imported"
    cancelled = "The import is cancelled: nothing has changed"

    def _begin(self, context):
        reading = FileReading(self.is_watched, read_joint_limits, self.path)
        return SlicedWork(reading.steps(Progress(0.0, f"Reading {self.path.name}")))

    def _finish(self, context):
        limits, left_out = self.work.result
        count, warnings = joint_limits.give(rig_of(context), limits)
        self.warn([*left_out, *warnings])
        self.report(
            {"INFO"},
            f"{counted(count, 'joint')} of '{rig_of(context).name}' got limits from {self.path.name}",
        )
