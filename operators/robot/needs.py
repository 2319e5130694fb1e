"""Why the robot's operators cannot be used: not connected, connected, in another state, or ports in use. Each
reason names the state and the remedy.
"""

from ...rig.robot import background_jobs, links
from ...rig.robot.device import sources
from ..subject import needs_rig, needs_servos, rig_of

NOT_CONNECTED = "Not connected: press Connect"


def needs_connected(context) -> str:
    return needs_rig(context) or ("" if links.link(rig_of(context)) else NOT_CONNECTED)


def needs_disconnected(context) -> str:
    return needs_rig(context) or (
        "The robot is connected: press Disconnect first" if links.link(rig_of(context)) else ""
    )


def needs_a_servo(context) -> str:
    """Why the robot has no servo at all (of a joint, a motor or an auxiliary value), with the remedy; "" if
    it has one.
    """
    if why := needs_rig(context):
        return why
    why = why_no_servo(rig_of(context))
    return why and (needs_servos(context) or why)


def why_no_servo(rig) -> str:
    """Why the robot of an object has no servo at all, with the remedy; "" if it has one."""
    return (
        ""
        if sources(rig)
        else f"No joint or motor of '{rig.name}' has a servo: give one its servo under Robot > Set Up"
    )


def needs_state(context, states: set) -> str:
    """Why the robot is in none of `states`: a sentence about its current state; "" if it is in one
    of them.
    """
    if why := needs_rig(context):
        return why
    status = links.status(rig_of(context))
    if status is None:
        return NOT_CONNECTED
    return "" if status.state in states else status.sentence


def in_state(states: set):
    """Returns a method `why_not` for operators that need the robot in one of `states`."""
    return lambda context: needs_state(context, states)


def needs_ports_free(context) -> str:
    """Why ports cannot be used: there is no armature or mechanism that can be changed, or a background job
    uses them; "" if they are free.
    """
    if why := needs_rig(context):
        return why
    return (
        "A scan or a change of a servo is running: wait for its end, or press Cancel Scan"
        if background_jobs.busy_ports()
        else ""
    )
