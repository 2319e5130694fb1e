"""Panel Motion: filter and limits of a chain's motion."""

import bpy

from ...operators.subject import chain_of
from ..tab import ChainTab
from .motion_style import MotionStyleMenu, draw_motion_style


class LIMBER_MT_motion_styles(MotionStyleMenu, bpy.types.Menu):
    """Motion styles for the chain: built-in ones, and those of other chains, bodies and mechanisms"""

    def settings(self, context):
        return chain_of(context)


class LIMBER_PT_motion(ChainTab):
    """Filter and limits of the chain's motion"""

    bl_label = "Motion"
    bl_order = 6
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        draw_motion_style(self.layout, chain_of(context), LIMBER_MT_motion_styles.__name__)
