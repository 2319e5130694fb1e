"""Polls of the robot's operators: connected, disconnected, in certain states, or ports free. Each message names the state and the
remedy.
"""

from ...rig.robot import background_jobs, links
from ..subject import poll_rig, rig_of

NOT_CONNECTED = "Not connected: press Connect"


def poll_connected(cls, context) -> bool:
    if not poll_rig(cls, context):
        return False
    if links.link(rig_of(context)) is None:
        cls.poll_message_set(NOT_CONNECTED)
        return False
    return True


def poll_disconnected(cls, context) -> bool:
    if not poll_rig(cls, context):
        return False
    if links.link(rig_of(context)) is not None:
        cls.poll_message_set("The robot is connected: press Disconnect first")
        return False
    return True


def poll_state(cls, context, states: set) -> bool:
    """Whether the robot is in one of `states`; if not, the poll message describes its current state."""
    if not poll_rig(cls, context):
        return False
    status = links.status(rig_of(context))
    if status is None or status.state not in states:
        cls.poll_message_set(status.sentence if status else NOT_CONNECTED)
        return False
    return True


def in_state(states: set):
    """The `poll` of an operator that needs the robot in one of `states`."""

    def poll(cls, context) -> bool:
        return poll_state(cls, context, states)

    return classmethod(poll)


def poll_ports_free(cls, context) -> bool:
    """Whether no background job uses ports."""
    if not poll_rig(cls, context):
        return False
    if background_jobs.busy_ports():
        cls.poll_message_set("A scan or a change of a servo is running: wait for its end, or press Cancel Scan")
        return False
    return True
