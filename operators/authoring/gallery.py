"""Operators of the gallery of robots: add one, add one from a folder, install a maker's meshes, and what is known of a robot."""

from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty

from ...rig.authoring import gallery_folders, gallery_robot
from ...robots.gallery.description import FILE, read_description
from ..errors import reports_errors
from ..files import shown_files
from ..subject import poll_rig, rig_of
from .framing import frame


class _AddsRobot:
    """Operator that adds a robot in Object Mode."""

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set("Robots are added in Object Mode: leave the mode that Blender is in (Tab, or Ctrl Tab)")
            return False
        return True

    def add(self, context, folder: Path) -> None:
        robot = read_description(folder)
        came = gallery_robot.add(context, robot, gallery_folders.full_model(robot))
        frame(context, came.rig.users_collection[0].objects)
        for warning in came.warnings:
            self.report({"WARNING"}, warning)
        self.report({"INFO"}, f"{robot.name} looks at '{robot.name} Target' once it is live: Next Step leads there")


class LIMBER_OT_add_robot(_AddsRobot, bpy.types.Operator):
    """Add a robot of the gallery with its joints, limits, servos, postures and a target: ready to go live, and to move the virtual robot"""

    bl_idname = "limber.add_robot"
    bl_label = "Add Robot"
    bl_options = {"REGISTER", "UNDO"}

    robot: StringProperty(
        name="Robot", description="Name of the robot's folder in the gallery, or the path of a folder", options={"SKIP_SAVE"}
    )

    @reports_errors
    def execute(self, context):
        self.add(context, gallery_folders.folder_of(self.robot))
        return {"FINISHED"}


class LIMBER_OT_add_robot_folder(_AddsRobot, bpy.types.Operator):
    """Add a robot from a folder of your own that has a description (robot.yaml), and keep it in the gallery"""

    bl_idname = "limber.add_robot_folder"
    bl_label = "Add Robot from Folder"
    bl_options = {"REGISTER", "UNDO"}

    directory: StringProperty(name="Folder", description="The robot's folder", subtype="DIR_PATH", options={"SKIP_SAVE"})
    filter_glob: shown_files(FILE)
    keep: BoolProperty(
        name="Keep in Gallery", description="Copy the folder to your own gallery, so that the menu has the robot", default=True
    )

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    @reports_errors
    def execute(self, context):
        if not self.directory:
            self.report({"ERROR"}, f"No folder is chosen: choose one with a {FILE}")
            return {"CANCELLED"}
        folder = Path(bpy.path.abspath(self.directory)).resolve()
        self.add(context, folder)
        if self.keep:
            gallery_folders.keep(folder)
        return {"FINISHED"}


class LIMBER_OT_install_robot_meshes(bpy.types.Operator):
    """Install the makers' own meshes of the gallery's robots from a URDF file, or a folder such as a clone of the maker's repository"""

    bl_idname = "limber.install_robot_meshes"
    bl_label = "Install Full Meshes"

    filepath: StringProperty(name="Place", description="The folder, or the robot's URDF file", subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: shown_files("*.urdf")

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    @reports_errors
    def execute(self, context):
        if not self.filepath:
            self.report({"ERROR"}, "No folder is chosen: choose a clone of the maker's repository, or the robot's URDF file")
            return {"CANCELLED"}
        done = gallery_folders.install(Path(bpy.path.abspath(self.filepath)))
        for sentence in done:
            self.report({"INFO"}, sentence)
        self.report({"INFO"}, f"{'; '.join(done)}. Add the robot again to see them")
        return {"FINISHED"}


class LIMBER_OT_about_robot(bpy.types.Operator):
    """Show the robot's maker, licence and source, and what was never tried on the real robot"""

    bl_idname = "limber.about_robot"
    bl_label = "About This Robot"

    @classmethod
    def poll(cls, context):
        if not poll_rig(cls, context):
            return False
        if gallery_robot.KEY not in (rig_of(context).data or ()):
            cls.poll_message_set("The active armature is no robot of the gallery: choose one by Add > Limber Robot")
            return False
        return True

    @reports_errors
    def execute(self, context):
        self.report({"INFO"}, " ".join(gallery_robot.about(rig_of(context))))
        return {"FINISHED"}

    def invoke(self, context, event):
        return context.window_manager.invoke_popup(self, width=520) if self.execute(context) == {"FINISHED"} else {"CANCELLED"}

    def draw(self, context):  # invoke has checked that there are lines
        for line in gallery_robot.about(rig_of(context)):
            self.layout.label(text=line)
