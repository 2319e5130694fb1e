"""Operators that rehearse the scene's behaviour: start and end it, send events, enter states."""

from bpy.props import StringProperty

from ...rig.behaviour.choices import event_names
from ...rig.blender.errors import RigError
from ...rig.events import handlers
from ...rig.live import rehearsal
from ...rig.live.runtime import live_chains
from ..operator import Operator, UndoOperator

NO_STATES = "The behaviour has no state: press Add Attentive under Behaviour, or + beside States"
NOT_LIVE = "Nothing is live: press Start Live on a chain first"
OFF = "The behaviour is not rehearsed: press Rehearse under Behaviour"


def needs_rehearsal(context) -> str:
    """Why no events can be sent and no states entered, with the remedy; "" if the scene's behaviour is being
    rehearsed.
    """
    if not live_chains(context.scene):
        return NOT_LIVE
    return "" if rehearsal.is_on(context.scene) else OFF


class LIMBER_OT_rehearse(UndoOperator):
    """Let live chains follow the behaviour, beginning in its first state, as the exported character will"""

    bl_label = "Rehearse"

    @classmethod
    def why_not(cls, context) -> str:
        if not context.scene.limber_behaviour.states:
            return NO_STATES
        return "" if live_chains(context.scene) else NOT_LIVE

    def run(self, context):
        rehearsal.begin(context.scene)
        handlers.wake_clock()


class LIMBER_OT_end_rehearsal(UndoOperator):
    """Let live chains follow their animation and targets again"""

    bl_label = "End Rehearsal"

    @classmethod
    def why_not(cls, context) -> str:
        return "" if rehearsal.is_on(context.scene) else OFF

    def run(self, context):
        rehearsal.end(context.scene)
        handlers.wake_clock()


class LIMBER_OT_send_event(Operator):
    """Send this event to the behaviour, as other programs do while the exported character plays"""

    bl_label = "Send Event"

    name: StringProperty(name="Event", description="Event to send to the behaviour")

    why_not = needs_rehearsal

    def run(self, context):
        known = event_names(context.scene.limber_behaviour)
        if self.name not in known:
            raise RigError(f"Nothing waits for event '{self.name}': there is {_listed(known)}")
        rehearsal.send(context.scene, self.name)
        handlers.wake_clock()


class LIMBER_OT_enter_state(Operator):
    """Enter this state of the behaviour now"""

    bl_label = "Enter State"

    name: StringProperty(name="State", description="State of the behaviour to enter")

    why_not = needs_rehearsal

    def run(self, context):
        rehearsal.enter(context.scene, self.name)
        handlers.wake_clock()


def _listed(names: list[str]) -> str:
    """The names in quotation marks, separated by commas; "none" without names."""
    return ", ".join(f"'{name}'" for name in names) or "none"
