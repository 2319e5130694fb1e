"""The mover that an operator acts on: the one named by its button, else the one in use."""

from ..rig.authoring import chains
from ..rig.live.movers import BodyMover, ChainMover, MechanismMover, Mover, mover_of
from ..rig.live.uses import Use, why_not
from .mechanism.mechanisms import mechanism_owner, taken_up
from .subject import poll_rig, rig_of

POINTER = "limber_mover"  # a panel sets it to the mover's settings before it draws its buttons (`names_mover`); scripts may override it


def names_mover(layout, settings) -> None:
    """Makes the buttons that are drawn into a layout from now on act on the mover with these settings."""
    layout.context_pointer_set(POINTER, settings)


def mover_at_hand(context) -> Mover | None:
    """The mover that a button names; else the one in use: the armature's body if it is live, its selected chain, its body, or the
    mechanism in use.
    """
    named = getattr(context, POINTER, None)
    if named is not None:
        return mover_of(named.id_data, named)
    owner, active = mechanism_owner(context), context.active_object
    if owner is not None and (active is None or active.type != "ARMATURE" or active == owner):
        chain = chains.active(owner) if owner.type == "ARMATURE" else None
        return ChainMover(owner, chain) if chain is not None else MechanismMover(owner, owner.limber.mechanism)
    rig = rig_of(context)
    if rig is None or rig.type != "ARMATURE":
        return None
    chain, body = chains.active(rig), BodyMover(rig, rig.limber.retarget)
    if chain is not None and not body.is_live:
        return ChainMover(rig, chain)
    return body if body.is_live or body.has_goal or body.settings.source is not None else None


def take_up(context) -> Mover:
    """The mover that an operator acts on and may change: a duplicated mechanism gets its own uid first."""
    mover = mover_at_hand(context)
    if not mover.is_on_rig:
        taken_up(context)
    return mover


def poll_use(cls, context, use: Use, work: str) -> bool:
    """Whether a use is possible for the mover in use; else the poll message names the reason. `work` completes it, such as "Bake works"."""
    mover = mover_at_hand(context)
    if mover is None:
        if poll_rig(cls, context):
            cls.poll_message_set("This armature has no chain: select bones in Pose Mode and press New Chain")
        return False
    if not mover.owner.is_editable:
        return poll_rig(cls, context)
    if mover.owner.mode == "EDIT":
        cls.poll_message_set(f"Leave Edit Mode first: {work} in Object Mode or Pose Mode")
        return False
    if why := why_not(use, mover, context):
        cls.poll_message_set(why)
        return False
    return True
