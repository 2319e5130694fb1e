"""What operators and panels act on: the armature in use and its selected chain, with their polls."""

from ..rig.authoring import chains
from ..rig.reading.mechanism.owners import has_mechanism
from ..rig.robot import servo_lists

_in_use = ""  # name of the armature that was active last: it stays in use while its target is selected and dragged


def rig_of(context):
    """The active object where it is an armature or has a mechanism, else the last one that was; None where there is none in the view
    layer."""
    global _in_use
    thing = context.active_object
    if _is_rig(thing):
        _in_use = thing.name
        return thing
    last = context.view_layer.objects.get(_in_use)
    return last if _is_rig(last) else None


def _is_rig(thing) -> bool:
    return thing is not None and (thing.type == "ARMATURE" or has_mechanism(thing))


def poll_rig(cls, context) -> bool:
    rig = rig_of(context)
    if rig is None:
        cls.poll_message_set("No armature is active: click the robot's armature")
        return False
    return poll_editable(cls, rig)


def poll_editable(cls, rig) -> bool:
    if not rig.is_editable:
        what = "Armature" if rig.type == "ARMATURE" else "Mechanism"
        cls.poll_message_set(
            f"{what} '{rig.name}' is linked from another file: make a library override of it (Object > Library Override > Make)"
        )
        return False
    return True


def poll_chain(cls, context) -> bool:
    if not poll_rig(cls, context):
        return False
    if chains.active(rig_of(context)) is None:
        cls.poll_message_set("This armature has no chain: select bones in Pose Mode and press New Chain")
        return False
    return True


def poll_servos(cls, context) -> bool:
    """Whether there are joints or motors, which can have servos."""
    if not poll_rig(cls, context):
        return False
    rig = rig_of(context)
    if servo_lists.lists(rig):
        return True
    if not has_mechanism(rig):
        return poll_chain(cls, context)
    cls.poll_message_set(f"Mechanism '{rig.name}' has no motor: select a joint of it and press + under Motors")
    return False


def chain_of(context):
    return chains.active(rig_of(context))
