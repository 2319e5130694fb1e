"""Studio in which the demo's characters are pictured: backdrop, lights, camera, the ball that the characters
look at, a ray along a gaze, and render settings.
"""

from math import cos, pi, radians, sin
from pathlib import Path

import bpy
import installed
import shapes
from mathutils import Matrix, Vector

SAMPLES = 12  # number of Cycles samples per pixel; a denoiser follows
WALL = (0.075, 0.115, 0.15)
SENSOR = 36.0  # [mm] sensor width of Blender's camera
FILLED = 0.9  # share of the picture that the visible points fill


def empty_scene(fps: int, frames: int) -> bpy.types.Scene:
    """The current scene with all objects removed; it has frames 1 to `frames`, `fps` per second."""
    for old in list(bpy.data.objects):
        bpy.data.objects.remove(old)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = fps, 1.0
    scene.frame_start, scene.frame_end = 1, frames
    return scene


def backdrop(size: float, depth: float, tile: float = 0.0) -> bpy.types.Object:
    """Adds a floor that continues into a wall behind it without a seam.

    Args:
        size: Size of the objects on it [m].
        depth: Distance of the wall behind the origin, along +Y [m].
        tile: Width of its tiles [m]; 0: none.
    """
    bend, steps = 0.35 * size, 16
    line = [(-1.6 * size, 0.0), (depth - bend, 0.0)]
    line += [
        (depth - bend + bend * sin(pi / 2 * k / steps), bend * (1 - cos(pi / 2 * k / steps)))
        for k in range(1, steps + 1)
    ]
    line.append((depth, 2.2 * size))
    data = bpy.data.meshes.new("Backdrop")
    corners = [(x, y, z) for y, z in line for x in (-2.5 * size, 2.5 * size)]
    data.from_pydata(corners, [], [(2 * k, 2 * k + 1, 2 * k + 3, 2 * k + 2) for k in range(len(line) - 1)])
    data.polygons.foreach_set("use_smooth", [True] * len(data.polygons))
    data.materials.append(shapes.material("Wall", WALL, roughness=0.85))
    if tile:
        data.materials.append(shapes.tiles("Floor", WALL, tile))
        data.polygons[0].material_index = 1
    floor = bpy.data.objects.new("Backdrop", data)
    bpy.context.scene.collection.objects.link(floor)
    return floor


def area_light(
    name: str, position: tuple, toward: tuple, energy: float, size: float, colour: tuple
) -> bpy.types.Object:
    data = bpy.data.lights.new(name, "AREA")
    data.energy, data.size, data.color = energy, size, colour
    light = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(light)
    light.matrix_world = looking(position, toward)
    light.visible_camera = False
    return light


def looking(position, toward) -> Matrix:
    """World matrix of a light or a camera at `position` that points at `toward`."""
    rotation = (Vector(toward) - Vector(position)).to_track_quat("-Z", "Y")
    return Matrix.LocRotScale(Vector(position), rotation, None)


def camera(position: tuple, toward: tuple, lens: float) -> bpy.types.Object:
    data = bpy.data.cameras.new("Camera")
    data.lens = lens
    camera_object = bpy.data.objects.new("Camera", data)
    bpy.context.scene.collection.objects.link(camera_object)
    camera_object.matrix_world = looking(position, toward)
    bpy.context.scene.camera = camera_object
    return camera_object


def view_of(
    points: list[Vector], toward: Vector, lens: float, shape: tuple[int, int]
) -> tuple[Vector, Vector]:
    """Position of a camera that shows all points, and the point at which it looks.

    Args:
        points: World positions [m] that must be visible.
        toward: Unit vector from the points to the camera.
        lens: Focal length [mm].
        shape: Width and height of the picture.
    """
    rotation = (-toward).to_track_quat("-Z", "Y")
    seen = [rotation.inverted() @ point for point in points]
    middle = Vector(
        [(min(point[k] for point in seen) + max(point[k] for point in seen)) / 2 for k in range(3)]
    )
    wide = FILLED * 0.5 * SENSOR / lens
    slopes = (wide, wide * shape[1] / shape[0])
    away = max(point.z - middle.z + abs(point[k] - middle[k]) / slopes[k] for point in seen for k in range(2))
    return rotation @ (middle + Vector((0.0, 0.0, away))), rotation @ middle


def dim_world(colour: tuple, strength: float) -> None:
    world = bpy.data.worlds.new("Room")
    world.use_nodes = True
    background = next(node for node in world.node_tree.nodes if node.type == "BACKGROUND")
    background.inputs["Color"].default_value = (*colour, 1.0)
    background.inputs["Strength"].default_value = strength
    bpy.context.scene.world = world


def target_ball(radius: float, locations: dict[int, Vector]) -> bpy.types.Object:
    """Adds the ball that characters look at, keyed at the given frames."""
    return installed.module("rig.authoring.first_lamp.lamp").ball(locations, radius)


def gaze_ray(
    rig, bone: str, frame: Matrix, short: float, target: bpy.types.Object, radius: float
) -> bpy.types.Object:
    """Adds a translucent ray of `radius` [m] from a bone along its view, to show what the character looks at.
    It begins at the origin of `frame`, which is relative to the bone, and goes along its +Y.

    A driver sets its length to the distance from the bone's head to the target minus `short` [m]: the offset
    of the ray's start from the bone's head along the view, plus the target's radius.
    """
    ray = shapes.mesh_object(
        "Ray", shapes.lathe([(radius, 0.0), (radius, 1.0)], 24), shapes.haze("Ray", (1.0, 0.72, 0.36), 0.4)
    )
    shapes.hang(ray, rig, bone, frame)
    driver = ray.driver_add("scale", 1).driver
    distance = driver.variables.new()
    distance.type = "LOC_DIFF"
    near, far = distance.targets
    near.id, near.bone_target, far.id = rig, bone, target
    driver.type, driver.expression = "SCRIPTED", f"{distance.name} - {short}"
    return ray


def use_cycles(width: int, height: int) -> None:
    """Sets the scene to render pictures of this size [pixels] with Cycles on the processor, which works on
    every machine, with or without a screen.
    """
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = SAMPLES
    scene.cycles.use_adaptive_sampling = True
    scene.cycles.max_bounces = 3
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False
    scene.cycles.use_light_tree = False  # with few lights, rendering is faster without it
    scene.cycles.use_denoising = True
    scene.cycles.denoising_prefilter = scene.cycles.denoising_quality = "FAST"
    scene.render.use_persistent_data = True
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = (
        width,
        height,
        100,
    )
    scene.render.image_settings.file_format = "PNG"
    scene.render.image_settings.color_mode = "RGB"


def render(frame: int, path: Path) -> Path:
    """Renders one frame of the scene in its current state; returns the file's path."""
    scene = bpy.context.scene
    scene.frame_set(frame)
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    return path


def degrees_to(azimuth: float, distance: float, height: float) -> Vector:
    """Position [m] around the origin: azimuth [degrees] from the front (-Y) toward +X, horizontal distance
    and height [m].
    """
    return Vector((distance * sin(radians(azimuth)), -distance * cos(radians(azimuth)), height))
