"""Operators of Motion Check: check, mark the timeline, save the findings and a plot."""

from pathlib import Path

import bpy

from ...files import atomic
from ...rig.blender.counting import counted
from ...rig.blender.errors import RigError
from ...rig.live.uses import Use, as_seen, why_not, with_company
from ...rig.output.motion_check import marks, picture, view
from ...rig.output.motion_check.check import MotionCheck, result
from ...rig.output.motion_check.findings import csv
from ...rig.output.stepped import scene_frames
from ..files import WritesFile, shown_files
from ..movers import ActsOnMover, mover_at_hand, needs_mover, own
from ..operator import Operator, UndoOperator
from ..stepwise import Stepwise


class LIMBER_OT_check_motion(Stepwise):
    """Check the scene's frames for exceeded joint limits, discontinuities and lost targets. Esc cancels"""

    bl_label = "Check Motion"
    bl_options = {"REGISTER"}

    nothing = "The motion was not checked"
    cancelled = "Checking is cancelled: the scene is as it was"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_mover(context):
            return why
        mover = mover_at_hand(context)
        if mover.owner.mode == "EDIT":
            return "Leave Edit Mode first: motion is checked in Object Mode or Pose Mode"
        return "" if with_company(Use.CHECK, mover) or as_seen(mover) else why_not(Use.CHECK, mover, context)

    def _begin(self, context):
        shown = context.window_manager.limber_motion_check
        return MotionCheck(
            context.scene,
            own(mover_at_hand(context)),
            scene_frames(context.scene),
            shown.lost_beyond,
            shown.changed_beyond,
        )

    def _says(self):
        return f"Checking the motion: frame {self.work.frame} of {self.work.frames[-1]}"

    def _finish(self, context):
        check_result = self.work.finish()
        view.show(context.window_manager.limber_motion_check, check_result.findings)
        count = (
            counted(len(check_result.findings), "finding") if check_result.findings else "nothing was found"
        )
        self.warn(self.work.unmeasured)
        self.report(
            {"INFO"},
            f"Checked {counted(len(check_result.frames), 'frame')} of"
            f" {', '.join(mover.label for mover in self.work.checked)}: {count}",
        )


def _needs_result(context) -> str:
    if why := needs_mover(context):
        return why
    if result(mover_at_hand(context).owner) is None:
        return f"The motion of '{mover_at_hand(context).owner.name}' was not checked yet: press Check Motion"
    return ""


class LIMBER_OT_mark_findings(UndoOperator):
    """Add a marker to the timeline at the worst frame of each finding, and remove Limber's earlier markers"""

    bl_label = "Mark on Timeline"

    why_not = _needs_result

    def run(self, context):
        count = marks.put(context.scene, result(mover_at_hand(context).owner).findings)
        self.report({"INFO"}, f"Markers on the timeline: {count}")


class LIMBER_OT_clear_marks(UndoOperator):
    """Remove the markers of Motion Check from the timeline. Your own markers stay"""

    bl_label = "Clear Marks"

    @classmethod
    def why_not(cls, context) -> str:
        return (
            ""
            if marks.are_there(context.scene)
            else "The timeline has no markers of Motion Check: press Mark on Timeline first"
        )

    def run(self, context):
        self.report({"INFO"}, f"Markers removed from the timeline: {marks.clear(context.scene)}")


class _Save(ActsOnMover, WritesFile):
    """Base of operators that save the last result of Motion Check; subclasses implement
    `_put(path, check_result)`, which writes the result to a file.
    """

    why_not = staticmethod(_needs_result)

    def _usual_path(self, context) -> Path:
        return Path(f"{bpy.path.clean_name(self.mover(context).owner.name)} motion{self.suffix}")

    def run(self, context):
        path, owner = self.path, self.mover(context).owner
        try:
            self._put(path, result(owner))
        except (OSError, RigError) as error:
            raise RigError(f"{path} cannot be written: {error}") from error
        self.report({"INFO"}, f"{path} is written")


class LIMBER_OT_save_findings(_Save, Operator):
    """Save the findings as comma-separated values"""

    bl_label = "Save CSV"

    suffix = ".csv"
    filter_glob: shown_files("*.csv")

    def _put(self, path: Path, check_result) -> None:
        atomic.write_text(path, csv(list(check_result.findings)))


class LIMBER_OT_save_motion_picture(_Save, Operator):
    """Save a plot of each joint over the frames as an SVG, with its limits and the findings in colour"""

    bl_label = "Save Picture"

    suffix = ".svg"
    filter_glob: shown_files("*.svg")

    @property
    def path(self) -> Path:
        path = super().path
        if path.stem.endswith(".png"):
            raise RigError(f"The picture is an SVG, and no PNG any more: name it {Path(path.stem).stem}.svg")
        return path

    def _put(self, path: Path, check_result) -> None:
        atomic.write_text(path, picture.svg(check_result))
