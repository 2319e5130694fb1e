"""Operator of a greyed-out button that is drawn for a moment before a button that lets a robot move."""

from .operator import Operator

WAIT = "limber.wait"


class LIMBER_OT_wait(Operator):
    """Wait a moment: the next button lets the robot move"""

    bl_label = "Wait"

    @classmethod
    def why_not(cls, context) -> str:
        return "Wait a moment: this button lets the robot move, and another one was in its place"

    def run(self, context):
        """Does nothing: the button is always greyed out."""
