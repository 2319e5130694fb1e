"""Verbs on characters of motion: use one, keep the chain's own, read one from a file."""

from pathlib import Path

import bpy
from bpy.props import StringProperty

from ..rig import characters
from ..rig.errors import RigError
from .files import ReadsFile, WritesFile, shown_files
from .subject import chain_of, poll_chain, rig_of


class LIMBER_OT_use_character(bpy.types.Operator):
    """Give the chain this character: its filter, and how much of the joints' limits it uses"""

    bl_idname = "limber.use_character"
    bl_label = "Use Character"
    bl_options = {"REGISTER", "UNDO"}

    name: StringProperty(name="Character", description="Name of a character, built in or your own", options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        found = characters.BUILT_IN.get(properties.name)
        return found[0] if found else f"Give the chain your character '{properties.name}'"

    @classmethod
    def poll(cls, context):
        return poll_chain(cls, context)

    def execute(self, context):
        try:
            manner = self._manner()
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        characters.use(chain_of(context), manner)
        rig_of(context).update_tag()
        self.report({"INFO"}, f"Chain '{chain_of(context).name}' is {self.name.lower()} now")
        return {"FINISHED"}

    def _manner(self) -> characters.Manner:
        if self.name in characters.BUILT_IN:
            return characters.BUILT_IN[self.name][1]
        own = characters.own()
        if self.name not in own:
            raise RigError(f"There is no character '{self.name}': choose one of {', '.join([*characters.BUILT_IN, *own])}")
        return characters.load(own[self.name])


class LIMBER_OT_save_character(WritesFile, bpy.types.Operator):
    """Keep the chain's character in a file, to use again and to share. In the folder that is offered, it is in the menu from now on"""

    bl_idname = "limber.save_character"
    bl_label = "Save Character"

    filter_glob: shown_files(f"*{characters.SUFFIX}")

    @classmethod
    def poll(cls, context):
        return poll_chain(cls, context)

    def _usual_path(self, context) -> Path:
        return characters.folder() / (bpy.path.clean_name(chain_of(context).name) + characters.SUFFIX)

    def _path(self, given: str) -> Path:
        return Path(given.removesuffix(".json").removesuffix(characters.SUFFIX.removesuffix(".json")) + characters.SUFFIX)

    def _write(self, context, path: Path) -> set[str]:
        try:
            characters.save(path, characters.of(chain_of(context)))
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"The character is kept in {path}")
        return {"FINISHED"}


class LIMBER_OT_load_character(ReadsFile, bpy.types.Operator):
    """Give the chain a character from a file, as someone else may have shared it"""

    bl_idname = "limber.load_character"
    bl_label = "Load Character"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: shown_files(f"*{characters.SUFFIX}")

    @classmethod
    def poll(cls, context):
        return poll_chain(cls, context)

    def execute(self, context):
        try:
            manner = characters.load(Path(bpy.path.abspath(self.filepath)))
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        characters.use(chain_of(context), manner)
        rig_of(context).update_tag()
        self.report({"INFO"}, f"Chain '{chain_of(context).name}' has the character of {Path(self.filepath).name}")
        return {"FINISHED"}


CLASSES = (LIMBER_OT_use_character, LIMBER_OT_save_character, LIMBER_OT_load_character)
