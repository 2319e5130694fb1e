"""Panel Postures of a mechanism."""

from ...operators.mechanism.mechanisms import mechanism_owner
from ...rig.live.movers import mover_of
from ..authoring.postures import draw_postures
from .mechanisms import MechanismTab


class LIMBER_PT_mechanism_postures(MechanismTab):
    """Postures of the motors that the mechanism can keep"""

    bl_label = "Postures"
    bl_order = 3
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        owner = mechanism_owner(context)
        draw_postures(self.layout, mover_of(owner, owner.limber.mechanism))
