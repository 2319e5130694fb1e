"""Operator Pose from Points, which poses a chain along selected objects or a curve."""

from ...rig.authoring import sketch
from ...rig.chains import postures
from ...rig.live.mover import Mover
from ..movers import mover_at_hand
from .postures import PostureOperator, needs_postures

VISIBLE = 1.0  # [deg] a larger error of a link is reported as a warning


def _points(context, mover: Mover) -> list:
    """The selected objects other than the mover's armature."""
    return [chosen for chosen in context.selected_objects if chosen != mover.owner]


class LIMBER_OT_pose_from_points(PostureOperator):
    """Pose the chain along the selected objects, such as the empties of markers, in the order of their names,
    or along a selected curve. Only the shape counts, not its size or position
    """

    bl_label = "Pose from Points"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_postures(context):
            return why
        mover = mover_at_hand(context)
        if not mover.shows_pictures:
            return f"{mover.label} has motors: points pose the bones of a chain"
        return (
            ""
            if _points(context, mover)
            else "Select empties along the chain, from its base to its end, or a curve, then the armature"
        )

    def run_on(self, context, mover):
        depsgraph = context.evaluated_depsgraph_get()
        points = sketch.points_of(_points(context, mover), depsgraph)
        values, error = sketch.pose_along(mover.owner, mover.settings, points, depsgraph)
        if context.scene.tool_settings.use_keyframe_insert_auto:
            channels = (mover.channel(key) for key in values)
            postures.key(
                mover.owner, [(channel.bone, channel.name, -1) for channel in channels if channel is not None]
            )
        posed = f"{mover.label} is posed along {len(points)} points"
        if error > VISIBLE:
            self.report(
                {"WARNING"},
                f"{posed}, with up to {error:.1f} degrees of error: its joints and their limits allow no"
                " nearer pose",
            )
        else:
            self.report({"INFO"}, f"{posed}: press Store Posture to keep the pose")
