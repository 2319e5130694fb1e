"""Operators of LeRobot's calibration files, and of the check of a robot's zeros."""

from pathlib import Path

import bpy
from bpy.props import EnumProperty, StringProperty

from ...hardware.lerobot import calibration as calibration_file
from ...rig.authoring.work import SlicedWork
from ...rig.blender.errors import RigError
from ...rig.blender.file_reading import in_steps
from ...rig.live.movers import live_of
from ...rig.robot import lerobot, zero_check
from ...robots.gallery.full_model import Progress
from ...robots.lerobot_zeros import KNOWN
from ..files import ReadsFile, WritesFile, shown_files
from ..operator import Operator, UndoOperator
from ..stepwise import Stepwise
from ..subject import needs_rig, rig_of
from .calibrate import keep_copy
from .needs import needs_disconnected

AUTO = "AUTO"
TITLES = {  # model -> (label, description)
    "so101_new_calib": ("SO-101", "The model so101_new_calib.urdf, whose joint values are LeRobot's degrees"),
    "so101_old_calib": ("SO-101, Old Zero", "The model so101_old_calib.urdf"),
    "so_arm100": ("SO-100", "The model so100.urdf"),
    "simulation": ("LeLamp", "The lamp's model robot.urdf; its zeros were never compared with a lamp"),
}


def _model_property(*more: tuple[str, str, str]):
    """Property that chooses the robot model whose zero positions the armature's joints have; `more` are
    further items.
    """
    known = [*((name, *TITLES[name]) for name in KNOWN), *more]
    return EnumProperty(
        name="Zeros",
        description="Robot model that defines where the joints are at zero",
        items=[
            (AUTO, "Of the Armature", "The robot model that the armature was imported from, by its name"),
            *known,
        ],
    )


def _model(operator, rig) -> str:
    """Robot model chosen in the operator, else that of the armature. Raises RigError if it is unknown."""
    model = lerobot.model_name(rig) if operator.model == AUTO else operator.model
    if not model:
        raise RigError(
            f"'{rig.name}' is none of the models whose zeros are known: choose its Zeros in the file browser,"
            " at the right"
        )
    return model


class LIMBER_OT_import_lerobot(Stepwise, ReadsFile, UndoOperator):
    """Import servo IDs, zeros, ranges and homing offsets from a calibration file of LeRobot. Esc cancels"""

    bl_label = "Import LeRobot Calibration"

    filter_glob: shown_files("*.json;*.yaml;*.yml")
    model: _model_property(
        (
            lerobot.MIDDLE,
            "Middle of the Range",
            "Any other robot: each joint's 0 is the middle of its recorded range, as LeRobot's own",
        )
    )
    prefix: StringProperty(
        name="Prefix",
        description=(
            "Beginning of the names of the arm's motors, such as left_arm_; needed if the file has several"
            " arms"
        ),
        options={"SKIP_SAVE"},
    )

    why_not = needs_disconnected

    settings = ("filepath", "model", "prefix")
    nothing = "Nothing was imported"
    cancelled = "The import is cancelled: nothing has changed"

    def _ask(self, context):
        folder = calibration_file.usual_folder() / "robots"
        if folder.is_dir() and not self.filepath:
            self.filepath = f"{folder}/"
        return super()._ask(context)

    def _begin(self, context):
        path, rig = self.path, rig_of(context)
        self._rig_name = rig.name
        family = calibration_file.family_of(path, rig.limber.device.protocol)
        progress = Progress(0.0, f"Reading {path.name}")
        return SlicedWork(in_steps(self.is_watched, progress, calibration_file.load, path, family))

    def _finish(self, context):
        # the robot may have been connected while the file browser was open
        if why := needs_disconnected(context):
            raise RigError(why)
        rig, path = rig_of(context), self.path
        if rig.name != self._rig_name:
            raise RigError(f"'{self._rig_name}' is no longer in use: select it, and import the file again")
        family = calibration_file.family_of(path, rig.limber.device.protocol)
        self.warn(lerobot.give(rig, self.work.result, _model(self, rig), self.prefix.strip(), family))
        keep_copy(self, rig)
        self.report(
            {"INFO"},
            f"LeRobot's calibration {path.stem} is imported: connect, release all, and check the zeros",
        )


class LIMBER_OT_export_lerobot(WritesFile, Operator):
    """Export servo IDs, zeros, ranges and homing offsets as a calibration file of LeRobot"""

    bl_label = "Export LeRobot Calibration"

    suffix = ".json"
    filter_glob: shown_files("*.json")
    model: _model_property()

    why_not = needs_rig

    def _usual_path(self, context) -> Path:
        name = Path(f"{bpy.path.clean_name(rig_of(context).name)}{self.suffix}")
        folder = calibration_file.usual_folder() / "robots" / "so_follower"
        return folder / name if folder.is_dir() else name

    def run(self, context):
        rig = rig_of(context)
        motors, lost = lerobot.collect(rig, _model(self, rig))
        calibration_file.save(self.path, motors)
        if lost:
            self.report({"WARNING"}, f"LeRobot's zero is the middle of the range: {'; '.join(lost)}")
        self.report(
            {"INFO"},
            f"LeRobot's calibration is in {self.path}; LeRobot writes it into the servos when it connects",
        )


class LIMBER_OT_zero_pose(UndoOperator):
    """Pose the armature at the robot's zero positions, to compare the robot with it"""

    bl_label = "Pose at Zero"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_rig(context):
            return why
        return (
            "The armature is live, so it does not show its authored pose: press End Live first"
            if live_of(rig_of(context))
            else ""
        )

    def run(self, context):
        zero_check.pose(rig_of(context))
