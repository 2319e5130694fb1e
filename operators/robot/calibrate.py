"""Operators of calibration: zero, ends of the range, recording the range, and calibration files."""

from pathlib import Path

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty

from ...hardware.safety import State
from ...rig.blender.counting import listing
from ...rig.robot import calibrating, calibration, links
from ..files import ReadsFile, WritesFile, shown_files
from ..operator import Operator, UndoOperator
from ..subject import needs_rig, rig_of
from .needs import in_state, needs_disconnected


def keep_copy(operator, rig) -> None:
    """Saves an automatic copy of a calibration that an operator has changed, and reports a warning if that
    fails.
    """
    if problem := calibration.keep_copy(rig):
        operator.report({"WARNING"}, f"No copy of the calibration was saved: {problem}")


def _changed(operator, rig, changes: list[str]) -> None:
    """Saves an automatic copy of the changed calibration, and reports the changes."""
    keep_copy(operator, rig)
    operator.report({"INFO"}, listing(changes))


class LIMBER_OT_set_zero(UndoOperator):
    """Set the zeros of the joint's servos, given the angle at which the robot's joint is now"""

    bl_label = "Set Zero Here"

    joint: StringProperty(
        name="Joint", description="Joint whose servos' zeros are set", options={"SKIP_SAVE"}
    )
    angle: FloatProperty(
        name="Angle",
        description="Angle at which the robot's joint is now; in metres for prismatic joints",
        subtype="ANGLE",
    )

    why_not = in_state(links.QUIET)

    def run(self, context):
        rig = rig_of(context)
        _changed(self, rig, calibrating.zero(rig, self.joint, self.angle))


class LIMBER_OT_set_end(UndoOperator):
    """Set an end of the ranges of the joint's servos to their current positions"""

    bl_label = "Set End Here"

    joint: StringProperty(
        name="Joint", description="Joint whose servos' ranges are set", options={"SKIP_SAVE"}
    )
    end: EnumProperty(
        name="End",
        description="End of the range to set",
        items=[
            ("LOW", "Min", "Smallest joint value of the range"),
            ("HIGH", "Max", "Largest joint value of the range"),
        ],
    )

    why_not = in_state(links.QUIET)

    def run(self, context):
        rig = rig_of(context)
        _changed(self, rig, calibrating.end(rig, self.joint, self.end == "HIGH"))


class LIMBER_OT_record_range(Operator):
    """Record the range of each joint while it is moved by hand. Move each joint from end to end, then press
    End Range
    """

    bl_label = "Record Range"

    why_not = in_state({State.LIMP})

    def run(self, context):
        calibrating.start_range(rig_of(context))


class LIMBER_OT_end_range(UndoOperator):
    """End the recording and set the ranges of the servos that were moved"""

    bl_label = "End Range"

    limits: BoolProperty(
        name="Set Joint Limits", description="Set the joints' limits to the same range", default=True
    )

    @classmethod
    def why_not(cls, context) -> str:
        return needs_rig(context) or (
            ""
            if calibrating.is_recording(rig_of(context))
            else "No range is being recorded: press Record Range"
        )

    def run(self, context):
        rig = rig_of(context)
        _changed(self, rig, calibrating.finish_range(rig, self.limits))


class LIMBER_OT_save_calibration(WritesFile, Operator):
    """Save protocol, servo numbers, zeros, directions and ranges to a file"""

    bl_label = "Save Calibration"

    suffix = ".json"
    filter_glob: shown_files("*.json")

    why_not = needs_rig

    def _usual_path(self, context) -> Path:
        return Path(bpy.path.clean_name(rig_of(context).name) + self.suffix)

    def run(self, context):
        calibration.save(rig_of(context), self.path)
        self.report({"INFO"}, f"The calibration is in {self.path}")


class LIMBER_OT_load_calibration(ReadsFile, UndoOperator):
    """Load protocol, servo numbers, zeros, directions and ranges from a file"""

    bl_label = "Load Calibration"

    filter_glob: shown_files("*.json")
    partly: BoolProperty(
        name="Load Partially",
        description=(
            "Load the file even if it lacks joints of the robot, or has joints that the robot lacks"
        ),
    )

    why_not = needs_disconnected

    def run(self, context):
        _load_calibration(self, rig_of(context), self.path, self.partly)


class LIMBER_OT_restore_calibration(UndoOperator):
    """Load the newest automatic copy of this robot's calibration, including steps that were undone or not
    saved
    """

    bl_label = "Restore Last Calibration"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_disconnected(context):
            return why
        rig = rig_of(context)
        path = calibration.copy_path(rig)
        return (
            f"There is no copy of a calibration of '{rig.name}' yet"
            if path is None or not path.is_file()
            else ""
        )

    def run(self, context):
        rig = rig_of(context)
        _load_calibration(self, rig, calibration.copy_path(rig), True)


def _load_calibration(operator, rig, path: Path, partly: bool) -> None:
    """Loads a calibration from a file, and reports it; `partly`: even if joints differ."""
    operator.warn(calibration.load(rig, path, partly))
    operator.report({"INFO"}, f"The calibration of {path.name} is loaded")
