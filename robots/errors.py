"""Errors in robot files, with classes for their causes; messages name file, line and element, as far as
known, and the remedy.
"""

from ..files.large import LargeError


class UrdfError(ValueError):
    """A robot file that cannot be used."""

    def __init__(self, file: str, line: int, element: str, what: str) -> None:
        self.file, self.line, self.element, self.what = file, line, element, what
        self.location = ", ".join(part for part in (f"line {line}" if line else "", element) if part)
        super().__init__(f"{file}, {self.location}: {what}" if self.location else f"{file}: {what}")


class MalformedError(UrdfError):
    """A file that cannot be used for a reason without a class of its own: for example it is no XML or YAML,
    lacks a required element, attribute or field, or exceeds a limit.
    """


class RefusedByFileError(MalformedError):
    """The file itself refuses its arguments, by ${xacro.fatal('...')}."""


class LargeRobotError(UrdfError, LargeError):
    """The file is so large, or has so many links and visuals, that the user is asked first."""


class NumberError(UrdfError):
    """An attribute or field that must be one or several finite numbers in a range, but is not."""


class NameClashError(UrdfError):
    """Two links or two joints have the same name, or a property of xacro is defined by itself."""


class JointTypeError(UrdfError):
    """A joint or a closure has an unknown type."""


class AxisError(UrdfError):
    """The axis of a joint or of an orientation has no direction, since its length is about zero."""


class UnknownNameError(UrdfError):
    """A reference to something that does not exist, such as a link, a joint, a mesh or a macro."""


class LoopError(UrdfError):
    """Joints that form a closed loop: URDF describes trees only."""


class RootError(UrdfError):
    """The robot has more than one root link."""


class MimicError(UrdfError):
    """Mimic joints that follow each other in a cycle."""
