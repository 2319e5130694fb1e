"""Visuals and materials: what links look like. A shape or colour that cannot be shown is a warning. Knows no Blender."""

from .errors import NumberError
from .model import Box, Colour, Cylinder, Material, MeshFile, Shape, Sphere, UnknownShape, Visual
from .source import Source
from .xml_tree import Element


class Looks:
    """Reads the visuals of one file, whose materials may be told once for all links."""

    def __init__(self, source: Source, robot: Element) -> None:
        self.source = source
        self._named: dict[str, Material] = {}
        for element in robot.all("material"):
            self._material(element)
        # A colour told in one link's visual counts for all that name the material.
        for link in robot.all("link"):
            for visual in link.all("visual"):
                for element in visual.all("material"):
                    self._material(element)

    def visuals(self, link: Element) -> tuple[Visual, ...]:
        return tuple(self._visual(element) for element in link.all("visual"))

    def _visual(self, element: Element) -> Visual:
        material = None
        named = element.first("material")
        if named is not None:
            material = self._material(named)
        return Visual(self._shape(element), self.source.origin(element), material)

    def _shape(self, visual: Element) -> Shape:
        geometry = visual.first("geometry")
        element = geometry.children[0] if geometry is not None and geometry.children else None
        if element is None:
            self.source.warn(visual, "it has no geometry")
            return UnknownShape("no geometry")
        if element.tag == "mesh" and element.attributes.get("filename", "").strip():
            return MeshFile(element.attributes["filename"].strip(), self.source.vector(element, "scale") or (1.0, 1.0, 1.0))
        if element.tag == "box" and (size := self.source.vector(element, "size")) and min(size) > 0.0:
            return Box(size)
        radius = self.source.number(element, "radius") if element.tag in ("cylinder", "sphere") else None
        if radius is not None and radius > 0.0:
            if element.tag == "sphere":
                return Sphere(radius)
            length = self.source.number(element, "length")
            if length is not None and length > 0.0:
                return Cylinder(radius, length)
        known = element.tag in ("mesh", "box", "cylinder", "sphere")
        self.source.warn(element, "it lacks a file, or a size above zero" if known else "this shape is not known")
        return UnknownShape(element.tag)

    def _material(self, element: Element) -> Material:
        """A material's own colour, else the one that its name has elsewhere in the file."""
        name = element.attributes.get("name", "").strip()
        colour = self._colour(element)
        if colour is None:
            return self._named.get(name, Material(name))
        material = Material(name, colour)
        if name:
            self._named.setdefault(name, material)
        return material

    def _colour(self, element: Element) -> Colour | None:
        colour = element.first("color")
        try:
            rgba = None if colour is None else self.source.numbers(colour, "rgba", 4)
        except NumberError as error:
            self.source.warnings.append(f"{error.place}: {error.what}, so the colour is left out")
            return None
        if rgba is None:
            return None
        red, green, blue, opacity = (min(max(part, 0.0), 1.0) for part in rgba)
        return red, green, blue, opacity
