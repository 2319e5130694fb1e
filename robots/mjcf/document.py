"""An MJCF document: its sections with included files, compiler settings, default classes."""

from math import pi, radians
from pathlib import Path

from ...files.presence import is_file
from ...solvers.kinematics.rotations import (
    IDENTITY,
    Quaternion,
    Vector,
    X,
    Y,
    Z,
    about,
    cross,
    from_axes,
    length,
    multiply,
    normalized,
    reject,
    scale,
    unit,
)
from ..attributes import AttributeReader
from ..errors import AxisError, MalformedError, NumberError, UnknownNameError
from ..transform import Transform
from ..xml_tree import Element, read_xml

MAX_FILES = 200  # largest number of included files; scenes of MuJoCo Menagerie have at most three
MAX_DEPTH = 250  # largest nesting of elements; robots have some dozens of bodies in a row
MAX_DEFAULTS = 2000  # largest number of attributes of a default class; MJCF has some hundreds
# largest number of attributes that all default classes together copy from enclosing ones; robots have some
# thousand
MAX_INHERITED = 200_000
ACTUATORS = (
    "general",
    "position",
    "velocity",
    "motor",
    "intvelocity",
    "damper",
    "muscle",
    "cylinder",
    "adhesion",
    "dcmotor",
)
ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
AXES = {"x": X, "y": Y, "z": Z}
# [rad or m] largest limit; larger ones count as placeholders for none, as in URDF; actuators' are clamped
LARGEST_LIMIT = 1e4
NO_LENGTH = 1e-10  # length below which a vector or a quaternion counts as zero, as in MuJoCo's compiler


class Document:
    """An MJCF file together with the files that it includes."""

    def __init__(self, reader: AttributeReader, root: Element) -> None:
        self.reader, self.root = reader, root
        self.folder = Path(reader.file).parent
        self._included: set[Path] = {Path(reader.file).resolve()}
        self._include(root, 0)
        self.compiler: dict[str, str] = {}
        for element in root.all("compiler"):
            self.compiler.update(element.attributes)
        if self.compiler.get("coordinate", "local") != "local":
            what = (
                "global coordinates are not read: load the file in MuJoCo 2.2, save it again, and import that"
            )
            raise reader.error(MalformedError, root.all("compiler")[-1], what)
        self.degrees = self.compiler.get("angle", "degree") != "radian"
        self.sequence = self.compiler.get("eulerseq", "xyz")
        if len(self.sequence) != 3 or not set(self.sequence) <= set("xyzXYZ"):
            what = f"eulerseq='{self.sequence}' must be three letters of x, y, z, X, Y, Z"
            raise reader.error(
                MalformedError,
                next(each for each in root.all("compiler") if "eulerseq" in each.attributes),
                what,
            )
        self._classes: dict[str, dict[str, dict[str, str]]] = {"main": {}}
        self._main_names = {"main"}
        self._inherited = 0  # number of attributes that classes have copied
        for k, element in enumerate(root.all("default")):
            name = element.attributes.get("class", "main")
            if k == 0:
                self._main_names.add(name)
            self._define(element, "main" if name in self._main_names else name, "main")

    def _include(self, element: Element, depth: int) -> None:
        """Replaces each <include> below an element by the elements of its file. Raises MalformedError if a
        file cannot be included, or elements are nested deeper than `MAX_DEPTH`.
        """
        if depth > MAX_DEPTH:
            raise self.reader.error(
                MalformedError, element, f"this is nested deeper than {MAX_DEPTH} elements: is this a robot?"
            )
        children: list[Element] = []
        for child in element.children:
            if child.tag != "include":
                self._include(child, depth + 1)
                children.append(child)
                continue
            included = read_xml(self._included_file(child))
            self._include(included, depth + 1)
            children += included.children
        element.children = children

    def _included_file(self, element: Element) -> Path:
        """Path of the file that an <include> names. Raises MalformedError if it is missing, included already,
        or one too many.
        """
        name = self.reader.text(element, "file").replace("\\", "/")
        file_path = next(
            (path for path in (self.folder / name, Path(element.file).parent / name) if is_file(path)), None
        )
        if file_path is None:
            raise self.reader.error(
                MalformedError, element, f"the file '{name}' is not in folder '{self.folder}': put it there"
            )
        if file_path.resolve() in self._included:
            raise self.reader.error(
                MalformedError, element, f"the file '{name}' is included already: include it once"
            )
        if len(self._included) >= MAX_FILES:
            raise self.reader.error(
                MalformedError, element, f"more than {MAX_FILES} files are included: is this a robot?"
            )
        self._included.add(file_path.resolve())
        return file_path

    # Default classes

    def _define(self, element: Element, name: str, parent: str) -> None:
        """Reads a <default>: its own attributes, then the classes inside it, which inherit these. Raises
        MalformedError beyond `MAX_DEFAULTS` or `MAX_INHERITED` attributes.
        """
        if name not in self._classes:
            self._classes[name] = {tag: dict(values) for tag, values in self._classes[parent].items()}
            self._inherited += sum(map(len, self._classes[name].values()))
            if self._inherited > MAX_INHERITED:
                what = f"default classes inherit more than {MAX_INHERITED} attributes: is this a robot?"
                raise self.reader.error(MalformedError, element, what)
        defaults = self._classes[name]
        for child in element.children:
            if child.tag != "default":
                defaults.setdefault(_default_tag(child.tag), {}).update(child.attributes)
        if sum(map(len, defaults.values())) > MAX_DEFAULTS:
            raise self.reader.error(
                MalformedError,
                element,
                f"class '{name}' has more than {MAX_DEFAULTS} attributes: is this a robot?",
            )
        for child in element.all("default"):
            self._define(child, self.reader.text(child, "class"), name)

    def with_defaults(self, element: Element, childclass: str) -> Element:
        """The element with default attributes filled in from its own class, else from `childclass`, else from
        the main class. An orientation in any form replaces the default's. Raises UnknownNameError for an
        unknown class.
        """
        name = element.attributes.get("class") or childclass
        name = "main" if name in self._main_names or not name else name
        if name not in self._classes:
            what = f"there is no default class '{name}': name one of {', '.join(self._classes)}"
            raise self.reader.error(UnknownNameError, element, what)
        defaults = self._classes[name].get(_default_tag(element.tag), {})
        if any(word in element.attributes for word in ORIENTATIONS):
            defaults = {key: value for key, value in defaults.items() if key not in ORIENTATIONS}
        return element.with_attributes({**defaults, **element.attributes})

    def sections(self, tag: str) -> list[Element]:
        """Child elements of all sections with that tag."""
        return [child for section in self.root.all(tag) for child in section.children]

    # Numbers

    def numbers(self, element: Element, attribute: str, most: int) -> tuple[float, ...] | None:
        """An attribute's numbers, one to `most` of them and finite; None if it is missing. Raises
        NumberError.
        """
        value = element.attributes.get(attribute)
        if value is None:
            return None
        count = len(value.split())
        if not 1 <= count <= most:
            what = f"{attribute}='{value}' must be one to {most} finite numbers with spaces between them"
            raise self.reader.error(NumberError, element, what)
        return self.reader.numbers(element, attribute, count)

    def limits(self, element: Element, attribute: str, switch: str) -> tuple[float, float] | None:
        """(lower, upper) of a range that the attribute `switch` (true, false or auto) switches on; None if it
        is off, if it is missing, or if `switch` is at auto and the two are equal or autolimits is off.
        Swapped numbers are sorted with a warning.

        Raises:
            NumberError: the range is not two numbers.
        """
        state, infers = (
            element.attributes.get(switch, "auto"),
            self.compiler.get("autolimits", "true") == "true",
        )
        if state == "false" or (state == "auto" and not infers):
            return None
        text = element.attributes.get(attribute)
        if text is None:
            if state == "true":
                self.reader.warn(element, f"it has no {attribute}: it is read as unlimited")
            return None
        first, second = self.reader.bounds(element, attribute)
        if first > second:
            joint = element.attributes.get("joint", element.attributes.get("name", ""))
            self.reader.warn(
                element,
                f"of joint '{joint}' {attribute}='{text}' begins above its end: the numbers are exchanged",
            )
        if first == second and state == "auto":
            return None
        return min(first, second), max(first, second)

    def vector(self, element: Element, attribute: str, otherwise: Vector = (0.0, 0.0, 0.0)) -> Vector:
        """Three finite numbers of an attribute; `otherwise` if it is missing or empty. Raises NumberError."""
        numbers = self.reader.vector(element, attribute)
        return otherwise if numbers is None else numbers

    def angle(self, number: float) -> float:
        """An angle in the file's unit, converted to radians."""
        return radians(number) if self.degrees else number

    def pose(self, element: Element) -> Transform:
        """Frame of an element in its parent's: pos, and the orientation in any of MJCF's forms."""
        return Transform(self.orientation(element), self.vector(element, "pos"))

    def orientation(self, element: Element) -> Quaternion:
        """Rotation of an element, from any of MJCF's forms of orientation; the identity without one.

        Raises:
            AxisError: an axis in the element has no length.
            MalformedError: several forms other than quat are given.
            NumberError: the element's numbers are invalid.
        """
        words = [word for word in ORIENTATIONS if word in element.attributes]
        # in MuJoCo another form, such as one from a default class, overrides the element's quat
        if len(words) > 1 and "quat" in words:
            words.remove("quat")
        if len(words) > 1:
            raise self.reader.error(
                MalformedError, element, f"its orientation is given by {' and '.join(words)}: keep one"
            )
        if not words:
            return IDENTITY
        numbers = self.reader.numbers(
            element, words[0], {"quat": 4, "axisangle": 4, "xyaxes": 6}.get(words[0], 3)
        )
        assert numbers is not None
        if words[0] == "quat":
            w, x, y, z = numbers
            return normalized((w, x, y, z)) if max(map(abs, numbers)) > NO_LENGTH else IDENTITY
        if words[0] == "euler":
            return self._euler((numbers[0], numbers[1], numbers[2]))
        axis = (numbers[0], numbers[1], numbers[2])
        self._need_length(element, words[0], axis)
        if words[0] == "axisangle":
            return about(unit(axis), self.angle(numbers[3]))
        if words[0] == "zaxis":
            return from_z(axis)
        # MJCF requires no right angle between the axes of xyaxes: X has priority
        x_axis = unit(axis)
        y_axis = reject((numbers[3], numbers[4], numbers[5]), x_axis)
        self._need_length(element, words[0], y_axis)
        return from_axes(x_axis, unit(y_axis), cross(x_axis, unit(y_axis)))

    def _need_length(self, element: Element, attribute: str, axis: Vector) -> None:
        """Raises AxisError for an axis without a direction."""
        if length(axis) < NO_LENGTH:
            what = (
                f"{attribute}='{element.attributes[attribute]}' has an axis without a direction: give it one"
            )
            raise self.reader.error(AxisError, element, what)

    def _euler(self, angles: Vector) -> Quaternion:
        """Rotation of Euler angles, in the file's unit and sequence: a lower-case letter of the sequence
        rotates about the moved axis, a capital letter about the fixed axis.
        """
        rotation = IDENTITY
        for letter, angle in zip(self.sequence, angles, strict=True):
            axis_rotation = about(AXES[letter.lower()], self.angle(angle))
            rotation = (
                multiply(rotation, axis_rotation) if letter.islower() else multiply(axis_rotation, rotation)
            )
        return rotation


def from_z(axis: Vector) -> Quaternion:
    """Shortest rotation from the z axis to an axis; about x if they are opposite, as in MuJoCo's compiler."""
    along = unit(axis)
    side = cross(Z, along)
    if length(side) < NO_LENGTH:
        return IDENTITY if along[2] > 0.0 else about(X, pi)
    w = 1.0 + along[2]
    return normalized((w, *side)) if w > NO_LENGTH else about(scale(side, 1.0 / length(side)), pi)


def _default_tag(tag: str) -> str:
    """Tag under which defaults are stored; all kinds of actuators share one."""
    return "actuator" if tag in ACTUATORS else tag
