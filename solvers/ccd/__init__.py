"""CCD: cyclic coordinate descent on quaternions, with hinges, limits and annealing, for all goals
and trees.
"""

from .options import CcdOptions
from .solver import Ccd

__all__ = ["Ccd", "CcdOptions"]
