"""Choice between the two measures of the expressive solver: directions of links, or rotations of bones."""

from ..bones.solver import BoneSolver
from ..gaze import GazeSolver
from ..kinematics.skeleton import Skeleton
from .options import ExpressiveOptions
from .solver import Expressive


def expressive(skeleton: Skeleton, options: ExpressiveOptions | None = None) -> GazeSolver:
    """The expressive solver for the measure that the options choose."""
    return (
        BoneSolver(skeleton, options)
        if options is not None and options.measure == "bones"
        else Expressive(skeleton, options)
    )
