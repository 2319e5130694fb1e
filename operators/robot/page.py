"""Operators that serve the page for browsers, and stop it."""

from ...rig.events import handlers
from ...rig.robot import page
from ..operator import Operator
from ..subject import needs_rig, rig_of


class LIMBER_OT_page(Operator):
    """Serve a page to direct this armature or mechanism, and its robot, from a browser, until you end it or
    open another file. Whoever has its address can direct and arm the robot
    """

    bl_label = "Serve Page"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_rig(context):
            return why
        return "The page is served already: press End Page to end it" if page.address(rig_of(context)) else ""

    def run(self, context):
        location = page.serve(rig_of(context))
        handlers.wake_remote()
        self.report({"INFO"}, f"The page is at {location}")


class LIMBER_OT_end_page(Operator):
    """Stop serving the page, and free its port"""

    bl_label = "End Page"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_rig(context):
            return why
        return "" if page.address(rig_of(context)) else "The page is not served: press Serve Page"

    def run(self, context):
        page.end(rig_of(context))
