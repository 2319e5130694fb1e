"""Operator that shows the whole text of a message for which a panel has too few lines."""

from textwrap import wrap

from bpy.props import StringProperty

from .operator import Operator

LETTERS = 72  # width of the popup [letters]


class LIMBER_OT_show_message(Operator):
    """Show the whole text of the message"""

    bl_label = "Message"

    text: StringProperty(
        name="Text", description="Sentences of the message, one per line", options={"SKIP_SAVE"}
    )

    @classmethod
    def description(cls, context, properties):
        return properties.text

    def run(self, context):
        lines = [line for sentence in self.text.splitlines() for line in wrap(sentence, LETTERS)]
        self.show(context, self.bl_label, lines, "INFO")
