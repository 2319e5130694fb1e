import bpy

from ...rig.authoring.first_lamp import lamp
from ..errors import reports_errors


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
        _look_at(context, rig)
        self.report({"INFO"}, f"'{rig.name}' looks at '{rig.limber.chains[0].target.name}' once it is live: press Start Live, then play")
        return {"FINISHED"}


def _look_at(context, rig) -> None:
    """Frames the lamp and its ball in the 3D viewport."""
    area = context.area
    if area is None or area.type != "VIEW_3D":
        return
    region = next(region for region in area.regions if region.type == "WINDOW")
    with context.temp_override(area=area, region=region, selected_objects=[]):
        target = rig.limber.chains[0].target
        target.select_set(True)
        bpy.ops.view3d.view_selected()
        target.select_set(False)
