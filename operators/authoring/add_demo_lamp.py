from ...rig.authoring.first_lamp import lamp
from ..framing import frame
from ..operator import UndoOperator


class LIMBER_OT_add_demo_lamp(UndoOperator):
    """Add a desk lamp with five joints, postures and a ball that circles it: it can go live and move the
    virtual robot at once
    """

    bl_label = "Add Demo Lamp"

    @classmethod
    def why_not(cls, context) -> str:
        return (
            "The lamp is added in Object Mode: leave the mode that Blender is in (Tab, or Ctrl Tab)"
            if context.mode != "OBJECT"
            else ""
        )

    def run(self, context):
        rig = lamp.add(context)
        frame(context, [rig.limber.chains[0].target])
        self.report(
            {"INFO"},
            f"'{rig.name}' looks at '{rig.limber.chains[0].target.name}' once it is live: press Start Live,"
            " then play",
        )
