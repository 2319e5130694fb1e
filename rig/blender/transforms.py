"""World placement of objects, whatever their parents and locks are."""

from mathutils import Matrix, Vector

ROTATION_AND_SCALE = ("rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")


def move_to(thing, position: Vector) -> None:
    """Moves an object to a world position [m], along the axes of its location that are not locked."""
    kept = {name: tuple(getattr(thing, name)) for name in ("location", *ROTATION_AND_SCALE)}
    thing.matrix_world = Matrix.Translation(position)  # Blender accounts for parents and delta transforms, not for constraints
    for name in ROTATION_AND_SCALE:
        setattr(thing, name, kept[name])
    for axis in filter(thing.lock_location.__getitem__, range(3)):
        thing.location[axis] = kept["location"][axis]
