"""The objects that operators and panels act on: the armature or mechanism in use, and its selected chain; and
the reasons why there is none.
"""

import bpy

from ..rig.authoring import chains
from ..rig.blender.overrides import why_not_editable
from ..rig.live.movers import movers_of
from ..rig.live.runtime import live_movers
from ..rig.robot import servo_lists

NO_CHAIN = "This armature has no chain: select bones in Pose Mode and press New Chain"

# name of the armature that was active last: it remains in use while its target is selected and dragged
_in_use = ""


def rig_of(context):
    """The armature, or object with a mechanism, that operators act on: the active object if it is one; else
    the one in use last, whose target may be active now; else (after a file was opened) the first that is
    live; else the only armature with chains. None if there is none of these. What it returns is in use then.
    """
    global _in_use
    rig = context.active_object
    if not _is_rig(rig):
        rig = context.view_layer.objects.get(_in_use)
    if not _is_rig(rig):
        rig = _likely(context)
    if rig is not None:
        _in_use = rig.name
    return rig


def _likely(context):
    """The first object in the view layer that has a live mover, else the only armature with chains; None if
    there is neither.
    """
    objects = context.view_layer.objects
    if mover := next((mover for mover in live_movers(context.scene) if mover.owner.name in objects), None):
        return mover.owner
    if not bpy.data.armatures:
        return None
    rigs = [obj for obj in objects if obj.type == "ARMATURE" and obj.limber.chains]
    return rigs[0] if len(rigs) == 1 else None


def _is_rig(obj) -> bool:
    """Whether operators can act on an object: an armature, or the owner of a mechanism."""
    return obj is not None and (obj.type == "ARMATURE" or any(True for _ in movers_of(obj)))


def needs_rig(context) -> str:
    """Why there is no armature or mechanism that can be changed, with the remedy; "" if there is one. The
    other functions `needs_...` do the same for what their names say: an armature, a mode, a chain.
    """
    rig = rig_of(context)
    return (
        "No armature is active: click the armature of a character or robot"
        if rig is None
        else why_not_editable(rig)
    )


def needs_armature(context) -> str:
    if why := needs_rig(context):
        return why
    rig = rig_of(context)
    return (
        ""
        if rig.type == "ARMATURE"
        else f"'{rig.name}' is no armature, so it has no bones: click the armature of a character or robot"
    )


def needs_object_mode(context) -> str:
    return (
        ""
        if context.mode == "OBJECT"
        else "Robots are added in Object Mode: leave the mode that Blender is in (Tab, or Ctrl Tab)"
    )


def needs_pose_mode(context) -> str:
    return needs_rig(context) or (
        ""
        if rig_of(context).mode == "POSE"
        else "Bones are selected in Pose Mode: switch the armature to Pose Mode"
    )


def needs_chain(context) -> str:
    return needs_rig(context) or ("" if chain_of(context) else NO_CHAIN)


def needs_servos(context) -> str:
    """Why there are neither joints nor motors that could have servos, with the remedy; "" if there
    are some.
    """
    if why := needs_rig(context):
        return why
    rig = rig_of(context)
    if servo_lists.lists(rig):
        return ""
    return next((why for mover in movers_of(rig) if (why := mover.why_no_servos)), NO_CHAIN)


def chain_of(context):
    """The selected chain of the armature in use; None if there is none."""
    return chains.active(rig_of(context))
