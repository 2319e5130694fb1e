"""Visuals and materials of URDF links. A shape or colour that cannot be used is left out with a warning."""

from .attributes import AttributeReader
from .errors import NumberError, UrdfError
from .model import Box, Colour, Cylinder, Material, MeshFile, Shape, Sphere, UnknownShape, Visual
from .xml_tree import Element


class VisualReader:
    """Reads the visuals of one file; a material may be defined once and used by many links."""

    def __init__(self, reader: AttributeReader, robot: Element) -> None:
        self.reader = reader
        self._named: dict[str, Material] = {}
        for element in robot.all("material"):
            self._material(element)
        # a colour defined in one link's visual applies to all visuals that name the material
        for link in robot.all("link"):
            for visual in link.all("visual"):
                for element in visual.all("material"):
                    self._material(element)

    def visuals(self, link: Element) -> tuple[Visual, ...]:
        """Visuals of a <link> element. A visual with invalid numbers is left out with a warning, since the
        robot moves without it.
        """
        link_visuals = []
        for element in link.all("visual"):
            try:
                link_visuals.append(self._visual(element))
            except UrdfError as error:
                self.reader.leave_out(
                    error, f"this visual of '{link.attributes.get('name', '')}' is left out"
                )
        return tuple(link_visuals)

    def _visual(self, element: Element) -> Visual:
        material = None
        named = element.first("material")
        if named is not None:
            material = self._material(named)
        return Visual(self._shape(element), self.reader.origin(element), material)

    def _shape(self, visual: Element) -> Shape:
        """Shape of a <visual>; an UnknownShape, with a warning, if its kind is unknown, or it has no file or
        no size above zero. Raises NumberError.
        """
        geometry = visual.first("geometry")
        element = (
            geometry.first(geometry.children[0].tag) if geometry is not None and geometry.children else None
        )
        if element is None:
            self.reader.warn(visual, "it has no geometry")
            return UnknownShape("no geometry")
        if element.tag == "mesh" and element.attributes.get("filename", "").strip():
            return MeshFile(
                element.attributes["filename"].strip(),
                self.reader.vector(element, "scale") or (1.0, 1.0, 1.0),
            )
        if (primitive := self._primitive(element)) is not None:
            return primitive
        element.is_skipped = True
        known = element.tag in ("mesh", "box", "cylinder", "sphere")
        self.reader.warn(
            element, "it has no file, or no size above zero" if known else "this shape is unknown"
        )
        return UnknownShape(element.tag)

    def _primitive(self, element: Element) -> Box | Sphere | Cylinder | None:
        """The box, sphere or cylinder of an element; None for other shapes, and without sizes above zero."""
        if element.tag == "box" and (size := self.reader.vector(element, "size")) and min(size) > 0.0:
            return Box(size)
        radius = self.reader.number(element, "radius") if element.tag in ("cylinder", "sphere") else None
        if radius is None or radius <= 0.0:
            return None
        if element.tag == "sphere":
            return Sphere(radius)
        length = self.reader.number(element, "length")
        return Cylinder(radius, length) if length is not None and length > 0.0 else None

    def _material(self, element: Element) -> Material:
        """Material with the colour given here, else the first one recorded under its name, else one without a
        colour. Records it under its name if it has a colour and is the first of this name.
        """
        name = element.attributes.get("name", "").strip()
        colour = self._colour(element)
        if colour is None:
            return self._named.get(name, Material(name))
        material = Material(name, colour)
        if name:
            self._named.setdefault(name, material)
        return material

    def _colour(self, element: Element) -> Colour | None:
        """Colour of a <material>, with parts in 0 to 1; None if it has none."""
        colour = element.first("color")
        try:
            rgba = None if colour is None else self.reader.numbers(colour, "rgba", 4)
        except NumberError as error:
            self.reader.warnings.append(f"{error.location}: {error.what}, so the colour is left out")
            return None
        if rgba is None:
            return None
        red, green, blue, opacity = (min(max(part, 0.0), 1.0) for part in rgba)
        return red, green, blue, opacity
