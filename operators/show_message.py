"""Operator that shows a message whole, where a panel has room for its first lines only."""

from textwrap import wrap

from bpy.props import StringProperty

from .operator import Operator

LETTERS = 72  # width of the popup [letters]


class LIMBER_OT_show_message(Operator):
    """Show the whole message"""

    bl_label = "Message"

    text: StringProperty(
        name="Text", description="Sentences of the message, one a line", options={"SKIP_SAVE"}
    )

    @classmethod
    def description(cls, context, properties):
        return properties.text

    def run(self, context):
        lines = [line for sentence in self.text.splitlines() for line in wrap(sentence, LETTERS)]
        self.show(context, self.bl_label, lines, "INFO")
