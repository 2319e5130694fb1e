"""The robot's line in the menu of every property that can be animated."""

from ..operators.robot_values import pointed_at
from ..operators.subject import rig_of


def draw(menu, context) -> None:
    """Where an armature with a chain is at hand."""
    rig = rig_of(context)
    if pointed_at(context) is not None and rig is not None and len(rig.limber.chains):
        menu.layout.separator()
        menu.layout.operator("limber.send_to_robot", icon="CON_ARMATURE")
