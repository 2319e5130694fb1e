"""Why the robot's operators cannot be used: not connected, connected, in another state, or ports in use. Each names state and remedy."""

from ...rig.robot import background_jobs, links
from ..subject import needs_rig, rig_of

NOT_CONNECTED = "Not connected: press Connect"


def needs_connected(context) -> str:
    return needs_rig(context) or ("" if links.link(rig_of(context)) else NOT_CONNECTED)


def needs_disconnected(context) -> str:
    return needs_rig(context) or ("The robot is connected: press Disconnect first" if links.link(rig_of(context)) else "")


def needs_state(context, states: set) -> str:
    """Why the robot is in none of `states`: a sentence about its current state; "" if it is in one of them."""
    if why := needs_rig(context):
        return why
    status = links.status(rig_of(context))
    if status is None:
        return NOT_CONNECTED
    return "" if status.state in states else status.sentence


def in_state(states: set):
    """Makes `why_not` for an operator that needs the robot in one of `states`."""
    return lambda context: needs_state(context, states)


def needs_ports_free(context) -> str:
    """Why ports cannot be used: a background job uses them; "" if they can."""
    if why := needs_rig(context):
        return why
    return "A scan or a change of a servo is running: wait for its end, or press Cancel Scan" if background_jobs.busy_ports() else ""
