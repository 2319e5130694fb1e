"""What the operators act on: the armature at hand and its selected chain."""

from ..rig import chains


def rig_of(context):
    """The active object where it is an armature in use, else None."""
    thing = context.active_object
    return thing if thing is not None and thing.type == "ARMATURE" else None


def poll_rig(cls, context) -> bool:
    if rig_of(context) is None:
        cls.poll_message_set("No armature is active: click the robot's armature")
        return False
    return True


def poll_chain(cls, context) -> bool:
    if not poll_rig(cls, context):
        return False
    if chains.active(rig_of(context)) is None:
        cls.poll_message_set("This armature has no chain: select bones in Pose Mode and press New Chain")
        return False
    return True


def chain_of(context):
    return chains.active(rig_of(context))
