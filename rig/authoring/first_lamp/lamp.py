"""The demo lamp: a desk lamp with five joints, postures, some of which belong to the states of built-in
behaviours, and a ball that flies around it as its target.
"""

from collections.abc import Callable
from math import cos, pi, radians, sin

import bpy
from mathutils import Matrix, Vector

from ...blender import actions
from ...chains import kept_posture, postures
from ...showing.thumbnails import gallery
from .. import chains
from . import shapes

# Bones from the foot up, all pointing up at rest, so that positive angles lean to the front (-Y):
# name, length [m], axis of its joint, joint range [degrees], servo range [degrees].
BONES = (
    ("Turntable", 0.045, "Y", (-150, 150), 300),
    ("Lower Arm", 0.200, "X", (-60, 70), 180),
    ("Upper Arm", 0.180, "X", (-5, 150), 300),
    ("Neck", 0.035, "Y", (-100, 100), 270),
    ("Shade", 0.105, "X", (-35, 125), 270),
)
FOOT_HEIGHT = 0.022  # [m] height of the foot, on which the first bone stands
BALL = 0.042  # [m] radius of the ball
BULB = 0.088  # [m] position of the bulb's centre along the shade
ELBOW = 0.017  # [m] radius of the joints' hinges
BALL_COLOUR = (1.0, 0.42, 0.02)

# Joint angles of each posture, in the order of the bones [degrees]. States of built-in behaviours keep the
# posture of the same name.
POSTURES = {
    "Proud": (0, -16, 14, 0, 84),
    "Curious": (-14, 44, 18, 24, 36),
    "Sad": (6, -48, 128, -10, 62),
    "Attending": (0, 22, 24, 0, 42),
    "Listening": (14, 34, 44, -34, 24),
    "Speaking": (0, 4, -4, 0, 88),
    "Thinking": (30, -28, 34, 36, 38),
    "Searching": (0, -38, 42, 0, 82),
    "Dozing": (-4, -36, 100, 8, 78),
    "Asleep": (0, -52, 140, 0, 88),
}

ROUND = 10.0  # [s] period of the ball's path, so slow that the lamp can follow the ball in every posture
KEY_EVERY = 3  # number of frames between two keys of the ball
# types of objects that the new lamp must not overlap
SOLID = {"MESH", "ARMATURE", "CURVE", "SURFACE", "META", "FONT"}
ROOM = 0.9  # [m] half size of the space for the lamp and its ball


def add(context: bpy.types.Context) -> bpy.types.Object:
    """Builds the lamp with its chain, postures, servos and flying ball, in a collection of its own; returns
    its armature object.

    Blender must be in Object Mode. The lamp becomes the active and only selected object.
    """
    scene = context.scene
    position = free_position(scene)
    known = set(scene.collection.objects)
    rig = armature(position)
    body(rig)
    target = ball({frame: position + offset for frame, offset in rounds(scene, ball_position).items()})
    fly_for_ever(target)
    chain = make_chain(rig, target)
    bpy.ops.object.mode_set(mode="OBJECT")
    _gather(scene, [obj for obj in scene.collection.objects if obj not in known])
    for obj in context.view_layer.objects:
        obj.select_set(obj == rig)
    for part in rig.children:
        part.hide_select = True  # a click on the lamp then keeps its armature active
    rig.show_in_front = True
    kept_posture.choose(chain, 0)
    pose(rig, next(iter(POSTURES)))
    return rig


def armature(location: Vector | None = None) -> bpy.types.Object:
    """Makes the lamp's bones with their locks and limits, active and in Pose Mode, its foot at a world
    position [m].
    """
    data = bpy.data.armatures.new("Lamp")
    rig = bpy.data.objects.new("Lamp", data)
    rig.location = location or (0.0, 0.0, 0.0)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    height, parent = FOOT_HEIGHT, None
    for name, length, *_ in BONES:
        bone = data.edit_bones.new(name)
        bone.head, bone.tail, bone.roll = (0, 0, height), (0, 0, height + length), 0.0
        bone.parent, bone.use_connect = parent, parent is not None
        height, parent = height + length, bone
    bpy.ops.object.mode_set(mode="POSE")
    data.display_type = "STICK"
    for name, _, axis, (lower, upper), _ in BONES:
        bone = rig.pose.bones[name]
        bone.rotation_mode = "XYZ"
        bone.lock_location = (True, True, True)
        bone.lock_rotation = [letter != axis for letter in "XYZ"]
        limit = bone.constraints.new("LIMIT_ROTATION")
        limit.owner_space = "LOCAL"
        letter = axis.lower()
        setattr(limit, f"use_limit_{letter}", True)
        setattr(limit, f"min_{letter}", radians(lower))
        setattr(limit, f"max_{letter}", radians(upper))
    return rig


def make_chain(rig: bpy.types.Object, target: bpy.types.Object) -> bpy.types.PropertyGroup:
    """Makes the chain from the foot to the shade, which looks at the target from its bulb, with servos and
    postures; returns it.
    """
    chain = chains.new_chain(rig, [BONES[0][0], BONES[-1][0]])
    chain.target, chain.eye, chain.base = target, BULB / rig.data.bones["Shade"].length, "POSTURE"
    set_servos(chain)
    for name in POSTURES:
        pose(rig, name)
        gallery.give_picture(rig, chain, postures.store(rig, chain, name))
    return chain


def pose(rig: bpy.types.Object, posture: str) -> None:
    """Poses the lamp's bones in the posture with this name, a key of `POSTURES`."""
    for (name, _, axis, _, _), angle in zip(BONES, POSTURES[posture], strict=True):
        rig.pose.bones[name].rotation_euler["XYZ".index(axis)] = radians(angle)


def set_servos(chain: bpy.types.PropertyGroup) -> None:
    """Assigns the servos: ranges of 180 to 300 degrees over 500 to 2500 us."""
    for number, (joint, (_, _, _, limits, span)) in enumerate(zip(chain.joints, BONES, strict=True)):
        joint.servo = number
        joint.us_per_radian = 2000 / radians(span)
        joint.zero_us = 1500 - joint.us_per_radian * radians(sum(limits) / 2)


def ball(locations: dict[int, Vector], radius: float = BALL) -> bpy.types.Object:
    """Makes the ball, with a key of its location at each of the given frames."""
    ball_object = shapes.mesh_object(
        "Ball", shapes.ball(radius), shapes.material("Ball", BALL_COLOUR, roughness=0.35, glow=0.35)
    )
    for frame, location in locations.items():
        ball_object.location = location
        ball_object.keyframe_insert("location", frame=frame)
    return ball_object


def ball_position(phase: float, swings: float = 1.0, bobs: float = 2.0) -> Vector:
    """Position of the ball [m] relative to the lamp's foot: it swings from side to side in front of the lamp,
    out of its reach, and up and down between 0.1 and 0.54 m.

    Args:
        phase: Phase of the path [rad]; 2 pi is one period.
        swings, bobs: Numbers of periods of the sideways and of the vertical motion in one period of the path;
            whole numbers close the path.
    """
    azimuth = radians(52 * sin(swings * phase + 0.6) - 26)
    distance, height = 0.72 + 0.05 * cos(phase), 0.32 + 0.22 * sin(bobs * phase + 0.3)
    return Vector((distance * sin(azimuth), -distance * cos(azimuth), height))


def rounds(scene: bpy.types.Scene, position_at: Callable[[float], Vector]) -> dict[int, Vector]:
    """Frame -> position [m] for the keys of a closed path, repeated a whole number of times over the scene's
    frames, so that a target does not jump when playback repeats. If the scene is shorter than half a period,
    the path is one period long.

    Args:
        scene: The scene.
        position_at: Returns the target's position [m] for a phase of the path [rad]; 2 pi is one period.
    """
    seconds_a_frame = scene.render.fps_base / scene.render.fps
    length = scene.frame_end - scene.frame_start + 1
    count = max(1, round(length * seconds_a_frame / ROUND))
    # in a scene shorter than half a period the ball keeps its speed, and jumps when playback repeats
    if length * seconds_a_frame < ROUND / 2:
        length, count = round(ROUND / seconds_a_frame), 1
    last = scene.frame_start + length
    frames = [*range(scene.frame_start, last, KEY_EVERY), last]
    return {frame: position_at(2 * pi * count * (frame - scene.frame_start) / length) for frame in frames}


def fly_for_ever(target: bpy.types.Object) -> None:
    """Makes the keys of the target's location repeat before the first and after the last one."""
    animation = target.animation_data
    for curve in actions.fcurves(animation.action, getattr(animation, "action_slot", None)):
        curve.modifiers.new("CYCLES")


def free_position(scene: bpy.types.Scene) -> Vector:
    """World position [m] for the lamp: the origin, or beside all objects of the scene (+X) if something is
    near the origin.
    """
    boxes = [
        [obj.matrix_world @ Vector(corner) for corner in obj.bound_box]
        for obj in scene.objects
        if obj.type in SOLID
    ]
    if not any(_is_near(box) for box in boxes):
        return Vector((0.0, 0.0, 0.0))
    return Vector((max(corner.x for box in boxes for corner in box) + ROOM, 0.0, 0.0))


def _is_near(box: list[Vector]) -> bool:
    """Whether a bounding box, by its corners, overlaps the lamp's space at the origin, in x and y."""
    return all(
        min(corner[k] for corner in box) < ROOM and max(corner[k] for corner in box) > -ROOM for k in range(2)
    )


def body(rig: bpy.types.Object) -> None:
    """Adds the meshes of the lamp's parts, parented to its bones."""
    paint = shapes.material("Red Paint", (0.62, 0.035, 0.02), roughness=0.28)
    metal = shapes.material("Brushed Metal", (0.72, 0.74, 0.77), roughness=0.3, metallic=1.0)
    dark = shapes.material("Dark Metal", (0.03, 0.032, 0.036), roughness=0.4, metallic=0.6)
    white = shapes.material("White Enamel", (0.9, 0.88, 0.82), roughness=0.5)
    glass = shapes.material("Bulb", (1.0, 0.74, 0.38), roughness=0.3, glow=5.0)

    foot = shapes.lathe(
        [
            (0, 0),
            (0.098, 0),
            (0.1, 0.004),
            (0.097, 0.010),
            (0.075, 0.017),
            (0.042, FOOT_HEIGHT),
            (0, FOOT_HEIGHT),
        ]
    )
    foot = shapes.mesh_object("Foot", shapes.moved(foot, Matrix.Rotation(pi / 2, 4, "X")), paint)
    foot.parent = rig

    length = {name: size for name, size, *_ in BONES}
    shoulder = length["Turntable"]
    plate = shapes.lathe([(0, 0), (0.036, 0), (0.036, 0.008), (0.026, 0.016), (0, 0.016)])
    cheeks = [
        shapes.joined(
            [
                shapes.across(shapes.drum(0.019, x - 0.0035, x + 0.0035), (0, shoulder, 0)),
                shapes.moved(
                    shapes.drum(0.012, 0.008, shoulder),
                    Matrix.Translation((x, 0, 0)) @ Matrix.Diagonal((0.3, 1, 1, 1)),
                ),
            ]
        )
        for x in (-0.026, 0.026)
    ]
    shapes.hang(shapes.mesh_object("Turntable", shapes.joined([plate, *cheeks]), dark), rig, "Turntable")

    for name in ("Lower Arm", "Upper Arm"):
        size = length[name]
        rods = [
            shapes.moved(shapes.drum(0.0055, 0.0, size, 0.001), Matrix.Translation((x, 0, 0)))
            for x in (-0.014, 0.014)
        ]
        shapes.hang(shapes.mesh_object(f"{name} Rods", shapes.joined(rods), metal), rig, name)
        hinge = shapes.across(shapes.drum(ELBOW, -0.021, 0.021))
        collar = shapes.across(shapes.drum(0.0075, -0.019, 0.019), (0, 0.72 * size, 0))
        shapes.hang(shapes.mesh_object(f"{name} Hinge", shapes.joined([hinge, collar]), paint), rig, name)
        shapes.hang(
            shapes.mesh_object(f"{name} Spring", shapes.spring(0.0055, 0.022, 0.72 * size, 22, 0.0013), dark),
            rig,
            name,
        )
    shapes.hang(
        shapes.mesh_object("Wrist Hinge", shapes.across(shapes.drum(ELBOW, -0.021, 0.021)), paint),
        rig,
        "Neck",
    )
    shapes.hang(shapes.mesh_object("Neck", shapes.drum(0.010, 0.0, length["Neck"]), metal), rig, "Neck")

    socket = [(0, -0.030), (0.014, -0.030), (0.023, -0.025), (0.026, -0.016), (0.026, 0.030)]
    outside = [(0.034, 0.040), (0.052, 0.062), (0.068, 0.088), (0.079, 0.118), (0.082, 0.128)]
    inside = [(radius - 0.003, y) for radius, y in reversed(outside)]
    shade = shapes.mesh_object("Shade", shapes.lathe([*socket, *outside, (0.0805, 0.130)]), paint)
    shapes.hang(shade, rig, "Shade")
    shapes.hang(
        shapes.mesh_object("Shade Inside", shapes.lathe([(0.0805, 0.130), *inside, (0.0, 0.036)]), white),
        rig,
        "Shade",
    )
    bulb = shapes.lathe(
        [
            (0, 0.034),
            (0.013, 0.036),
            (0.014, 0.054),
            *[(0.030 * sin(a), BULB - 0.030 * cos(a)) for a in _arc(0.62, pi)],
        ]
    )
    bulb = shapes.mesh_object("Bulb", bulb, glass)
    shapes.hang(bulb, rig, "Shade")


def _gather(scene: bpy.types.Scene, objects: list) -> None:
    """Moves objects from the scene's own collection to a new one."""
    collection = bpy.data.collections.new("Demo Lamp")
    scene.collection.children.link(collection)
    for obj in objects:
        collection.objects.link(obj)
        scene.collection.objects.unlink(obj)


def _arc(start: float, end: float, steps: int = 14) -> list[float]:
    """Evenly spaced angles [rad] from `start` to `end`."""
    return [start + (end - start) * k / steps for k in range(steps + 1)]
