"""Motion files: exported motion for players that run without Blender, and motion files of other programs.

A `Take` has baked frames; `make_motion` checks and resamples them into channel positions; `FORMATS` encodes
these as files. `read` returns a file's `Recording`: values of joints and poses of links at given times.
"""

from ..errors import ExportError
from .files import write
from .formats import FORMATS, Format, Settings
from .lerobot_dataset import EpisodeChoice
from .motion import Motion, frames_at, make_motion
from .named import Named, Scale
from .reading import read
from .recording import LargeMotionError, MotionFileError, RecordedColumn, Recording
from .take import Take

__all__ = [
    "FORMATS",
    "EpisodeChoice",
    "ExportError",
    "Format",
    "LargeMotionError",
    "Motion",
    "MotionFileError",
    "Named",
    "RecordedColumn",
    "Recording",
    "Scale",
    "Settings",
    "Take",
    "frames_at",
    "make_motion",
    "read",
    "write",
]
