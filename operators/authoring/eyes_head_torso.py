"""Operator Eyes, Head and Torso: makes the gaze chains of a character in one click."""

from bpy.props import StringProperty

from ...rig.authoring import eyes_head_torso, gaze_bones
from ...rig.bones.figure import Figure
from ..operator import UndoOperator
from ..subject import needs_rig, rig_of

# most bones that a user selects as parts (torso, head, two eyes): a selection of more bones that is all of
# the visible ones counts as none
MOST_PARTS = 4


class LIMBER_OT_eyes_head_torso(UndoOperator):
    """Make chains for torso, head and eyes that look at one target: the eyes lead, the head follows, the
    torso hardly rotates. Bones are found by their names and positions; to choose them yourself, select the
    last bones of torso, head and eyes first
    """

    bl_label = "Eyes, Head and Torso"

    torso: StringProperty(
        name="Torso",
        description=(
            "Last bone of the torso. Empty: no chain for the torso, or, if head and eyes are empty too, bones"
            " are found"
        ),
        options={"SKIP_SAVE"},
    )
    head: StringProperty(
        name="Head", description="Bone of the head; the chain includes the neck", options={"SKIP_SAVE"}
    )
    eye: StringProperty(
        name="Eye", description="Bone of the left eye, or the bone of both eyes", options={"SKIP_SAVE"}
    )
    other_eye: StringProperty(
        name="Other Eye",
        description="Bone of the right eye, if each eye has a bone of its own",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_rig(context):
            return why
        rig = rig_of(context)
        if rig.type != "ARMATURE":
            return f"'{rig.name}' is no armature: click the character's armature"
        if rig.mode == "EDIT":
            return "Leave Edit Mode first: chains are made in Object Mode or Pose Mode"
        is_flat = rig.matrix_world.to_3x3().determinant() == 0.0
        return f"'{rig.name}' is scaled to 0 along an axis: give it a scale other than 0" if is_flat else ""

    def _ends(self, context, figure: Figure) -> gaze_bones.GazeBones:
        """The bones named by the operator's properties. If those are all empty: the selected bones or,
        without a selection, bones found by name and position, which are also written to the properties.
        """
        if not (self.torso or self.head or self.eye or self.other_eye):
            rig, selected = rig_of(context), _selected(context)
            ends = (
                eyes_head_torso.ends_selected(rig, selected, figure)
                if selected
                else eyes_head_torso.ends_found(rig, figure)
            )
            self.torso, self.head = ends.torso, ends.head
            self.eye, self.other_eye = (*ends.eyes, "", "")[:2]
        eyes = tuple(dict.fromkeys(eye for eye in (self.eye, self.other_eye) if eye))
        return gaze_bones.GazeBones(self.torso, self.head, eyes)

    def draw(self, context):
        column = self.layout.column()
        for name in ("torso", "head", "eye", "other_eye"):
            column.prop_search(self, name, rig_of(context).data, "bones")

    def run(self, context):
        rig = rig_of(context)
        target = next((obj for obj in context.selected_objects if obj != rig and obj.parent != rig), None)
        figure = Figure(rig)  # its symmetry takes long to find where a head carries hundreds of bones
        gaze_setup = eyes_head_torso.make(context, rig, self._ends(context, figure), target, figure)
        chains = [rig.limber.chains[name] for name in gaze_setup.names]
        named = ", ".join(
            f"{chain.name} ({chain.root if chain.root == chain.end else f'{chain.root} to {chain.end}'})"
            for chain in chains
        )
        looks = "look" if len(chains) > 1 else "looks"
        self.report(
            {"INFO"},
            f"{named} {looks} at '{gaze_setup.target.name}'{gaze_setup.legs and f'; {gaze_setup.legs}'}",
        )
        for sentence in gaze_setup.done:
            self.report({"INFO"}, sentence)


def _selected(context) -> list[str]:
    """Names of the selected bones; empty if these are all visible bones and more than `MOST_PARTS`, since
    then the selection does not tell the parts apart.
    """
    rig = rig_of(context)
    chosen = [bone.name for bone in context.selected_pose_bones or () if bone.id_data == rig]
    seen = [bone for bone in context.visible_pose_bones or () if bone.id_data == rig]
    return [] if MOST_PARTS < len(chosen) == len(seen) else chosen
