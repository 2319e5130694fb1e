"""Choice between the two measures of the expressive solver: directions of links, or rotations of bones."""

import math

from ..bones.solver import BoneSolver
from ..gaze import GazeSolver
from ..kinematics.skeleton import Skeleton
from .options import ExpressiveOptions
from .solver import Expressive

# Most joints for directions of links. A frame that plans a transition takes time with the cube of their
# number: for so many 0.8 s, and a host that computes for longer than a second counts as lost.
MOST_JOINTS = 200


def most_joints(options: object) -> float:
    """Largest number of joints that the solver moves with these options."""
    return math.inf if isinstance(options, ExpressiveOptions) and options.measure == "bones" else MOST_JOINTS


def expressive(skeleton: Skeleton, options: ExpressiveOptions | None = None) -> GazeSolver:
    """The expressive solver for the measure that the options choose."""
    return (
        BoneSolver(skeleton, options)
        if options is not None and options.measure == "bones"
        else Expressive(skeleton, options)
    )
