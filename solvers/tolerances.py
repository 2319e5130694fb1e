"""Tolerances of all solvers, below which values count as zero, from the finest to the coarsest.

Angles are in radians; lengths are fractions of the skeleton's reach, or sizes of a mechanism, which makes
them comparable with radians.
"""

import math
import sys

# keeps a denominator above zero; its square is not zero, and its reciprocal is finite
TINY = math.sqrt(sys.float_info.min)
# [for unit vectors] length below which a vector counts as having no direction in double precision
NO_DIRECTION = 1e-12
# [rad, m, fractions, or relative to a sum's largest term] error of closed loops and met bounds, and smallest
# step; above rounding errors
EXACT = 1e-10
# [rad; for unit vectors also lengths and cosines] difference that counts as a rounding error of products of
# rotations
SAME_ANGLE = 1e-9
# [rad or fractions] error up to which a goal counts as met, and effect of a joint that counts as none: single
# precision shows nothing smaller
MET = 1e-6
LEAST_GAIN = 1e-6  # [fraction of a cost] reduction below which a step counts as invisible
# [for unit vectors] deviation from length 1, or from parallel, that counts as the rounding of rest poses in
# single precision; a larger one is intended
SINGLE_PRECISION = 1e-4
# [s] limits of a frame's duration, far beyond any scene's; solvers divide by no duration outside of them,
# since their squares and reciprocals are ordinary numbers
SHORTEST_FRAME, LONGEST_FRAME = 1e-12, 1e7
SEEN = math.radians(1)  # [rad or fractions] error, or movement in a frame, that people can see
