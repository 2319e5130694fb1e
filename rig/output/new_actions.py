"""New actions for keyframes of an object. The current action is copied and stays; NLA tracks that would
override the keyframes, or mix with them, are refused.
"""

from collections.abc import Callable

import bpy

from ..blender import actions
from ..blender.errors import RigError
from . import muting
from .take import RecordedTake


def keyed_action(
    owner: bpy.types.Object, name: str, take: RecordedTake
) -> tuple[bpy.types.Action, int | None]:
    """A new action with a take's keyframes for an object, not yet assigned to it, and the handle of its slot
    (None: the first one). Its keyframes that would switch on a muted constraint are muted.
    """
    action, handle, curves = new_action(owner, name)
    keys = take.keys
    for channel, values in keys.items():
        if channel.uid == owner.session_uid:
            actions.bake_keys(
                curves, channel.path, channel.index, channel.group, take.frames_of(channel), values
            )
    for holder in muting.keyed_holders(keys):
        if holder.id_data == owner:
            muting.mute_switches(holder, curves)
    return action, handle


def new_action(owner: bpy.types.Object, name: str) -> tuple:
    """A new action for keyframes of an object, not assigned yet: a copy of the current one, which gets a fake
    user so that it is saved; or an empty one, which will replace NLA strips below it.

    Returns the action, the handle of its slot (None: the first one), and its F-curves.
    """
    animation = owner.animation_data or owner.animation_data_create()
    old = animation.action
    if old is None:
        action, handle = bpy.data.actions.new(name), None
        animation.action_blend_type, animation.action_influence = "REPLACE", 1.0
    else:
        handle = getattr(animation, "action_slot_handle", None)
        if old.is_editable:
            # Blender saves an action with a fake user even if nothing uses it any more
            old.use_fake_user = True
        action = old.copy()
        action.name = name
    slot = next((slot for slot in getattr(action, "slots", ()) if slot.handle == handle), None)
    return action, handle, actions.writable_fcurves(action, owner, slot)


def without_new_action(owner: bpy.types.Object) -> Callable[[], None]:
    """Called before `new_action`: a function that undoes its changes, except for the new action itself, which
    can then be removed.
    """
    animation = owner.animation_data
    old = animation.action if animation is not None else None
    had_user = old is not None and old.use_fake_user
    before = (animation.action_blend_type, animation.action_influence) if animation is not None else None

    def restore() -> None:
        if before is None:
            owner.animation_data_clear()
            return
        owner.animation_data.action_blend_type, owner.animation_data.action_influence = before
        if old is not None and old.is_editable:
            old.use_fake_user = had_user

    return restore


def refuse_what_would_hide_keys(owner: bpy.types.Object) -> None:
    """Raises RigError if the object's action would not play alone: an NLA strip is being tweaked, a track
    plays solo, or the action mixes with the strips below it.
    """
    animation = owner.animation_data
    if animation is None or not animation.nla_tracks:
        return
    # in tweak mode the object's action is that of the strip, not its own
    if animation.use_tweak_mode:
        raise RigError(
            f"An NLA strip of '{owner.name}' is being tweaked: leave tweak mode (Tab in the NLA editor), then"
            " bake"
        )
    solo = next((track for track in animation.nla_tracks if track.is_solo), None)
    if solo:
        raise RigError(
            f"NLA track '{solo.name}' of '{owner.name}' plays alone, over any keys: end its solo in the NLA"
            " editor, then bake"
        )
    if animation.action and (animation.action_blend_type != "REPLACE" or animation.action_influence < 1):
        raise RigError(
            f"Action '{animation.action.name}' of '{owner.name}' mixes with the NLA strips below it: set its"
            " blending to Replace and its influence to 1 in the NLA editor, or push it down, then bake"
        )
