"""What operators that make joints share: the question whether bones may get an Euler order."""

from bpy.props import BoolProperty, EnumProperty

from ...rig.blender.errors import RigError

ORDERS = [
    (order, f"{order} Euler", f"{order[2]} is nearest the parent, then {order[1]}, then {order[0]}")
    for order in ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
]
NAMES_SHOWN = 6  # of bones in the dialog's line


class EulerConsent:
    """An operator that asks before it gives bones an Euler order.

    Subclasses say `_changed(context)`, the names of those bones, and have `agree`, what the dialog's button says.
    """

    agree = ""

    change_rotation_mode: BoolProperty(
        name="Change Rotation Mode",
        description="Give bones that rotate by quaternion, or by axis and angle, an Euler order; their keys are converted",
        options={"SKIP_SAVE"},
    )
    order: EnumProperty(name="Order", description="Euler order for those bones", items=ORDERS, default="XYZ")

    def invoke(self, context, event):
        try:
            names = self._changed(context)
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not names:
            return self.execute(context)
        self.change_rotation_mode = True  # what the dialog's button says
        return context.window_manager.invoke_props_dialog(self, width=420, title="Change Rotation Mode?", confirm_text=self.agree)

    def draw(self, context):
        try:
            names = self._changed(context)
        except RigError:  # it was just done: the panel of the last operation
            names = []
        if names:
            self.layout.label(text=f"Bones that rotate by quaternion or axis and angle: {len(names)}. A motor turns about one axis.")
            self.layout.label(text=", ".join(names[:NAMES_SHOWN]) + (" ..." if len(names) > NAMES_SHOWN else ""))
            self.layout.label(text="They get an Euler order; their pose and their keys are converted.")
        else:
            self.layout.prop(self, "change_rotation_mode")
        row = self.layout.row()
        row.enabled = self.change_rotation_mode
        row.prop(self, "order")
