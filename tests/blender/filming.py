"""Rendering for tests in a real Blender: small, fast, and reproducible."""

from pathlib import Path

import bpy
import numpy as np

SIZE = 48  # [pixels] width and height


def film(place, turn, frames: range, width: float = 1.0) -> None:
    """Makes all meshes of the scene bright, and adds a camera at a position that shows a width of so many
    [m].
    """
    scene = bpy.context.scene
    material = bpy.data.materials.new("Bright")
    if material.node_tree is None:  # before 5.0
        material.use_nodes = True
    material.node_tree.nodes.clear()
    light = material.node_tree.nodes.new("ShaderNodeEmission")
    out = material.node_tree.nodes.new("ShaderNodeOutputMaterial")
    material.node_tree.links.new(light.outputs[0], out.inputs[0])
    for thing in scene.objects:
        if thing.type == "MESH":
            thing.data.materials.append(material)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    camera.data.type, camera.data.ortho_scale = "ORTHO", width
    camera.location, camera.rotation_euler = place, turn
    scene.camera = camera
    render = scene.render
    render.resolution_x = render.resolution_y = SIZE
    render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 4, False
    scene.cycles.seed = 1
    render.use_motion_blur = False
    render.image_settings.file_format, render.image_settings.color_mode = "PNG", "BW"
    scene.view_settings.view_transform = "Raw"
    scene.frame_start, scene.frame_end = frames[0], frames[-1]


def render_all(folder: Path) -> np.ndarray:
    """Renders the animation and returns its pictures (frames, height, width)."""
    scene = bpy.context.scene
    scene.render.filepath = str(folder) + "/"
    bpy.ops.render.render(animation=True)
    return np.array(
        [
            picture(folder / f"{frame:04d}.png")
            for frame in range(scene.frame_start, scene.frame_end + 1, scene.frame_step)
        ]
    )


def render_still(path: Path) -> np.ndarray:
    bpy.context.scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    return picture(path)


def picture(path: Path) -> np.ndarray:
    image = bpy.data.images.load(str(path))
    pixels = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return pixels.reshape(SIZE, SIZE, -1)[..., 0]
