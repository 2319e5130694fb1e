"""Dialog that asks whether a user's own program may run, identified by its full path and content; shared by
the operators that run such programs.
"""

import textwrap

from bpy.props import StringProperty

from ...hardware.errors import HardwareError
from ...rig.robot import programs

WIDTH, LETTERS = 640, 88  # width of the dialogue [pixels], and letters per line


class ProgramConsent:
    """Mixin of operators that ask before they run a program that the user has not allowed on this computer
    with its current content.

    Subclasses implement `_program(context)`, the path of the program that they are about to run, or "". They
    call `_allow` before they run it.
    """

    program_path: StringProperty(
        name="Program",
        description="Full path of the program that is allowed to run",
        options={"SKIP_SAVE", "HIDDEN"},
    )
    program_digest: StringProperty(
        name="SHA-256",
        description="SHA-256 of the program's content that is allowed to run",
        options={"SKIP_SAVE", "HIDDEN"},
    )

    def invoke(self, context, event):
        path = self._program(context)
        try:
            question = programs.question(path) if path else None
        except HardwareError as error:
            return self.refuse(error)
        if question is None:
            return self.execute(context)
        self.program_path, self.program_digest = path, question.digest
        return context.window_manager.invoke_props_dialog(
            self, width=WIDTH, title="Run This Program?", confirm_text="Allow and Run", cancel_default=True
        )

    def draw(self, context):
        layout = self.layout.column(align=True)
        changed = bool(programs.allowed(self.program_path))
        layout.label(
            text=(
                "This program has changed since you allowed it:"
                if changed
                else "The robot's protocol is a program on this computer:"
            ),
            icon="ERROR",
            translate=False,
        )
        for line in _lines(self.program_path):
            layout.label(text=line, translate=False)
        layout.label(text=f"SHA-256 {self.program_digest}", translate=False)
        layout.separator()
        for line in _lines(
            "It can do whatever you can do on this computer. Allow it only if you trust its author."
        ):
            layout.label(text=line, translate=False)

    def _allow(self) -> None:
        """Stores the consent that the user gave in the dialog, or a script by properties, if there is one;
        warns if it cannot be stored for later sessions.
        """
        if self.program_path and self.program_digest:
            problem = programs.allow(self.program_path, self.program_digest)
            if problem:
                self.report({"WARNING"}, problem)


def _lines(text: str) -> list[str]:
    """Lines of the dialog that show the text, with unprintable characters escaped, so that a path cannot look
    like another one.
    """
    seen = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)
    return textwrap.wrap(seen, LETTERS, break_on_hyphens=False) or [""]
