"""Frame range of bakes: the scene's range, until the user sets another."""

import bpy

from .overridable import IntProperty

FIELDS = ("frame_start", "frame_end")
LAST_FRAME = 1_048_574  # Blender's largest frame number


def bake_range(settings: bpy.types.PropertyGroup, scene: bpy.types.Scene) -> tuple[int, int]:
    """(first, last) frame of a bake: the ones that the user set, else the scene's.

    Args:
        settings: A chain, a retarget or a mechanism.
        scene: The scene.
    """
    first, last = (getattr(settings if settings.is_property_set(name) else scene, name) for name in FIELDS)
    return first, last


def has_own_range(settings: bpy.types.PropertyGroup) -> bool:
    """Whether the user has set the first or the last frame."""
    return any(settings.is_property_set(name) for name in FIELDS)


def follow_scene(settings: bpy.types.PropertyGroup) -> None:
    """Resets the range to the scene's."""
    for name in FIELDS:
        settings.property_unset(name)


class LimberRange:
    """Mixin of chains, retargets and mechanisms: first and last frame of a bake."""

    frame_start: IntProperty(
        name="Start",
        description="First frame to bake, if it was set; else the bake begins at the scene's first frame",
        default=1,
        min=-LAST_FRAME,
        max=LAST_FRAME,
    )
    frame_end: IntProperty(
        name="End",
        description="Last frame to bake, if it was set; else the bake ends at the scene's last frame",
        default=250,
        min=-LAST_FRAME,
        max=LAST_FRAME,
    )
    bake_start: IntProperty(
        name="Start",
        description="First frame to bake. Unset: the scene's first frame",
        get=lambda settings: bake_range(settings, bpy.context.scene)[0],
        set=lambda settings, frame: setattr(settings, "frame_start", frame),
        options={"SKIP_SAVE"},
    )
    bake_end: IntProperty(
        name="End",
        description="Last frame to bake. Unset: the scene's last frame",
        get=lambda settings: bake_range(settings, bpy.context.scene)[1],
        set=lambda settings, frame: setattr(settings, "frame_end", frame),
        options={"SKIP_SAVE"},
    )
