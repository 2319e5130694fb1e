"""Which mover an operator is about: the one that its button names, else the one at hand."""

from ..rig.authoring import chains
from ..rig.live.movers import BodyMover, ChainMover, MechanismMover, Mover, mover_of
from ..rig.live.uses import Use, why_not
from .mechanism.mechanisms import mechanism_owner, taken_up
from .subject import poll_rig, rig_of

POINTER = "limber_mover"  # a panel sets it to the mover's settings before it draws its buttons (`names_mover`); scripts may override it


def names_mover(layout, settings) -> None:
    """The buttons drawn into a layout from now on are about the mover with these settings."""
    layout.context_pointer_set(POINTER, settings)


def mover_at_hand(context) -> Mover | None:
    """The mover that a button names; else of the armature at hand the body where it is live, the active chain, or the body; else the
    mechanism at hand."""
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
    """The mover with which something is done now: a copy of a mechanism is a mechanism of its own from here on."""
    mover = mover_at_hand(context)
    if not mover.is_on_rig:
        taken_up(context)
    return mover


def poll_use(cls, context, use: Use, work: str) -> bool:
    """Whether the mover at hand can be used so; `work` says what is done then: "Bake works"."""
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
