"""Export of motion for a robot without a computer: checked against limits, resampled, written as a file. Knows no Blender.

A `Take` is what was baked, frame by frame; `make_motion` checks it and makes the positions of every channel at an even rate; `FORMATS`
has the files' bytes.
"""

from .errors import ExportError
from .files import write
from .formats import FORMATS, Format, Settings
from .motion import Motion, make_motion
from .take import Take

__all__ = ["FORMATS", "ExportError", "Format", "Motion", "Settings", "Take", "make_motion", "write"]
