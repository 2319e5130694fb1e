from bpy.props import EnumProperty, StringProperty

from ...rig.authoring import chains, eyes_head_torso, forward, isolation, look_sharing
from ...rig.blender.counting import counted
from ...rig.mechanisms import bones
from ...rig.properties.chains import SIGNED_AXES
from ..operator import UndoOperator
from ..subject import needs_pose_mode, rig_of

GUESS = "AUTO"
FORWARD_AXES = [
    (GUESS, "Automatic", "From cameras, eyes, left and right sides or the robot's own axes"),
    *SIGNED_AXES,
]


class LIMBER_OT_new_chain(UndoOperator):
    """Add a chain from the selected bones (root and end, or only the end), with a joint for each unlocked
    rotation axis
    """

    bl_label = "New Chain"

    forward: EnumProperty(
        name="Forward Axis",
        description="Axis of the end bone that points at the target",
        items=FORWARD_AXES,
        default=GUESS,
        options={"SKIP_SAVE"},
    )

    root: StringProperty(
        name="Root",
        description=(
            "First bone of the chain. Empty: the selected bone that is highest in the hierarchy; if only the end"
            " is selected or given, a child of the bone from which the figure's legs branch or, without legs,"
            " the topmost bone"
        ),
        options={"SKIP_SAVE"},
    )
    end: StringProperty(
        name="End",
        description=(
            "Last bone of the chain, which looks at the target or reaches for it. Empty: the selected bone that"
            " is lowest in the hierarchy"
        ),
        options={"SKIP_SAVE"},
    )

    why_not = needs_pose_mode

    def draw(self, context):
        column = self.layout.column()
        column.prop(self, "forward")
        for name in ("root", "end"):
            column.prop_search(self, name, rig_of(context).data, "bones")

    def run(self, context):
        rig = rig_of(context)
        needed = bones.needed(rig)
        chosen, remark = self._chosen(context, rig)
        path = chains.find_path(rig, chosen)
        chains.moving_bones(rig, path)
        switched = isolation.joined(rig, path)
        sharing = f"the look is shared along it: set {' and '.join(switched)}" if switched else ""
        reason_to_begin = chains.why_begins(rig, path)
        chain = chains.new_chain(rig, chosen)
        self.root, self.end = chain.root, chain.end
        if self.forward != GUESS:
            forward.point(chain, rig, chain.end, forward.axis_at_rest(rig, chain.end, self.forward))
            reason = "as chosen"
        else:
            reason = forward.guess_of(rig, chain).reason or "along its bone, for lack of other clues"
        sentences = (
            f"Chain from '{chain.root}' to '{chain.end}' has {counted(len(chain.joints), 'joint')}",
            remark,
            reason_to_begin,
            sharing,
            f"it looks along {forward.described(chain)} ({reason})",
            look_sharing.sentence(chain),
        )
        self.report({"INFO"}, "; ".join(filter(None, sentences)))
        self._warn(rig, chain, needed)

    def _chosen(self, context, rig) -> tuple[list[str], str]:
        """(bones, remark): names of the bones from which the chain is made, given by the operator's
        properties or, where these are empty, selected. If all visible bones are selected, its end is the bone
        that looks by its name, and the remark says so; else the remark is "".
        """
        if self.end:
            return [name for name in (self.root, self.end) if name], ""
        chosen, remark = self._selected(context, rig)
        return ([self.root, chains.find_path(rig, chosen)[-1]] if self.root else chosen), remark

    def _selected(self, context, rig) -> tuple[list[str], str]:
        """As `_chosen`, without the operator's properties."""
        chosen = [bone.name for bone in context.selected_pose_bones or () if bone.id_data == rig]
        if len(chosen) != len(context.visible_pose_bones or ()):
            return chosen, ""
        looking = eyes_head_torso.looking_of(rig, chosen)
        if not looking:
            return chosen, ""
        return [looking], f"all {len(chosen)} bones were selected, of which '{looking}' looks"

    def _warn(self, rig, chain, needed) -> None:
        """Warns if the look can roll about the guessed forward axis, and if a mechanism uses bones of the
        chain already (`needed`).
        """
        if self.forward == GUESS and (why := forward.why_rolls(rig, chain)):
            self.report({"WARNING"}, why)
        if shared := next((joint.bone for joint in chain.joints if joint.bone in needed), None):
            self.report(
                {"WARNING"},
                f"Bone '{shared}' is moved by mechanism '{rig.name}', too, so only one of the two can be live:"
                " drive that bone by the mechanism's Goals or Motors, or make a chain of other bones",
            )
