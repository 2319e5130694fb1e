"""What can be wrong with a URDF file, each by its own type: messages name file, line, element and the remedy. Knows no Blender."""


class UrdfError(ValueError):
    """A URDF file that cannot be used."""

    def __init__(self, file: str, line: int, element: str, what: str) -> None:
        self.file, self.line, self.element, self.what = file, line, element, what
        self.place = ", ".join(part for part in (f"line {line}" if line else "", element) if part)
        super().__init__(f"{file}, {self.place}: {what}" if self.place else f"{file}: {what}")


class MalformedError(UrdfError):
    """No URDF at all: not to be read, no XML, another root element, xacro that was not expanded, an element or attribute missing."""


class NumberError(UrdfError):
    """An attribute that must be a number, or several, and is not."""


class NameClashError(UrdfError):
    """Two links or two joints of one name."""


class JointTypeError(UrdfError):
    """A kind of joint that URDF does not have."""


class AxisError(UrdfError):
    """An axis without a direction."""


class LimitError(UrdfError):
    """Limits the wrong way round, or below zero where they cannot be."""


class UnknownNameError(UrdfError):
    """A link or joint that the file does not have."""


class LoopError(UrdfError):
    """Joints that go round in a circle: URDF can tell of trees alone."""


class RootError(UrdfError):
    """No link that could be the root, or more than one."""


class MimicError(UrdfError):
    """Joints that follow each other in a circle."""
