from pathlib import Path
from textwrap import wrap

import bpy
from bpy.props import EnumProperty

from ...character.file import writing
from ...character.file.errors import CharacterFileError
from ...files.reasons import reason
from ...hardware.errors import ExportError
from ...hardware.motion_files.files import copy_beside
from ...rig.blender.counting import counted, merged
from ...rig.blender.errors import RigError
from ...rig.output.character_check import remarks_beforehand
from ...rig.output.character_file import CharacterExport
from ...rig.scene.character_name import character_name
from ..files import WritesFile, shown_files
from ..stepwise import Stepwise

SUFFIX = ".limber"
LINE = 40  # number of characters of a line beside the file browser


def chosen_behaviour():
    """Property for the behaviour of a character file."""
    return EnumProperty(
        name="Behaviour",
        description="What the character does on its own while it plays",
        items=[
            ("SCENE", "As Authored", "The behaviour in the Behaviour panel, if there is one"),
            ("NONE", "None", "Play the animation and look at targets"),
            ("ATTENTIVE", "Attentive", "Notice and attend to visitors, listen, speak, search, sleep"),
            ("CALM", "Calm", "Attend to visitors that stay, and move little"),
        ],
    )


class LIMBER_OT_export_character(Stepwise, WritesFile):
    """Write the scene's chains, bodies and mechanisms, with their postures and animation, to a file that
    plays without Blender, with the command limber
    """

    bl_label = "Export Limber Character"
    bl_options = {"REGISTER"}

    filter_glob: shown_files("*.limber")

    behaviour: chosen_behaviour()

    settings = ("filepath", "behaviour")
    suffix = SUFFIX
    nothing = "Nothing was exported"
    cancelled = "The export is cancelled: nothing was written"

    def _ask(self, context):
        self.filepath = str(self._usual_path(context))
        self._note_remarks(context)
        return super()._ask(context)

    def _note_remarks(self, context) -> None:
        """Stores what the file cannot contain with the chosen behaviour, for the file browser's sidebar."""
        self.noted_behaviour = self.behaviour
        self.remarks = merged(remarks_beforehand(context.scene, self.behaviour))

    def check(self, context):
        has_changed = super().check(context)
        if self.behaviour == self.noted_behaviour:
            return has_changed
        self._note_remarks(context)
        return True

    def draw(self, context):
        layout = self.layout
        layout.prop(self, "behaviour")
        for sentence in self.remarks:
            column = layout.column(align=True)
            for number, line in enumerate(wrap(sentence, LINE)):
                column.label(text=line, icon="BLANK1" if number else "INFO", translate=False)

    def _usual_path(self, context) -> Path:
        if bpy.data.filepath:
            return Path(bpy.data.filepath).with_suffix(SUFFIX)
        return Path(f"{character_name(context)}{SUFFIX}")

    def _begin(self, context):
        return CharacterExport(context.scene, self.path.stem, self.behaviour)

    def _finish(self, context):
        path, character = self.path, self.work.finish()
        try:
            writing.write(path, character)
        except OSError as error:
            raise RigError(f"'{path}' cannot be written: {reason(error)}") from error
        except CharacterFileError as error:
            raise RigError(str(error)) from error
        self.warn(character.remarks)
        if (sound := self.work.sounds.beside) is not None:
            self._copy_sound(sound)
        joints = counted(len(character.joint_names), "joint")
        self.report(
            {"INFO"},
            f"{counted(character.frames, 'frame')} of {joints} are in '{path.name}': play it with limber",
        )

    def _copy_sound(self, sound: Path) -> None:
        """Copies a sound that is too large for the character file beside it, where the player finds it; warns
        the user to keep both together, or that it cannot be copied.
        """
        try:
            self.warn([f"Its sound is in '{copy_beside(sound, self.path).name}': keep both in one folder"])
        except ExportError as error:
            self.warn([str(error)])


class LIMBER_OT_check_character(Stepwise):
    """List what a character file of the scene cannot contain, and what replaces it. No file is written"""

    bl_label = "Check Character"
    bl_options = {"REGISTER"}

    behaviour: chosen_behaviour()

    nothing = "Nothing can be exported"
    cancelled = "The check is cancelled"

    def _begin(self, context):
        return CharacterExport(context.scene, "", self.behaviour)

    def _finish(self, context):
        character = self.work.finish()
        if not character.remarks:
            what = f"{counted(len(character.joint_names), 'joint')} in {counted(character.frames, 'frame')}"
            self.report({"INFO"}, f"All of the character can be exported: {what}")
            return
        self.warn(character.remarks)
        self.show(context, "Character", list(character.remarks), "INFO")


def _add_to_menu(menu, _context) -> None:
    """Draws the operator at the end of File > Export."""
    menu.layout.operator(LIMBER_OT_export_character.bl_idname, text="Limber Character (.limber)")


MENU_ENTRIES = {"TOPBAR_MT_file_export": _add_to_menu}
