"""CCD: cyclic coordinate descent on quaternions, with revolute and prismatic joints, limits and annealing,
for all goals and trees.
"""

from .options import CcdOptions
from .solver import Ccd

__all__ = ["Ccd", "CcdOptions"]
