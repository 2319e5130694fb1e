"""Operators of calibration: zero, ends of the range, recording the range, and calibration files."""

from pathlib import Path

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty

from ...hardware.errors import HardwareError
from ...hardware.safety import State
from ...motion import MotionError
from ...rig.blender.errors import RigError
from ...rig.robot import calibrating, calibration, links
from ..errors import reports_errors
from ..files import ReadsFile, WritesFile, shown_files
from ..subject import poll_rig, rig_of
from .polls import in_state, poll_disconnected

NAMED = 4  # largest number of changes that a report names


def _attempt(operator, rig, change) -> set[str]:
    """Runs a change of the calibration, saves a copy of the whole calibration, and reports the changes or the error."""
    try:
        changes = change()
    except (RigError, HardwareError, MotionError) as error:
        operator.report({"ERROR"}, str(error))
        return {"CANCELLED"}
    problem = calibration.keep_copy(rig)
    if problem:
        operator.report({"WARNING"}, f"No copy of the calibration was saved: {problem}")
    operator.report({"INFO"}, ", ".join(changes[:NAMED]) + (f" and {len(changes) - NAMED} more" if len(changes) > NAMED else ""))
    return {"FINISHED"}


class LIMBER_OT_set_zero(bpy.types.Operator):
    """Set the servo's zero from the current angle of the joint"""

    bl_idname = "limber.set_zero"
    bl_label = "Set Zero Here"
    bl_options = {"REGISTER", "UNDO"}

    joint: StringProperty(name="Joint", description="Name of the joint", options={"SKIP_SAVE"})
    angle: FloatProperty(name="Angle", description="Current angle of the joint; metres for prismatic joints", subtype="ANGLE")

    poll = in_state(links.QUIET)

    def execute(self, context):
        rig = rig_of(context)
        return _attempt(self, rig, lambda: calibrating.zero(rig, self.joint, self.angle))


class LIMBER_OT_set_end(bpy.types.Operator):
    """Set an end of the servo's range to its current position"""

    bl_idname = "limber.set_end"
    bl_label = "Set End Here"
    bl_options = {"REGISTER", "UNDO"}

    joint: StringProperty(name="Joint", description="Name of the joint", options={"SKIP_SAVE"})
    end: EnumProperty(
        name="End", description="Which end it is", items=[("LOW", "Min", "The smallest value"), ("HIGH", "Max", "The largest value")]
    )

    poll = in_state(links.QUIET)

    def execute(self, context):
        rig = rig_of(context)
        return _attempt(self, rig, lambda: calibrating.end(rig, self.joint, self.end == "HIGH"))


class LIMBER_OT_record_range(bpy.types.Operator):
    """Record the range of each joint while it is moved by hand. Move each from end to end, then press End Range"""

    bl_idname = "limber.record_range"
    bl_label = "Record Range"

    poll = in_state({State.LIMP})

    @reports_errors
    def execute(self, context):
        calibrating.start_range(rig_of(context))
        return {"FINISHED"}


class LIMBER_OT_end_range(bpy.types.Operator):
    """End the recording and set the ranges of the servos that were moved"""

    bl_idname = "limber.end_range"
    bl_label = "End Range"
    bl_options = {"REGISTER", "UNDO"}

    limits: BoolProperty(name="Set Joint Limits", description="Set the joints' limits to the same range", default=True)

    @classmethod
    def poll(cls, context):
        if not poll_rig(cls, context):
            return False
        if not calibrating.is_recording(rig_of(context)):
            cls.poll_message_set("No range is being recorded: press Record Range")
            return False
        return True

    def execute(self, context):
        rig = rig_of(context)
        return _attempt(self, rig, lambda: calibrating.finish_range(rig, self.limits))


class LIMBER_OT_save_calibration(WritesFile, bpy.types.Operator):
    """Save servo numbers, zeros, directions and ranges to a file"""

    bl_idname = "limber.save_calibration"
    bl_label = "Save Calibration"

    suffix = ".json"
    filter_glob: shown_files("*.json")

    poll = classmethod(poll_rig)

    def _usual_path(self, context) -> Path:
        return Path(bpy.path.clean_name(rig_of(context).name) + self.suffix)

    def _write(self, context, path: Path) -> set[str]:
        try:
            calibration.save(rig_of(context), path)
        except (HardwareError, MotionError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"The calibration is in {path}")
        return {"FINISHED"}


class LIMBER_OT_load_calibration(ReadsFile, bpy.types.Operator):
    """Load servo numbers, zeros, directions and ranges from a file"""

    bl_idname = "limber.load_calibration"
    bl_label = "Load Calibration"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: shown_files("*.json")
    partly: BoolProperty(name="Load Partially", description="Load even if joints are missing in the file or unknown here")

    poll = classmethod(poll_disconnected)

    def execute(self, context):
        return _load(self, rig_of(context), Path(bpy.path.abspath(self.filepath)), self.partly)


class LIMBER_OT_restore_calibration(bpy.types.Operator):
    """Load the newest automatic copy of this armature's calibration, including steps that were undone or not saved"""

    bl_idname = "limber.restore_calibration"
    bl_label = "Restore Last Calibration"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not poll_disconnected(cls, context):
            return False
        rig = rig_of(context)
        path = calibration.copy_path(rig)
        if path is None or not path.is_file():
            cls.poll_message_set(f"There is no copy of a calibration of '{rig.name}' yet")
            return False
        return True

    def execute(self, context):
        rig = rig_of(context)
        return _load(self, rig, calibration.copy_path(rig), True)


def _load(operator, rig, path: Path, partly: bool) -> set[str]:
    try:
        misfits = calibration.load(rig, path, partly)
    except (RigError, HardwareError) as error:
        operator.report({"ERROR"}, str(error))
        return {"CANCELLED"}
    for misfit in misfits:
        operator.report({"WARNING"}, misfit)
    operator.report({"INFO"}, f"The calibration of {path.name} is loaded")
    return {"FINISHED"}
