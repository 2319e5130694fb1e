"""Choosing another target for chains, and moving a target to the position under the mouse."""

from bpy_extras.view3d_utils import region_2d_to_location_3d
from mathutils import Vector

from ..reading.goal import followed


def choose(rig, chain, thing) -> list[str]:
    """Sets the target of a chain, and of the armature's other chains with the same target, such as head and eyes.

    Returns:
        Names of those chains.
    """
    before = followed(chain)
    together = [other for other in rig.limber.chains if other == chain or (before is not None and followed(other) == before)]
    for other in together:
        number = min(other.watch, len(other.targets))
        (other.targets[number - 1] if number > 0 else other).target = thing
    rig.update_tag()
    return [other.name for other in together]


def under_mouse(area, x: int, y: int, position: Vector) -> Vector | None:
    """World position [m] under the mouse, at the depth of another position; None outside of the area's views, or behind the viewer.

    Args:
        area: A 3D viewport.
        x, y: Mouse in the window [pixels].
        position: The position that gives the depth [m, world].
    """
    found = view_under(area, x, y)
    if found is None:
        return None
    region, view, spot = found
    if view.is_perspective and (view.view_matrix @ position).z >= 0.0:
        return None
    return region_2d_to_location_3d(region, view, spot, position)


def view_under(area, x: int, y: int) -> tuple | None:
    """Region under the mouse, its 3D view, and the mouse in the region [pixels]; None outside of the area's views."""
    space = area.spaces.active
    views = list(space.region_quadviews) or [space.region_3d]
    for region, view in zip((region for region in area.regions if region.type == "WINDOW"), views, strict=True):
        if 0 <= x - region.x < region.width and 0 <= y - region.y < region.height:
            return region, view, Vector((x - region.x, y - region.y))
    return None
