"""Choice between the two measures of the expressive solver: directions of links, or rotations of bones."""

from ..bones.solver import BoneSolver
from ..gaze import GazeSolver
from ..kinematics.skeleton import Skeleton
from .options import ExpressiveOptions
from .solver import Expressive

# Largest number of joints for directions of links. The time of a frame that plans a transition grows with the
# cube of their number: up to 0.15 s for so many by the kernel and 0.8 s in Python, in which its host is
# silent. A robot holds after 0.2 s of silence, HOLD_AFTER of hardware.safety, and is disarmed after 5 s,
# DISARM_AFTER: so a computer of a sixth of the speed, without the kernel, keeps it armed.
MOST_JOINTS = 100


def why_too_long(joints: int, options: object) -> str:
    """Why the solver does not move so many joints with these options, as part of a sentence; "" if it
    does.
    """
    if joints <= MOST_JOINTS or (isinstance(options, ExpressiveOptions) and options.measure == "bones"):
        return ""
    return f"moves at most {MOST_JOINTS} joints unless Shape is Rotations of Bones, and here are {joints}"


def expressive(skeleton: Skeleton, options: ExpressiveOptions | None = None) -> GazeSolver:
    """The expressive solver for the measure that the options choose."""
    return (
        BoneSolver(skeleton, options)
        if options is not None and options.measure == "bones"
        else Expressive(skeleton, options)
    )
