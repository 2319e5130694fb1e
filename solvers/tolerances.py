"""Tolerances of all solvers: values below them count as zero, from the finest to the coarsest.

Angles are in radians; lengths in shares of the skeleton's reach, or in sizes of a mechanism, so that they
compare with radians.
"""

import math
import sys

TINY = math.sqrt(
    sys.float_info.min
)  # keeps a denominator above zero; its square and its reciprocal are finite
NO_DIRECTION = 1e-12  # [of unit vectors] a shorter vector has no direction in double precision
# [rad, m, shares, or of a sum's largest term] error of closed loops and met bounds, smallest step: above
# rounding
EXACT = 1e-10
# [rad, or of unit vectors: lengths, cosines] smaller differences are rounding errors of products of rotations
SAME_ANGLE = 1e-9
# [rad or shares] error below which a goal is met, and effect below which a joint has none: single precision
# shows no less
MET = 1e-6
# [of unit vectors] difference from length 1, or from parallel, that rest poses in single precision may have;
# a larger one is meant
SINGLE_PRECISION = 1e-4
SHORTEST_FRAME, LONGEST_FRAME = (
    1e-12,
    1e7,
)  # [s] beyond what any scene's frame rate gives; their squares and reciprocals are ordinary numbers
SEEN = math.radians(1)  # [rad or shares] error, or movement in a frame, from which people see it


def is_frame(dt: float) -> bool:
    """Whether a number can be the duration [s] of a frame; no solver divides by another one."""
    return SHORTEST_FRAME <= dt <= LONGEST_FRAME
