"""Operators of Remote Control: start and stop listening to OSC messages of other programs."""

from ...rig.events import handlers
from ...rig.robot import remote
from ..operator import Operator
from ..subject import needs_rig, rig_of


class LIMBER_OT_remote(Operator):
    """Let other programs set targets, influence and weights of this armature or mechanism, and stop robots,
    with OSC over UDP, until you end it or open another file
    """

    bl_label = "Remote Control"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_rig(context):
            return why
        return (
            "It listens already: press End Remote Control to leave"
            if remote.heard(rig_of(context)) is not None
            else ""
        )

    def run(self, context):
        rig = rig_of(context)
        remote.listen(rig)
        handlers.wake_remote()
        self.report({"INFO"}, f"Listening at {rig.limber.remote.host}, UDP port {rig.limber.remote.port}")


class LIMBER_OT_end_remote(Operator):
    """Stop listening to other programs and free the port"""

    bl_label = "End Remote Control"

    @classmethod
    def why_not(cls, context) -> str:
        return needs_rig(context) or (
            "Nothing listens: press Remote Control" if remote.heard(rig_of(context)) is None else ""
        )

    def run(self, context):
        remote.end(rig_of(context))
