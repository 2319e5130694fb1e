"""What cannot be exported. Knows no Blender."""

from ..errors import HardwareError


class ExportError(HardwareError, ValueError):
    """The motion cannot be exported as asked; the message names joint, frame, expected and found, or the remedy."""
