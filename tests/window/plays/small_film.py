"""Shared by plays that render: a small film by Cycles, which renders in its own thread."""

import sys

import bpy


def prepare(stage, frames: range) -> None:
    """Prepares a film of the scene from the side."""
    # Blender 4.3 refuses scripts' writes from then on if the render engine's Python runs during the drawing
    # of a panel.
    stage.at_end.callback(sys.setswitchinterval, sys.getswitchinterval())
    sys.setswitchinterval(1.0)
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    camera.location, camera.rotation_euler = (2, 0, 0.25), (1.57, 0, 1.57)
    scene.camera, scene.frame_start, scene.frame_end = camera, frames[0], frames[-1]
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 1, False
    scene.render.resolution_x = scene.render.resolution_y = 64
    scene.render.filepath = bpy.app.tempdir + "film/"
