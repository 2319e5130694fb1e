"""Making targets, choosing another target for chains, and moving a target to the position under the mouse."""

import bpy
from bpy_extras.view3d_utils import region_2d_to_location_3d
from mathutils import Vector

from ..blender.errors import RigError
from ..bones.paths import missing_in_chain
from ..scene.goal import ALONG, ORIENTS, REACHES, followed_target, forward_axis, signed_axis
from ..showing import chain_lines

# distance of a new target from the eyes, relative to the head bone's length: about that of persons in
# conversation
IN_FRONT = 10


def new_target(
    context: bpy.types.Context, rig: bpy.types.Object, location: Vector, size: float
) -> bpy.types.Object:
    """Makes an empty to look at.

    Args:
        context: Blender's context.
        rig: The armature object, into whose first collection the empty is put (else the scene's).
        location: Its location [m, world].
        size: Length [m] of the bone that looks, which sets the display size.
    """
    target = bpy.data.objects.new(f"{rig.name} Gaze", None)
    target.empty_display_type, target.empty_display_size = "SPHERE", size / 2
    (rig.users_collection or (context.scene.collection,))[0].objects.link(target)
    target.location = location
    context.view_layer.update()
    return target


def make(
    context: bpy.types.Context, rig: bpy.types.Object, chain: bpy.types.PropertyGroup
) -> tuple[object, list[str]]:
    """Makes a target that the chain already meets in its shown pose, for this chain and others with the same
    target.

    For a goal with a position the target is at the end's eye, for all others in front of it.

    Returns:
        The target, and the names of the chains that use it.

    Raises:
        RigError: the end's bone is missing, or it has no forward direction.
    """
    bone = rig.pose.bones.get(chain.end)
    if bone is None:
        raise RigError(missing_in_chain(chain.end))
    world = rig.matrix_world @ bone.matrix
    length = bone.length * world.median_scale
    ahead = (world.to_3x3() @ Vector(forward_axis(chain))).normalized()
    if not ahead.length:
        raise RigError(
            f"The Forward Direction of chain '{chain.name}' has no length: press Pick Forward Axis, or choose"
            " an axis of the bone"
        )
    eye_position = chain_lines.eye(rig, chain)
    target = new_target(
        context,
        rig,
        eye_position if chain.goal in REACHES else eye_position + IN_FRONT * length * ahead,
        length,
    )
    if chain.goal in ORIENTS:
        target.rotation_euler = world.to_euler()
    elif chain.goal in ALONG:
        target.rotation_euler = Vector(signed_axis(chain.target_axis)).rotation_difference(ahead).to_euler()
    context.view_layer.update()
    return target, choose(rig, chain, target)


def choose(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, target: bpy.types.Object) -> list[str]:
    """Sets the target that a chain follows now, and that of the armature's other chains with the same target,
    such as head and eyes.

    Returns:
        Names of all chains whose target was set.
    """
    before = followed_target(chain)
    together = [
        other
        for other in rig.limber.chains
        if other == chain or (before is not None and followed_target(other) == before)
    ]
    for other in together:
        number = min(other.watch, len(other.targets))
        settings = other.targets[number - 1] if number > 0 else other
        settings.target, settings.target_bone = target, ""
    rig.update_tag()
    return [other.name for other in together]


def under_mouse(area: bpy.types.Area, x: int, y: int, position: Vector) -> Vector | None:
    """World position [m] under the mouse, at the depth of another position; None outside of the area's views,
    or behind the viewer.

    Args:
        area: A 3D viewport.
        x, y: Mouse in the window [pixels].
        position: The position that gives the depth [m, world].
    """
    viewport_spot = view_under(area, x, y)
    if viewport_spot is None:
        return None
    region, view, spot = viewport_spot
    if view.is_perspective and (view.view_matrix @ position).z >= 0.0:
        return None
    return region_2d_to_location_3d(region, view, spot, position)


def view_under(area: bpy.types.Area, x: int, y: int) -> tuple | None:
    """(region under the mouse, its 3D view, position of the mouse in the region [pixels]); None outside of
    the area's views.
    """
    space = area.spaces.active
    views = list(space.region_quadviews) or [space.region_3d]
    for region, view in zip(
        (region for region in area.regions if region.type == "WINDOW"), views, strict=True
    ):
        if 0 <= x - region.x < region.width and 0 <= y - region.y < region.height:
            return region, view, Vector((x - region.x, y - region.y))
    return None
