import bpy

from ...rig.authoring.first_lamp import lamp
from ..errors import reports_errors
from .framing import frame


class LIMBER_OT_add_demo_lamp(bpy.types.Operator):
    """Add a desk lamp with five joints, three postures and a ball that flies around it: ready to go live, and to move the virtual robot"""

    bl_idname = "limber.add_demo_lamp"
    bl_label = "Add Demo Lamp"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set("The lamp is added in Object Mode: leave the mode that Blender is in (Tab, or Ctrl Tab)")
            return False
        return True

    @reports_errors
    def execute(self, context):
        rig = lamp.add(context)
        frame(context, [rig.limber.chains[0].target])
        self.report({"INFO"}, f"'{rig.name}' looks at '{rig.limber.chains[0].target.name}' once it is live: press Start Live, then play")
        return {"FINISHED"}
