from pathlib import Path

import bpy
from bpy.props import EnumProperty

from ...character.file import writing
from ...files.reasons import reason
from ...hardware.errors import ExportError
from ...hardware.motion_files.files import copy_beside
from ...rig.blender import sound_strips
from ...rig.blender.counting import counted
from ...rig.blender.errors import RigError
from ...rig.output.character_file import CharacterExport
from ..files import WritesFile, shown_files
from ..stepwise import Stepwise

SUFFIX = ".limber"


class LIMBER_OT_export_character(Stepwise, WritesFile):
    """Write the scene's chains with their postures and animation to a file that plays without Blender, with
    the command limber
    """

    bl_label = "Export Limber Character"
    bl_options = {"REGISTER"}

    filter_glob: shown_files("*.limber")

    behaviour: EnumProperty(
        name="Behaviour",
        description="States and transitions by which the character acts on its own while it plays",
        items=[
            ("SCENE", "As Authored", "The behaviour in the Behaviour panel, if there is one"),
            ("NONE", "None", "Only play the animation and look at targets"),
            ("ATTENTIVE", "Attentive", "Notice and attend to visitors, listen, speak, search, sleep"),
            ("CALM", "Calm", "Attend to visitors that stay, and move little"),
        ],
    )

    settings = ("filepath", "behaviour")
    suffix = SUFFIX
    nothing = "Nothing was exported"
    cancelled = "The export is cancelled: nothing was written"

    def _ask(self, context):
        self.filepath = str(self._usual_path(context))
        return super()._ask(context)

    def _usual_path(self, context) -> Path:
        if bpy.data.filepath:
            return Path(bpy.data.filepath).with_suffix(SUFFIX)
        return Path(f"{bpy.path.clean_name(_figure(context))}{SUFFIX}")

    def _begin(self, context):
        return CharacterExport(context.scene, self.path.stem, self.behaviour)

    def _finish(self, context):
        path, character = self.path, self.work.finish()
        try:
            writing.write(path, character)
        except OSError as error:
            raise RigError(f"'{path}' cannot be written: {reason(error)}") from error
        self.warn(character.remarks)
        self._copy_sound(context.scene)
        joints = counted(len(character.joint_names), "joint")
        self.report(
            {"INFO"},
            f"{counted(character.frames, 'frame')} of {joints} are in '{path.name}': play it with limber",
        )

    def _copy_sound(self, scene) -> None:
        """Copies the sound strip that starts at the scene's first frame next to the character file, where the
        player looks for it.
        """
        sound = sound_strips.beginning_at(scene, scene.frame_start)
        if sound is None:
            return
        try:
            self.warn([f"Its sound is in '{copy_beside(sound, self.path).name}': keep both in one folder"])
        except ExportError as error:
            self.warn([str(error)])


def _figure(context) -> str:
    """Name for the exported character: the name of the active armature with chains, else of the first
    armature with chains, else of the scene.
    """
    figures = [obj for obj in context.scene.objects if obj.type == "ARMATURE" and obj.limber.chains]
    if context.active_object in figures:
        return context.active_object.name
    return figures[0].name if figures else context.scene.name


def _add_to_menu(menu, _context) -> None:
    menu.layout.operator(LIMBER_OT_export_character.bl_idname, text="Limber Character (.limber)")


MENU_ENTRIES = {"TOPBAR_MT_file_export": _add_to_menu}
