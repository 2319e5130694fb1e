"""Export of motion for a robot without a computer: checked against limits, resampled, written as a file. Knows no Blender.

A `Take` has baked frames; `make_motion` checks and resamples them into channel positions; `FORMATS`
encodes these as files.
"""

from ..errors import ExportError
from .files import write
from .formats import FORMATS, Format, Settings
from .motion import Motion, make_motion
from .take import Take

__all__ = ["FORMATS", "ExportError", "Format", "Motion", "Settings", "Take", "make_motion", "write"]
