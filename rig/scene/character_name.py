"""Name of the scene's character, used for its file and its clip."""

from pathlib import Path

import bpy


def character_name(context: bpy.types.Context) -> str:
    """Name of the character: that of the .blend file; before it is saved that of the active armature with
    chains, else of the first such armature, else of the scene.
    """
    if bpy.data.filepath:
        return Path(bpy.data.filepath).stem
    scene, active = context.scene, context.view_layer.objects.active
    figures = [obj for obj in scene.objects if obj.type == "ARMATURE" and obj.limber.chains]
    figure = active if active in figures else figures[0] if figures else scene
    return str(bpy.path.clean_name(figure.name))
