"""Operators for motion characters of chains and mechanisms: use, save, load."""

from pathlib import Path

import bpy
from bpy.props import StringProperty

from ...rig.authoring import characters
from ...rig.blender.errors import RigError
from ...rig.live.movers import mover_of
from ..errors import reports_errors
from ..files import ReadsFile, WritesFile, shown_files
from ..mechanism.mechanisms import mechanism_owner, poll_mechanism
from ..subject import chain_of, poll_chain


class _OfChain:
    """Acts on the active chain."""

    poll = classmethod(poll_chain)
    _settings = staticmethod(chain_of)


class _OfMechanism:
    """Acts on the active mechanism."""

    poll = classmethod(poll_mechanism)

    @staticmethod
    def _settings(context):
        return mechanism_owner(context).limber.mechanism


class _Use:
    bl_label = "Use Character"
    bl_options = {"REGISTER", "UNDO"}

    name: StringProperty(name="Character", description="Name of a character, built in or your own", options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        found = characters.BUILT_IN.get(properties.name)
        return found[0] if found else f"Use your own character '{properties.name}'"

    @reports_errors
    def execute(self, context):
        character = self._character()
        settings = self._settings(context)
        characters.use(settings, character)
        settings.id_data.update_tag()
        self.report({"INFO"}, f"{mover_of(settings.id_data, settings).label} uses the character {self.name}")
        return {"FINISHED"}

    def _character(self) -> characters.MotionCharacter:
        if self.name in characters.BUILT_IN:
            return characters.BUILT_IN[self.name][1]
        own = characters.own()
        if self.name not in own:
            raise RigError(f"There is no character '{self.name}': choose one of {', '.join([*characters.BUILT_IN, *own])}")
        return characters.load(own[self.name])


class _Save(WritesFile):
    bl_label = "Save Character"

    filter_glob: shown_files(f"*{characters.SUFFIX}")

    def _usual_path(self, context) -> Path:
        settings = self._settings(context)
        return (characters.folder() or Path()) / (bpy.path.clean_name(settings.name or settings.id_data.name) + characters.SUFFIX)

    def _path(self, given: str) -> Path:
        return Path(given.removesuffix(".json").removesuffix(characters.SUFFIX.removesuffix(".json")) + characters.SUFFIX)

    def _write(self, context, path: Path) -> set[str]:
        try:
            characters.save(path, characters.of(self._settings(context)))
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Saved the character to {path}")
        return {"FINISHED"}


class _Load(ReadsFile):
    bl_label = "Load Character"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: shown_files(f"*{characters.SUFFIX}")

    @reports_errors
    def execute(self, context):
        character = characters.load(Path(bpy.path.abspath(self.filepath)))
        settings = self._settings(context)
        characters.use(settings, character)
        settings.id_data.update_tag()
        self.report({"INFO"}, f"{mover_of(settings.id_data, settings).label} uses the character of {Path(self.filepath).name}")
        return {"FINISHED"}


class LIMBER_OT_use_character(_OfChain, _Use, bpy.types.Operator):
    """Use this character for the chain: its filter, and its share of the joints' limits"""

    bl_idname = "limber.use_character"


class LIMBER_OT_save_character(_OfChain, _Save, bpy.types.Operator):
    """Save the chain's character to a file. Files in the default folder appear in the menu"""

    bl_idname = "limber.save_character"


class LIMBER_OT_load_character(_OfChain, _Load, bpy.types.Operator):
    """Load a character for the chain from a file"""

    bl_idname = "limber.load_character"


class LIMBER_OT_use_mechanism_character(_OfMechanism, _Use, bpy.types.Operator):
    """Use this character for the mechanism: its filter, and its share of the motors' limits"""

    bl_idname = "limber.use_mechanism_character"
    bl_label = "Use Mechanism's Character"


class LIMBER_OT_save_mechanism_character(_OfMechanism, _Save, bpy.types.Operator):
    """Save the mechanism's character to a file. Files in the default folder appear in the menu"""

    bl_idname = "limber.save_mechanism_character"
    bl_label = "Save Mechanism's Character"


class LIMBER_OT_load_mechanism_character(_OfMechanism, _Load, bpy.types.Operator):
    """Load a character for the mechanism from a file"""

    bl_idname = "limber.load_mechanism_character"
    bl_label = "Load Mechanism's Character"
