"""Whether a chain's body may rotate as a whole toward the target: it may on an upright turntable, not where that would make it lean."""

from math import cos, radians

from mathutils import Matrix, Vector

from . import axes

BODIES = [
    ("FREE", "Free", "Let the body rotate as a whole about the axis of its first joint: the shape is measured after that rotation"),
    ("HELD", "Held", "Do not rotate the body as a whole: the direction in which the root faces counts for the shape as well"),
    ("AUTOMATIC", "Automatic", "Free where the axis of the first joint at rest is within 15 degrees of the world's Z, else Held"),
]
NUMBERS = {key: number for number, (key, *_) in enumerate(BODIES)}
UPRIGHT = cos(radians(15))  # of the angle from up: a rotation about an axis farther from it makes the body lean


def chosen(options) -> int:
    """Number of what is chosen of `BODIES`. Files of version 0.1.0 know held and free alone."""
    return NUMBERS["HELD" if options.hold_body else "AUTOMATIC" if options.body_by_axis else "FREE"]


def choose(options, number: int) -> None:
    """Keeps what is chosen of `BODIES`."""
    options.hold_body, options.body_by_axis = number == NUMBERS["HELD"], number == NUMBERS["AUTOMATIC"]


def is_held(chain, places: list[tuple[str, str]], rig_in_world: Matrix | None = None) -> bool:
    """Whether the body is not to turn as a whole.

    Args:
        chain: The chain.
        places: (bone, axis) of its joints, in the skeleton's order.
        rig_in_world: Where its armature object stands; None: as Blender has it now.
    """
    if chain.options.body != "AUTOMATIC":
        return chain.options.body == "HELD"
    rig = chain.id_data
    bone, axis = places[0]
    in_rig = rig.data.bones[bone].matrix_local.to_3x3() @ Vector(axes.UNIT[axes.letter(axis)])
    in_world = (rig.matrix_world if rig_in_world is None else rig_in_world).to_3x3() @ in_rig
    return abs(in_world.z) < UPRIGHT * in_world.length
