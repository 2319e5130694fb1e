"""No-go zones for tests in a real Blender: an arm at rest, obstacles, and the findings of Check Motion."""

import bpy

from tests.blender.rigs import looking_chain, make_active

RADIUS = 0.02  # [m] default radius of links


def standing_arm():
    """The chain of an arm that stands upright, from 0 to .5 m, and looks straight up, at rest."""
    _, chain = looking_chain()
    chain.target.location = (0, 0, 3)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 3
    return chain


def empty(name: str, place, kind: str = "CUBE", size: float = 0.05, turn=(0, 0, 0), scale=(1, 1, 1)):
    thing = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(thing)
    thing.empty_display_type, thing.empty_display_size = kind, size
    thing.location, thing.rotation_euler, thing.scale = place, turn, scale
    bpy.context.view_layer.update()
    return thing


def mesh(name: str, corners, place=(0, 0, 0)):
    data = bpy.data.meshes.new(name)
    data.from_pydata([tuple(corner) for corner in corners], [], [])
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    thing.location = place
    bpy.context.view_layer.update()
    return thing


def forbid(rig, *things) -> None:
    """Selects the objects and the armature and presses +, as a user does."""
    make_active(rig)
    for thing in things:
        thing.select_set(True)
    bpy.ops.limber.add_zone()


def checked(rig):
    from limber.rig.output.motion_check.check import result

    bpy.ops.limber.check_motion()
    return result(rig)


def entered(rig) -> dict[tuple[str, str], float]:
    """Link and zone -> depth [m] to which it enters."""
    return {(one.joint, one.zone): 1e-3 * one.value for one in checked(rig).findings if one.kind == "ZONE"}
