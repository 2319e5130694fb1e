"""What chains look at: another one is chosen, or moved to where the mouse is."""

from bpy_extras.view3d_utils import region_2d_to_location_3d
from mathutils import Matrix, Vector

from ..reading.goal import followed

TURNS_AND_SIZE = ("rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")


def choose(rig, chain, thing) -> list[str]:
    """A chain follows another target now, and with it the armature's chains that had the same one: eyes go along with their head.

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


def move_to(thing, place: Vector) -> None:
    """Moves an object to a place [m] of the world, by the axes of its location that are not locked."""
    kept = {name: tuple(getattr(thing, name)) for name in ("location", *TURNS_AND_SIZE)}
    thing.matrix_world = Matrix.Translation(place)  # Blender minds parents and delta transforms; what constraints do is none of the place
    for name in TURNS_AND_SIZE:
        setattr(thing, name, kept[name])
    for axis in filter(thing.lock_location.__getitem__, range(3)):
        thing.location[axis] = kept["location"][axis]


def under_mouse(area, x: int, y: int, place: Vector) -> Vector | None:
    """The place [m] that is seen under the mouse, as far from the viewer as another place.

    None where the mouse is over no view of the area, or the place is behind the viewer.

    Args:
        area: A 3D view.
        x, y: [pixels] of the window.
        place: [m] in the world.
    """
    found = view_under(area, x, y)
    if found is None:
        return None
    region, view, spot = found
    if view.is_perspective and (view.view_matrix @ place).z >= 0.0:
        return None
    return region_2d_to_location_3d(region, view, spot, place)


def view_under(area, x: int, y: int) -> tuple | None:
    """The region under the mouse, its 3D view, and where in it the mouse is [pixels]; None where it is over no view of the area."""
    space = area.spaces.active
    views = list(space.region_quadviews) or [space.region_3d]
    for region, view in zip((region for region in area.regions if region.type == "WINDOW"), views, strict=True):
        if 0 <= x - region.x < region.width and 0 <= y - region.y < region.height:
            return region, view, Vector((x - region.x, y - region.y))
    return None
