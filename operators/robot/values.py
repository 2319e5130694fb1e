"""Operators for values: servos that follow an animatable property. They add one by the property's data path,
and remove it.
"""

import re

import bpy
from bpy.props import StringProperty

from ...rig.blender.errors import RigError
from ...rig.robot import device as robot_device
from ...rig.robot import values
from ..operator import UndoOperator
from ..remove_item import RemoveItem
from ..subject import needs_rig, rig_of

# data path in the format of Copy Full Data Path
FULL_PATH = re.compile(r"bpy\.data\.(\w+)\[(['\"])(.+?)\2\]\.?(.+)", re.DOTALL)


class LIMBER_OT_add_auxiliary(UndoOperator):
    """Add a servo that follows an animatable property: a jaw, an eyelid, a lamp"""

    bl_label = "Add Value"

    path: StringProperty(
        name="Property",
        description=(
            "Data path of the property: paste what Copy Full Data Path copies, such as"
            ' bpy.data.objects["Jaw"].location[2]'
        ),
        options={"SKIP_SAVE"},
    )

    why_not = needs_rig

    def invoke(self, context, event):
        pasted = context.window_manager.clipboard.strip()
        if FULL_PATH.fullmatch(pasted):
            self.path = pasted
        return context.window_manager.invoke_props_dialog(self, width=440, confirm_text="Add")

    def run(self, context):
        match = FULL_PATH.fullmatch(self.path.strip())
        holder = getattr(bpy.data, match[1], None) if match else None
        owner = _named(holder, match[3]) if hasattr(holder, "get") else None
        if owner is None:
            raise RigError(
                f"'{self.path}' names no property of this file: right-click one and press Copy Full Data Path"
            )
        rig, path = rig_of(context), match[4]
        device = rig.limber.device
        value = device.auxiliaries.add()
        value.owner, value.path = owner, path
        number = values.value_of(value)
        if number is None:
            device.auxiliaries.remove(len(device.auxiliaries) - 1)
            raise RigError(f"'{path}' of '{owner.name}' is no number: choose a single one, as location[2]")
        values.set_up(device, value, number)
        value.servo = robot_device.free_servo(rig)
        device.active_auxiliary = len(device.auxiliaries) - 1
        self.report({"INFO"}, f"Servo {value.servo} follows {value.name}: see Values under Robot > Set Up")


def _named(holder, name: str):
    """The data-block with that name in a collection of `bpy.data`, a local one rather than a linked one; None
    if there is none.
    """
    return holder.get((name, None)) or holder.get(name)


class LIMBER_OT_remove_auxiliary(RemoveItem):
    """Remove the selected value and its servo from the robot. The property itself stays"""

    bl_label = "Remove Value"

    items, active, empty = "auxiliaries", "active_auxiliary", "There is no value: press Add Value"

    @classmethod
    def _owner(cls, context):
        return rig_of(context).limber.device
