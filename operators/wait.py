"""Operator of a button that is greyed out, in the place of one that will be there in a moment."""

from .operator import Operator

WAIT = "limber.wait"


class LIMBER_OT_wait(Operator):
    """Wait a moment: the next button lets the robot move"""

    bl_label = "Wait"

    @classmethod
    def why_not(cls, context) -> str:
        return "Wait a moment: this button lets the robot move, and another one was in its place"

    def run(self, context):
        """Does nothing: it cannot be called."""
