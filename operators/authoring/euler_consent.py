"""Consent dialogue, shared by operators that make joints: whether bones may be given an Euler order."""

from bpy.props import BoolProperty, EnumProperty

from ...rig.blender.counting import listing
from ...rig.blender.errors import RigError

ORDERS = [
    (order, f"{order} Euler", f"{order[2]} is nearest the parent, then {order[1]}, then {order[0]}")
    for order in ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
]


class EulerConsent:
    """Mixin of operators that ask before they give bones an Euler order.

    Subclasses implement `_changed(context)`, the names of those bones, and set `agree`, the text of the confirm button.
    """

    agree = ""

    change_rotation_mode: BoolProperty(
        name="Change Rotation Mode",
        description="Give bones with quaternion or axis-angle rotation an Euler order; their keyframes are converted",
        options={"SKIP_SAVE"},
    )
    order: EnumProperty(name="Order", description="Euler order for those bones", items=ORDERS, default="XYZ")

    def invoke(self, context, event):
        try:
            names = self._changed(context)
        except RigError as error:
            return self.refuse(error)
        if not names:
            return self.execute(context)
        self.change_rotation_mode = True  # confirming the dialogue gives consent
        return context.window_manager.invoke_props_dialog(self, width=420, title="Change Rotation Mode?", confirm_text=self.agree)

    def draw(self, context):
        try:
            names = self._changed(context)
        except RigError:  # the operator has run, and this is the Adjust Last Operation panel
            names = []
        if names:
            self.layout.label(text=f"Bones that rotate by quaternion or axis-angle: {len(names)}. A motor has one axis.")
            self.layout.label(text=listing(names))
            self.layout.label(text="They get an Euler order; their pose and keyframes are converted.")
        else:
            self.layout.prop(self, "change_rotation_mode")
        row = self.layout.row()
        row.enabled = self.change_rotation_mode
        row.prop(self, "order")
