"""Why the solved pose of a live mover is not visible, or only in part: an armature is in Rest Position, or a
constraint that copies the pose from the proxy was muted or weakened by hand.
"""

from collections.abc import Iterable

import bpy

from ..blender.counting import named
from ..chains.check import why_no_pose
from ..showing import mechanism_proxy, proxy
from .mover import Mover
from .session import SceneSession


def why_not_shown(mover: Mover, session: SceneSession) -> str:
    """Why a live mover's solved pose is not visible, with the remedy; "" if it is."""
    if mover.is_on_rig:
        bones = mover.owner.pose.bones
        return why_no_pose(mover.owner) or _switched_off(
            (bones[name] for name in mover.shown_bones if name in bones), proxy.CONSTRAINT
        )
    if session.reading is None:
        return ""
    holders = [mechanism_proxy.holder_of(part) for _, part in session.reading.shown_parts]
    at_rest = (why_no_pose(holder.id_data) for holder in holders if isinstance(holder, bpy.types.PoseBone))
    return next(filter(None, at_rest), "") or _switched_off(filter(None, holders), mechanism_proxy.CONSTRAINT)


def _switched_off(holders: Iterable, title: str) -> str:
    """The objects or bones whose constraint `title` is muted or has less than full influence, as a sentence;
    "" if there are none.
    """
    weakened = [
        holder.name
        for holder in holders
        if (constraint := holder.constraints.get(title)) and (constraint.mute or constraint.influence < 1.0)
    ]
    if not weakened:
        return ""
    return (
        f"The solved pose does not show, or not in full, on {named(list(dict.fromkeys(weakened)))}: the constraint"
        f" '{title}' is muted or its Influence is below 1. Switch it on in the Constraints properties, or"
        " press End Live and Start Live. A robot follows all the same"
    )
