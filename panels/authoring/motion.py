"""Panel Motion: filter and limits of a chain's motion."""

import bpy

from ...operators.subject import chain_of
from ..tab import ChainTab
from .character import CharacterMenu, draw_character


class LIMBER_MT_characters(CharacterMenu, bpy.types.Menu):
    """Motion characters for the chain, built in and your own"""

    def settings(self, context):
        return chain_of(context)


class LIMBER_PT_motion(ChainTab):
    """Filter and limits of the chain's motion"""

    bl_label = "Motion"
    bl_order = 6
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        draw_character(self.layout, chain_of(context), LIMBER_MT_characters.__name__)
