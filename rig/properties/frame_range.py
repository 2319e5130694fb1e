"""Which frames are baked: the scene's, until a user sets others."""

import bpy

from .overridable import IntProperty

FIELDS = ("frame_start", "frame_end")


def bake_range(kept, scene) -> tuple[int, int]:
    """First and last frame that are baked: what was set, else the scene's own.

    Args:
        kept: A chain, a retarget or a mechanism.
        scene: The scene that is baked.
    """
    first, last = (getattr(kept if kept.is_property_set(name) else scene, name) for name in FIELDS)
    return first, last


def has_own_range(kept) -> bool:
    """Whether first or last frame were set, and so do not follow the scene."""
    return any(kept.is_property_set(name) for name in FIELDS)


def follow_scene(kept) -> None:
    """The scene's range is baked from now on."""
    for name in FIELDS:
        kept.property_unset(name)


class LimberRange:
    """First and last frame of a bake. Not registered itself: chains, retargets and mechanisms have these properties."""

    frame_start: IntProperty(name="Start", description="First frame to bake, where it is not the scene's", default=1)
    frame_end: IntProperty(name="End", description="Last frame to bake, where it is not the scene's", default=250)
    bake_start: IntProperty(
        name="Start",
        description="First frame to bake; the scene's until it is set",
        get=lambda kept: bake_range(kept, bpy.context.scene)[0],
        set=lambda kept, frame: setattr(kept, "frame_start", frame),
        options={"SKIP_SAVE"},
    )
    bake_end: IntProperty(
        name="End",
        description="Last frame to bake; the scene's until it is set",
        get=lambda kept: bake_range(kept, bpy.context.scene)[1],
        set=lambda kept, frame: setattr(kept, "frame_end", frame),
        options={"SKIP_SAVE"},
    )
