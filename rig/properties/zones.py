"""Properties of no-go zones, for Motion Check."""

import bpy
from bpy.types import Object, PropertyGroup

from .overridable import CollectionProperty, FloatProperty, IntProperty, PointerProperty, StringProperty


def _remember_name(zone: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Stores the object's name, so that it can be reported after the object was deleted."""
    if zone.zone is not None:
        zone.name = zone.zone.name


class LimberZone(PropertyGroup):
    """A no-go zone: an object that links must not enter."""

    name: StringProperty(name="Name", description="Name of the object when it was chosen")
    zone: PointerProperty(
        name="Zone",
        description=(
            "Object whose inside is forbidden: an empty with display type Sphere is a ball, any other"
            " empty a box of its display size; meshes, curves and text count as their convex hull"
        ),
        type=Object,
        update=_remember_name,
    )


class LimberZones:
    """Mixin of an object's properties: its no-go zones."""

    zones: CollectionProperty(
        name="No-Go Zones", description="Objects that links of the chains must not enter", type=LimberZone
    )
    active_zone: IntProperty(name="Zone", description="Selected no-go zone")
    link_radius: FloatProperty(
        name="Link Radius",
        description=(
            "Radius of the links, which Motion Check takes as rounded cylinders about the lines from the bones'"
            " heads to their tails"
        ),
        subtype="DISTANCE",
        default=0.02,
        min=0.0,
        soft_max=0.5,
        precision=3,
    )
