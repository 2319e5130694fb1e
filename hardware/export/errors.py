"""The error of an export. Knows no Blender."""

from ..errors import HardwareError


class ExportError(HardwareError, ValueError):
    """The motion cannot be exported; the message names joint, frame, expected and found value, or the remedy."""
