"""Operators for the motion character of the chain, body or mechanism in use: use, save, load."""

from pathlib import Path

import bpy
from bpy.props import StringProperty

from ...rig.authoring import characters
from ...rig.blender.errors import RigError
from ..files import ReadsFile, WritesFile, shown_files
from ..movers import ActsOnMover, needs_mover
from ..operator import Operator, UndoOperator


def _use(operator, context, character: characters.MotionCharacter, name: str) -> None:
    mover = operator.mover(context)
    characters.use(mover.settings, character)
    mover.owner.update_tag()
    operator.report({"INFO"}, f"{mover.label} uses the character {name}")


class LIMBER_OT_use_character(ActsOnMover, UndoOperator):
    """Use this character for the chain, body or mechanism: its filter, and its share of the limits of joints
    or motors
    """

    bl_label = "Use Character"

    name: StringProperty(
        name="Character", description="Name of a character, built in or your own", options={"SKIP_SAVE"}
    )

    why_not = staticmethod(needs_mover)

    @classmethod
    def description(cls, context, properties):
        built_in = characters.BUILT_IN.get(properties.name)
        return built_in[0] if built_in else f"Use your own character '{properties.name}'"

    def run(self, context):
        user_characters = characters.own()
        if self.name in characters.BUILT_IN:
            character = characters.BUILT_IN[self.name][1]
        elif self.name in user_characters:
            character = characters.load(user_characters[self.name])
        else:
            raise RigError(
                f"There is no character '{self.name}': choose one of"
                f" {', '.join([*characters.BUILT_IN, *user_characters])}"
            )
        _use(self, context, character, self.name)


class LIMBER_OT_save_character(ActsOnMover, WritesFile, Operator):
    """Save the character of the chain, body or mechanism to a file. Files in the default folder appear in the
    menu
    """

    bl_label = "Save Character"

    filter_glob: shown_files(f"*{characters.SUFFIX}")

    why_not = staticmethod(needs_mover)

    def _usual_path(self, context) -> Path:
        mover = self.mover(context)
        return (characters.folder() or Path()) / (bpy.path.clean_name(mover.given_name) + characters.SUFFIX)

    @property
    def path(self) -> Path:
        chosen_path = str(super().path)
        return Path(
            chosen_path.removesuffix(".json").removesuffix(characters.SUFFIX.removesuffix(".json"))
            + characters.SUFFIX
        )

    def run(self, context):
        characters.save(self.path, characters.of(self.mover(context).settings))
        self.report({"INFO"}, f"Saved the character to {self.path}")


class LIMBER_OT_load_character(ActsOnMover, ReadsFile, UndoOperator):
    """Load a character for the chain, body or mechanism from a file"""

    bl_label = "Load Character"

    filter_glob: shown_files(f"*{characters.SUFFIX}")

    why_not = staticmethod(needs_mover)

    def run(self, context):
        _use(self, context, characters.load(self.path), self.path.name)
