"""Operators of the gallery of robots: add a robot, add a robot from a folder, use a maker's meshes, and show
a robot's maker, licence and notes.
"""

from collections.abc import Generator
from math import inf
from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty

from ...rig.authoring import gallery_folders, gallery_robot
from ...rig.authoring.robot_import import ImportedRobot
from ...rig.authoring.work import SlicedWork
from ...rig.blender.errors import RigError
from ...rig.blender.file_reading import in_steps
from ...robots.gallery.description import FILE, Description, read_description
from ...robots.gallery.full_model import Progress
from ...robots.robot_files import read_files
from ..files import ReadsFile, shown_files
from ..framing import frame
from ..operator import Operator, UndoOperator
from ..stepwise import Stepwise
from ..subject import needs_object_mode, needs_rig, rig_of


class _AddsRobot:
    """Mixin for operators that add a robot to the scene, in Object Mode."""

    why_not = needs_object_mode

    def tell(self, context, robot: Description, imported: ImportedRobot) -> None:
        """Frames the added robot in the view, and reports it, the warnings of its import, and whether the
        maker's model that the user chose is gone.
        """
        frame(context, imported.rig.users_collection[0].objects)
        self.warn([*imported.warnings, *gallery_folders.lost_model(robot)])
        self.report(
            {"INFO"}, f"{robot.name} looks at '{robot.name} Target' once it is live: Next Step leads there"
        )


class LIMBER_OT_add_robot(_AddsRobot, UndoOperator):
    """Add a robot of the gallery with joints, limits, servos, postures and a target: it can go live and move
    the virtual robot at once
    """

    bl_label = "Add Robot"

    robot: StringProperty(
        name="Robot",
        description="Name of the robot's folder in the gallery, or the path of a folder",
        options={"SKIP_SAVE"},
    )

    def run(self, context):
        robot = read_description(gallery_folders.folder_of(self.robot))
        model = gallery_folders.full_model(robot) or robot.model
        adding = SlicedWork(
            gallery_robot.adding(context, robot, read_files(str(model), robot.root, True, "AUTO", None))
        )
        # no time limit: robots in the menu are small, and their files were read before they were listed there
        adding.run(inf)
        self.tell(context, robot, adding.result)


class LIMBER_OT_add_robot_folder(_AddsRobot, Stepwise, UndoOperator):
    """Add a robot from a folder of yours that contains a description (robot.yaml), and list it in the
    gallery. Esc cancels
    """

    bl_label = "Add Robot from Folder"

    directory: StringProperty(
        name="Folder",
        description="Folder that contains the robot's description (robot.yaml)",
        subtype="DIR_PATH",
        options={"SKIP_SAVE"},
    )
    filter_glob: shown_files(FILE)
    keep: BoolProperty(
        name="Keep in Gallery",
        description="List the robot in the gallery. Its folder is not copied: leave it where it is",
        default=True,
    )

    settings = ("directory", "keep")
    nothing = "No robot was added"
    cancelled = "Cancelled: the robot was neither added nor kept in the gallery"

    def _begin(self, context):
        if not self.directory:
            raise RigError(f"No folder is chosen: choose one with a {FILE}")
        self.folder = Path(bpy.path.abspath(self.directory)).resolve()
        return SlicedWork(self._steps(context))

    def _steps(self, context) -> Generator[Progress, None, None]:
        """Generator of steps, which yields the progress: reads the robot's description and its model, and
        adds the robot to the scene.
        """
        progress = Progress(0.0, f"Reading {FILE} of {self.folder}")
        self.robot = yield from in_steps(self.is_watched, progress, read_description, self.folder)
        files = yield from gallery_robot.reading(self.robot, self.is_watched)
        self.imported = yield from gallery_robot.adding(context, self.robot, files)

    def _finish(self, context):
        self.tell(context, self.robot, self.imported)
        if not self.keep:
            return
        try:
            gallery_folders.keep_robot(self.folder)
        except RigError as error:
            # the robot is in the scene already, so the operator must finish, which makes an undo step
            self.warn([f"The robot was added, but not kept in the gallery. {error}"])


class LIMBER_OT_install_robot_meshes(Stepwise, ReadsFile):
    """Use the original meshes of the gallery's robots, from a URDF file or a folder, such as a clone of the
    maker's repository. The files are used where they are, not copied. Esc cancels
    """

    bl_label = "Install Full Meshes"

    filepath: StringProperty(
        name="Folder or File",
        description="The robot's URDF file, or a folder with it and its meshes",
        subtype="FILE_PATH",
        options={"SKIP_SAVE"},
    )
    filter_glob: shown_files("*.urdf")

    settings = ("filepath",)
    missing = "No folder is chosen: choose a clone of the maker's repository, or the robot's URDF file"
    nothing = "The meshes of the gallery's robots are as before"
    cancelled = "Cancelled: the meshes of the gallery's robots are as before"

    def _begin(self, context):
        return SlicedWork(gallery_folders.choosing_models(self.path, self.is_watched))

    def _finish(self, context):
        self.report({"INFO"}, f"{'; '.join(self.work.result)}. Add the robot again to see them")


class LIMBER_OT_about_robot(Operator):
    """Show the robot's maker, licence and source, and what has not been tested on the real robot"""

    bl_label = "About This Robot"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_rig(context):
            return why
        if gallery_robot.KEY not in (rig_of(context).data or ()):
            return "The armature in use is no robot of the gallery: choose one by Add > Limber Robot"
        return ""

    def run(self, context):
        self.report({"INFO"}, " ".join(gallery_robot.about(rig_of(context))))

    def invoke(self, context, event):
        return (
            context.window_manager.invoke_popup(self, width=520)
            if self.execute(context) == {"FINISHED"}
            else {"CANCELLED"}
        )

    def draw(self, context):  # invoke opens the popup only if there are lines
        for line in gallery_robot.about(rig_of(context)):
            self.layout.label(text=line, translate=False)
