"""When a mechanism's sketch is kept: when it is made, assembled, goes live or is baked, and when the user says so."""

from ...blender.errors import RigError
from ...live.live import as_authored
from ...showing.mechanism_proxy import movers
from . import rest_pose
from .reading import Reading, read


def remember(owner, is_anew: bool = False) -> None:
    """Keeps the sketch as it is now, as far as it can be read; `is_anew`: this frame's pose, whatever was kept."""
    try:
        with as_authored() as depsgraph:
            reading = read(owner, depsgraph, is_anew)
    except RigError:  # it is not finished: Check and Live say why
        return
    note(owner, reading)


def note(owner, reading: Reading) -> None:
    """Keeps the sketch that was read; not one that may be another in the next frame, which the user is to say."""
    if not reading.unkept:
        rest_pose.keep(owner, reading.places, reading.is_kept)


def note_baked(owner, reading: Reading) -> None:
    """Keeps the sketch of what gets keys now: their motors' values count from there."""
    rest_pose.keep(owner, reading.places, reading.is_kept, {part.uid for _, part in movers(reading)})


def set_zero(owner) -> None:
    """This frame's pose is the sketch from now on.

    Raises:
        RigError: it cannot be a mechanism.
    """
    with as_authored() as depsgraph:
        reading = read(owner, depsgraph, is_anew=True)
    rest_pose.keep(owner, reading.places, is_known=False)
