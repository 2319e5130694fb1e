"""Errors in robot files, with one class for each cause; messages name file, line, element and remedy."""

from ..files.large import LargeError


class UrdfError(ValueError):
    """A robot file that cannot be used."""

    def __init__(self, file: str, line: int, element: str, what: str) -> None:
        self.file, self.line, self.element, self.what = file, line, element, what
        self.location = ", ".join(part for part in (f"line {line}" if line else "", element) if part)
        super().__init__(f"{file}, {self.location}: {what}" if self.location else f"{file}: {what}")


class MalformedError(UrdfError):
    """A file that cannot be read: it is no XML or YAML, has another root element, contains unexpanded xacro,
    or a required element or attribute is missing.
    """


class RefusedByFileError(MalformedError):
    """The file itself refuses its arguments, by ${xacro.fatal('...')}."""


class LargeRobotError(UrdfError, LargeError):
    """The file is so large that the user is asked before it is read."""


class NumberError(UrdfError):
    """An attribute that must be one or several finite numbers, but is not."""


class NameClashError(UrdfError):
    """Two links or two joints have the same name."""


class JointTypeError(UrdfError):
    """A joint has an unknown type."""


class AxisError(UrdfError):
    """A joint's axis has length zero."""


class UnknownNameError(UrdfError):
    """A reference to a link or joint that is not in the file."""


class LoopError(UrdfError):
    """Joints that form a closed loop: URDF describes trees only."""


class RootError(UrdfError):
    """The robot has more than one root link."""


class MimicError(UrdfError):
    """Mimic joints that follow each other in a cycle."""
