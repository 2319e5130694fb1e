"""Context of buttons about a mover, as its panel draws them: a chain, a body that follows a motion, or a
mechanism, given by its settings.
"""

import bpy


def about(settings):
    """Context in which operators act on the mover with these settings."""
    return bpy.context.temp_override(limber_mover=settings)


def live(settings):
    with about(settings):
        return bpy.ops.limber.live()


def end_live(settings):
    with about(settings):
        return bpy.ops.limber.end_live()


def bake(settings):
    with about(settings):
        return bpy.ops.limber.bake()
