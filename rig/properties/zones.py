"""Where an armature's chains must not go: what Motion Check goes by."""

from bpy.types import Object, PropertyGroup

from .overridable import CollectionProperty, FloatProperty, IntProperty, PointerProperty, StringProperty


def _remember_name(zone, _context) -> None:
    """The object's name is kept, to say which it was if it is deleted."""
    if zone.zone is not None:
        zone.name = zone.zone.name


class LimberZone(PropertyGroup):
    """An object whose inside is forbidden."""

    name: StringProperty(name="Name", description="Name of the object when it was chosen")
    zone: PointerProperty(
        name="Zone",
        description="Object whose inside is forbidden: an empty shown as Sphere is a ball, as anything else a box of its display size;"
        " of meshes, curves and text the least convex body around them counts",
        type=Object,
        update=_remember_name,
    )


class LimberZones:
    """The zones of an armature. Not registered itself: rigs have these properties."""

    zones: CollectionProperty(name="No-Go Zones", description="Objects that links of the chains must not enter", type=LimberZone)
    active_zone: IntProperty(name="Zone", description="The no-go zone that is selected")
    link_radius: FloatProperty(
        name="Link Radius",
        description="Radius of links around the line from a bone's head to its tail",
        subtype="DISTANCE",
        default=0.02,
        min=0.0,
        soft_max=0.5,
        precision=3,
    )
